//go:build cgo

package corpus

import (
	"database/sql"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
)

// TestQueriesBind: the queries over the schemas of TPC-H and TPC-DS are real ones: DuckDB binds each to the tables of its schema.
func TestQueriesBind(t *testing.T) {
	entries := load(t)
	for _, kind := range []string{"tpch", "tpcds"} {
		db, err := sql.Open("duckdb", "")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		bound := 0
		for _, schema := range []bool{true, false} {
			for _, e := range entries {
				if e.Kind != kind || (e.File == "common/"+kind+"/schema.sql") != schema {
					continue
				}
				statement := e.SQL
				if !schema {
					statement = "explain " + statement
					bound++
				}
				if _, err := db.Exec(statement); err != nil {
					t.Errorf("%s: %v", e.File, err)
				}
			}
		}
		if bound < 12 {
			t.Errorf("%s: only %d queries", kind, bound)
		}
	}
}
