package grammar

import (
	"strings"
	"testing"
)

// seedFuzz adds every text of testdata and of the shared cases to a fuzz test's corpus.
func seedFuzz(f *testing.F) {
	for _, d := range []Dialect{Databricks, DuckDB} {
		for _, folder := range []string{"common", "databricks", "duckdb"} {
			for _, name := range []string{"select", "precedence", "lexical", "queries", "from", "expressions", "errors"} {
				if path := "testdata/" + folder + "/" + name + ".test"; exists(path) {
					for _, c := range readGolden(nil, path) {
						f.Add(c.input, uint8(d))
					}
				}
			}
		}
	}
	if exists(sharedFolder + "/cases/accept.jsonl") {
		n := 0
		everySharedText(f, func(_, sql string, d Dialect) {
			if n++; n%7 == 0 && len(sql) < 2000 {
				f.Add(sql, uint8(d))
			}
		})
	}
}

func fuzzDialect(d uint8) Dialect {
	if d%2 == uint8(Databricks) {
		return Databricks
	}
	return DuckDB
}

// FuzzParse checks that no text makes the parser crash, and that every error has a place inside the text.
func FuzzParse(f *testing.F) {
	seedFuzz(f)
	f.Fuzz(func(t *testing.T, sql string, d uint8) {
		_, err := Parse(sql, fuzzDialect(d))
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
