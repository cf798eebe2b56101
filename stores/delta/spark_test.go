//go:build spark

package delta

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hodor/internal/sparktest"
	"hodor/internal/thriftproxy"
	"hodor/stores"
	"hodor/stores/sqlstore"
	"hodor/stores/storetest"
	"hodor/warehouse"
)

// TestSparkConformanceOfRelay runs the suite on real Delta tables through the relay, as inside dbt.
func TestSparkConformanceOfRelay(t *testing.T) {
	spark := sparktest.Get(t)
	db := warehouse.Open(spark, 4)
	t.Cleanup(func() { db.Close() })
	storetest.Run(t, backend(spark, db, "spark_catalog"))
}

// TestSparkConformanceOfDriver runs through databricks-sql-go, as outside dbt, what of the suite that may change; with HODOR_LONG all of it.
func TestSparkConformanceOfDriver(t *testing.T) {
	spark := sparktest.Get(t)
	proxy := thriftproxy.New(t, spark.Thrift(t))
	db := connect(t, proxy, 5*time.Minute)
	t.Run("suite", func(t *testing.T) { // which ends when its last test has
		b := backend(spark, db, "hive_metastore")
		b.Again = os.Getenv("HODOR_LONG") == ""
		storetest.Run(t, b)
	})
	onlyThrift(t, proxy.Requests())
}

// onlyThrift fails where something else than Thrift calls reached the proxy.
func onlyThrift(t *testing.T, requests []thriftproxy.Request) {
	t.Helper()
	if len(requests) == 0 {
		t.Error("no request at all")
	}
	for _, r := range requests {
		if r.Call == "" || r.URL != "/sql/1.0/warehouses/abc" {
			t.Errorf("the driver asked for %s %s (%s)", r.Method, r.URL, r.Call)
		}
	}
}

