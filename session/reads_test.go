package session

import (
	"errors"
	"maps"
	"strings"
	"testing"
)

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

// S7: a hook that renders to another text is another hook, but for this run's id and start.
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

func TestReadsItself(t *testing.T) {
	w := shop(t)
	w.add("model.shop.selfish", "table", `select 1 from "shop"."main"."selfish"`)
	w.add("model.shop.growing", "incremental", `select 1 from "shop"."main"."growing"`)
	w.settled()
	w.run().expect(map[string]string{"model.shop.selfish": "build unknown_upstream", "model.shop.growing": "reuse no_new_data"})
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

// TestS19Descending: where ORDER BY means another order without ASC, spelling is code.
func TestS19Descending(t *testing.T) {
	for _, descending := range []bool{false, true} {
		w := shop(t)
		w.descending = descending
		w.settled()
		n := w.nodes["model.shop.orders"]
		n.sql = strings.Replace(n.sql, " ", "  ", 1)
		want := "reuse no_new_data"
		if descending {
			want = "build code_changed"
		}
		w.run().expect(map[string]string{"model.shop.orders": want})
	}
}

// TestS19DescendingFromAHook: a hook may be what sets the order, after the run began.
func TestS19DescendingFromAHook(t *testing.T) {
	w := shop(t)
	w.nodes["model.shop.orders"].config["post-hook"] = []any{map[string]any{"sql": "set global default_order = 'desc'"}}
	w.builds = func(n *node) { w.descending = w.descending || n.id == "model.shop.orders" }
	for range 2 {
		w.descending = false
		w.run()
		w.touch("source.shop.raw_orders")
	}
	w.descending = false
	daily := w.nodes["model.shop.daily"]
	daily.sql = strings.Replace(daily.sql, " ", "  ", 1)
	w.run().expect(map[string]string{"model.shop.daily": "build code_changed"})
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
