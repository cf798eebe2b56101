package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"hodor/project"
	"hodor/stores"
)

func TestBuildReuseSourceChange(t *testing.T) {
	w := shop(t)
	first := w.run()
	first.expect(map[string]string{
		"seed.shop.rates": "build no_history", "model.shop.stg": "build no_history", "model.shop.orders": "build no_history",
		"model.shop.daily": "build no_history", "test.shop.positive": "build no_history",
	})
	if f := first.finish; f.Built != 5 || f.Reused != 0 || f.Recorded != 5 || f.Errors != 0 || f.Debug.Parsed != 4 || f.Debug.SQLSent != 4 {
		t.Errorf("first: %+v", f)
	}
	second := w.run()
	second.expect(map[string]string{
		"seed.shop.rates": "reuse no_new_data", "model.shop.stg": "reuse view_unchanged", "model.shop.orders": "reuse no_new_data",
		"model.shop.daily": "reuse no_new_data", "test.shop.positive": "reuse no_new_data",
	})
	if f := second.finish; f.Built != 0 || f.Reused != 5 || f.Recorded != 5 || f.SavedMS != 5000 || f.Debug.Parsed != 0 || f.Debug.SQLSent != 0 {
		t.Errorf("second: %+v", f)
	}
	if a := second.answers["test.shop.positive"]; a.Replay == nil || a.Replay.Status != "pass" || a.Replay.InvocationID != first.id {
		t.Errorf("replay: %+v", a.Replay)
	}
	if a := second.answers["model.shop.orders"]; a.Note != "built 2026-10-20 03:01 UTC" {
		t.Errorf("note: %q", a.Note)
	}
	w.touch("source.shop.raw_orders")
	third := w.run()
	third.expect(map[string]string{
		"seed.shop.rates": "reuse no_new_data", "model.shop.stg": "reuse view_unchanged", "model.shop.orders": "build new_upstream_data",
		"model.shop.daily": "build new_upstream_data", "test.shop.positive": "build new_upstream_data",
	})
	if a := third.answers["model.shop.orders"]; a.Note != "shop.main.raw_orders" {
		t.Errorf("note: %q", a.Note)
	}
	if r := second.records()["model.shop.orders"]; r.Action != "reuse" || r.Status != "reused" || r.BuiltAtMS != nil || r.Reason != "no_new_data" || r.DataVersion == nil {
		t.Errorf("a reuse record: %+v", r)
	}
}

func TestChanges(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(w *world)
		want   map[string]string
	}{
		{"blanks", func(w *world) { w.nodes["model.shop.orders"].sql += "  \n" },
			map[string]string{"model.shop.orders": "reuse no_new_data", "model.shop.daily": "reuse no_new_data"}},
		{"code", func(w *world) { w.nodes["model.shop.orders"].sql += " where 1" },
			map[string]string{"model.shop.orders": "build code_changed", "model.shop.daily": "build new_upstream_data", "test.shop.positive": "build new_upstream_data"}},
		{"view code", func(w *world) { w.nodes["model.shop.stg"].sql += " where 1" },
			map[string]string{"model.shop.stg": "build code_changed", "model.shop.orders": "build upstream_code_changed"}},
		{"seed", func(w *world) { w.nodes["seed.shop.rates"].sql += "y,2\n" },
			map[string]string{"seed.shop.rates": "build code_changed", "model.shop.orders": "build new_upstream_data"}},
		{"config", func(w *world) { w.nodes["model.shop.orders"].config["contract"] = map[string]any{"enforced": true} },
			map[string]string{"model.shop.orders": "build config_changed"}},
		{"session setting", func(w *world) { w.fingerprint = "other" },
			map[string]string{"model.shop.orders": "build config_changed", "test.shop.positive": "build config_changed"}},
		{"target touched", func(w *world) { w.touch("model.shop.orders") }, map[string]string{"model.shop.orders": "build target_modified"}},
		{"view touched", func(w *world) { w.views["shop.main.stg"] += "+" },
			map[string]string{"model.shop.stg": "build target_modified", "model.shop.orders": "reuse no_new_data"}},
		{"target gone", func(w *world) { delete(w.tables, "shop.main.orders") }, map[string]string{"model.shop.orders": "build relation_missing"}},
		{"source gone", func(w *world) { delete(w.tables, "shop.main.raw_orders") }, map[string]string{"model.shop.orders": "build unknown_upstream"}},
		{"hidden operator", func(w *world) { w.hidden = []string{"+"} },
			map[string]string{"model.shop.orders": "build unknown_upstream", "seed.shop.rates": "reuse no_new_data", "test.shop.positive": "build unknown_upstream"}},
		{"full refresh", func(w *world) { w.flags.FullRefresh = true },
			map[string]string{"model.shop.orders": "build full_refresh", "test.shop.positive": "build full_refresh", "seed.shop.rates": "build full_refresh"}},
		{"select star", func(w *world) { w.nodes["model.shop.stg"].sql = `select * from "shop"."main"."raw_orders"` },
			map[string]string{"model.shop.stg": "build code_changed"}},
		{"clock unknown", func(w *world) { w.sessionErr = errors.New("no") }, map[string]string{"model.shop.orders": "build no_history", "test.shop.positive": "build no_history"}},
		{"store gone", func(w *world) { w.storeErr = stores.ErrUnavailable }, map[string]string{"model.shop.orders": "build no_history"}},
		{"past the window", func(w *world) { w.clock = w.clock.Add(91 * 24 * time.Hour) }, map[string]string{"model.shop.orders": "build no_history"}},
		{"out of scope", func(w *world) { w.nodes["model.shop.orders"].materialized = "materialized_view" }, map[string]string{"model.shop.orders": "build unsupported"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := shop(t)
			w.settled()
			c.change(w)
			w.run().expect(c.want)
		})
	}
}

