package corpus

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hodor/corpus/generated"
	"hodor/normalize"
)

var (
	kinds    = []string{"tpch", "tpcds", "model", "test", "statement", "broken", "generated"}
	licences = []string{"Apache-2.0"}
	levels   = []string{normalize.LevelQualified, normalize.LevelParsed, normalize.LevelText}
)

func load(t *testing.T) []Entry {
	t.Helper()
	entries, err := Load(".")
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// TestIndex: every text is listed once, in order, with a source, a licence and an expectation that hold.
func TestIndex(t *testing.T) {
	entries := load(t)
	var listed []string
	for _, e := range entries {
		listed = append(listed, e.File)
		if !slices.Contains(kinds, e.Kind) || !slices.Contains(licences, e.Licence) || e.Source == "" || !slices.Contains(levels, e.Level) {
			t.Errorf("%s: kind %q, source %q, licence %q, level %q", e.File, e.Kind, e.Source, e.Licence, e.Level)
		}
		first, _, _ := strings.Cut(e.File, "/")
		want := []string{first}
		if first == "common" {
			want = []string{normalize.DialectDatabricks, normalize.DialectDuckDB}
		}
		if !slices.Equal(e.Dialects, want) {
			t.Errorf("%s: dialects %v, want %v", e.File, e.Dialects, want)
		}
		if (e.Kind == "broken") != (e.Level == normalize.LevelText) {
			t.Errorf("%s is of kind %s and expected at level %s", e.File, e.Kind, e.Level)
		}
	}
	var there []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".sql") {
			there = append(there, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(there)
	if !slices.Equal(listed, there) {
		t.Errorf("index.csv lists %d files in this order, the folder has %d: %v", len(listed), len(there), apart(listed, there))
	}
}

// apart are the names that stand in one list only.
func apart(a, b []string) (out []string) {
	for _, lists := range [][2][]string{{a, b}, {b, a}} {
		for _, name := range lists[0] {
			if !slices.Contains(lists[1], name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// TestExpectations: each text has its level in each of its dialects, and what does not parse says where.
func TestExpectations(t *testing.T) {
	for _, e := range load(t) {
		for _, dialect := range e.Dialects {
			r := normalize.Normalize(e.SQL, normalize.Options{Dialect: dialect})
			at := ""
			if r.Error != nil {
				at = fmt.Sprintf("%d:%d", r.Error.Line, r.Error.Column)
			}
			if r.Level != e.Level || at != e.Error {
				t.Errorf("%s, %s: %s %s, want %s %s (%+v)", e.File, dialect, r.Level, at, e.Level, e.Error, r.Error)
			}
		}
	}
}

// TestGenerated: the generated files are those that the generator makes.
func TestGenerated(t *testing.T) {
	files := generated.Files()
	n := 0
	for _, e := range load(t) {
		if e.Kind != "generated" {
			continue
		}
		n++
		if files[e.File] != e.SQL {
			t.Errorf("%s is not what gen-corpus makes: go run ./tools/gen-corpus corpus", e.File)
		}
	}
	if n != len(files) {
		t.Errorf("%d files, %d are generated", n, len(files))
	}
}
