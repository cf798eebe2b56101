package grammar

import (
	"errors"
	"strings"
	"testing"
)

// TestErrorAtTheEndOfALongText: the place of the first error is the true one, however much stands before it, also in a later statement, and behind
// characters of several bytes.
func TestErrorAtTheEndOfALongText(t *testing.T) {
	line := "select 'größe', a -- ø\nfrom t where b in (1, 2, 3);\n" // two lines
	long := strings.Repeat(line, 100_000/len(line)+1)
	at := 2 * strings.Count(long, ";")
	for _, c := range []struct {
		last         string
		line, column int
	}{
		{"select 'é' as x, from ) t", at + 1, 23},
		{"select a\nfrom t\nwhere (b = 1", at + 3, 13},
		{"select 'never closed", at + 1, 8},
		{"select case when a then b", at + 1, 26},
		{"\n\n  selct 1", at + 3, 3},
	} {
		for _, d := range []Dialect{Databricks, DuckDB} {
			_, err := Parse(long+c.last, d)
			var e *ParseError
			if !errors.As(err, &e) {
				t.Errorf("%v, %q: %v", d, c.last, err)
				continue
			}
			if e.Line != c.line || e.Column != c.column || e.Statement != at/2+1 {
				t.Errorf("%v, %q: %d:%d, want %d:%d (%s)", d, c.last, e.Line, e.Column, c.line, c.column, e.Message())
			}
		}
	}
}