// EOF without run/finish flushes.
func TestCloseFlushes(t *testing.T) {
	w := shop(t)
	r := w.begin()
	r.decide("seed.shop.rates")
	r.end("seed.shop.rates", w.build(w.nodes["seed.shop.rates"]), true)
	must(t, r.s.Close(context.Background()))
	if len(r.records()) != 1 {
		t.Errorf("records: %v", r.records())
	}
	if _, err := r.s.Decide(context.Background(), DecideRequest{ID: "seed.shop.rates"}); !errors.Is(err, ErrNoRun) {
		t.Errorf("after Close: %v", err)
	}
}

// The host may build in spite of a reuse; then it is a build.
func TestBuiltInSpiteOfReuse(t *testing.T) {
	w := shop(t)
	w.settled()
	r := w.begin()
	if a := r.decide("seed.shop.rates"); a.Action != "reuse" {
		t.Fatalf("got %+v", a)
	}
	r.end("seed.shop.rates", w.build(w.nodes["seed.shop.rates"]), true)
	r.done(FinishRequest{})
	if rec := r.records()["seed.shop.rates"]; rec.Action != "build" || rec.Decision != "reuse" || rec.BuiltAtMS == nil || r.finish.Built != 1 || r.finish.Reused != 0 {
		t.Errorf("recorded %+v, %+v", rec, r.finish)
	}
}

func TestShadow(t *testing.T) {
	w := shop(t)
	w.settled()
	w.mode = "shadow"
	r := w.run()
	for id, a := range r.answers {
		if a.Action != "build" || a.Decision != "reuse" {
			t.Errorf("%s: %+v", id, a)
		}
	}
	if rec := r.records()["model.shop.orders"]; rec.Mode != "shadow" || rec.Decision != "reuse" || rec.Action != "build" || rec.Reason != "no_new_data" || rec.Status != "success" {
		t.Errorf("recorded %+v", rec)
	}
	w.mode = "on"
	w.run().expect(map[string]string{"model.shop.orders": "reuse no_new_data"})
}

func TestLagToleranceAndClock(t *testing.T) {
	w := shop(t)
	w.nodes["model.shop.orders"].config["state"] = map[string]any{"lag_tolerance": "1h"}
	w.settled()
	w.touch("source.shop.raw_orders")
	w.run().expect(map[string]string{"model.shop.orders": "reuse within_lag_tolerance", "model.shop.daily": "reuse no_new_data"})
	w.clock = w.clock.Add(50 * time.Minute)
	w.run().expect(map[string]string{"model.shop.orders": "reuse within_lag_tolerance"})
	w.clock = w.clock.Add(10 * time.Minute) // reuses have not reset the clock
	w.run().expect(map[string]string{"model.shop.orders": "build new_upstream_data"})
	// S5: a start in the future is none.
	w.clock = w.clock.Add(-24 * time.Hour)
	w.run().expect(map[string]string{"model.shop.orders": "build no_history"})
}

