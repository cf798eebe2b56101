package versions

import (
	"context"
	"database/sql"
	"testing"

	"hodor/project"
	"hodor/warehouse"
	"hodor/warehouse/warehousetest"
)

// each runs a test on every DuckDB that is there: 2.x and 1.5 in Python, with a database in memory (its name is memory).
func each(t *testing.T, test func(t *testing.T, w *world)) {
	for _, e := range []struct{ name, venv string }{{"duckdb2", ".venv"}, {"duckdb1", ".venv-next"}} {
		t.Run(e.name, func(t *testing.T) {
			test(t, newWorld(t, warehousetest.Python(t, e.venv, "")))
		})
	}
}

// world is a warehouse with a reader on it that counts statements.
type world struct {
	t      *testing.T
	host   warehouse.Host
	db     *sql.DB
	reader *DuckDB
	sent   []string
}

func newWorld(t *testing.T, host warehouse.Host) *world {
	w := &world{t: t, host: host}
	w.db = warehouse.Open(counting{w}, 4)
	t.Cleanup(func() { w.db.Close() })
	w.fresh()
	return w
}

// fresh starts a new run: a reader that knows nothing.
func (w *world) fresh() {
	w.reader = NewDuckDB(w.db, Options{Log: func(format string, args ...any) { w.t.Logf(format, args...) }})
	w.sent = nil
}

type counting struct{ w *world }

func (c counting) Query(ctx context.Context, statement string) (warehouse.Answer, error) {
	c.w.sent = append(c.w.sent, statement)
	return c.w.host.Query(ctx, statement)
}

func (w *world) exec(statements ...string) {
	w.t.Helper()
	for _, s := range statements {
		if _, err := w.host.Query(context.Background(), s); err != nil {
			w.t.Fatalf("%s: %v", s, err)
		}
	}
}

func rel(parts ...string) Relation { return Relation{Key: project.Key(parts), Parts: parts} }

func inMain(name string) Relation { return rel("memory", "main", name) }
