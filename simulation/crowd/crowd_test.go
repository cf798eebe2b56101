//go:build unix && cgo

package crowd

import (
	"os"
	"strconv"
	"testing"

	"hodor/simulation"
	"hodor/stores"
	"hodor/stores/duckdb"
	"hodor/stores/postgres"
	"hodor/stores/postgres/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// backends open the stores, each of a folder or database of its own.
func backends(t *testing.T) map[string]func(t *testing.T) func(dir string) (stores.Store, error) {
	t.Helper()
	return map[string]func(t *testing.T) func(string) (stores.Store, error){
		"duckdb": func(*testing.T) func(string) (stores.Store, error) {
			return func(dir string) (stores.Store, error) { return duckdb.Open(duckdb.Options{Root: dir}) }
		},
		"postgres": func(t *testing.T) func(string) (stores.Store, error) {
			server := pgtest.Get(t)
			server.Env(t)
			database := server.NewDatabase(t)
			return func(string) (stores.Store, error) { return postgres.Open(postgres.Options{Database: database}) }
		},
	}
}

// rounds is HODOR_SIMULATION_ROUNDS, or otherwise.
func rounds(t *testing.T, otherwise int) int {
	t.Helper()
	text := os.Getenv("HODOR_SIMULATION_ROUNDS")
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestCrowd: eight runs at once over 100 nodes: no record is lost, none is there twice, no reuse is wrong, nothing hangs.
func TestCrowd(t *testing.T) {
	for name, backend := range backends(t) {
		t.Run(name, func(t *testing.T) {
			stats, err := simulation.Crowd(simulation.CrowdOptions{
				Options: simulation.Options{Dir: t.TempDir(), Open: backend(t)}, Seed: 2, Runs: 8, Nodes: 100, Rounds: rounds(t, 3), Dialect: "databricks",
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v", stats)
			if stats.Reuses*4 < stats.Decisions {
				t.Errorf("%d reuses in %d decisions", stats.Reuses, stats.Decisions)
			}
		})
	}
}

// TestHistories: what a store in memory remembers, a file remembers too.
func TestHistories(t *testing.T) {
	open := backends(t)["duckdb"](t)
	var total simulation.Stats
	n := 5 * rounds(t, 4)
	for seed := uint64(1); seed <= uint64(n); seed++ {
		stats, err := simulation.Run(seed, simulation.Options{Dir: t.TempDir() + "/history", Open: open})
		total.Add(stats)
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%+v", total)
	if total.Taken*100 < total.Provable*95 {
		t.Errorf("of %d decisions with nothing new, %d were reuses", total.Provable, total.Taken)
	}
}
