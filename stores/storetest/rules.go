package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"hodor/stores"
)

// testNewest: which record is a node's history. Each case lists records of one node, oldest first as a rule.
func testNewest(t *testing.T, b Backend) {
	type change = func(*stores.Record)
	status := func(s string) change { return func(r *stores.Record) { r.Status = s } }
	reuse := func(r *stores.Record) { r.Action, r.Status, r.BuiltAtMS = "reuse", "reused", nil }
	unversioned := func(r *stores.Record) { r.DataVersion = nil }
	test := func(r *stores.Record) { r.ResourceType, r.DataVersion, r.Status = "test", nil, "pass" }
	shadow := func(r *stores.Record) { r.Mode, r.Decision = "shadow", "reuse" }
	untimed := func(r *stores.Record) { r.BuiltAtMS = nil }
	took := func(ms int64) change { return func(r *stores.Record) { r.BuildMS = p(ms) } }
	start := func(s int64) change { return func(r *stores.Record) { r.BuiltAtMS = record("x", s).BuiltAtMS } }
	unmeasured := func(r *stores.Record) { r.BuildMS = nil }
	late := func(ms int64) change { return func(r *stores.Record) { r.RecordedAtMS += ms } }
	invocation := func(id string) change { return func(r *stores.Record) { r.InvocationID = id } }
	other := func(r *stores.Record) { r.UniqueID = "model.shop.other" }
	commit := func(id string) change { return func(r *stores.Record) { r.CommitID = &id } }
	begun := func(r *stores.Record) { r.Status, r.DataVersion, r.BuildMS = stores.Begun, nil, nil }
	noJSON := func(r *stores.Record) { r.Upstreams = p(`{"a":`) }
	cases := []struct {
		name     string
		records  []stores.Record // of node x
		want     int             // the time of the record that counts; -1: none
		rejected int
	}{
		{"one", []stores.Record{record("x", 1)}, 1, 0},
		{"the newest", []stores.Record{record("x", 1), record("x", 2)}, 2, 0},
		{"written in another order", []stores.Record{record("x", 2), record("x", 1)}, 2, 0},
		{"the newest build, not the newest row", []stores.Record{with(record("x", 1), late(90000)), record("x", 2)}, 2, 0},
		{"reuse does not count", []stores.Record{record("x", 1), with(record("x", 2), reuse)}, 1, 0},
		{"only reuse", []stores.Record{with(record("x", 1), reuse)}, -1, 0},
		{"shadow counts", []stores.Record{with(record("x", 1), shadow)}, 1, 0},
		{"S1 error", []stores.Record{with(record("x", 1), status("error"))}, -1, 0},
		{"S1 skipped", []stores.Record{with(record("x", 1), status("skipped"))}, -1, 0},
		{"S1 runtime error", []stores.Record{with(record("x", 1), status("runtime error"))}, -1, 0},
		{"S1 partial success", []stores.Record{with(record("x", 1), status("partial success"))}, -1, 0},
		{"S1 upper case", []stores.Record{with(record("x", 1), status("SUCCESS"))}, -1, 0},
		{"S1 a failed build after a good one", []stores.Record{record("x", 1), with(record("x", 2), status("error"), unversioned)}, 1, 0},
		{"S1 test pass", []stores.Record{with(record("x", 1), test)}, 1, 0},
		{"S1 test warn", []stores.Record{with(record("x", 1), test, status("warn"))}, 1, 0},
		{"S1 test fail", []stores.Record{with(record("x", 1), test), with(record("x", 2), test, status("fail"))}, 2, 0},
		{"S1 test error", []stores.Record{with(record("x", 1), test, status("error"))}, -1, 0},
		{"S3 no version", []stores.Record{with(record("x", 1), unversioned)}, -1, 0},
		{"S3 no version voids what is older", []stores.Record{record("x", 1), with(record("x", 2), unversioned)}, -1, 0},
		{"S3 a good one after no version", []stores.Record{with(record("x", 1), unversioned), record("x", 2)}, 2, 0},
		{"S2 begun voids what is older", []stores.Record{record("x", 1), with(record("x", 2), begun)}, -1, 0},
		{"S2 a good one after a build that only began", []stores.Record{with(record("x", 1), begun), record("x", 2)}, 2, 0},
		{"S2 begun, and ended",
			[]stores.Record{record("x", 1), with(record("x", 3), begun, start(2), invocation("i")), with(record("x", 2), invocation("i"))}, 2, 0},
		{"S2 begun, and failed",
			[]stores.Record{record("x", 1), with(record("x", 3), begun, start(2), invocation("i")), with(record("x", 2), status("error"), invocation("i"))}, -1, 0},
		{"S2 begun within another run's build", []stores.Record{with(record("x", 1), took(5000)), with(record("x", 2), begun)}, -1, 0},
		{"S2 begun at the very start of another run's build", []stores.Record{record("x", 1), with(record("x", 2), begun, start(1))}, -1, 0},
		{"S2 begun before another run's build", []stores.Record{with(record("x", 1), begun), record("x", 2)}, 2, 0},
		{"S2 a test that began", []stores.Record{with(record("x", 1), test), with(record("x", 2), test, status(stores.Begun))}, -1, 0},
		{"no time of building", []stores.Record{record("x", 1), with(record("x", 2), untimed)}, -1, 0},
		{"no JSON", []stores.Record{record("x", 1), with(record("x", 2), noJSON)}, -1, 1},
		{"S2 overlap", []stores.Record{with(record("x", 1), took(5000)), record("x", 2)}, -1, 0},
		{"S2 overlap, the longer one begins later", []stores.Record{with(record("x", 1), took(1500)), with(record("x", 2), took(9000))}, -1, 0},
		{"S2 overlap by one ms", []stores.Record{with(record("x", 1), took(1000)), record("x", 2)}, -1, 0},
		{"S2 one ms apart", []stores.Record{with(record("x", 1), took(999)), record("x", 2)}, 2, 0},
		{"S2 overlap with a failed build", []stores.Record{with(record("x", 1), took(5000), status("error")), record("x", 2)}, -1, 0},
		{"S2 overlap with a later failed build", []stores.Record{with(record("x", 1), took(5000)), with(record("x", 2), status("error"))}, -1, 0},
		{"S2 overlap with an uncommitted build", []stores.Record{with(record("x", 1), took(5000), commit("lost")), record("x", 2)}, -1, 0},
		{"S2 overlap of older ones", []stores.Record{with(record("x", 1), took(1500)), record("x", 2), record("x", 3)}, 3, 0},
		{"S2 overlap with an older one, not the last but one",
			[]stores.Record{with(record("x", 1), took(9000)), record("x", 2), record("x", 3)}, -1, 0},
		{"S2 overlap in one invocation", []stores.Record{with(record("x", 1), took(5000), invocation("i")), with(record("x", 2), invocation("i"))}, 2, 0},
		{"S2 overlap of two nodes with one relation",
			[]stores.Record{with(record("x", 1), took(5000), invocation("i")), with(record("x", 2), invocation("i"), other)}, -1, 0},
		{"S2 unmeasured build ends when it was recorded", []stores.Record{with(record("x", 1), unmeasured, late(1000)), record("x", 2)}, -1, 0},
		{"S2 unmeasured build, apart", []stores.Record{with(record("x", 1), unmeasured), record("x", 2)}, 2, 0},
		{"S2 absurd times", []stores.Record{with(record("x", 1), took(1<<62)), with(record("x", 2), took(-5))}, 2, 0},
		{"S1 the relation passed to another node", []stores.Record{record("x", 1), with(record("x", 2), other)}, 2, 0},
		{"uncommitted", []stores.Record{with(record("x", 1), commit("lost"))}, -1, 0},
		{"uncommitted, an older one counts", []stores.Record{record("x", 1), with(record("x", 2), commit("lost"))}, 1, 0},
		{"committed", []stores.Record{record("x", 1), with(record("x", 2), commit("won"))}, 2, 0},
	}
	s := fresh(t, b)
	if won, err := s.Claim(context.Background(), stores.Commit{Scope: scope, Generation: 1, CommitID: "won"}); !won || err != nil {
		t.Fatalf("claim: %v, %v", won, err)
	}
	var all []stores.Record
	rejected := 0
	for i, c := range cases { // a node of its own for each
		for _, r := range c.records {
			r.NodeKey, r.RecordID = fmt.Sprintf("%s%d", r.NodeKey, i), fmt.Sprintf("%s-%d", r.RecordID, i)
			all = append(all, r)
		}
		rejected += c.rejected
	}
	add(t, s, all...)
	l := load(t, s, 0)
	if l.Rejected != rejected {
		t.Errorf("%d rejected, want %d", l.Rejected, rejected)
	}
	for i, c := range cases {
		want := ""
		if c.want >= 0 {
			want = fmt.Sprintf("%s-%d", record("x", int64(c.want)).RecordID, i)
		}
		if got := found(l, fmt.Sprintf("x%d", i)); got != want {
			t.Errorf("%s: got %q, want %q", c.name, got, want)
		}
	}
	t.Run("S1 Of", func(t *testing.T) {
		s := fresh(t, b)
		add(t, s, record("x", 1))
		l := load(t, s, 0)
		if l.Of("db.main.x", "model.shop.x") == nil || l.Of("db.main.x", "model.shop.other") != nil || l.Of("db.main.y", "model.shop.x") != nil {
			t.Error("a record passed to another unique id")
		}
	})
	t.Run("S5 DropFuture", func(t *testing.T) {
		s := fresh(t, b)
		add(t, s, record("x", 1), record("y", 100), with(record("z", 1), late(100_000)), with(record("b", 100), begun), with(record("c", 1), begun))
		l := load(t, s, 0)
		if l.Void["db.main.b"] == nil || l.Void["db.main.c"] == nil || len(l.Void) != 2 {
			t.Errorf("void: %v", l.Void)
		}
		if d := l.DropFuture(base + 50_000); len(d) != 3 || d["db.main.y"] != base+100_200 || d["db.main.z"] != base+101_200 || d["db.main.b"] != base+100_200 {
			t.Errorf("dropped %v", d)
		}
		if found(l, "x") == "" || found(l, "y") != "" || found(l, "z") != "" || l.Rejected != 3 || len(l.Void) != 1 {
			t.Errorf("%v, %d rejected", l.Records, l.Rejected)
		}
	})
}

