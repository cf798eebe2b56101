package main

import (
	"context"
	"database/sql"
	"fmt"

	"hodor/session"
	"hodor/stores"
	"hodor/stores/duckdb"
	"hodor/stores/postgres"
)

// lakebase asks for the login to a Lakebase endpoint.
type lakebase func(ctx context.Context, endpoint string) (postgres.Login, error)

// openStore opens the store that the settings name (spec 8), for a project whose root is at root. Nothing is reached yet: the first operation does.
func openStore(s session.Settings, root string, login lakebase) (stores.Store, error) {
	switch s.Store {
	case "duckdb":
		store, err := duckdb.Open(duckdb.Options{Root: root, Path: s.Path, Schema: s.Schema, Table: s.Table})
		if err != nil {
			return nil, err
		}
		return store, nil
	case "postgres":
		o := postgres.Options{Database: s.Database, Schema: s.Schema, Table: s.Table}
		if s.Endpoint != "" {
			o.BeforeConnect = func(ctx context.Context) (postgres.Login, error) { return login(ctx, s.Endpoint) }
		}
		store, err := postgres.Open(o)
		if err != nil {
			return nil, err
		}
		return store, nil
	}
	return nil, fmt.Errorf("%w: hodor_store is %q, which this version has not; set hodor_store (or HODOR_STORE) to duckdb or postgres", stores.ErrUnavailable, s.Store)
}

// openStore is the session's way to its store: a Lakebase login comes from the host, which has the SDK.
func (s *service) openStore(_ context.Context, settings session.Settings, root string, _ *sql.DB) (stores.Store, error) {
	return openStore(settings, root, func(ctx context.Context, endpoint string) (postgres.Login, error) {
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
	})
}
