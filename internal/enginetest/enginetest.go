package enginetest

import (
	"os"
	"testing"
)

// Required tells whether a missing engine is a failure.
func Required() bool { return os.Getenv("HODOR_REQUIRE_ENGINES") == "1" }

// Missing ends the test: skipped, or failed where engines are required. The text says what is missing and how to get it,
// such as "no PostgreSQL: apt-get install postgresql".
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if Required() {
		t.Fatalf(format+" (HODOR_REQUIRE_ENGINES=1)", args...)
	}
	t.Skipf(format, args...)
}
