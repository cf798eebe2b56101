package session

import (
	"context"
	"encoding/json"
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

// S3: the versions in a record are those from before the build, also where an early rule had decided.
func TestS3VersionsBeforeTheBuild(t *testing.T) {
	for _, early := range []string{"no history", "full refresh"} {
		t.Run(early, func(t *testing.T) {
			w := shop(t)
			if early == "full refresh" {
				w.settled()
				w.flags.FullRefresh = true
			}
			r := w.begin()
			for _, id := range []string{"seed.shop.rates", "model.shop.stg"} {
				r.decide(id)
				r.end(id, w.build(w.nodes[id]), true)
			}
			r.decide("model.shop.orders")
			w.touch("source.shop.raw_orders") // someone writes while the node builds
			r.s.reader.InvalidateAll()
			r.end("model.shop.orders", w.build(w.nodes["model.shop.orders"]), true)
			r.done(FinishRequest{})
			var upstreams map[string]string
			must(t, json.Unmarshal([]byte(*r.records()["model.shop.orders"].Upstreams), &upstreams))
			if upstreams["shop.main.raw_orders"] != "6@raw" {
				t.Errorf("recorded %v", upstreams)
			}
			w.flags.FullRefresh = false
			w.run().expect(map[string]string{"model.shop.orders": "build new_upstream_data"})
		})
	}
}

// S3, S15: a hook of one node writes what another reads, between the other's decision and its build. The versions in the other's record are not
// what its content follows from, and here they come back.
func TestS3WrittenBesideTheBuild(t *testing.T) {
	for _, order := range []string{"writer first", "writer last", "hook on a reuse", "a compile wrote"} {
		t.Run(order, func(t *testing.T) {
			w := newWorld(t)
			w.add("source.shop.audit", "table", "")
			w.tables["shop.main.audit"] = "3@a"
			w.add("model.shop.reader", "table", `select id from "shop"."main"."audit"`, "source.shop.audit")
			w.add("test.shop.check", "test", `select id from "shop"."main"."audit" where id < 0`, "source.shop.audit")
			writer := w.add("model.shop.writer", "table", `select 1 as id`)
			writer.config["post-hook"] = []any{map[string]any{"sql": `insert into "shop"."main"."audit" values (4)`}}
			writes := func() { w.tables["shop.main.audit"] = "4@b" }
			if order == "hook on a reuse" {
				writer.config["state"] = map[string]any{"execute_hooks_on_any_reuse": true}
				w.run("model.shop.writer")
			}
			r := w.begin()
			if order == "writer first" {
				r.decide("model.shop.writer")
			}
			r.decide("model.shop.reader")
			r.decide("test.shop.check")
			switch order {
			case "writer first":
				writes() // and has not been reported yet
			case "writer last":
				r.decide("model.shop.writer")
				writes()
				r.end("model.shop.writer", w.build(writer), true)
			case "hook on a reuse":
				if a := r.decide("model.shop.writer"); !a.RunHooks {
					t.Fatalf("its hooks do not run: %+v", a)
				}
				writes()
			case "a compile wrote":
				writes()
				writer.wrote = true
				r.decide("model.shop.writer")
				writer.wrote = false
			}
			r.end("model.shop.reader", w.build(w.nodes["model.shop.reader"]), true)
			r.end("test.shop.check", "pass", true)
			r.done(FinishRequest{})
			w.tables["shop.main.audit"] = "3@a"
			w.run("model.shop.reader", "test.shop.check").expect(map[string]string{"model.shop.reader": "build no_history", "test.shop.check": "build no_history"})
			w.run("model.shop.reader", "test.shop.check").expect(map[string]string{"model.shop.reader": "reuse no_new_data", "test.shop.check": "reuse no_new_data"})
		})
	}
}

// What a writer beside it has left alone is no doubt.
func TestWriterBesideElsewhere(t *testing.T) {
	w := shop(t)
	w.add("model.shop.writer", "table", `select 1 as id`).config["post-hook"] = []any{map[string]any{"sql": `insert into "shop"."main"."log" values (4)`}}
	r := w.begin()
	r.decide("model.shop.writer")
	for _, id := range []string{"seed.shop.rates", "model.shop.stg", "model.shop.orders", "test.shop.positive"} {
		r.decide(id)
		r.end(id, w.build(w.nodes[id]), true)
	}
	r.end("model.shop.writer", w.build(w.nodes["model.shop.writer"]), true)
	r.done(FinishRequest{})
	w.run().expect(map[string]string{"model.shop.orders": "reuse no_new_data", "test.shop.positive": "reuse no_new_data", "model.shop.stg": "reuse view_unchanged"})
}

func TestS1Outcomes(t *testing.T) {
	for _, c := range []struct {
		status string
		want   string
	}{{"success", "reuse no_new_data"}, {"error", "build no_history"}, {"skipped", "build no_history"}, {"partial success", "build no_history"}} {
		t.Run(c.status, func(t *testing.T) {
			w := shop(t)
			r := w.begin()
			for _, id := range []string{"seed.shop.rates", "model.shop.stg", "model.shop.orders"} {
				r.decide(id)
				built := w.build(w.nodes[id])
				if id == "model.shop.orders" {
					built = c.status
				}
				r.end(id, built, true)
			}
			r.done(FinishRequest{})
			w.run().expect(map[string]string{"model.shop.orders": c.want})
		})
	}
}

// S1: what run/finish corrects is not recorded as it was said; with fail_fast nothing is written before it.
// S1: dbt may say success of a view that it did not make. What stands shows.
func TestS1ViewLeftAsItWas(t *testing.T) {
	w := shop(t)
	w.settled()
	then := w.views["shop.main.stg"]
	w.nodes["model.shop.stg"].sql += " where id > 1"
	r := w.begin()
	r.decide("model.shop.stg")
	r.end("model.shop.stg", "success", true) // and nothing was done
	r.done(FinishRequest{})
	if now := w.views["shop.main.stg"]; now != then {
		t.Fatalf("the view has moved to %s", now)
	}
	w.run().expect(map[string]string{"model.shop.stg": "build no_history", "model.shop.orders": "build upstream_code_changed"})
	w.run().expect(map[string]string{"model.shop.stg": "reuse view_unchanged", "model.shop.orders": "reuse no_new_data"})
}

func TestFinishCorrects(t *testing.T) {
	w := shop(t)
	w.flags.FailFast = true
	r := w.begin()
	for _, id := range []string{"seed.shop.rates", "model.shop.stg", "model.shop.orders"} {
		r.decide(id)
		r.end(id, w.build(w.nodes[id]), true)
	}
	r.done(FinishRequest{Statuses: map[string]string{"model.shop.orders": "skipped"}})
	if _, ok := r.records()["model.shop.orders"]; ok || r.finish.Recorded != 2 {
		t.Errorf("recorded %d: %v", r.finish.Recorded, r.records())
	}
	// Without a last word nothing counts.
	w.flags.FullRefresh = true
	r = w.begin()
	r.decide("seed.shop.rates")
	r.end("seed.shop.rates", "success", true)
	must(t, r.s.Close(context.Background()))
	if len(r.records()) != 0 {
		t.Errorf("recorded without run/finish under fail_fast: %v", r.records())
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

// S4: nothing is reused and nothing recorded.
func TestS4EmptyAndSample(t *testing.T) {
	for name, set := range map[string]func(*Flags){
		"empty": func(f *Flags) { f.Empty = true }, "sample": func(f *Flags) { f.Sample = true }, "event time": func(f *Flags) { f.EventTime = true },
	} {
		t.Run(name, func(t *testing.T) {
			w := shop(t)
			w.settled()
			set(&w.flags)
			r := w.run()
			for id, a := range r.answers {
				if a.Action != "build" {
					t.Errorf("%s: %+v", id, a)
				}
			}
			if len(r.records()) != 0 || r.finish.Recorded != 0 {
				t.Errorf("recorded %d", len(r.records()))
			}
		})
	}
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

func TestS24Volatile(t *testing.T) {
	w := shop(t)
	w.add("model.shop.dated", "table", `select current_date from "shop"."main"."orders"`, "model.shop.orders")
	w.add("model.shop.chance", "table", `select random() from "shop"."main"."orders"`, "model.shop.orders")
	w.add("model.shop.stamped", "table", `select now() as loaded_at from "shop"."main"."orders"`, "model.shop.orders")
	w.settled()
	w.run().expect(map[string]string{"model.shop.dated": "reuse no_new_data", "model.shop.chance": "build volatile_sql", "model.shop.stamped": "reuse no_new_data"})
	w.date = "2026-10-21"
	w.run().expect(map[string]string{"model.shop.dated": "build volatile_sql"})
	w.nodes["model.shop.chance"].config["state"] = map[string]any{"lag_tolerance": "0s", "evaluate_volatile_sql": false}
	w.nodes["model.shop.stamped"].config["state"] = map[string]any{"lag_tolerance": "0s", "evaluate_volatile_sql": true}
	w.run()
	w.run().expect(map[string]string{"model.shop.chance": "reuse no_new_data", "model.shop.stamped": "build volatile_sql"})
}

// S27: a view keeps the start of the run that made it, unlike a call, which is made anew whenever the view is read.
func TestS27ViewHoldsTheRunsStart(t *testing.T) {
	for rule, want := range map[string]map[string]string{
		"auto":  {"model.shop.since": "build volatile_sql", "model.shop.stamped": "reuse view_unchanged", "model.shop.called": "reuse view_unchanged"},
		"true":  {"model.shop.since": "build volatile_sql", "model.shop.stamped": "build volatile_sql", "model.shop.called": "reuse view_unchanged"},
		"false": {"model.shop.since": "reuse view_unchanged", "model.shop.stamped": "reuse view_unchanged", "model.shop.called": "reuse view_unchanged"},
	} {
		t.Run(rule, func(t *testing.T) {
			w := shop(t)
			state := map[string]any{"evaluate_volatile_sql": rule}
			for id, sql := range map[string]string{
				"model.shop.since":   `select id from "shop"."main"."raw_orders" where at < '$started'`,
				"model.shop.stamped": `select id, '$started' as made_at from "shop"."main"."raw_orders"`,
				"model.shop.called":  `select id from "shop"."main"."raw_orders" where at < current_date`,
			} {
				w.add(id, "view", sql, "source.shop.raw_orders").config["state"] = state
			}
			w.settled()
			w.run().expect(want)
		})
	}
}

func TestS7Hooks(t *testing.T) {
	hook := func(sql string) []any { return []any{map[string]any{"sql": sql, "transaction": true}} }
	for _, c := range []struct {
		name, sql string
		rendered  *Hooks
		want      string
	}{
		{"comment on itself", `comment on table {{ this }} is 'x'`, nil, "reuse no_new_data"},
		{"reads a source", `insert into "shop"."main"."log" select 1 from "shop"."main"."raw_orders"`, nil, "reuse no_new_data"},
		{"reads a hard-coded table", `insert into "shop"."main"."log" select 1 from "shop"."main"."elsewhere"`, nil, "build unknown_upstream"},
		{"opaque", `insert into "shop"."main"."log" select 1 from x where read_csv`, nil, "build unknown_upstream"},
		{"broken", `broken`, nil, "build unknown_upstream"},
		{"volatile", `delete from {{ this }} where random() = 1`, nil, "build volatile_sql"},
		{"rendered by the host", `{{ my_macro() }}`, &Hooks{Post: []*string{text1("grant select on x to y")}}, "reuse no_new_data"},
		{"can't be rendered", `{{ my_macro() }}`, &Hooks{Post: []*string{nil}}, "build unknown_upstream"},
		{"not sent", `{{ my_macro() }}`, nil, "build unknown_upstream"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := shop(t)
			n := w.nodes["model.shop.daily"]
			n.config["post-hook"], n.rendered = hook(c.sql), c.rendered
			r := w.run()
			if wants := strings.Contains(c.sql, "my_macro"); wants != (len(r.start.RenderHooks) == 1) {
				t.Errorf("render_hooks %v", r.start.RenderHooks)
			}
			w.run()
			r = w.run()
			r.expect(map[string]string{"model.shop.daily": c.want})
			if r.finish.Debug.Parsed != 0 {
				t.Errorf("%d texts parsed in a settled run", r.finish.Debug.Parsed)
			}
		})
	}
}

// S7: a hook that renders to another text is another hook, but for this run's id and start.
// S7: SQL of the configuration is part of the node's SQL, and writes nothing.
func TestS7ConfigSQL(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"id > 5", "reuse no_new_data"},
		{"id in (select n from \"shop\".\"main\".\"raw_orders\" )", "reuse no_new_data"},
		{"id in (select n from \"shop\".\"main\".\"elsewhere\" )", "build unknown_upstream"},
		{"(id = random())", "build volatile_sql"},
		{"(broken", "build unknown_upstream"},
	} {
		w := shop(t)
		w.nodes["model.shop.daily"].config["incremental_predicates"] = []any{c.sql}
		w.settled()
		r := w.run()
		r.expect(map[string]string{"model.shop.daily": c.want})
		if r.finish.Debug.Parsed != 0 {
			t.Errorf("%s: %d texts parsed in a settled run", c.sql, r.finish.Debug.Parsed)
		}
		if writesElsewhere(r.s.state("model.shop.daily").hooks) {
			t.Errorf("%s counts as a write", c.sql)
		}
	}
}

func TestS7RenderedText(t *testing.T) {
	w := shop(t)
	n := w.nodes["model.shop.daily"]
	n.config["post-hook"] = []any{map[string]any{"sql": "{{ keep_days() }}"}}
	day := func(text string) { n.rendered = &Hooks{Post: []*string{&text}} }
	day("delete where day < '2026-10-20'")
	w.settled()
	w.run().expect(map[string]string{"model.shop.daily": "reuse no_new_data"})
	day("delete where day < '2026-10-21'")
	w.run().expect(map[string]string{"model.shop.daily": "build config_changed"})
	for range 3 {
		r := w.begin()
		day("delete where run = '" + r.id + "'")
		r.all()
	}
	r := w.begin()
	day("delete where run = '" + r.id + "'")
	if a := r.all().answers["model.shop.daily"]; a.Reason == "config_changed" {
		t.Errorf("this run's id in a hook is a change of the configuration: %+v", a)
	}
}

func text1(s string) *string { return &s }

// S15: after an attempt with a hook that may write elsewhere, after an out-of-scope node and after a compile that wrote, every version is read anew.
func TestS15Stale(t *testing.T) {
	reads := func(w *world, prepare func(*node)) (builds int) {
		w.add("model.shop.other", "table", `select id from "shop"."main"."raw_orders"`, "source.shop.raw_orders")
		n := w.add("model.shop.writer", "table", `select 1`)
		prepare(n)
		w.add("model.shop.reader", "table", `select id from "shop"."main"."raw_orders"`, "source.shop.raw_orders")
		w.settled()
		w.nodes["model.shop.writer"].sql += " as x"
		r := w.begin()
		r.decide("model.shop.other")
		if n.wrote {
			w.touch("source.shop.raw_orders")
		}
		r.decide("model.shop.writer")
		if !n.wrote {
			w.touch("source.shop.raw_orders")
		}
		r.end("model.shop.writer", w.build(n), true)
		if a := r.decide("model.shop.reader"); a.Action == "build" {
			builds++
		}
		r.done(FinishRequest{})
		return builds
	}
	for _, c := range []struct {
		name    string
		prepare func(*node)
		want    int
	}{
		{"no hook", func(*node) {}, 0},
		{"grant", func(n *node) { n.config["post-hook"] = []any{map[string]any{"sql": "grant select on {{ this }} to x"}} }, 0},
		{"insert", func(n *node) {
			n.config["post-hook"] = []any{map[string]any{"sql": `insert into "shop"."main"."raw_orders" select 1`}}
		}, 1},
		{"insert, then it fails", func(n *node) {
			n.config["post-hook"] = []any{map[string]any{"sql": `insert into "shop"."main"."raw_orders" select 1`}}
			n.fails = "error"
		}, 1},
		{"can't be rendered", func(n *node) { n.config["post-hook"] = []any{map[string]any{"sql": `{{ write() }}`}} }, 1},
		{"header", func(n *node) { n.config["sql_header"] = "create temporary function f() as 1;" }, 1},
		{"out of scope", func(n *node) { n.materialized = "my_own" }, 1},
		{"compile wrote", func(n *node) { n.wrote = true }, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := reads(shop(t), c.prepare); got != c.want {
				t.Errorf("the reader of a table that the writer changed: built %d, want %d", got, c.want)
			}
		})
	}
}

