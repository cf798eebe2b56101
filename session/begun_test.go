package session

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"hodor/stores"
	"hodor/stores/memory"
)

// hooked is the shop, settled, where a hook of orders writes another table.
func hooked(t *testing.T) *world {
	w := shop(t)
	w.nodes["model.shop.orders"].config["pre-hook"] = []any{map[string]any{"sql": `create or replace table w.main.side as select 1 as x`}}
	w.settled()
	return w
}

// begun lists the unique ids of the builds that have only begun, as far as the store knows.
func (w *world) begun() (ids []string) {
	w.t.Helper()
	list, err := w.store.History(context.Background(), stores.Scope{Project: "shop", Target: "dev"}, stores.Query{})
	must(w.t, err)
	for _, r := range stores.Ended(list) {
		if r.Status == stores.Begun {
			ids = append(ids, r.UniqueID)
		}
	}
	return ids
}

// S2: what a build that has no end did to other tables shows nowhere, so the beginning takes the node its history, and one build gives it back.
func TestS2BegunAndKilled(t *testing.T) {
	w := hooked(t)
	before := w.tables["shop.main.raw_orders"]
	w.touch("source.shop.raw_orders")
	r := w.begin()
	for _, id := range []string{"seed.shop.rates", "model.shop.stg", "model.shop.orders", "model.shop.daily"} {
		r.decide(id) // and the process is killed
	}
	if got := w.begun(); len(got) != 1 || got[0] != "model.shop.orders" {
		t.Fatalf("begun: %v", got)
	}
	w.tables["shop.main.raw_orders"] = before
	second := w.run()
	second.expect(map[string]string{"model.shop.orders": "build no_history", "model.shop.daily": "reuse no_new_data"})
	if note := second.answers["model.shop.orders"].Note; !strings.Contains(note, "began to build it") {
		t.Errorf("note %q", note)
	}
	rec := second.records()["model.shop.orders"]
	if f := recordedFacts(&rec); rec.Status != "success" || f == nil || !strings.Contains(f.Decided.Why, "began to build it") {
		t.Errorf("recorded %+v", rec)
	}
	w.run().expect(map[string]string{"model.shop.orders": "reuse no_new_data"})
}

func TestS2BegunAndFailed(t *testing.T) {
	w := hooked(t)
	before := w.tables["shop.main.raw_orders"]
	w.touch("source.shop.raw_orders")
	w.nodes["model.shop.orders"].fails = "error"
	w.run()
	w.nodes["model.shop.orders"].fails = ""
	w.tables["shop.main.raw_orders"] = before
	w.run().expect(map[string]string{"model.shop.orders": "build no_history", "model.shop.daily": "reuse no_new_data"})
	w.run().expect(map[string]string{"model.shop.orders": "reuse no_new_data"})
}

// What a run with --empty did elsewhere counts as well, though nothing is recorded of how it ended.
func TestS4BegunWithEmpty(t *testing.T) {
	w := hooked(t)
	w.flags.Empty = true
	w.run()
	w.flags.Empty = false
	w.run().expect(map[string]string{"model.shop.orders": "build no_history", "model.shop.daily": "reuse no_new_data"})
}

// A clock that was wrong in a run that was killed costs one build, not one in every run until its time has come.
func TestS5BegunInTheFuture(t *testing.T) {
	w := hooked(t)
	const far = 50 * 24 * time.Hour
	w.clock = w.clock.Add(far)
	w.touch("source.shop.raw_orders")
	w.begin().decide("model.shop.orders")
	w.clock = w.clock.Add(-far)
	w.run().expect(map[string]string{"model.shop.orders": "build no_history"})
	w.run().expect(map[string]string{"model.shop.orders": "reuse no_new_data"})
}

// Which attempts are begun: builds that may write elsewhere, in the store before the answer; nothing else costs a write.
func TestBegins(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(w *world)
		want   string
	}{
		{"a hook that writes elsewhere", func(*world) {}, "model.shop.orders"},
		{"no node has such a hook", func(w *world) { delete(w.nodes["model.shop.orders"].config, "pre-hook") }, ""},
		{"GRANT writes nothing", func(w *world) {
			w.nodes["model.shop.orders"].config["pre-hook"] = []any{map[string]any{"sql": "grant select on {{ this }} to x"}}
		}, ""},
		{"shadow mode builds", func(w *world) { w.mode = "shadow" }, "model.shop.orders"},
		{"out of scope, with a history", func(w *world) { w.nodes["model.shop.daily"].materialized = "my_own" }, "model.shop.orders model.shop.daily"},
		{"Delta, new data", func(w *world) { w.settings.Store = "delta" }, ""},
		{"Delta, new code", func(w *world) {
			w.settings.Store = "delta"
			w.nodes["model.shop.orders"].sql += " where 1 = 1"
		}, "model.shop.orders"},
		{"no clock", func(w *world) { w.sessionErr = errors.New("no") }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := hooked(t)
			w.touch("source.shop.raw_orders")
			c.change(w)
			r := w.begin()
			for _, id := range w.order[1:] {
				r.decide(id)
			}
			got := w.begun()
			for i, j := 0, len(got)-1; i < j; i, j = i+1, j-1 {
				got[i], got[j] = got[j], got[i] // the oldest first
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("begun: %v, want %q", got, c.want)
			}
		})
	}
	t.Run("out of scope, without one", func(t *testing.T) {
		w := shop(t)
		w.nodes["model.shop.daily"].materialized = "my_own"
		w.run()
		w.begin().decide("model.shop.daily")
		if got := w.begun(); len(got) > 0 {
			t.Errorf("begun: %v", got)
		}
	})
}

// refusing is a store that takes no records.
type refusing struct{ *memory.Store }

func (refusing) Append(context.Context, []stores.Record) error { return errors.New("full") }

// A store that can't be written changes no decision and no answer.
func TestBegunCannotBeWritten(t *testing.T) {
	w := hooked(t)
	w.touch("source.shop.raw_orders")
	w.store = refusing{w.store.(*memory.Store)}
	r := w.run()
	r.expect(map[string]string{"model.shop.orders": "build new_upstream_data", "model.shop.daily": "build new_upstream_data"})
	if len(r.finish.Warnings) != 1 || !strings.Contains(r.finish.Warnings[0], "could not be written") {
		t.Errorf("warnings %q", r.finish.Warnings)
	}
}
