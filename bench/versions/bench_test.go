package versions

import (
	"context"
	"testing"
	"time"

	"hodor/versions"
	"hodor/warehouse"
	"hodor/warehouse/warehousetest"
)

// rows is the size of the table.
const rows = "10000000"

// BenchmarkDuckDB reads the version of a table of ten million rows and eight columns, beside the plainest question that looks at all of it.
// It does nothing under go test without -bench.
func BenchmarkDuckDB(b *testing.B) {
	for _, e := range []struct{ name, venv string }{{"duckdb2", ".venv"}, {"duckdb1", ".venv-next"}} {
		b.Run(e.name, func(b *testing.B) {
			host := warehousetest.Python(b, e.venv, "")
			run := func(statement string) time.Duration {
				start := time.Now()
				if _, err := host.Query(context.Background(), statement); err != nil {
					b.Fatal(err)
				}
				return time.Since(start)
			}
			run("SET enable_progress_bar = false") // it would go to the standard output, which is the answers'
			run("CREATE TABLE big AS SELECT i AS id, i % 977 AS customer, 'order ' || i AS label, (i % 100000) / 7.0 AS amount, " +
				"(i % 100000)::DECIMAL(10, 2) AS price, DATE '2020-01-01' + (i % 2000)::INTEGER AS day, i % 3 = 0 AS paid, " +
				"CASE WHEN i % 5 = 0 THEN NULL ELSE 'note ' || i % 1000 END AS note FROM range(" + rows + ") r(i)")
			db := warehouse.Open(host, 1)
			defer db.Close()
			var version, scan time.Duration
			for b.Loop() {
				scan += run("SELECT sum(hash(COLUMNS(*))) FROM big")
				start := time.Now()
				r := versions.Relation{Key: "memory.main.big", Parts: []string{"memory", "main", "big"}}
				if !versions.NewDuckDB(db, versions.Options{}).Rows(context.Background(), r, "").Known() {
					b.Fatal("no version")
				}
				version += time.Since(start)
			}
			b.ReportMetric(version.Seconds()/float64(b.N), "s/version")
			b.ReportMetric(version.Seconds()/scan.Seconds(), "x/hash-scan")
			b.ReportMetric(0, "ns/op")
		})
	}
}
