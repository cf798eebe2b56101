//go:build cgo

package duckdb

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hodor/stores"
	"hodor/stores/sqlstore"
	"hodor/stores/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Backend{Names: true, New: newPlace})
}

// TestConformanceOfLiterals runs the suite on a dialect as Delta's is, with literals instead of parameters, MERGE instead of a key, no
// transactions and plain INSERT, so that the shared code behind them is tested where a database is at hand.
func TestConformanceOfLiterals(t *testing.T) {
	plain := sqlstore.Dialect{
		Name: "plain", Text: "VARCHAR", Quote: sqlstore.DoubleQuote, CreateSchema: true,
		Literal: func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" },
	}
	storetest.Run(t, storetest.Backend{Few: true, Names: true, New: func(t *testing.T) storetest.Place {
		place := newPlace(t)
		path := filepath.Join(t.TempDir(), "plain.duckdb")
		place.Open = func(o storetest.Options) (stores.Store, error) {
			table := sqlstore.Table{Database: attached, Schema: cmp.Or(o.Schema, "main"), Name: cmp.Or(o.Table, "hodor_state")}
			return sqlstore.New(&plain, &source{file: fileOf(path), shown: path, wait: time.Minute}, table, o.ReadOnly)
		}
		place.Exec = func(t *testing.T, statement string) { execute(t, path, statement) }
		place.Twins = true
		return place
	}})
}

func newPlace(t *testing.T) storetest.Place {
	path := filepath.Join(t.TempDir(), "100% o'x ; é", ".hodor", "state.duckdb")
	return storetest.Place{
		Open: func(o storetest.Options) (stores.Store, error) {
			return Open(Options{Path: path, Schema: o.Schema, Table: o.Table, ReadOnly: o.ReadOnly})
		},
		Exec:  func(t *testing.T, statement string) { execute(t, path, statement) },
		Table: `"hodor"."main"."hodor_state"`, Commit: `"hodor"."main"."hodor_state_commit"`, Text: "VARCHAR",
	}
}

// execute runs a statement on the file, as another program would; the file is closed before and after.
func execute(t *testing.T, path, statement string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	f := fileOf(path)
	if err := f.acquire(ctx); err != nil {
		t.Fatal(err)
	}
	defer f.release()
	if err := errors.Join(f.detach(), f.attach(ctx, true)); err != nil {
		t.Fatal(err)
	}
	_, err := f.conn.ExecContext(ctx, statement)
	if err = errors.Join(err, f.detach()); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}