// A clock that was wrong once costs one build of each node, not one in every run until its time has come (S5); and what was built at the
// wrong time last is still the newest (S2).
func TestS5ClockThatWasWrongOnce(t *testing.T) {
	w := shop(t)
	w.settled()
	const far = 50 * 24 * time.Hour
	w.clock = w.clock.Add(far)
	w.touch("source.shop.raw_orders")
	w.run().expect(map[string]string{"model.shop.orders": "build new_upstream_data"})
	w.clock = w.clock.Add(-far)
	first := w.run()
	first.expect(map[string]string{"model.shop.orders": "build no_history", "model.shop.daily": "build no_history"})
	if len(first.start.Warnings) != 1 || !strings.Contains(first.start.Warnings[0], "future") {
		t.Errorf("warnings %q", first.start.Warnings)
	}
	second := w.run()
	second.expect(map[string]string{"model.shop.orders": "reuse no_new_data", "model.shop.daily": "reuse no_new_data"})
	if len(second.start.Warnings) != 0 {
		t.Errorf("warnings %q", second.start.Warnings)
	}
	w.touch("source.shop.raw_orders")
	w.run().expect(map[string]string{"model.shop.orders": "build new_upstream_data"})
	w.run().expect(map[string]string{"model.shop.orders": "reuse no_new_data"})
	// Wrong once more: what was built between is older now.
	w.clock = w.clock.Add(2 * far)
	w.run("model.shop.orders")
	w.touch("source.shop.raw_orders")
	w.run("model.shop.orders")
	w.clock = w.clock.Add(-2 * far)
	w.run().expect(map[string]string{"model.shop.orders": "build no_history"})
	w.run().expect(map[string]string{"model.shop.orders": "reuse no_new_data"})
}

func TestTests(t *testing.T) {
	w := shop(t)
	w.nodes["test.shop.positive"].fails = "fail"
	first := w.run()
	w.nodes["test.shop.positive"].fails = ""
	r := w.run()
	r.expect(map[string]string{"test.shop.positive": "reuse no_new_data"})
	if a := r.answers["test.shop.positive"].Replay; a == nil || a.Status != "fail" || a.Failures != 2 || a.Message != "Got 2" || a.InvocationID != first.id {
		t.Errorf("replay %+v", a)
	}
	if rec := r.records()["test.shop.positive"]; rec.Status != "fail" || rec.Action != "reuse" || rec.TestResult == nil {
		t.Errorf("recorded %+v", rec)
	}
	for name, change := range map[string]func(){
		"config_changed": func() { w.nodes["test.shop.positive"].config["severity"] = "warn" },
		"code_changed":   func() { w.nodes["test.shop.positive"].sql += " where 2" },
	} {
		change()
		w.run().expect(map[string]string{"test.shop.positive": "build " + name})
		w.run().expect(map[string]string{"test.shop.positive": "reuse no_new_data"})
	}
	w.flags.WarnError = "all"
	w.run().expect(map[string]string{"test.shop.positive": "build config_changed", "model.shop.orders": "reuse no_new_data"})
	delete(w.tables, "shop.main.orders")
	w.run("test.shop.positive").expect(map[string]string{"test.shop.positive": "build relation_missing"})

	w = shop(t)
	w.nodes["test.shop.positive"].fails = "error" // it broke: nothing to replay
	broke := w.run()
	if rec := broke.records()["test.shop.positive"]; rec.Status != "error" || rec.TestResult != nil {
		t.Errorf("an engine's message may quote SQL and data, so it is not stored; recorded %+v", rec)
	}
	w.run().expect(map[string]string{"test.shop.positive": "build no_history"})
}

func TestRunHooksOnReuse(t *testing.T) {
	w := shop(t)
	n := w.nodes["model.shop.daily"]
	n.config["post-hook"] = []any{map[string]any{"sql": "grant select on {{ this }} to x"}}
	n.config["state"] = map[string]any{"lag_tolerance": "0s", "execute_hooks_on_any_reuse": true}
	w.settled()
	r := w.begin()
	for _, id := range w.order[1:5] {
		r.decide(id)
	}
	a := r.answers["model.shop.daily"]
	if a.Action != "reuse" || !a.RunHooks || r.answers["model.shop.orders"].RunHooks {
		t.Fatalf("got %+v", a)
	}
	must(t, r.s.Built(context.Background(), BuiltRequest{ID: "model.shop.daily", Status: "reused", HooksRan: true}))
	r.done(FinishRequest{})
	if rec := r.records()["model.shop.daily"]; rec.Action != "reuse" || rec.Status != "reused" || r.finish.Reused != 4 {
		t.Errorf("recorded %+v, %+v", rec, r.finish)
	}
}

