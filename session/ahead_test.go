package session

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hodor/engine"
	"hodor/stores"
	"hodor/versions"
)

// TestAheadIsTheSameAsAsked plays the same histories with and without decisions said ahead: the same decisions, and the same records but for their time.
func TestAheadIsTheSameAsAsked(t *testing.T) {
	changes := map[string]func(*world){
		"nothing": func(*world) {},
		"data":    func(w *world) { w.touch("source.shop.raw_orders") },
		"code":    func(w *world) { w.nodes["model.shop.orders"].sql += " where 1 = 1" },
		"dropped": func(w *world) { delete(w.tables, "shop.main.daily") },
		"seed":    func(w *world) { w.nodes["seed.shop.rates"].sql += "y,2\n" },
		"vars":    func(w *world) { w.vars = "v2" },
	}
	for name, change := range changes {
		play := func(asks bool) *run {
			w := shop(t)
			w.asks = asks
			w.settled()
			change(w)
			return w.run()
		}
		said, asked := play(false), play(true)
		if len(asked.took) > 0 || name == "nothing" && len(said.took) != len(said.answers)-1 {
			t.Errorf("%s: taken of what was said ahead: %v; where none was: %v", name, said.took, asked.took)
		}
		for id, want := range asked.answers {
			if got := said.answers[id]; got.Action != want.Action || got.Reason != want.Reason || got.Note != want.Note {
				t.Errorf("%s: %s: said ahead %+v, asked %+v", name, id, got, want)
			}
		}
		a, b := said.records(), asked.records()
		if !slices.Equal(slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))) {
			t.Errorf("%s: records of %v, asked %v", name, slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)))
		}
		for id, r := range a {
			if got, want := timeless(r), timeless(b[id]); got != want {
				t.Errorf("%s: %s: record\n%s, asked\n%s", name, id, got, want)
			}
		}
		if said.finish.Reused != asked.finish.Reused || said.finish.SavedMS != asked.finish.SavedMS || said.finish.Recorded != asked.finish.Recorded {
			t.Errorf("%s: summed up %+v, asked %+v", name, said.finish, asked.finish)
		}
	}
}

var salt = regexp.MustCompile(`"literals":\{[^}]*\}`)

// timeless is what two runs at other times record alike.
func timeless(r stores.Record) string {
	return fmt.Sprint(r.NodeKey, r.UniqueID, r.Action, r.Decision, r.Reason, r.Status, deref(r.TextHash), deref(r.CodeHash), deref(r.ConfigHash), deref(r.DataVersion),
		deref(r.Upstreams), salt.ReplaceAllString(deref(r.SQLFacts), ""), deref(r.TestResult))
}

// TestAheadEndsWithTheFirstBuild: what a node reads may be another thing once anything was built, though the host has not said so yet.
func TestAheadEndsWithTheFirstBuild(t *testing.T) {
	w := shop(t)
	w.settled()
	w.nodes["model.shop.stg"].sql += " where amount > 0"
	r := w.begin()
	if a := r.decide("seed.shop.rates"); a.Action != "reuse" {
		t.Fatalf("rates: %+v", a)
	}
	// Said and not taken: the host has forgotten it, and so has the service.
	if len(r.s.ahead.said) == 0 {
		t.Fatal("nothing was said ahead")
	}
	if a := r.decide("model.shop.stg"); a.Action != "build" {
		t.Fatalf("stg: %+v", a)
	}
	if !r.s.ahead.off {
		t.Error("the service goes on deciding ahead while a node is built")
	}
	r.end("model.shop.stg", w.build(w.nodes["model.shop.stg"]), true)
	r.decide("model.shop.orders")
	r.expect(map[string]string{"model.shop.orders": "build upstream_code_changed"})
	if len(r.took) > 0 || !r.s.ahead.off {
		t.Errorf("taken %v, off %t", r.took, r.s.ahead.off)
	}
	r.done(FinishRequest{})
}

// TestAheadIsNotSaid has one node for each reason not to say it ahead, in a project in which nothing is new.
func TestAheadIsNotSaid(t *testing.T) {
	w := shop(t)
	add := func(id, materialized, sql string, config map[string]any) {
		maps.Copy(w.add(id, materialized, sql, "model.shop.orders").config, config)
	}
	add("model.shop.dated", "table", `select current_date from "shop"."main"."orders"`, nil)
	add("model.shop.hooked", "table", `select a from "shop"."main"."orders"`, map[string]any{
		"post-hook": []any{map[string]any{"sql": "grant select on hooked to x"}}, "state": map[string]any{"execute_hooks_on_any_reuse": true},
	})
	add("model.shop.rendered", "table", `select a from "shop"."main"."orders"`, map[string]any{"post-hook": []any{map[string]any{"sql": "grant select on {{ this }} to {{ env_var('X') }}"}}})
	w.nodes["model.shop.rendered"].rendered = &Hooks{Post: []*string{new("grant select on rendered to x")}}
	w.add("test.shop.kept", "test", `select 2 from "shop"."main"."orders"`, "model.shop.orders").config["store_failures"] = true
	w.run()
	w.run()
	r := w.begin()
	r.decide("seed.shop.rates")
	for _, id := range []string{"model.shop.dated", "model.shop.hooked", "model.shop.rendered", "test.shop.kept"} {
		if r.s.ahead.said[id] != nil {
			t.Errorf("%s was said ahead", id)
		}
	}
	for _, id := range []string{"model.shop.stg", "model.shop.orders", "model.shop.daily", "test.shop.positive"} {
		if r.s.ahead.said[id] == nil {
			t.Errorf("%s was not said ahead", id)
		}
	}
	r.done(FinishRequest{})
}

