//go:build spark && unix && cgo

package crowd

import (
	"testing"

	"hodor/internal/sparktest"
	"hodor/simulation"
	"hodor/stores"
	"hodor/stores/delta"
	"hodor/warehouse"
)

// TestSparkCrowd: the crowd on a Delta table, whose writers retry when another one was quicker.
func TestSparkCrowd(t *testing.T) {
	spark := sparktest.Get(t)
	schema := spark.Schema(t)
	db := warehouse.Open(spark, 8)
	t.Cleanup(func() { db.Close() })
	stats, err := simulation.Crowd(simulation.CrowdOptions{
		Options: simulation.Options{Dir: t.TempDir(), Open: func(string) (stores.Store, error) {
			return delta.Open(delta.Options{Warehouse: db, Database: "spark_catalog", Schema: schema})
		}},
		Seed: 2, Runs: 8, Nodes: 100, Rounds: rounds(t, 1), Dialect: "databricks",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", stats)
	if stats.Reuses*4 < stats.Decisions {
		t.Errorf("%d reuses in %d decisions", stats.Reuses, stats.Decisions)
	}
}
