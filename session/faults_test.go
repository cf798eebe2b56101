package session

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"hodor/engine"
	"hodor/normalize"
	"hodor/stores"
	"hodor/versions"
)

// faultyReader panics in one of its methods while it is armed.
type faultyReader struct {
	versions.Reader
	at    string
	armed bool
}

func (f *faultyReader) step(name string) {
	if f.armed && f.at == name {
		panic("broken on purpose")
	}
}

func (f *faultyReader) Rows(ctx context.Context, r versions.Relation, then engine.Version) engine.Version {
	f.step("Rows")
	return f.Reader.Rows(ctx, r, then)
}

func (f *faultyReader) Definition(ctx context.Context, r versions.Relation) engine.Version {
	f.step("Definition")
	return f.Reader.Definition(ctx, r)
}

func (f *faultyReader) Stands(ctx context.Context, r versions.Relation) engine.Relation {
	f.step("Stands")
	return f.Reader.Stands(ctx, r)
}

func (f *faultyReader) Volatile(ctx context.Context, kind string) engine.Version {
	f.step("Volatile")
	return f.Reader.Volatile(ctx, kind)
}

// faultPoints are the steps of deciding that may break, and the nodes of the shop whose decisions take them. What is left is decided as ever.
var faultPoints = map[string][]string{
	"Rows":       {"seed.shop.rates", "model.shop.stg", "model.shop.orders", "model.shop.daily", "model.shop.today", "test.shop.positive"},
	"Definition": {"model.shop.stg", "model.shop.orders"},
	"Stands":     {"test.shop.positive"},
	"Volatile":   {"model.shop.today"},
	"normalize":  {"model.shop.daily"},
	"hasher":     {"seed.shop.rates", "model.shop.stg", "model.shop.orders", "model.shop.daily", "model.shop.today", "test.shop.positive"},
	"resolver":   {"seed.shop.rates", "model.shop.stg", "model.shop.orders", "model.shop.daily", "model.shop.today", "test.shop.positive"},
}

// An exception at any step builds the nodes that it concerns, is counted and warned of, and is no history; no other node is harmed.
func TestFaultPoints(t *testing.T) {
	for _, point := range slices.Sorted(maps.Keys(faultPoints)) {
		t.Run(point, func(t *testing.T) {
			w := shop(t)
			w.add("model.shop.today", "table", `select a from "shop"."main"."orders" where current_date`, "model.shop.orders")
			w.settled()
			w.nodes["model.shop.daily"].sql += " where a > 1" // its text must be analysed
			r := w.begin()
			faulty := &faultyReader{Reader: r.s.reader, at: point}
			r.s.reader = faulty
			hasher, resolver := r.s.hasher, r.s.resolver
			r.s.normalize = func(text string, o normalize.Options) normalize.Result {
				if point == "normalize" {
					panic("broken on purpose")
				}
				return scripted(text, o)
			}
			for _, id := range w.order {
				if n := w.nodes[id]; n.resource != "source" {
					faulty.armed = true
					if point == "hasher" {
						r.s.hasher = nil
					}
					if point == "resolver" {
						r.s.resolver = nil
					}
					a := r.decide(id)
					faulty.armed, r.s.hasher, r.s.resolver = false, hasher, resolver
					want := "reuse"
					if slices.Contains(faultPoints[point], id) {
						want = "hodor_error"
					} else if id == "model.shop.daily" {
						want = "code_changed"
					}
					if got := a.Reason; want == "reuse" && a.Action != "reuse" || want != "reuse" && got != want {
						t.Errorf("%s: got %+v, want %s", id, a, want)
					}
					if a.Action != "reuse" {
						r.end(id, w.build(n), true)
					}
				}
			}
			r.done(FinishRequest{})
			if n := len(faultPoints[point]); r.finish.Errors != n || len(r.finish.Warnings) != 1 {
				t.Errorf("%d errors, want %d, and one warning: %v", r.finish.Errors, n, r.finish.Warnings)
			}
			for _, id := range faultPoints[point] {
				if rec := r.records()[id]; rec.Reason != "hodor_error" || rec.DataVersion != nil || rec.Decision != "build" {
					t.Errorf("recorded %+v", rec)
				}
			}
			next := w.run()
			for _, id := range faultPoints[point] {
				if w.nodes[id].resource == "test" {
					continue // leaves nothing behind: what is recorded of the same data stays true
				}
				if a := next.answers[id]; a.Action != "build" || a.Reason != "no_history" {
					t.Errorf("%s is %+v after its fault", id, a)
				}
			}
		})
	}
}

// brokenStore fails in one of its methods.
type brokenStore struct {
	stores.Store
	load, append bool
}

func (b *brokenStore) Load(ctx context.Context, s stores.Scope, sinceMS int64) (*stores.Loaded, error) {
	if b.load {
		return nil, errors.New("the disk is on fire")
	}
	return b.Store.Load(ctx, s, sinceMS)
}

func (b *brokenStore) Append(ctx context.Context, records []stores.Record) error {
	if b.append {
		return errors.New("no space left on device")
	}
	return b.Store.Append(ctx, records)
}

// A store that can't be read builds everything; one that can't be written loses the records, which builds what they were of.
func TestFaultsOfTheStore(t *testing.T) {
	w := shop(t)
	w.settled()
	broken := &brokenStore{Store: w.store, load: true}
	w.store = broken
	r := w.run()
	for id, a := range r.answers {
		if a.Action != "build" {
			t.Errorf("%s: %+v without a history", id, a)
		}
	}
	if n := len(r.start.Warnings) + len(r.finish.Warnings); n != 1 {
		t.Errorf("%d warnings: %v %v", n, r.start.Warnings, r.finish.Warnings)
	}

	broken.load, broken.append = false, true
	w.settled()
	w.touch("source.shop.raw_orders")
	r = w.run()
	if len(r.finish.Warnings) != 1 {
		t.Errorf("warnings: %v", r.finish.Warnings)
	}
	broken.append = false
	w.run().expect(map[string]string{"model.shop.orders": "build target_modified", "seed.shop.rates": "reuse no_new_data"})
}
