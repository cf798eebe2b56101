package state

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/errors.md lists every code of errors.go, and no other.
func TestErrorsAreDocumented(t *testing.T) {
	source, err := os.ReadFile("errors.go")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(filepath.Join("..", "docs", "errors.md"))
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`ODS-E\d+`)
	known := map[string]bool{}
	for _, c := range codes.FindAllString(string(source), -1) {
		known[c] = true
		if strings.Count(string(doc), "| `"+c+"` |") != 1 {
			t.Errorf("docs/errors.md has not one row of %s", c)
		}
	}
	for _, c := range codes.FindAllString(string(doc), -1) {
		if !known[c] {
			t.Errorf("docs/errors.md has %s, which is no code", c)
		}
	}
}
