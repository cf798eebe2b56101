// Package enginetest holds the one rule for tests that need something beside Go: a database server, Spark, a Python
// environment. Where it is missing such a test is skipped, so that a laptop needs none of them; with HODOR_REQUIRE_ENGINES=1,
// which CI sets, it fails, so that nothing can be green for want of an engine.
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
