package engine

import (
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestPurity lists all that the engine may import: no files, no network, no clock, no database, no other package of hodor.
func TestPurity(t *testing.T) {
	allowed := map[string]bool{"maps": true, "slices": true, "strconv": true, "strings": true}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		seen++
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			if path, _ := strconv.Unquote(spec.Path.Value); !allowed[path] {
				t.Errorf("%s imports %s: the engine must stay pure", f.Name(), path)
			}
		}
	}
	if seen < 10 {
		t.Errorf("looked at %d files only", seen)
	}
}

// TestDecideKeepsInput: the caller's maps and slices are not changed, and the answer does not alias them.
func TestDecideKeepsInput(t *testing.T) {
	for _, c := range cases {
		in, asked := parse(t, c.input)
		before, _ := parse(t, c.input)
		d := decide(asked, &in)
		for i := range d.Evidence {
			d.Evidence[i] = Evidence{}
		}
		if got, want := dump(in), dump(before); got != want {
			t.Errorf("%s: the input was changed:\n%s\n%s", c.input, got, want)
		}
	}
}