// testWindow: the lookback window counts by the time of recording, its start included; LoadBefore has an end.
func testWindow(t *testing.T, b Backend) {
	s := fresh(t, b)
	r := record("x", 10)
	add(t, s, record("x", 1), r)
	for _, c := range []struct {
		since, before int64
		want          string
	}{
		{0, 0, r.RecordID},
		{r.RecordedAtMS, 0, r.RecordID},
		{r.RecordedAtMS + 1, 0, ""},
		{0, r.RecordedAtMS + 1, r.RecordID},
		{0, r.RecordedAtMS, record("x", 1).RecordID},
		{record("x", 1).RecordedAtMS + 1, r.RecordedAtMS, ""},
	} {
		l, err := s.LoadBefore(context.Background(), scope, c.since, c.before)
		if err != nil {
			t.Fatal(err)
		}
		if got := found(l, "x"); got != c.want {
			t.Errorf("since %d before %d: got %q, want %q", c.since, c.before, got, c.want)
		}
	}
	// A build from before the window that ran into the newest one still voids it.
	add(t, s, record("y", 10), with(record("y", 1), func(r *stores.Record) { r.BuildMS = p(int64(60_000)) }))
	if got := found(load(t, s, r.RecordedAtMS), "y"); got != "" {
		t.Errorf("an overlap across the start of the window was overlooked: %q", got)
	}
}