func TestAheadWaitsForNoLagTolerance(t *testing.T) {
	w := shop(t)
	w.nodes["model.shop.daily"].config["state"] = map[string]any{"lag_tolerance": "1h"}
	w.settled()
	w.tables["shop.main.orders"] += "+"
	r := w.begin()
	r.decide("seed.shop.rates")
	if r.s.ahead.said["model.shop.daily"] != nil {
		t.Error("a reuse that ends with the hour was said ahead")
	}
	r.done(FinishRequest{})
}

func TestAheadIsNothingInShadowMode(t *testing.T) {
	w := shop(t)
	w.settled()
	w.mode = "shadow"
	if r := w.run(); len(r.took) > 0 {
		t.Errorf("taken: %v", r.took)
	}
}

// TestAheadReadsNothingForAFullRefresh: what is to be built in any case is not looked at before.
func TestAheadReadsNothingForAFullRefresh(t *testing.T) {
	w := shop(t)
	w.settled()
	w.flags.FullRefresh = true
	if r := w.run(); r.s.ahead.next > 0 {
		t.Errorf("%d nodes were looked at", r.s.ahead.next)
	}
}

// TestAheadIsAskedForWhereItDoesNotFit: a host that finds another text or another relation asks, and gets a decision on what it found.
func TestAheadIsAskedForWhereItDoesNotFit(t *testing.T) {
	w := shop(t)
	w.settled()
	r := w.begin()
	r.decide("seed.shop.rates")
	said := r.s.ahead.said["model.shop.orders"]
	if said == nil {
		t.Fatal("orders was not said ahead")
	}
	w.nodes["model.shop.orders"].sql += " where 2 = 2"
	a := r.decide("model.shop.orders")
	if a.Action != "build" || a.Reason != string(engine.CodeChanged) || r.s.ahead.said["model.shop.orders"] != nil {
		t.Errorf("%+v", a)
	}
	// A host that names it all the same is not believed.
	r.s.taken([]string{"model.shop.orders", "model.shop.nowhere"})
	if st := r.s.state("model.shop.orders"); st == said {
		t.Error("what was said ahead has taken the place of the answer")
	}
	r.done(FinishRequest{})
}

// TestAheadHasAWindow: a project of a thousand nodes is looked at piece by piece, and whatever is found there, no node long before its turn.
func TestAheadHasAWindow(t *testing.T) {
	for _, sql := range []string{`select %d from "shop"."main"."raw"`, `select %d, current_date from "shop"."main"."raw"`} {
		w := newWorld(t)
		w.add("source.shop.raw", "table", "")
		w.tables["shop.main.raw"] = "6@raw"
		for i := range 1000 {
			w.add(fmt.Sprintf("model.shop.t%03d", i), "table", fmt.Sprintf(sql, i), "source.shop.raw")
		}
		w.settled()
		r := w.begin()
		for i, id := range w.order[1:] {
			r.decide(id)
			if ahead := r.s.ahead.next - i; ahead > window {
				t.Fatalf("%d nodes were decided ahead, the window has room for %d", ahead, window)
			}
		}
		if asked := len(r.answers) - len(r.took); strings.Contains(sql, "current_date") != (asked == 1000) || asked < 1000 && asked > 1000/(window/4) {
			t.Errorf("the host had to ask for %d nodes of 1000", asked)
		}
		r.done(FinishRequest{})
		if got := len(r.records()); got != 1000 {
			t.Errorf("%d records", got)
		}
	}
}

// waitedFor notes reads that the host waits for no call of.
type waitedFor struct {
	versions.Reader
	waits  *atomic.Bool
	beside atomic.Int64
}

func (w *waitedFor) Rows(ctx context.Context, r versions.Relation, then engine.Version) engine.Version {
	for range 100 {
		runtime.Gosched() // there is time for an answer to go out
		if !w.waits.Load() {
			w.beside.Add(1)
		}
	}
	return w.Reader.Rows(ctx, r, then)
}

