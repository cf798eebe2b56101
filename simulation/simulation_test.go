package simulation

import (
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// number64 reads an environment variable that widens or narrows a test.
func number64(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// TestHistories is the promise itself: no reuse of which a rebuild would differ, in HODOR_SIMULATION_HISTORIES histories from the seed
// HODOR_SIMULATION_SEED on. HODOR_SIMULATION_SEED=7 HODOR_SIMULATION_HISTORIES=1 plays one that failed again. HODOR_SIMULATION_FOCUS names, parted
// by commas, what every history shall have.
func TestHistories(t *testing.T) {
	first, n := number64(t, "HODOR_SIMULATION_SEED", 1), number64(t, "HODOR_SIMULATION_HISTORIES", 20_000)
	if testing.Short() {
		n = min(n, 500)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(1000)) // each run reads a manifest into a buffer of its own
	total, err := playAll(t, first, n, strings.Split(os.Getenv("HODOR_SIMULATION_FOCUS"), ","))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", total)
	if n < 200 || os.Getenv("HODOR_SIMULATION_FOCUS") != "" {
		return
	}
	// An engine that builds too much is safe and useless, and one that settings never let wait would hide what they allow wrongly.
	if total.Taken*100 < total.Provable*98 {
		t.Errorf("of %d decisions with nothing new, %d were reuses: less than 98%%", total.Provable, total.Taken)
	}
	if total.Ahead*10 < total.Reuses {
		t.Errorf("of %d reuses, %d were said ahead: less than 10%%", total.Reuses, total.Ahead)
	}
	if total.Provable*4 < total.Decisions || total.Kept*1000 < total.Decisions {
		t.Errorf("the histories are not what they were: of %d decisions %d had nothing new, and %d were left to a setting", total.Decisions, total.Provable, total.Kept)
	}
}

// playAll plays n histories from the seed first on, one a core at a time, and ends at the first that is wrong.
func playAll(t *testing.T, first, n uint64, focus []string) (total Stats, err error) {
	var next atomic.Uint64
	var mu sync.Mutex
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		opt := Options{Dir: t.TempDir(), Focus: focus}
		wait.Go(func() {
			for i := next.Add(1) - 1; i < n; i = next.Add(1) - 1 {
				stats, wrong := Run(first+i, opt)
				mu.Lock()
				total.Add(stats)
				if wrong != nil {
					err = errors.Join(err, wrong)
					next.Store(n)
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	return total, err
}

// TestSameSeedSameHistory: a failure can be played again.
func TestSameSeedSameHistory(t *testing.T) {
	for seed := uint64(1); seed <= 50; seed++ {
		opt := Options{Dir: t.TempDir()}
		a, b := play(seed, steps(seed, nil), opt, false), play(seed, steps(seed, nil), opt, false)
		if a.stats != b.stats {
			t.Errorf("seed %d: %+v, then %+v", seed, a.stats, b.stats)
		}
		for i := range min(len(a.log), len(b.log)) {
			if a.log[i] != b.log[i] {
				t.Fatalf("seed %d: %q, then %q", seed, a.log[i], b.log[i])
			}
		}
	}
}

// TestShorten: what a failure does not need is left out.
func TestShorten(t *testing.T) {
	list := []step{{"run", 1}, {"write", 2}, {"run", 3}, {"drop", 4}, {"off", 5}, {"run", 6}, {"clock", 7}}
	got := shorten(list, func(list []step) bool {
		var sum uint64
		for _, s := range list {
			if s.kind == "run" {
				sum += s.n
			}
		}
		return sum >= 9
	})
	if len(got) != 2 || got[0].n != 3 || got[1].n != 6 {
		t.Errorf("got %v", got)
	}
}

// TestClocks: days that pass within a run, zones, the nights on which a zone's clock is moved, and clocks that are off by ten years.
func TestClocks(t *testing.T) {
	total, err := playAll(t, 1, number64(t, "HODOR_SIMULATION_CLOCKS", 300), []string{"night", "day", "clock", "setting", "lag", "today"})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", total)
	if total.Reuses*5 < total.Decisions {
		t.Errorf("%d reuses in %d decisions", total.Reuses, total.Decisions)
	}
}

// TestCrowd: eight runs at once, in goroutines, over a store in memory. The other stores: package crowd.
func TestCrowd(t *testing.T) {
	rounds := int(number64(t, "HODOR_SIMULATION_ROUNDS", 5))
	stats, err := Crowd(CrowdOptions{Options: Options{Dir: t.TempDir()}, Seed: 1, Runs: 8, Nodes: 100, Rounds: rounds, Dialect: "databricks"})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", stats)
	if stats.Reuses*10 < stats.Decisions {
		t.Errorf("%d reuses in %d decisions", stats.Reuses, stats.Decisions)
	}
}

// TestSeen: what configuration has made of a table is no new data of its readers (require_fresh_data_from: all waits on), and a difference all the same.
func TestSeen(t *testing.T) {
	of := func(props, v string) *relation {
		return &relation{content: content{cols: []column{{name: "v", typ: "INTEGER"}}, rows: [][]value{{value(v)}}, props: props}}
	}
	a, b, c := of("partition 0", "1"), of("partition 1", "1"), of("partition 0", "2")
	if a.seen() != b.seen() || a.seen() == c.seen() {
		t.Errorf("seen: %q, %q, %q", a.seen(), b.seen(), c.seen())
	}
	if a.whole() == b.whole() || a.whole() == c.whole() {
		t.Errorf("whole: %q, %q, %q", a.whole(), b.whole(), c.whole())
	}
}
