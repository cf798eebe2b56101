package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"hodor/stores"
)

// testBatches: every size around the limit of a statement.
func testBatches(t *testing.T, b Backend) {
	for _, n := range []int{1, 499, 500, 501, 1203} {
		if b.Slow && n != 501 {
			continue
		}
		s := fresh(t, b)
		list := make([]stores.Record, n)
		for i := range list {
			list[i] = record(fmt.Sprintf("n%05d", i), 1)
		}
		add(t, s, list...)
		if l := load(t, s, 0); len(l.Records) != n || l.Rejected != 0 {
			t.Errorf("%d records: %d come back, %d rejected", n, len(l.Records), l.Rejected)
		}
	}
}

// testAppendTwice: a flush whose answer was lost is repeated; history is the same, and what is written a second time with other content is
// not believed.
func testAppendTwice(t *testing.T, b Backend) {
	s := fresh(t, b)
	add(t, s, record("x", 1), record("y", 1))
	add(t, s, record("x", 1), record("z", 1))
	l := load(t, s, 0)
	if len(l.Records) != 3 || l.Rejected != 0 {
		t.Errorf("%d records, %d rejected", len(l.Records), l.Rejected)
	}
	add(t, s, with(record("y", 1), func(r *stores.Record) { r.CodeHash = p("other") }))
	if l := load(t, s, 0); found(l, "y") != "" || l.Rejected == 0 {
		t.Errorf("two contents under one id: %q, %d rejected", found(l, "y"), l.Rejected)
	}
	if err := s.Append(context.Background(), []stores.Record{with(record("x", 5), func(r *stores.Record) { r.RecordID = "" })}); err == nil {
		t.Error("a record without an id was accepted")
	}
}

// testAppendKeepsRecords: the caller's records are not changed, and may be changed afterwards.
func testAppendKeepsRecords(t *testing.T, b Backend) {
	s := fresh(t, b)
	list := []stores.Record{record("x", 1)}
	add(t, s, list...)
	if !reflect.DeepEqual(list[0], record("x", 1)) {
		t.Errorf("Append changed the record: %+v", list[0])
	}
	list[0].NodeKey, list[0].Status = "other", "error"
	if found(load(t, s, 0), "x") == "" {
		t.Error("the stored record follows the caller's")
	}
}

// testDurable: what was appended is there for another store, though the first was never closed (as after a crash between two batches).
func testDurable(t *testing.T, b Backend) {
	place := b.New(t)
	first := open(t, place, Options{})
	for i := range int64(3) {
		add(t, first, record("x", i), record(fmt.Sprintf("y%d", i), i))
		second := open(t, place, Options{})
		l := load(t, second, 0)
		if found(l, "x") != record("x", i).RecordID || len(l.Records) != int(i)+2 {
			t.Fatalf("after batch %d: %v", i, l.Records)
		}
	}
}

// testCancelled: an operation whose time is over is an error, never a part of the answer, and the store goes on to work.
func testCancelled(t *testing.T, b Backend) {
	s := fresh(t, b)
	add(t, s, record("x", 1))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if l, err := s.Load(ctx, scope, 0); err == nil || l != nil {
		t.Errorf("Load: %v, %v", l, err)
	}
	if err := s.Append(ctx, []stores.Record{record("y", 1)}); err == nil {
		t.Error("Append went on after the end")
	}
	if h, err := s.History(ctx, scope, stores.Query{}); err == nil {
		t.Errorf("History: %v", h)
	}
	if won, err := s.Claim(ctx, stores.Commit{Scope: scope, Generation: 1, CommitID: "c"}); err == nil || won {
		t.Errorf("Claim: %v, %v", won, err)
	}
	if _, err := s.Prune(ctx, scope, base*2, false); err == nil {
		t.Error("Prune went on after the end")
	}
	add(t, s, record("z", 1))
	if l := load(t, s, 0); found(l, "x") == "" || found(l, "z") == "" {
		t.Errorf("after a cancelled operation: %v", l.Records)
	}
}

// testConcurrentWriters: several runs write at once, on a place that is still empty.
func testConcurrentWriters(t *testing.T, b Backend) {
	place := b.New(t)
	writers, batches := 6, 5
	if b.Slow {
		writers, batches = 3, 2
	}
	var wg sync.WaitGroup
	for w := range writers {
		s := open(t, place, Options{})
		wg.Go(func() {
			for i := range int64(batches) {
				key := fmt.Sprintf("w%d", w)
				if err := s.Append(context.Background(), []stores.Record{record(key, i), record("both", int64(w)*100+i)}); err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
				if l, err := s.Load(context.Background(), scope, 0); err != nil || found(l, key) != record(key, i).RecordID {
					t.Errorf("writer %d does not see its own record: %v", w, err)
				}
			}
		})
	}
	wg.Wait()
	s := open(t, place, Options{})
	if h := history(t, s, stores.Query{}); len(h) != writers*batches*2 {
		t.Errorf("%d records instead of %d", len(h), writers*batches*2)
	}
	if l := load(t, s, 0); len(l.Records) != writers+1 || l.Rejected != 0 {
		t.Errorf("%d records, %d rejected", len(l.Records), l.Rejected)
	}
}

