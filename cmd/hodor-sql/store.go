package main

import (
	"context"
	"database/sql"
	"fmt"

	"hodor/session"
	"hodor/stores"
	"hodor/stores/duckdb"
)

// openStore opens the store that the settings name (spec 8). It reaches nothing yet: the first operation does.
func openStore(_ context.Context, s session.Settings, root string, _ *sql.DB) (stores.Store, error) {
	switch s.Store {
	case "duckdb":
		store, err := duckdb.Open(duckdb.Options{Root: root, Path: s.Path, Schema: s.Schema, Table: s.Table})
		if err != nil {
			return nil, err
		}
		return store, nil
	}
	return nil, fmt.Errorf("%w: hodor_store is %q; duckdb is known", stores.ErrUnavailable, s.Store)
}
