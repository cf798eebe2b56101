package postgres

import (
	"context"
	"strings"
	"testing"

	"hodor/stores"
	"hodor/stores/postgres/pgtest"
	"hodor/stores/sqlstore"
)

// TestProbe: what a role may do is said before it tries, and asking changes nothing.
func TestProbe(t *testing.T) {
	server := pgtest.Get(t)
	server.Env(t)
	database := server.NewDatabase(t)
	server.Exec(t, database, "CREATE ROLE onlooker LOGIN PASSWORD 'w'; CREATE SCHEMA ops; GRANT USAGE ON SCHEMA ops TO onlooker")
	probe := func(schema string) sqlstore.Health {
		t.Helper()
		h, err := store(t, Options{Database: database, Schema: schema}).Probe(context.Background())
		if err != nil || !h.Checked {
			t.Fatalf("%+v, %v", h, err)
		}
		return h
	}
	if h := probe("ops"); h.Exists || h.Write != nil {
		t.Errorf("the owner before the first run: %+v", h)
	}
	t.Setenv("PGUSER", "onlooker")
	t.Setenv("PGPASSWORD", "w")
	if h := probe("ops"); h.Exists || h.Write == nil || !strings.Contains(h.Write.Error(), "onlooker lacks CREATE on the schema ops") {
		t.Errorf("no CREATE on the schema: %+v", h)
	}
	if h := probe("elsewhere"); h.Write == nil || !strings.Contains(h.Write.Error(), "onlooker lacks CREATE on the database") {
		t.Errorf("no schema, and no right to make one: %+v", h)
	}
	for _, q := range sqlstore.DDL(Dialect, sqlstore.Table{Schema: "ops", Name: "hodor_state"}) {
		server.Exec(t, database, q)
	}
	server.Exec(t, database, "GRANT SELECT ON ALL TABLES IN SCHEMA ops TO onlooker")
	if h := probe("ops"); !h.Exists || h.NewestMS != 0 || h.Write == nil || !strings.Contains(h.Write.Error(), `lacks INSERT on "ops"."hodor_state"`) {
		t.Errorf("no INSERT: %+v", h)
	}
	server.Exec(t, database, "GRANT INSERT ON ALL TABLES IN SCHEMA ops TO onlooker")
	s := store(t, Options{Database: database, Schema: "ops"})
	if err := s.Append(context.Background(), []stores.Record{record(0)}); err != nil {
		t.Fatal(err)
	}
	if h := probe("ops"); h.Write != nil || h.NewestMS != record(0).RecordedAtMS || len(h.Upgrade) != 0 {
		t.Errorf("all well: %+v", h)
	}
}