// testReadOnly: a read-only store reads all, writes nothing and creates nothing.
func testReadOnly(t *testing.T, b Backend) {
	place := needsSQL(t, b)
	ctx := context.Background()
	ro := open(t, place, Options{ReadOnly: true})
	refuse := func() {
		t.Helper()
		if err := ro.Append(ctx, []stores.Record{record("z", 1)}); !errors.Is(err, stores.ErrReadOnly) {
			t.Errorf("Append: %v", err)
		}
		if _, err := ro.Prune(ctx, scope, base*2, false); !errors.Is(err, stores.ErrReadOnly) {
			t.Errorf("Prune: %v", err)
		}
		if won, err := ro.Claim(ctx, stores.Commit{Scope: scope, Generation: 9, CommitID: "z"}); won || !errors.Is(err, stores.ErrReadOnly) {
			t.Errorf("Claim: %v, %v", won, err)
		}
	}
	if l := load(t, ro, 0); len(l.Records) != 0 {
		t.Errorf("an empty place has records: %v", l)
	}
	refuse()
	rw := open(t, place, Options{})
	add(t, rw, record("x", 1))
	if won, err := rw.Claim(ctx, stores.Commit{Scope: scope, Generation: 1, CommitID: "c"}); !won || err != nil {
		t.Errorf("Claim: %v, %v", won, err)
	}
	refuse()
	if l := load(t, ro, 0); found(l, "x") == "" {
		t.Errorf("a read-only store that was opened before does not see the record: %v", l.Records)
	}
	same(t, history(t, ro, stores.Query{}), record("x", 1))
	if n, err := ro.Prune(ctx, scope, base*2, true); n != 1 || err != nil {
		t.Errorf("Prune, dry run: %d, %v", n, err)
	}
	if h, err := ro.Head(ctx, scope); h.CommitID != "c" || err != nil {
		t.Errorf("Head: %v, %v", h, err)
	}
}

// testCommits: the head moves on by claims, and records with a commit id count from the moment in which it is named.
func testCommits(t *testing.T, b Backend) {
	place := b.New(t)
	s, other := open(t, place, Options{}), open(t, place, Options{})
	ctx := context.Background()
	claim := func(s all, c stores.Commit, want bool) {
		t.Helper()
		if won, err := s.Claim(ctx, c); won != want || err != nil {
			t.Errorf("claim of %v: %v, %v", c, won, err)
		}
	}
	head := func(generation int64, id string, at int64) {
		t.Helper()
		if h, err := other.Head(ctx, scope); err != nil || h != (stores.Commit{Scope: scope, Generation: generation, CommitID: id, AtMS: at}) {
			t.Errorf("head: %+v, %v", h, err)
		}
	}
	one := stores.Commit{Scope: scope, Generation: 1, CommitID: "one", AtMS: base}
	add(t, s, with(record("x", 1), func(r *stores.Record) { r.CommitID = p("one") }))
	if got := found(load(t, other, 0), "x"); got != "" {
		t.Errorf("an uncommitted record counts: %s", got)
	}
	claim(s, one, true)
	claim(s, one, true) // asked again, after a lost answer
	head(1, "one", base)
	if got := found(load(t, other, 0), "x"); got == "" {
		t.Error("a committed record does not count")
	}
	claim(other, stores.Commit{Scope: scope, Generation: 1, CommitID: "late", AtMS: base}, false)
	add(t, s, with(record("x", 2), func(r *stores.Record) { r.CommitID = p("late") }))
	if got := found(load(t, s, 0), "x"); got != record("x", 1).RecordID {
		t.Errorf("a record of a lost commit: %s", got)
	}
	claim(other, stores.Commit{Scope: scope, Generation: 2, CommitID: "two", AtMS: base + 1}, true)
	head(2, "two", base+1)
	// A commit id of another scope names nothing here.
	elsewhere := stores.Scope{Project: "shop", Target: "prod"}
	claim(s, stores.Commit{Scope: elsewhere, Generation: 1, CommitID: "late"}, true)
	if got := found(load(t, s, 0), "x"); got != record("x", 1).RecordID {
		t.Errorf("a commit of another scope counts: %s", got)
	}
	head(2, "two", base+1)
	if !place.Twins {
		return
	}
	// Without a key two writers can come to hold one generation: then neither has it.
	place.Exec(t, "INSERT INTO "+place.Commit+" SELECT project_name, target_name, generation, 'twin', at_ms FROM "+place.Commit+
		" WHERE generation = 1 AND commit_id = 'one'")
	if got := found(load(t, s, 0), "x"); got != "" {
		t.Errorf("a commit of two writers counts: %s", got)
	}
	claim(s, one, false)
}

// testConcurrentClaims: of many who claim one generation at once, one wins, and everybody agrees who.
func testConcurrentClaims(t *testing.T, b Backend) {
	place := b.New(t)
	n := 8
	if b.Slow {
		n = 3
	}
	won := make([]bool, n)
	var wg sync.WaitGroup
	for i := range n {
		s := open(t, place, Options{})
		wg.Go(func() {
			var err error
			if won[i], err = s.Claim(context.Background(), stores.Commit{Scope: scope, Generation: 1, CommitID: fmt.Sprintf("c%d", i), AtMS: base}); err != nil {
				t.Errorf("claim %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	s := open(t, place, Options{})
	h, err := s.Head(context.Background(), scope)
	if err != nil {
		t.Fatal(err)
	}
	winners := 0
	for i, w := range won {
		if w {
			winners++
			if h.CommitID != fmt.Sprintf("c%d", i) {
				t.Errorf("%d believes to have won, the head is %v", i, h)
			}
		}
	}
	if winners != 1 {
		t.Errorf("%d winners", winners)
	}
}