// testScopes: a project or target never sees another's records.
func testScopes(t *testing.T, b Backend) {
	s := fresh(t, b)
	ctx := context.Background()
	others := []stores.Scope{{Project: "shop", Target: "prod"}, {Project: "shop2", Target: "dev"}, {Project: "SHOP", Target: "dev"}, {Project: "shop", Target: "Dev"},
		{Project: "shop ", Target: "dev"}, {Project: "", Target: ""}, {Project: "sho", Target: "pdev"}, {Project: "sh_p", Target: "d%v"}}
	add(t, s, record("x", 1))
	for i, o := range others {
		// A later build of the same relation, overlapping and uncommitted: none of it matters to scope.
		add(t, s, with(record("x", 1), func(r *stores.Record) {
			r.ProjectName, r.TargetName = o.Project, o.Target
			r.RecordID, r.InvocationID = r.RecordID+string(rune('a'+i)), "other"
			r.RecordedAtMS++
		}))
	}
	for i, o := range others {
		l, err := s.Load(ctx, o, 0)
		if err != nil || len(l.Records) != 1 || found(l, "x") != record("x", 1).RecordID+string(rune('a'+i)) {
			t.Errorf("%v: %v, %v", o, l, err)
		}
	}
	if got := found(load(t, s, 0), "x"); got != record("x", 1).RecordID {
		t.Errorf("got %q", got)
	}
	same(t, history(t, s, stores.Query{}), record("x", 1))
	if n, err := s.Prune(ctx, scope, base*2, false); n != 1 || err != nil {
		t.Errorf("pruned %d, %v", n, err)
	}
	for _, o := range others {
		if h, err := s.History(ctx, o, stores.Query{}); len(h) != 1 || err != nil {
			t.Errorf("%v has %d records after a prune of another scope, %v", o, len(h), err)
		}
	}
}

