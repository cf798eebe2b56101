//go:build cgo

package state

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"hodor/session"
	"hodor/stores"
	"hodor/stores/duckdb"
	"hodor/stores/memory"
	"hodor/stores/postgres"
	"hodor/stores/postgres/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// atAppend is a store in front of which something happens when records are about to be written, after all checks.
type atAppend struct {
	stores.Store
	stores.Committer
	first *func()
}

func (s atAppend) Append(ctx context.Context, records []stores.Record) error {
	if f := *s.first; f != nil {
		*s.first = nil
		f()
	}
	return s.Store.Append(ctx, records)
}

// race has two runs plan against one head. The second records everything between the last check of the first and its claim; the first is dropped, not
// merged (ODS-E0402), and its records are no history. Then one run overtakes another while dbt runs.
func race(t *testing.T, open func() (stores.Store, error)) {
	t.Helper()
	w := shop(t)
	w.beside = true
	var first func()
	options := func() *Options {
		o := w.options("run")
		o.OpenStore = func(context.Context, session.Settings, string, *sql.DB, Outside) (stores.Store, error) {
			s, err := open()
			if err != nil {
				return nil, err
			}
			return atAppend{s, s.(stores.Committer), &first}, nil
		}
		return o
	}
	var won *Report
	first = func() {
		var err error
		won, err = options().Run(context.Background())
		must(t, err)
	}
	lost, err := w.run(options())
	if code(err) != Overtaken || lost.Outcome != RecordingFailed || lost.Commit != nil {
		t.Fatalf("the first: %v, %+v", err, lost)
	}
	if won == nil || won.Outcome != Recorded || won.Commit.Generation != 1 {
		t.Fatalf("the second: %+v", won)
	}
	s, err := open()
	must(t, err)
	scope := stores.Scope{Project: "shop", Target: "dev"}
	head, err := s.(stores.Committer).Head(context.Background(), scope)
	must(t, err)
	all, err := s.History(context.Background(), scope, stores.Query{})
	must(t, err)
	must(t, s.Close())
	if head.Generation != 1 || head.CommitID != won.Commit.CommitID || len(all) != 6 {
		t.Errorf("head %+v, %d records; the second committed %s", head, len(all), won.Commit.CommitID)
	}
	// What stands is what the second built, after the first.
	if r, err := w.run(options()); err != nil || r.Outcome != NothingToDo {
		t.Fatalf("after the race: %v, %v", err, reasons(r.Plan))
	}
	w.exec("insert into w.main.raw values (3, 30)")
	w.before = func() { w.before = nil; _, err := options().Run(context.Background()); must(t, err) }
	if _, err = w.run(options()); code(err) != Overtaken {
		t.Errorf("overtaken while dbt ran: %v", err)
	}
}

func TestRaceMemory(t *testing.T) {
	s := &memory.Store{}
	race(t, func() (stores.Store, error) { return keepOpen{s, s}, nil })
}

func TestRaceDuckDB(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.duckdb")
	race(t, func() (stores.Store, error) { return duckdb.Open(duckdb.Options{Path: path}) })
}

func TestRacePostgres(t *testing.T) {
	server := pgtest.Get(t)
	server.Env(t)
	database := server.NewDatabase(t)
	race(t, func() (stores.Store, error) { return postgres.Open(postgres.Options{Database: database}) })
}
