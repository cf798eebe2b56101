package soundness

import (
	"context"
	"database/sql"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
)

// outcome is what a query gives on one database: names and types of its columns, and its rows as a multiset.
type outcome struct {
	columns string
	rows    string
	err     string
}

// engine is one version of DuckDB with several databases of the same tables, each with another schema and other rows.
type engine interface {
	// fill gives the n-th database the tables of a script: one statement a line.
	fill(n int, script string) error
	// run executes one query on the n-th database.
	run(n int, query string) outcome
}

// statementLimit ends a query that runs away, as a mutant may.
const statementLimit = 20 * time.Second

// linked is the DuckDB that is linked into the service.
type linked struct{ conns []*sql.Conn }

func newLinked(t testing.TB) *linked {
	t.Helper()
	e := &linked{}
	for range databases {
		db, err := sql.Open("duckdb", "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		conn, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		e.conns = append(e.conns, conn)
	}
	for n := range e.conns {
		if err := e.fill(n, settings); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

func (e *linked) fill(n int, script string) error {
	for _, statement := range strings.Split(script, "\n") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if _, err := e.conns[n].ExecContext(context.Background(), statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

func (e *linked) run(n int, query string) outcome {
	ctx, cancel := context.WithTimeout(context.Background(), statementLimit)
	defer cancel()
	rows, err := e.conns[n].QueryContext(ctx, query)
	if err != nil {
		return outcome{err: err.Error()}
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return outcome{err: err.Error()}
	}
	var columns []string
	for _, ty := range types {
		columns = append(columns, ty.Name()+" "+ty.DatabaseTypeName())
	}
	var lines []string
	values := make([]any, len(types))
	for i := range values {
		values[i] = new(any)
	}
	for rows.Next() {
		if err := rows.Scan(values...); err != nil {
			return outcome{err: err.Error()}
		}
		var line []string
		for _, v := range values {
			line = append(line, fmt.Sprintf("%T:%v", *v.(*any), *v.(*any)))
		}
		lines = append(lines, strings.Join(line, "|"))
	}
	if err := rows.Err(); err != nil {
		return outcome{err: err.Error()}
	}
	sort.Strings(lines)
	return outcome{columns: strings.Join(columns, ", "), rows: strings.Join(lines, "\n")}
}
