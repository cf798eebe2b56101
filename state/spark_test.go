//go:build spark && cgo

package state

import (
	"testing"

	"hodor/internal/sparktest"
	"hodor/stores"
	"hodor/stores/delta"
	"hodor/warehouse"
)

// Two runs race on a real Delta table, through the relay.
func TestSparkRaceDelta(t *testing.T) {
	spark := sparktest.Get(t)
	db := warehouse.Open(spark, 4)
	t.Cleanup(func() { db.Close() })
	schema := spark.Schema(t)
	race(t, func() (stores.Store, error) {
		return delta.Open(delta.Options{Warehouse: db, Database: "spark_catalog", Schema: schema})
	})
}
