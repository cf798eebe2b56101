//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"hodor/stores"
	"hodor/stores/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Backend{Fast: true, Names: true, New: newPlace})
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
