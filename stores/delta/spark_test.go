//go:build spark

package delta

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"hodor/internal/sparktest"
	"hodor/internal/thriftproxy"
	"hodor/stores"
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

// TestSparkConformanceOfDriver runs the suite through databricks-sql-go, as outside dbt.
func TestSparkConformanceOfDriver(t *testing.T) {
	spark := sparktest.Get(t)
	proxy := thriftproxy.New(t, spark.Thrift(t))
	storetest.Run(t, backend(spark, connect(t, proxy, 5*time.Minute), "hive_metastore"))
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
