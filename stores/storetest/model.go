package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"hodor/stores"
	"hodor/stores/memory"
)

// testModel compares the store with package memory on random records of few nodes, times and invocations, so that windows meet in every way.
func testModel(t *testing.T, b Backend) {
	rng := rand.New(rand.NewPCG(5, 17))
	ctx := context.Background()
	rounds, loads := 6, 12
	if testing.Short() {
		rounds = 2
	}
	if b.Slow {
		rounds, loads = 1, 4
	}
	for round := range rounds {
		s, model := fresh(t, b), &memory.Store{}
		for g := int64(1); g <= 2; g++ {
			c := stores.Commit{Scope: scope, Generation: g, CommitID: fmt.Sprintf("c%d", g), AtMS: base}
			for _, st := range []all{s, model} {
				if won, err := st.Claim(ctx, c); !won || err != nil {
					t.Fatalf("claim: %v, %v", won, err)
				}
			}
		}
		list := make([]stores.Record, 0, 60)
		for i := range 60 {
			list = append(list, randomRecord(rng, i))
		}
		add(t, s, list...)
		add(t, model, list...)
		for range loads {
			since, before := base+rng.Int64N(40), int64(0)
			if rng.IntN(2) == 0 {
				before = base + rng.Int64N(60)
			}
			var keys []string // all, or some
			for i := rng.IntN(4); i > 0; i-- {
				keys = append(keys, list[rng.IntN(len(list))].NodeKey, "it's none")
			}
			got, err := s.LoadBefore(ctx, scope, since, before, keys...)
			if err != nil {
				t.Fatal(err)
			}
			want, err := model.LoadBefore(ctx, scope, since, before, keys...)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.Records, want.Records) || !reflect.DeepEqual(got.Void, want.Void) || got.Rejected != want.Rejected {
				t.Fatalf("round %d, since %d before %d:\n got %v, void %v\nwant %v, void %v", round, since-base, before-base, ids(got.Records), ids(got.Void), ids(want.Records), ids(want.Void))
			}
			gotF, err := s.FalseReuses(ctx, scope, since)
			if err != nil {
				t.Fatal(err)
			}
			wantF, _ := model.FalseReuses(ctx, scope, since)
			if !reflect.DeepEqual(gotF, wantF) {
				t.Fatalf("round %d, false reuses since %d:\n got %v\nwant %v", round, since-base, gotF, wantF)
			}
			q := stores.Query{SinceMS: since, BeforeMS: before, Limit: rng.IntN(5)}
			wantH, _ := model.History(ctx, scope, q)
			if gotH := history(t, s, q); len(gotH)+len(wantH) > 0 && !reflect.DeepEqual(gotH, wantH) {
				t.Fatalf("round %d, history %+v differs", round, q)
			}
		}
		for _, dry := range []bool{true, false} {
			before := base + rng.Int64N(60)
			got, err := s.Prune(ctx, scope, before, dry)
			want, _ := model.Prune(ctx, scope, before, dry)
			if got != want || err != nil {
				t.Fatalf("round %d, prune before %d: %d, %v, want %d", round, before-base, got, err, want)
			}
		}
	}
}

func randomRecord(rng *rand.Rand, i int) stores.Record {
	r := record(string(rune('a'+rng.IntN(4))), 1)
	r.RecordID = fmt.Sprintf("r%04d", i)
	r.InvocationID = fmt.Sprintf("i%d", rng.IntN(4))
	r.RecordedAtMS = base + rng.Int64N(60)
	r.BuiltAtMS = p(base + rng.Int64N(60))
	r.BuildMS = p(rng.Int64N(8))
	r.DataVersion = p(fmt.Sprintf("v%d", rng.IntN(3)))
	pick := func(n int) bool { return rng.IntN(n) == 0 }
	if pick(20) {
		r.UniqueID = "model.shop.other"
	}
	if pick(20) {
		r.DataVersion = nil
	}
	if pick(20) {
		r.BuiltAtMS = nil
	}
	if pick(8) {
		r.BuildMS = nil
	}
	if pick(6) {
		r.Status = []string{"error", "skipped", "pass", "fail", "warn"}[rng.IntN(5)]
	}
	if pick(8) {
		r.Status, r.DataVersion = stores.Begun, nil
	}
	if pick(8) {
		r.ResourceType, r.DataVersion = "test", nil
	}
	if pick(6) {
		r.Action, r.BuiltAtMS = "reuse", nil
	}
	if pick(3) {
		r.Mode, r.Decision = "shadow", "reuse"
	}
	if pick(6) {
		r.CommitID = p(fmt.Sprintf("c%d", 1+rng.IntN(3)))
	}
	if pick(40) {
		r.Upstreams = p("no json")
	}
	return r
}

func ids(records map[string]*stores.Record) map[string]string {
	m := map[string]string{}
	for k, r := range records {
		m[k] = r.RecordID
	}
	return m
}

// testMany: 10,000 nodes, each with ten records, of which the newest counts; 2,000 records in all where that is many.
func testMany(t *testing.T, b Backend) {
	if testing.Short() {
		t.Skip("100,000 records are not for -short")
	}
	s := fresh(t, b)
	nodes, days := 10_000, int64(10)
	if b.Few {
		nodes, days = 500, 4
	}
	facts := p(`{"tables":[["db","main","a"],["db","main","b"]],"select_star":false,"volatile":[]}`)
	for day := range days {
		list := make([]stores.Record, nodes)
		for i := range list {
			list[i] = record(fmt.Sprintf("n%05d", i), day*86400+int64(i))
			list[i].InvocationID, list[i].SQLFacts = fmt.Sprintf("day%d", day), facts
		}
		add(t, s, list...)
	}
	l := load(t, s, 0)
	if len(l.Records) != nodes || l.Rejected != 0 {
		t.Fatalf("%d records, %d rejected", len(l.Records), l.Rejected)
	}
	for i := range nodes {
		key := fmt.Sprintf("n%05d", i)
		if want := record(key, (days-1)*86400+int64(i)).RecordID; found(l, key) != want {
			t.Fatalf("%s: %q instead of %q", key, found(l, key), want)
		}
	}
	if n, err := s.Prune(context.Background(), scope, base+days/2*86400*1000, false); err != nil || n != int64(nodes)*(days/2) {
		t.Errorf("pruned %d, %v", n, err)
	}
}