func TestHodorError(t *testing.T) {
	w := shop(t)
	w.settled()
	r := w.begin()
	reader := r.s.reader
	r.s.reader = nil // whatever is asked of it panics
	a := r.decide("model.shop.orders")
	r.s.reader = reader
	if a.Action != "build" || a.Reason != "hodor_error" || a.Decision != "build" {
		t.Fatalf("got %+v", a)
	}
	r.end("model.shop.orders", w.build(w.nodes["model.shop.orders"]), true)
	r.done(FinishRequest{})
	if r.finish.Errors != 1 || len(r.finish.Warnings) != 1 {
		t.Errorf("%+v", r.finish)
	}
	if rec := r.records()["model.shop.orders"]; rec.Reason != "hodor_error" || rec.DataVersion != nil {
		t.Errorf("recorded %+v", rec)
	}
	w.run().expect(map[string]string{"model.shop.orders": "build no_history"})
}

// S5: a warehouse that had to be started answers minutes after it was asked for its clock. What is built then is not built in the future, and its age
// is not less than it is.
func TestS5ClockOfASlowAnswer(t *testing.T) {
	w := shop(t)
	w.latency = 5 * time.Minute
	r := w.run()
	for id, rec := range r.records() {
		if now := w.clock.UnixMilli(); rec.BuiltAtMS == nil || *rec.BuiltAtMS > now || rec.RecordedAtMS > now {
			t.Errorf("%s: it is %d, and the record is %+v", id, now, rec)
		}
	}
	w.latency = 0
	r = w.run()
	r.expect(map[string]string{"model.shop.orders": "reuse no_new_data", "model.shop.daily": "reuse no_new_data"})
	if n := len(r.start.Warnings); n > 0 {
		t.Errorf("warnings: %v", r.start.Warnings)
	}
	w.nodes["model.shop.orders"].config["state"] = map[string]any{"lag_tolerance": "3m"}
	w.latency = 5 * time.Minute
	w.touch("source.shop.raw_orders")
	w.run().expect(map[string]string{"model.shop.orders": "build new_upstream_data"})
	// What the slow answer makes of the present is not the future: a build that lies between is from there, whatever reads it.
	w.clock = w.clock.Add(-3 * time.Minute)
	w.run().expect(map[string]string{"model.shop.orders": "build no_history", "model.shop.daily": "build no_history"})
}

func TestFlushInBatches(t *testing.T) {
	w := newWorld(t)
	for i := range 450 {
		w.add("model.shop.m"+strings.Repeat("x", i), "table", "select 1")
	}
	count := &appends{Store: w.store}
	w.store = count
	if r := w.run(); r.finish.Recorded != 450 {
		t.Errorf("recorded %d", r.finish.Recorded)
	}
	if n := len(count.sizes); n < 2 || n > 4 {
		t.Errorf("written in batches of %v", count.sizes)
	}
	count.sizes = nil
	if r := w.run(); r.finish.Reused != 450 || r.finish.Recorded != 450 || len(count.sizes) < 2 || len(count.sizes) > 4 {
		t.Errorf("%+v; reuses are written in batches of %v", r.finish, count.sizes)
	}
	count.fail = true
	w.flags.FullRefresh = true
	if r := w.run(); r.finish.Recorded != 0 || len(r.finish.Warnings) == 0 {
		t.Errorf("a store that fails: %+v", r.finish)
	}
}

type appends struct {
	stores.Store
	sizes []int
	fail  bool
}

func (a *appends) Append(ctx context.Context, records []stores.Record) error {
	a.sizes = append(a.sizes, len(records))
	if a.fail {
		return stores.ErrUnavailable
	}
	return a.Store.Append(ctx, records)
}

func TestStartErrors(t *testing.T) {
	w := shop(t)
	dir := t.TempDir()
	path := w.manifest(dir, "one")
	start := func(change func(*StartRequest)) error {
		req := StartRequest{InvocationID: "one", Mode: "on", Adapter: "duckdb", ManifestPath: path, ProjectName: "shop", TargetName: "dev"}
		change(&req)
		s := New(Deps{Warehouse: nowhere{}, OpenStore: nil})
		_, err := s.Start(context.Background(), req)
		return err
	}
	if _, ok := errors.AsType[*project.StaleError](start(func(r *StartRequest) { r.InvocationID = "two" })); !ok {
		t.Error("a manifest of another invocation is taken")
	}
	if _, ok := errors.AsType[*project.ReadError](start(func(r *StartRequest) { r.ManifestPath = dir + "/none" })); !ok {
		t.Error("a missing manifest is no ReadError")
	}
	for name, change := range map[string]func(*StartRequest){
		"adapter": func(r *StartRequest) { r.Adapter = "postgres" }, "mode": func(r *StartRequest) { r.Mode = "off" },
	} {
		if start(change) == nil {
			t.Errorf("wrong %s: no error", name)
		}
	}
	s := New(Deps{})
	if _, err := s.Decide(context.Background(), DecideRequest{}); !errors.Is(err, ErrNoRun) {
		t.Errorf("Decide before Start: %v", err)
	}
	if err := s.Built(context.Background(), BuiltRequest{}); !errors.Is(err, ErrNoRun) {
		t.Errorf("Built before Start: %v", err)
	}
	if _, err := s.Finish(context.Background(), FinishRequest{}); !errors.Is(err, ErrNoRun) {
		t.Errorf("Finish before Start: %v", err)
	}
	must(t, s.Close(context.Background()))
}

