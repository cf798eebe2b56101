package hodor

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// inDocs finds the names of tests, of their files and of their folders.
	inDocs = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w+|\btest_\w+\.py\b|\b\w+_test\.go\b|plugin/tests/\w+(?:\.py)?`)
	// defined finds what defines one of the first kind.
	defined = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)[A-Z]\w+)\(`)
)

// TestNamesInDocs: each test, and each file or folder of tests, that the documentation, the Makefile or CI names is there.
func TestNamesInDocs(t *testing.T) {
	there, texts := map[string]bool{}, map[string][]byte{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			there[filepath.ToSlash(path)] = true
			if path != "." && path != ".ci" && strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		there[d.Name()], there[filepath.ToSlash(path)] = true, true
		text := strings.HasSuffix(path, ".md") || path == "Makefile" || strings.HasPrefix(path, ".ci/")
		if !text && !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		raw, err := os.ReadFile(path)
		if text {
			texts[path] = raw
		}
		for _, m := range defined.FindAllSubmatch(raw, -1) {
			there[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	for path, text := range texts {
		for line := range bytes.Lines(text) {
			for _, name := range inDocs.FindAllString(string(line), -1) {
				names++
				if !there[name] && !prefixes(name, there) {
					t.Errorf("%s names %s, which is not there", path, name)
				}
			}
		}
	}
	if names < 30 {
		t.Errorf("%d names found", names)
	}
}

// prefixes tells whether name is what several tests begin with, as in `-run TestSpark`.
func prefixes(name string, there map[string]bool) bool {
	for other := range there {
		if strings.HasPrefix(other, name) && len(other) > len(name) {
			return true
		}
	}
	return false
}
