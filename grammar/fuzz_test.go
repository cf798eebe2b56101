package grammar

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hodor/internal/usage"
)

// seedFuzz adds every text of testdata, and while fuzzing the shared cases too, which TestSharedLaws runs otherwise.
func seedFuzz(f *testing.F) {
	for _, d := range []Dialect{Databricks, DuckDB} {
		for _, folder := range []string{"common", "databricks", "duckdb", "statements/" + d.String()} {
			names, err := filepath.Glob("testdata/" + folder + "/*.test")
			if err != nil {
				f.Fatal(err)
			}
			for _, name := range names {
				for _, c := range readGolden(nil, name) {
					if strings.HasPrefix(folder, "statements") { // one a line
						for line := range strings.Lines(c.input) {
							f.Add(line, uint8(d))
						}
					} else {
						f.Add(c.input, uint8(d))
					}
				}
			}
		}
	}
	if fuzzing() && exists(sharedFolder+"/cases/accept.jsonl") {
		everySharedText(f, func(_, sql string, d Dialect) { f.Add(sql, uint8(d)) })
	}
}

func fuzzing() bool { return flag.Lookup("test.fuzz").Value.String() != "" }

func fuzzDialect(d uint8) Dialect {
	if d%2 == uint8(Databricks) {
		return Databricks
	}
	return DuckDB
}

// FuzzParse checks that no text makes the parser crash or hang, and that every error has a place inside the text.
func FuzzParse(f *testing.F) {
	seedFuzz(f)
	f.Fuzz(func(t *testing.T, sql string, d uint8) {
		before := usage.CPU()
		_, err := Parse(sql, fuzzDialect(d))
		if spent := usage.CPU() - before; fuzzing() && len(sql) <= 64<<10 && spent > time.Second {
			t.Errorf("%d bytes took %s", len(sql), spent)
		}
		if err == nil {
			return
		}
		e := err.(*ParseError)
		if e.Line < 1 || e.Column < 1 || e.Offset < 0 || e.Offset > len(sql) || strings.ContainsAny(e.Error(), "\n\r") && !strings.ContainsAny(e.Found, "\n\r") {
			t.Errorf("%#v", e)
		}
	})
}

// FuzzPrint checks the laws of laws_test.go on every text that parses.
func FuzzPrint(f *testing.F) {
	seedFuzz(f)
	f.Fuzz(func(t *testing.T, sql string, d uint8) {
		if err := checkLaws(sql, fuzzDialect(d)); err != nil {
			t.Error(err)
		}
	})
}