func TestUnknownNode(t *testing.T) {
	w := shop(t)
	r := w.begin()
	if _, err := r.s.Decide(context.Background(), DecideRequest{ID: "model.shop.none"}); err == nil {
		t.Error("an unknown node is decided")
	}
	if err := r.s.Built(context.Background(), BuiltRequest{ID: "model.shop.none", Attempted: true}); err == nil {
		t.Error("an unknown node is built")
	}
	// Text that is not UTF-8 has no hash and builds.
	a, err := r.s.Decide(context.Background(), DecideRequest{ID: "model.shop.orders", Pointer: true})
	if err != nil || a.Action != "build" {
		t.Errorf("without text: %+v, %v", a, err)
	}
}

func TestRelationStates(t *testing.T) {
	w := shop(t)
	w.settled()
	for _, c := range []struct {
		relation *string
		pointer  bool
		want     string
	}{
		{text1("table"), true, "reuse"}, {text1("view"), true, "relation_missing"}, {nil, true, "relation_missing"},
		{text1("unknown"), true, "relation_missing"}, {text1("table"), false, "relation_missing"},
	} {
		r := w.begin()
		r.decide("model.shop.stg")
		hash := *r.hash("model.shop.orders")
		a, err := r.s.Decide(context.Background(), DecideRequest{ID: "model.shop.orders", TextHash: &hash, Relation: c.relation, Pointer: c.pointer})
		must(t, err)
		if got := a.Reason; got != c.want && a.Action != c.want {
			t.Errorf("%+v: %+v", c, a)
		}
		must(t, r.s.Close(context.Background()))
	}
}

// Many threads at once, as dbt has them: each node is decided once, built once and recorded once.
func TestConcurrentNodes(t *testing.T) {
	w := newWorld(t)
	w.add("source.shop.raw", "table", "")
	w.tables["shop.main.raw"] = "6@raw"
	for i := range 300 {
		n := w.add(fmt.Sprintf("model.shop.m%d", i), []string{"table", "view", "my_own"}[i%3], fmt.Sprintf(`select %d from "shop"."main"."raw"`, i), "source.shop.raw")
		n.wrote = i%50 == 0
	}
	for round := range 2 {
		r := w.begin()
		var wg sync.WaitGroup
		work := make(chan string)
		var mu sync.Mutex
		reasons := map[string]int{}
		for range 8 {
			wg.Go(func() {
				for id := range work {
					n := w.nodes[id]
					req := DecideRequest{ID: id, Pointer: true, Wrote: n.wrote, TextHash: r.hash(id), Relation: w.relationType(n)}
					a, err := r.s.Decide(context.Background(), req)
					if err == nil && a.Need == "sql" {
						req.SQL = &n.sql
						a, err = r.s.Decide(context.Background(), req)
					}
					if err == nil && a.Action == "build" {
						err = r.s.Built(context.Background(), BuiltRequest{ID: id, Status: w.build(n), Attempted: true})
					}
					if err != nil {
						t.Error(err)
					}
					mu.Lock()
					reasons[a.Reason]++
					mu.Unlock()
				}
			})
		}
		for _, id := range w.order[1:] {
			work <- id
		}
		close(work)
		wg.Wait()
		r.done(FinishRequest{})
		want := map[string]int{"no_history": 200, "unsupported": 100}
		if round == 1 {
			want = map[string]int{"no_new_data": 100, "view_unchanged": 100, "unsupported": 100}
		}
		if !maps.Equal(reasons, want) || r.finish.Recorded != 300 || len(r.records()) != 300 {
			t.Errorf("round %d: %v, %d recorded", round, reasons, r.finish.Recorded)
		}
	}
}