// testFalseReuses: spec 8.1 and 14.
func testFalseReuses(t *testing.T, b Backend) {
	s := fresh(t, b)
	ctx := context.Background()
	shadow := func(r *stores.Record) { r.Mode, r.Decision, r.Reason = "shadow", "reuse", "no_new_data" }
	version := func(v string) func(*stores.Record) { return func(r *stores.Record) { r.DataVersion = &v } }
	test := func(status string) func(*stores.Record) {
		return func(r *stores.Record) { r.ResourceType, r.DataVersion, r.Status = "test", nil, status }
	}
	add(t, s,
		record("same", 1), with(record("same", 2), shadow, version("v1")),
		record("false", 1), with(record("false", 2), shadow),
		record("build", 1), record("build", 2), // the rules said build
		with(record("first", 2), shadow), // nothing to compare with
		record("unknown", 1), with(record("unknown", 2), shadow, func(r *stores.Record) { r.DataVersion = nil }),
		record("failed", 1), with(record("failed", 2), shadow, func(r *stores.Record) { r.Status = "error" }),
		record("between", 1), with(record("between", 2), func(r *stores.Record) { r.Status = "error" }), with(record("between", 3), shadow, version("v1")),
		with(record("test", 1), test("pass")), with(record("test", 2), shadow, test("fail")),
		with(record("calm", 1), test("pass")), with(record("calm", 2), shadow, test("pass")),
		record("late", 1), with(record("late", 9), shadow),
	)
	got, err := s.FalseReuses(ctx, scope, base)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]string{"model.shop.false": {"v1", "v2"}, "model.shop.test": {"pass", "fail"}, "model.shop.late": {"v1", "v9"}}
	for _, f := range got {
		if w, ok := want[f.UniqueID]; !ok || w != [2]string{f.Then, f.Now} || f.Reason != "no_new_data" || f.RecordedAtMS == 0 || f.InvocationID == "" ||
			f.NodeKey == "" || f.RecordID == "" || f.SQLFacts != *record("x", 1).SQLFacts {
			t.Errorf("unexpected: %+v", f)
		}
	}
	if len(got) != len(want) || got[0].UniqueID != "model.shop.late" {
		t.Errorf("%d false reuses, want %d, the newest first: %+v", len(got), len(want), got)
	}
	if late, err := s.FalseReuses(ctx, scope, base+8000); len(late) != 1 || err != nil {
		t.Errorf("since: %v, %v", late, err)
	}
}

