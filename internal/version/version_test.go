package version

import (
	"os"
	"regexp"
	"testing"
)

// The wheel takes its version from the same file, so it must be a version that Python's packaging rules accept.
func TestVersionIsOneForGoAndPython(t *testing.T) {
	if v := Version(); !regexp.MustCompile(`^\d+\.\d+\.\d+((a|b|rc)\d+)?(\.dev\d+)?$`).MatchString(v) {
		t.Errorf("VERSION is %q: a release such as 0.1.0 or 0.2.0rc1 is needed", v)
	}
	pyproject, err := os.ReadFile("../../plugin/pyproject.toml")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^path = "\.\./internal/version/VERSION"$`).Match(pyproject) {
		t.Error("plugin/pyproject.toml does not read its version from internal/version/VERSION")
	}
}