// connect opens a handle through the driver and the proxy.
func connect(t *testing.T, proxy *thriftproxy.Proxy, timeout time.Duration) *sql.DB {
	t.Helper()
	db, closeAll, err := Connect(Connection{Host: proxy.URL, HTTPPath: "/sql/1.0/warehouses/abc", Token: "the-token", Timeout: timeout}, 4)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeAll(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return db
}

func backend(spark *sparktest.Session, db *sql.DB, catalog string) storetest.Backend {
	return storetest.Backend{Slow: true, Few: true, Names: true, New: func(t *testing.T) storetest.Place {
		schema := spark.Schema(t)
		table := fmt.Sprintf("`spark_catalog`.`%s`.`hodor_state`", schema)
		return storetest.Place{
			Open: func(o storetest.Options) (stores.Store, error) {
				s, err := Open(Options{Warehouse: db, Database: catalog, Schema: cmp.Or(o.Schema, schema), Table: o.Table, ReadOnly: o.ReadOnly})
				if err == nil && o.Schema != "" { // which the store never creates
					spark.Exec(t, "CREATE SCHEMA IF NOT EXISTS `"+o.Schema+"`")
					t.Cleanup(func() { _, _ = spark.Run(context.Background(), "DROP SCHEMA `"+o.Schema+"` CASCADE") })
				}
				return s, err
			},
			Exec:  func(t *testing.T, statement string) { spark.Exec(t, statement) },
			Table: table, Commit: table[:len(table)-1] + "_commit`", Text: "STRING", PlainNames: true, Twins: true,
		}
	}}
}

// TestSparkUnreadable: files of the state table, or of its log, that can't be read are an error, never a part of what is there or an empty history.
func TestSparkUnreadable(t *testing.T) {
	spark := sparktest.Get(t)
	db := warehouse.Open(spark, 4)
	t.Cleanup(func() { db.Close() })
	for _, c := range []struct{ name, pattern, with string }{
		{"rows", "*.parquet", "PAR1 is no Parquet"},
		{"rows are gone", "*.parquet", ""},
		{"log", "_delta_log/%020d.json", "{ no JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			schema, folder := "unreadable_"+strings.ReplaceAll(c.name, " ", "_"), t.TempDir()
			spark.Exec(t, "CREATE SCHEMA "+schema+" LOCATION '"+folder+"'")
			t.Cleanup(func() { _, _ = spark.Run(context.Background(), "DROP SCHEMA "+schema+" CASCADE") })
			open := func() *sqlstore.Store {
				s, err := Open(Options{Warehouse: db, Database: "spark_catalog", Schema: schema})
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			for _, key := range []string{"a", "b"} {
				if err := open().Append(t.Context(), []stores.Record{build(key)}); err != nil {
					t.Fatal(err)
				}
			}
			table := filepath.Join(folder, "hodor_state")
			var files []string
			if c.name == "log" { // what the next reader has to read: a commit that is new to it
				list, _ := filepath.Glob(filepath.Join(table, "_delta_log", "*.json"))
				files = []string{filepath.Join(table, fmt.Sprintf(c.pattern, len(list)))}
			} else if files, _ = filepath.Glob(filepath.Join(table, c.pattern)); len(files) < 2 {
				t.Fatalf("files %v", files)
			}
			for _, f := range files[len(files)-1:] { // one of them is enough
				err := os.Remove(f)
				if c.with != "" {
					err = os.WriteFile(f, []byte(c.with), 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if l, err := open().Load(t.Context(), scope, 0); err == nil || l != nil {
				t.Errorf("Load: %v, %v", l, err)
			}
			if h, err := open().History(t.Context(), scope, stores.Query{}); err == nil {
				t.Errorf("History: %d records", len(h))
			}
		})
	}
}

// TestSparkTwoProcesses: two Sparks, each a process with caches of its own, write into one store by turns. Neither overwrites or overlooks what the
// other has written, and a generation that one has claimed the other does not get. (At once they would test Delta Lake's rename on a local disk, which is
// not atomic between processes, as that of a workspace is.)
func TestSparkTwoProcesses(t *testing.T) {
	folder := t.TempDir()
	schema := "two_processes"
	var list []*sqlstore.Store
	for i, spark := range []*sparktest.Session{sparktest.Get(t), sparktest.Another(t)} {
		db := warehouse.Open(spark, 2)
		t.Cleanup(func() { db.Close() })
		spark.Exec(t, "CREATE SCHEMA "+schema+" LOCATION '"+folder+"'")
		t.Cleanup(func() { _, _ = spark.Run(context.Background(), "DROP SCHEMA "+schema+" CASCADE") })
		s, err := Open(Options{Warehouse: db, Database: "spark_catalog", Schema: schema})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
		if i == 0 {
			if err := s.Append(t.Context(), []stores.Record{build("first")}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		for _, table := range []string{"hodor_state", "hodor_state_commit"} {
			spark.Exec(t, "CREATE TABLE "+schema+"."+table+" USING delta LOCATION '"+filepath.Join(folder, table)+"'")
		}
	}
	const turns = 3
	for turn := range turns {
		for i, s := range list {
			if err := s.Append(t.Context(), []stores.Record{build(fmt.Sprintf("w%d-%d", i, turn))}); err != nil {
				t.Errorf("writer %d: %v", i, err)
			}
			commit := stores.Commit{Scope: scope, Generation: int64(turn + 1), CommitID: fmt.Sprint("c", i)}
			if won, err := s.Claim(t.Context(), commit); err != nil || won != (i == 0) {
				t.Errorf("generation %d, writer %d: %v, %v", turn+1, i, won, err)
			}
			if l, err := s.Load(t.Context(), scope, 0); err != nil || len(l.Records) != 1+2*turn+i+1 {
				t.Errorf("turn %d, writer %d: %v, %v", turn, i, l, err)
			}
		}
	}
	for i, s := range list {
		if h, err := s.History(t.Context(), scope, stores.Query{}); err != nil || len(h) != 1+2*turns {
			t.Errorf("writer %d: %d records, %v", i, len(h), err)
		}
	}
}