func testHistory(t *testing.T, b Backend) {
	s := fresh(t, b)
	x1, x2, y2 := record("x", 1), with(record("x", 2), func(r *stores.Record) { r.Status = "error" }), record("y", 2)
	y3 := with(record("y", 3), func(r *stores.Record) { r.Action, r.UniqueID = "reuse", "model.shop.z" })
	add(t, s, y3, x1, y2, x2)
	for _, c := range []struct {
		q    stores.Query
		want []stores.Record
	}{
		{stores.Query{}, []stores.Record{y3, y2, x2, x1}},
		{stores.Query{Limit: 2}, []stores.Record{y3, y2}},
		{stores.Query{Limit: 9}, []stores.Record{y3, y2, x2, x1}},
		{stores.Query{InvocationID: x2.InvocationID}, []stores.Record{y2, x2}},
		{stores.Query{NodeKey: x1.NodeKey}, []stores.Record{x2, x1}},
		{stores.Query{NodeKeys: []string{x1.NodeKey, "it's none"}}, []stores.Record{x2, x1}},
		{stores.Query{NodeKeys: []string{y2.NodeKey, x1.NodeKey}, Limit: 3}, []stores.Record{y3, y2, x2}},
		{stores.Query{UniqueID: "model.shop.y"}, []stores.Record{y2}},
		{stores.Query{BeforeMS: x2.RecordedAtMS}, []stores.Record{x1}},
		{stores.Query{SinceMS: x2.RecordedAtMS}, []stores.Record{y3, y2, x2}},
		{stores.Query{SinceMS: x2.RecordedAtMS, BeforeMS: y3.RecordedAtMS, UniqueID: "model.shop.x", Limit: 1}, []stores.Record{x2}},
		{stores.Query{InvocationID: "none"}, nil},
	} {
		same(t, history(t, s, c.q), c.want...)
		var scanned []stores.Record
		if err := s.Scan(context.Background(), scope, c.q, func(r *stores.Record) error { scanned = append(scanned, *r); return nil }); err != nil {
			t.Fatal(err)
		}
		if len(scanned) != len(c.want) {
			t.Errorf("%+v: scanned %d records, want %d", c.q, len(scanned), len(c.want))
		}
		for i, got := range scanned {
			at := slices.IndexFunc(c.want, func(w stores.Record) bool { return w.RecordID == got.RecordID })
			if at < 0 || c.q.Limit > 0 && at != i {
				t.Errorf("%+v: scanned %s at place %d", c.q, got.RecordID, i)
				continue
			}
			want := c.want[at]
			want.SQLFacts, want.Upstreams, want.TestResult, want.Checksum = nil, nil, nil, got.Checksum
			if !reflect.DeepEqual(got, want) {
				t.Errorf("scanned %+v, want %+v", got, want)
			}
		}
	}
	stop := errors.New("stop")
	calls := 0
	if err := s.Scan(context.Background(), scope, stores.Query{}, func(*stores.Record) error { calls++; return stop }); !errors.Is(err, stop) || calls != 1 {
		t.Errorf("a scan that was stopped: %v after %d rows", err, calls)
	}
	add(t, s, with(record("x", 1), func(r *stores.Record) { r.TargetName = "a'b" }))
	if scopes, err := s.Scopes(context.Background()); err != nil || !reflect.DeepEqual(scopes, []stores.Scope{{Project: scope.Project, Target: "a'b"}, scope}) {
		t.Errorf("scopes %+v, %v", scopes, err)
	}
}

func testPrune(t *testing.T, b Backend) {
	s := fresh(t, b)
	ctx := context.Background()
	commit := func(id string) func(*stores.Record) { return func(r *stores.Record) { r.CommitID = &id } }
	day := int64(24 * 3600)
	if won, err := s.Claim(ctx, stores.Commit{Scope: scope, Generation: 1, CommitID: "won"}); !won || err != nil {
		t.Fatalf("claim: %v, %v", won, err)
	}
	kept := []stores.Record{
		record("x", 2*day), with(record("c", 10), commit("won")), with(record("l", day+1), commit("lost")), record("x", 10),
	}
	add(t, s, record("x", 1), record("x", 9), with(record("l", 11), commit("lost")), with(record("w", 3), commit("won")))
	add(t, s, kept...)
	add(t, s, with(record("x", 1), func(r *stores.Record) { r.TargetName = "prod" }))
	before := record("x", 10).RecordedAtMS
	for _, dry := range []bool{true, true, false} {
		if n, err := s.Prune(ctx, scope, before, dry); n != 4 || err != nil {
			t.Fatalf("dry run %v: %d, %v", dry, n, err)
		}
		if left := len(history(t, s, stores.Query{})); dry && left != 8 || !dry && left != 4 {
			t.Fatalf("dry run %v: %d records left", dry, left)
		}
	}
	if n, err := s.Prune(ctx, scope, before, false); n != 0 || err != nil {
		t.Errorf("again: %d, %v", n, err)
	}
	same(t, history(t, s, stores.Query{}), kept[0], kept[2], kept[3], kept[1])
	if h, err := s.History(ctx, stores.Scope{Project: "shop", Target: "prod"}, stores.Query{}); len(h) != 1 || err != nil {
		t.Errorf("another target has %d records, %v", len(h), err)
	}
	if h, err := s.Head(ctx, scope); h.CommitID != "won" || err != nil {
		t.Errorf("the head is gone: %v, %v", h, err)
	}
}