// TestAheadIsAtRestWhenTheAnswerIsOut: with one thread nothing of ours runs beside a statement of dbt's, which DuckDB would refuse (CHECKPOINT).
func TestAheadIsAtRestWhenTheAnswerIsOut(t *testing.T) {
	w := newWorld(t)
	w.add("source.shop.raw", "table", "")
	w.tables["shop.main.raw"] = "6@raw"
	for i := range 300 {
		w.add(fmt.Sprintf("model.shop.t%03d", i), "table", fmt.Sprintf(`select %d from "shop"."main"."raw"`, i), "source.shop.raw")
	}
	w.settled()
	r := w.begin()
	var waits atomic.Bool
	reader := &waitedFor{Reader: r.s.reader, waits: &waits}
	r.s.reader = reader
	r.s.deps.Go = func(f func()) { go f() }
	for _, id := range w.order[1:] {
		waits.Store(true)
		r.decide(id)
		waits.Store(false)
		for range 1000 {
			runtime.Gosched()
		}
	}
	r.done(FinishRequest{})
	if n := reader.beside.Load(); n > 0 || len(r.took) < 200 {
		t.Errorf("%d times a read went on beside dbt; %d nodes were taken", n, len(r.took))
	}
}

// TestAheadOfWhatIsAskedForMeanwhile: another thread of the host's asks for a node that is being looked at. It has its answer, and none is said ahead.
func TestAheadOfWhatIsAskedForMeanwhile(t *testing.T) {
	w := shop(t)
	w.settled()
	r := w.begin()
	asks := &askingReader{Reader: r.s.reader, ask: func() { r.decide("model.shop.orders") }}
	r.s.reader = asks
	r.decide("seed.shop.rates")
	if r.answers["model.shop.orders"].Action != "reuse" || r.s.ahead.said["model.shop.orders"] != nil || r.s.ahead.said["model.shop.daily"] == nil {
		t.Errorf("orders: %+v; said: %v", r.answers["model.shop.orders"], slices.Collect(maps.Keys(r.s.ahead.said)))
	}
	r.done(FinishRequest{})
}

// askingReader lets the host ask once, when daily, which comes after orders, is read.
type askingReader struct {
	versions.Reader
	ask func()
}

func (a *askingReader) Rows(ctx context.Context, r versions.Relation, then engine.Version) engine.Version {
	if ask := a.ask; r.Key == "shop.main.daily" && ask != nil {
		a.ask = nil
		ask()
	}
	return a.Reader.Rows(ctx, r, then)
}

// TestAheadIsTakenWhateverElseIsAsked: a request that is refused carries the word on what was taken all the same.
func TestAheadIsTakenWhateverElseIsAsked(t *testing.T) {
	w := shop(t)
	w.settled()
	r := w.begin()
	r.decide("seed.shop.rates")
	if _, err := r.s.Decide(t.Context(), DecideRequest{ID: "model.shop.nowhere", Taken: []string{"model.shop.stg"}}); err == nil {
		t.Error("a node of no manifest was decided")
	}
	if err := r.s.Built(t.Context(), BuiltRequest{ID: "model.shop.nowhere", Taken: []string{"model.shop.orders"}}); err == nil {
		t.Error("a node of no manifest was built")
	}
	r.done(FinishRequest{})
	if r.finish.Reused != 3 {
		t.Errorf("%d reused", r.finish.Reused)
	}
}

// stuckReader reads no rows until its context ends.
type stuckReader struct {
	versions.Reader
	began chan struct{}
}

func (s *stuckReader) Rows(ctx context.Context, r versions.Relation, then engine.Version) engine.Version {
	if r.Key == "shop.main.daily" {
		close(s.began)
		<-ctx.Done()
		return ""
	}
	return s.Reader.Rows(ctx, r, then)
}

// TestAheadEndsWithTheRun: a statement that does not come back holds up neither the end of an interrupted run nor the process.
func TestAheadEndsWithTheRun(t *testing.T) {
	w := shop(t)
	w.settled()
	r := w.begin()
	stuck := &stuckReader{r.s.reader, make(chan struct{})}
	r.s.reader = stuck
	r.s.deps.Go = func(f func()) { go f() }
	var asked sync.WaitGroup
	asked.Go(func() { r.decide("seed.shop.rates") })
	<-stuck.began
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer asked.Wait()
		r.done(FinishRequest{})
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("the run does not end")
	}
}

// TestAheadSurvivesAPanic: what can't be decided ahead is asked for, and fails there.
func TestAheadSurvivesAPanic(t *testing.T) {
	w := shop(t)
	w.settled()
	r := w.begin()
	r.s.reader = &brokenReader{r.s.reader}
	if a := r.decide("seed.shop.rates"); a.Action != "reuse" {
		t.Fatalf("rates: %+v", a)
	}
	if a := r.decide("model.shop.daily"); a.Reason != string(engine.HodorError) {
		t.Errorf("daily: %+v", a)
	}
	r.done(FinishRequest{})
}

type brokenReader struct{ versions.Reader }

func (b *brokenReader) Rows(ctx context.Context, r versions.Relation, then engine.Version) engine.Version {
	if r.Key == "shop.main.daily" {
		panic("no such thing")
	}
	return b.Reader.Rows(ctx, r, then)
}
