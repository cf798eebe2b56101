package grammar

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// syntaxEscapes are the escapes of the texts in testdata/syntax, one a line.
var syntaxEscapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\f`, "\f", `\v`, "\v", `\u00a0`, "\u00a0",
	`\u2003`, "\u2003", `\u2009`, "\u2009", `\u3000`, "\u3000")

// TestSyntax: what stands behind + in testdata/syntax parses and keeps the laws, what stands behind - is refused at a place of the
// text. A mark with ! is a choice of this package, told behind #; all others are what the engines' parsers say, which package
// confirm asks.
func TestSyntax(t *testing.T) {
	for _, d := range []Dialect{Databricks, DuckDB} {
		raw, err := os.ReadFile(filepath.Join("testdata/syntax", d.String()+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		texts := 0
		for i, line := range strings.Split(string(raw), "\n") {
			mark, sql, ok := strings.Cut(line, " ")
			if !ok || mark == "#" {
				continue
			}
			if strings.HasSuffix(mark, "!") {
				at := strings.LastIndex(sql, " # ")
				if at < 0 {
					t.Errorf("%s, line %d: no reason", d, i+1)
					continue
				}
				sql = sql[:at]
			}
			texts++
			sql = syntaxEscapes.Replace(sql)
			_, err := Parse(sql, d)
			var e *ParseError
			switch {
			case mark[0] == '+' && err != nil:
				t.Errorf("%s, line %d: %v", d, i+1, err)
			case mark[0] == '+':
				if err := checkLaws(sql, d); err != nil {
					t.Errorf("%s, line %d: %v", d, i+1, err)
				}
			case err == nil:
				t.Errorf("%s, line %d parses: %s", d, i+1, sql)
			case !errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Offset > len(sql):
				t.Errorf("%s, line %d: no place: %v", d, i+1, err)
			}
		}
		if texts < 300 {
			t.Errorf("%s: %d texts", d, texts)
		}
	}
}
