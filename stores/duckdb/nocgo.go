//go:build !cgo

package duckdb

import "hodor/stores/sqlstore"

// Open returns ErrNoDuckDB.
func Open(Options) (*sqlstore.Store, error) { return nil, ErrNoDuckDB }
