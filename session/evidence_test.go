package session

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

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

// S1: what run/finish corrects is not recorded as it was said; with fail_fast nothing is written before it.
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
