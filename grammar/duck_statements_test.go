package grammar

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestDuckStatements prints the statements of DuckDB that are no queries, one a line, or says why there is none. What each
// line is was asked of DuckDB 1.5.6 and 2.0.1: a line that one of them takes parses here, but for what only 2.0 has and
// doc comments say.
func TestDuckStatements(t *testing.T) { runStatements(t, DuckDB) }

func runStatements(t *testing.T, d Dialect) {
	datadriven.Walk(t, "testdata/statements/"+d.String(), func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, td *datadriven.TestData) string {
			var b strings.Builder
			for _, sql := range strings.Split(td.Input, "\n") {
				f, err := Parse(sql, d)
				if err != nil {
					fmt.Fprintln(&b, err)
					continue
				}
				if err := checkLaws(sql, d); err != nil {
					t.Errorf("%s: %v", sql, err)
				}
				switch td.Cmd {
				case "print":
					b.WriteString(Print(f, d))
				case "objects":
					for _, s := range f.Statements {
						Objects(s, func(role Role, n *Name) { fmt.Fprintf(&b, "%d %s ", role, n.Span.Text(sql)) })
					}
				default:
					t.Fatalf("%s: the directive %s is unknown", td.Pos, td.Cmd)
				}
				b.WriteString("\n")
			}
			return b.String()
		})
	})
}
