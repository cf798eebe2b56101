package session

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
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
	if len(r.took) > 0 || !r.s.ahead.off || len(r.s.ahead.ready) > 0 {
		t.Errorf("taken %v, off %t, ready %d", r.took, r.s.ahead.off, len(r.s.ahead.ready))
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

// TestAheadHasAWindow: a project of a thousand nodes is looked at piece by piece.
func TestAheadHasAWindow(t *testing.T) {
	w := newWorld(t)
	w.add("source.shop.raw", "table", "")
	w.tables["shop.main.raw"] = "6@raw"
	for i := range 1000 {
		w.add(fmt.Sprintf("model.shop.v%03d", i), "view", fmt.Sprintf(`select %d from "shop"."main"."raw"`, i), "source.shop.raw")
	}
	w.settled()
	r := w.begin()
	most := 0
	r.s.deps.Go = func(f func()) {
		f()
		most = max(most, len(r.s.ahead.ready)+len(r.s.ahead.said))
	}
	r.all()
	if most > window || most < window/2 {
		t.Errorf("%d nodes were decided ahead, the window has room for %d", most, window)
	}
	if asked := len(r.answers) - len(r.took); asked > 1000/(window/4) {
		t.Errorf("the host had to ask for %d nodes of 1000", asked)
	}
	if got := len(r.records()); got != 1000 {
		t.Errorf("%d records", got)
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

// TestAheadEndsWithTheRun: a statement that does not come back holds up neither the end of a run nor the process.
func TestAheadEndsWithTheRun(t *testing.T) {
	w := shop(t)
	w.settled()
	r := w.begin()
	stuck := &stuckReader{r.s.reader, make(chan struct{})}
	r.s.reader = stuck
	r.s.deps.Go = func(f func()) { go f() }
	r.decide("seed.shop.rates")
	<-stuck.began
	ended := make(chan struct{})
	go func() {
		defer close(ended)
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
