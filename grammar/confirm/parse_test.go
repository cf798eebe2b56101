//go:build cgo

package confirm

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"hodor/grammar"
	"hodor/internal/enginetest"
)

// duckdb15 asks the parser of the DuckDB that the service links, 1.5.
func duckdb15(t *testing.T) func([]string) []string {
	t.Helper()
	var db mapping.Database
	var conn mapping.Connection
	if mapping.Open(":memory:", &db) != mapping.StateSuccess || mapping.Connect(db, &conn) != mapping.StateSuccess {
		t.Fatal("no connection")
	}
	t.Cleanup(func() {
		mapping.Disconnect(&conn)
		mapping.Close(&db)
	})
	return func(texts []string) (out []string) {
		for _, text := range texts {
			var statements mapping.ExtractedStatements
			answer := ""
			if n := mapping.ExtractStatements(conn, text, &statements); n == 0 {
				answer = mapping.ExtractStatementsError(statements)
			}
			mapping.DestroyExtracted(&statements)
			out = append(out, answer)
		}
		return out
	}
}

// duckdb20 asks the parser of DuckDB 2.0, which is another one.
func duckdb20(t *testing.T) func([]string) []string {
	t.Helper()
	python, err := filepath.Abs("../../.venv/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(python); err != nil {
		enginetest.Missing(t, "no Python environment .venv: make venv")
	}
	return func(texts []string) (out []string) {
		cmd := exec.Command(python, "-c", `
import json, sys, duckdb
db, out = duckdb.connect(), []
for sql in json.load(sys.stdin):
    try:
        db.extract_statements(sql)
        out.append("")
    except Exception as error:
        out.append(str(error) or "refused")
json.dump(out, sys.stdout)
`)
		in, err := json.Marshal(texts)
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
		raw, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
}

func TestPrintedTextParsesInDuckDB(t *testing.T) {
	checkPrinted(t, grammar.DuckDB, append(own(t, grammar.DuckDB), shared(grammar.DuckDB)...), 200, duckdb15(t))
}

func TestPrintedTextParsesInDuckDB2(t *testing.T) {
	checkPrinted(t, grammar.DuckDB, append(own(t, grammar.DuckDB), shared(grammar.DuckDB)...), 200, duckdb20(t))
}

// TestSyntaxInDuckDB: DuckDB means both versions.
func TestSyntaxInDuckDB(t *testing.T) { checkSyntax(t, grammar.DuckDB, duckdb15(t), duckdb20(t)) }