// S9: a view that was changed in the warehouse, has no record or is not known makes its readers unknown.
func TestS9Views(t *testing.T) {
	w := shop(t)
	w.settled()
	w.views["shop.main.stg"] += "+"
	w.run("model.shop.orders").expect(map[string]string{"model.shop.orders": "build unknown_upstream"})

	w = shop(t)
	w.build(w.nodes["model.shop.stg"])
	w.run("model.shop.orders", "seed.shop.rates")
	w.run("model.shop.orders", "seed.shop.rates").expect(map[string]string{"model.shop.orders": "build unknown_upstream", "seed.shop.rates": "reuse no_new_data"})

	w = shop(t)
	w.nodes["model.shop.stg"].sql += " where random() = 1 as loaded_at"
	w.settled()
	w.run().expect(map[string]string{"model.shop.stg": "reuse view_unchanged", "model.shop.orders": "build volatile_sql"})

	w = shop(t)
	w.nodes["model.shop.stg"].sql += " broken"
	w.settled()
	w.run().expect(map[string]string{"model.shop.stg": "build select_star_view", "model.shop.orders": "build unknown_upstream"})
}

// S8: a user's macro hides a built-in function from those who call it, themselves or through a view, and an operator from everyone.
func TestS8HiddenBuiltins(t *testing.T) {
	w := shop(t)
	w.nodes["model.shop.stg"].sql += " where upper('a')"
	w.nodes["model.shop.daily"].sql = `select sum(a) from "shop"."main"."orders"`
	w.settled()
	nothing := map[string]string{"model.shop.stg": "reuse view_unchanged", "model.shop.orders": "reuse no_new_data", "model.shop.daily": "reuse no_new_data", "test.shop.positive": "reuse no_new_data"}
	for _, c := range []struct {
		own  string
		want map[string]string
	}{
		{"my_own", nil},
		{"lower", nil},
		{"sum", map[string]string{"model.shop.daily": "build unknown_upstream"}},
		{"upper", map[string]string{"model.shop.orders": "build unknown_upstream"}},
		{"||", map[string]string{"model.shop.orders": "build unknown_upstream", "model.shop.daily": "build unknown_upstream", "test.shop.positive": "build unknown_upstream"}},
	} {
		w.hidden = []string{c.own}
		want := maps.Clone(nothing)
		maps.Copy(want, c.want)
		r := w.run()
		r.expect(want)
		if (len(r.start.Warnings) > 0) != (c.own != "my_own") {
			t.Errorf("%s: warnings %v", c.own, r.start.Warnings)
		}
		w.hidden = nil
		w.run()
		w.run().expect(nothing)
	}
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

// S22: with --store-failures the table of failures must stand, as the test left it, but turning the flag on is a change of the configuration.
func TestS22StoreFailures(t *testing.T) {
	w := shop(t)
	w.settled()
	w.flags.StoreFailures = true
	w.tables["shop.main.positive"] = "failures"
	w.run("test.shop.positive").expect(map[string]string{"test.shop.positive": "build config_changed"})
	decide := func(relation *string) string {
		r := w.begin()
		a, err := r.s.Decide(context.Background(), DecideRequest{ID: "test.shop.positive", TextHash: r.hash("test.shop.positive"), Relation: relation, Pointer: true})
		must(t, err)
		must(t, r.s.Close(context.Background()))
		return a.Decision + " " + a.Reason
	}
	if got := decide(text1("table")); got != "reuse no_new_data" {
		t.Errorf("with its table: %s", got)
	}
	if got := decide(nil); got != "build relation_missing" {
		t.Errorf("without its table: %s", got)
	}
	w.tables["shop.main.positive"] = "edited"
	if got := decide(text1("table")); got != "build target_modified" {
		t.Errorf("with another table: %s", got)
	}
	delete(w.tables, "shop.main.positive") // after dbt filled its cache
	if got := decide(text1("table")); got != "build relation_missing" {
		t.Errorf("without its table, which dbt's cache does not know: %s", got)
	}
}

// S15: a hook may make a macro that hides a built-in, or change a setting for every session.
func TestS15SessionIsReadAgain(t *testing.T) {
	for what, change := range map[string]func(*world){
		"macro":   func(w *world) { w.hidden = []string{"sum"} },
		"setting": func(w *world) { w.fingerprint = "g" },
		"unread":  func(w *world) { w.sessionErr = errors.New("no") },
	} {
		for hook, moved := range map[string]bool{"create macro sum(x) as 1": true, "grant select on {{ this }} to x": false} {
			w := shop(t)
			w.nodes["model.shop.daily"].sql = `select sum(a) from "shop"."main"."orders"`
			w.settled()
			w.nodes["model.shop.orders"].config["post-hook"] = []any{map[string]any{"sql": hook}}
			r := w.begin()
			for _, id := range w.order {
				if n := w.nodes[id]; n.resource == "source" || n.materialized == "ephemeral" {
					continue
				}
				a := r.decide(id)
				if id == "model.shop.orders" {
					change(w)
					r.end(id, w.build(w.nodes[id]), true)
				}
				if id == "model.shop.daily" && (a.Decision == "build") != moved {
					t.Errorf("%s, after %q: %s %s", what, hook, a.Decision, a.Reason)
				}
			}
			r.done(FinishRequest{})
		}
	}
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

func TestChangedLiteralIsNamed(t *testing.T) {
	w := shop(t)
	w.nodes["model.shop.orders"].sql += " where x > 20261019 and y < 7"
	w.settled()
	w.nodes["model.shop.orders"].sql = strings.ReplaceAll(w.nodes["model.shop.orders"].sql, "20261019", "20261020")
	r := w.run()
	if a := r.answers["model.shop.orders"]; a.Reason != "code_changed" || !strings.HasPrefix(a.Note, "the literal 20261020 in line 1, column ") {
		t.Errorf("note %q", a.Note)
	}
	for id, rec := range r.records() {
		if rec.SQLFacts != nil && strings.Contains(*rec.SQLFacts, "20261020") {
			t.Errorf("%s: a literal is recorded: %s", id, *rec.SQLFacts)
		}
	}
}

// The fast path holds for the defaults that the text was analysed under: under others the same text names other tables.
func TestDefaultsOfTheFastPath(t *testing.T) {
	w := shop(t)
	w.settled()
	w.schema = "other"
	if r := w.run(); r.finish.Debug.SQLSent == 0 {
		t.Error("an analysis under another default schema was taken over")
	}
}

// No SQL is kept, unless it is asked for.
func TestKeepSQL(t *testing.T) {
	w := shop(t)
	r := w.run()
	if f := *r.records()["model.shop.orders"].SQLFacts; strings.Contains(f, "select id") {
		t.Errorf("SQL is recorded: %s", f)
	}
	w.settings.KeepSQL = true
	r = w.run()
	if r.finish.Debug.Parsed == 0 {
		t.Error("without a parse there is no SQL to keep")
	}
	if f := *r.records()["model.shop.orders"].SQLFacts; !strings.Contains(f, "select id") {
		t.Errorf("SQL is not recorded: %s", f)
	}
}

func TestUnrendered(t *testing.T) {
	w := shop(t)
	n := w.nodes["model.shop.orders"]
	n.config["state"] = map[string]any{"lag_tolerance": "0s", "compare_unrendered_code": true}
	w.settled()
	w.run().expect(map[string]string{"model.shop.orders": "reuse no_new_data"})
	n.sql += " where 5"
	w.run().expect(map[string]string{"model.shop.orders": "build code_changed"})
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

// A deferred parent is replaced by the relation that the text reads; a test is known by what it reads.
func TestDeferral(t *testing.T) {
	w := shop(t)
	w.settled()
	w.deferred = map[string]string{"model.shop.orders": `"prod"."main"."orders"`}
	w.tables["prod.main.orders"] = "p1"
	w.nodes["test.shop.positive"].sql = `select 1 from "prod"."main"."orders"`
	w.nodes["model.shop.daily"].sql = `select a from "prod"."main"."orders"`
	only := []string{"model.shop.daily", "test.shop.positive"}
	w.run(only...).expect(map[string]string{"test.shop.positive": "build no_history", "model.shop.daily": "build code_changed"})
	r := w.run(only...)
	r.expect(map[string]string{"test.shop.positive": "reuse no_new_data", "model.shop.daily": "reuse no_new_data"})
	w.tables["prod.main.orders"] = "p2"
	w.run(only...).expect(map[string]string{"test.shop.positive": "build new_upstream_data", "model.shop.daily": "build new_upstream_data"})
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

func TestReadsItself(t *testing.T) {
	w := shop(t)
	w.add("model.shop.selfish", "table", `select 1 from "shop"."main"."selfish"`)
	w.add("model.shop.growing", "incremental", `select 1 from "shop"."main"."growing"`)
	w.settled()
	w.run().expect(map[string]string{"model.shop.selfish": "build unknown_upstream", "model.shop.growing": "reuse no_new_data"})
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
