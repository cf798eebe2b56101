// Package sparktest gives tests a real Spark with Delta Lake: its parser, its tables, and a Thrift Server for drivers that speak HTTP.
//
// There is one Spark for all tests of a run: `make test-spark` starts it (server.py, about half a minute), runs the Go tests of every package
// that has some, and ends it. `go test -tags spark ./somewhere` starts one for that test binary alone. Tests that need it stand in files of their
// own, so that `go test ./...` stays quick, and bear names that begin with TestSpark, so that `make test-spark` runs nothing twice:
//
//	//go:build spark
//
//	package grammar
//
//	func TestSparkAccepts(t *testing.T) {
//		spark := sparktest.Get(t)
//		for _, p := range spark.Parse(t, "select 1 from a.b", "selec") {
//			t.Log(p.OK, p.Tables, p.Error)
//		}
//		schema := spark.Schema(t) // of its own, gone after the test
//		spark.Exec(t, "create table "+schema+".t (id int) using delta")
//		r, err := spark.Run(t.Context(), "select count(*) as n from "+schema+".t")
//		if err != nil || r.Columns[0] != "n" || r.Types[0] != "bigint" || *r.Rows[0][0] != "0" {
//			t.Errorf("%+v, %v", r, err)
//		}
//	}
//
// Each Get is a Spark session of its own: temporary views, SET and USE are not seen by others, tables and schemas are. A session is a
// warehouse.Host, so warehouse.Open(spark, 4) is the relay on Spark.
//
// Session.Thrift is a Thrift Server in that Spark, for drivers; dbt-databricks needs one with a metastore, which thrift.py runs for the time of a
// command (make test-databricks).
//
// Where Spark is missing (`make venv-spark` makes it, Java 17 and Maven are needed) a test is skipped, or fails with HODOR_REQUIRE_ENGINES=1.
// Spark is slow: a statement on a small Delta table takes about a second, a text to parse some 20 ms. What needs more than a minute belongs behind
// a variable of its own that `make soundness-spark` sets.
package sparktest
