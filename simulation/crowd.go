package simulation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"hodor/stores"
)

// CrowdOptions of Crowd.
type CrowdOptions struct {
	Options
	Seed                uint64
	Runs, Nodes, Rounds int
	// Dialect is databricks or duckdb. On DuckDB no warehouse serves two processes, but the state may be shared.
	Dialect string
}

// Crowd lets runs go on at once, each in a goroutine of its own, over one project and one state store, round after round, with edits and foreign
// writes in between. The error names a wrong reuse, a record that is missing or there twice, or a call that failed.
func Crowd(opt CrowdOptions) (Stats, error) {
	w := newWorld(opt.Seed, opt.Dir, []string{opt.Dialect})
	w.open, w.crowded = opt.Open, true
	if err := w.seeds(); err != nil {
		return Stats{}, err
	}
	r := rand.New(rand.NewPCG(opt.Seed, 4))
	for what := range w.can {
		w.can[what] = what == "views" || what == "incremental" || what == "in" || what == "union" || what == "seed" || what == "carry" || what == "ephemeral"
	}
	for i := range opt.Nodes {
		if i%8 == 7 {
			w.addTest(r, fmt.Sprintf("crowd_test_%d", i))
		} else {
			w.addNode(r, fmt.Sprintf("crowd_%d", i))
		}
	}
	for round := range opt.Rounds {
		w.log = w.log[:0]
		w.say("round %d", round)
		edits := func() {
			for range r.IntN(4) {
				w.do(step{[]string{"code", "spelling", "write", "restore", "config"}[r.IntN(5)], r.Uint64()})
			}
		}
		// Builds that overlap are no history (S2), so one run alone settles what the crowd has left open.
		edits()
		alone := opt
		alone.Runs = 1
		w.round(alone, r.Uint64())
		edits()
		runs := w.round(opt, r.Uint64())
		if w.wrong == "" {
			w.recorded(opt, runs)
		}
		if w.wrong != "" {
			return w.stats, fmt.Errorf("round %d of seed %d: %s", round, opt.Seed, w.wrong)
		}
	}
	w.stats.Histories = 1
	return w.stats, nil
}

// round begins all runs and waits for their end.
func (w *world) round(opt CrowdOptions, seed uint64) []*run {
	var runs []*run
	var all sync.WaitGroup
	for i := range opt.Runs {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		ids := w.p.ids(func(n *node) bool {
			return n.resource != "source" && n.mat != "ephemeral" && (i%2 == 0 || r.IntN(3) > 0)
		})
		o := &run{mode: "on", command: "build", threads: 4, stop: -1, faultless: true, todo: ids}
		runs = append(runs, o)
		all.Go(func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.begin(o)
			for o.step(r) {
				w.mu.Unlock()
				runtime.Gosched()
				w.mu.Lock()
			}
		})
	}
	all.Wait()
	w.active = nil
	return runs
}

// recorded checks that every decision has left exactly one record.
func (w *world) recorded(opt CrowdOptions, runs []*run) {
	store := w.store
	if opt.Open != nil {
		opened, err := opt.Open(opt.Dir)
		if err != nil {
			w.fail("the state can't be opened: %v", err)
			return
		}
		defer opened.Close()
		store = opened
	}
	for _, r := range runs {
		list, err := store.History(context.Background(), stores.Scope{Project: "shop", Target: "dev"}, stores.Query{InvocationID: r.id})
		if err != nil {
			w.fail("history: %v", err)
			return
		}
		list = stores.Ended(list)
		ids := map[string]int{}
		for _, rec := range list {
			ids[rec.UniqueID]++
			if err := rec.Check(); err != nil {
				w.fail("a record of %s: %v", rec.UniqueID, err)
			}
		}
		if len(list) != r.decisions || len(ids) != r.decisions {
			w.fail("run %d has made %d decisions and left %d records of %d nodes", r.number, r.decisions, len(list), len(ids))
		}
	}
}

// outside calls what may take long, or call back, without the world's lock.
func (w *world) outside(f func()) {
	if w.crowded {
		w.mu.Unlock()
		defer w.mu.Lock()
	}
	f()
}

// manifestDir is a folder for a run's manifest: runs at once need one each.
func (w *world) manifestDir(number int) (string, error) {
	if !w.crowded {
		return w.dir, nil
	}
	dir := filepath.Join(w.dir, fmt.Sprint("run", number%64))
	return dir, os.MkdirAll(filepath.Join(dir, "seeds"), 0o755)
}
