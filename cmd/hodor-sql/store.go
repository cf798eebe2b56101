package main

import (
	"context"
	"database/sql"
	"fmt"

	"hodor/session"
	"hodor/stores"
	"hodor/stores/delta"
	"hodor/stores/duckdb"
	"hodor/stores/postgres"
)

// lakebase asks for the login to a Lakebase endpoint.
type lakebase func(ctx context.Context, endpoint string) (postgres.Login, error)

// storeAsk says which store to open, and how.
type storeAsk struct {
	settings session.Settings
	root     string   // of the dbt project
	dsn      string   // Postgres, in place of what libpq finds by itself
	login    lakebase // nil: there is nobody to ask
	// warehouse is dbt's connection, for Delta; nil: the DATABRICKS_* variables say how to reach one.
	warehouse *sql.DB
	readOnly  bool
}

// openStore opens the store that the settings name (spec 8). Nothing is reached yet: the first operation does.
func openStore(ask storeAsk) (stores.Store, error) {
	s := ask.settings
	switch s.Store {
	case "duckdb":
		store, err := duckdb.Open(duckdb.Options{Root: ask.root, Path: s.Path, Schema: s.Schema, Table: s.Table, ReadOnly: ask.readOnly, Hold: ask.readOnly})
		if err != nil {
			return nil, err
		}
		return store, nil
	case "postgres":
		o := postgres.Options{DSN: ask.dsn, Database: s.Database, Schema: s.Schema, Table: s.Table, ReadOnly: ask.readOnly}
		if s.Endpoint != "" {
			if ask.login == nil {
				return nil, fmt.Errorf("%w: a Lakebase endpoint needs Databricks' SDK; use dbt-hodor instead of hodor-sql, or --dsn", stores.ErrUnavailable)
			}
			o.BeforeConnect = func(ctx context.Context) (postgres.Login, error) { return ask.login(ctx, s.Endpoint) }
		}
		store, err := postgres.Open(o)
		if err != nil {
			return nil, err
		}
		return store, nil
	case "delta":
		store, err := delta.Open(delta.Options{
			Warehouse: ask.warehouse, Connection: delta.FromEnvironment(), Database: s.Database, Schema: s.Schema, Table: s.Table, ReadOnly: ask.readOnly,
		})
		if err != nil {
			return nil, err
		}
		return store, nil
	}
	return nil, fmt.Errorf("%w: hodor_store is %q; set hodor_store (or HODOR_STORE) to duckdb, postgres or delta", stores.ErrUnavailable, s.Store)
}

// openStore is the session's way to its store: a Lakebase login comes from the host, which has the SDK.
func (s *service) openStore(_ context.Context, settings session.Settings, root string, warehouse *sql.DB) (stores.Store, error) {
	return openStore(storeAsk{settings: settings, root: root, login: s.login, warehouse: warehouse})
}

// login asks the host for the login to a Lakebase endpoint.
func (s *service) login(ctx context.Context, endpoint string) (postgres.Login, error) {
	var a struct {
		Host, User, Token string
	}
	if err := s.conn.Call(ctx, "lakebase/credential", map[string]string{"endpoint": endpoint}, &a); err != nil {
		return postgres.Login{}, fmt.Errorf("no login to the Lakebase endpoint: %w", err)
	}
	if a.Host == "" || a.User == "" || a.Token == "" {
		return postgres.Login{}, fmt.Errorf("no login to the Lakebase endpoint: dbt answered without host, user or token")
	}
	return postgres.Login{Host: a.Host, User: a.User, Password: a.Token}, nil
}
