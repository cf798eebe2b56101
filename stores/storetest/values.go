package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"hodor/stores"
)

func testEmpty(t *testing.T, b Backend) {
	s := fresh(t, b)
	ctx := context.Background()
	if l := load(t, s, 0); len(l.Records) != 0 || l.Rejected != 0 || l.Records == nil {
		t.Errorf("Load: %+v", l)
	}
	if h := history(t, s, stores.Query{}); len(h) != 0 {
		t.Errorf("History: %v", h)
	}
	if n, err := s.Prune(ctx, scope, base, false); n != 0 || err != nil {
		t.Errorf("Prune: %d, %v", n, err)
	}
	if f, err := s.FalseReuses(ctx, scope, 0); len(f) != 0 || err != nil {
		t.Errorf("FalseReuses: %v, %v", f, err)
	}
	if c, err := s.Head(ctx, scope); c != (stores.Commit{Scope: scope}) || err != nil {
		t.Errorf("Head: %v, %v", c, err)
	}
	add(t, s) // no records: nothing to do
}

// testRoundTrip: every column comes back as it went in, NULL apart from empty.
func testRoundTrip(t *testing.T, b Backend) {
	s := fresh(t, b)
	full := with(record("full", 1), func(r *stores.Record) {
		r.UnrenderedHash, r.DataChangedAtMS, r.TestResult, r.CommitID = p("u"), p(base), p(`{"status":"pass"}`), p("c1")
		r.BuildMS = p(int64(0))
	})
	empty := with(record("empty", 2), func(r *stores.Record) {
		r.TextHash, r.CodeHash, r.DataVersion, r.Reason = p(""), p(""), p(""), ""
	})
	null := with(record("null", 3), func(r *stores.Record) {
		r.TextHash, r.CodeHash, r.ConfigHash, r.SQLFacts, r.DataVersion, r.BuiltAtMS, r.Upstreams, r.BuildMS = nil, nil, nil, nil, nil, nil, nil, nil
		r.Action = "reuse"
	})
	big := with(record("big", 4), func(r *stores.Record) {
		r.RecordedAtMS, r.DataChangedAtMS = 1<<62, p(int64(-1<<62))
	})
	add(t, s, full, empty, null, big)
	same(t, history(t, s, stores.Query{}), big, null, empty, full)
	if l := load(t, s, 0); found(l, "empty") != empty.RecordID || found(l, "null") != "" || l.Rejected != 0 {
		t.Errorf("Load: %v", l.Records)
	}
}

// same compares records but for their checksums, which must pass Check.
func same(t *testing.T, got []stores.Record, want ...stores.Record) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d records instead of %d", len(got), len(want))
	}
	for i := range got {
		if err := got[i].Check(); err != nil {
			t.Errorf("record %s: %v", got[i].RecordID, err)
		}
		g := got[i]
		g.Checksum = ""
		if !reflect.DeepEqual(g, want[i]) {
			a, _ := json.Marshal(g)
			b, _ := json.Marshal(want[i])
			t.Errorf("record %d:\n got %.2000s\nwant %.2000s", i, a, b)
		}
	}
}

// odd are texts that have broken escaping somewhere.
var odd = []string{
	"", " ", "'", "''", `"`, `\`, `\\`, `\'`, `'\''`, "`", "\x00", "a\x00b", "\x1a", "\n", "\r\n", "\t", "$1", "?", "%s", "%%", ":name", "@x",
	"{{ x }}", "${HOME}", "--", "/*", "*/", ";", "\u2028", "\u00a0", "\ufeff", "\ufffd", "\ufffe", "\u202e", "e\u0301", "\u00e9", "\xff", "\xc3", "a\xf0\x9f\x98", "\xed\xa0\x80",
	"\U0001F600", "\U0001F468\u200d\U0001F469\u200d\U0001F467", "␛", "␛0", "␛␛", "␛xff", `\u0000`, `\x00`, `x'; DROP TABLE hodor_state; --`,
	`'); DELETE FROM hodor_state; --`, `" OR 1=1 --`, `$$; DROP TABLE hodor_state; $$`, "NULL", "null", "E'\\''", `\N`, "1e309", "0x1F",
	strings.Repeat("'", 1000), strings.Repeat(`\`, 1001),
}

// testValues puts each odd text into every text column, and into the names by which records are looked up.
func testValues(t *testing.T, b Backend) {
	s := fresh(t, b)
	ctx := context.Background()
	var want []stores.Record
	for i, text := range odd {
		r := record("x", int64(i))
		id := r.RecordID
		for c := range stores.Columns {
			if col := &stores.Columns[c]; !col.Int && !col.JSON {
				if err := col.SetValue(&r, stores.EscapeText(text)); err != nil {
					t.Fatal(err)
				}
			}
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		js := p(string(quoted))
		r.RecordID = id + text // unique, and never empty
		r.ProjectName, r.TargetName, r.NodeKey = scope.Project, scope.Target, "key "+text
		r.SQLFacts, r.Upstreams, r.TestResult = js, js, js
		r.Action, r.Status, r.CommitID, r.Checksum = "build", "success", nil, ""
		want = append(want, r)
	}
	add(t, s, want...)
	l := load(t, s, 0)
	if len(l.Records) != len(odd) || l.Rejected != 0 {
		t.Fatalf("%d records of %d, %d rejected", len(l.Records), len(odd), l.Rejected)
	}
	for i, w := range want {
		r := l.Records[w.NodeKey]
		if r == nil {
			t.Errorf("%q: no history", w.NodeKey)
			continue
		}
		same(t, []stores.Record{*r}, w)
		if b.Slow && i%16 != 1 {
			continue
		}
		same(t, history(t, s, stores.Query{NodeKey: w.NodeKey}), w)
		if w.InvocationID != "" {
			same(t, history(t, s, stores.Query{InvocationID: w.InvocationID, UniqueID: w.UniqueID}), w)
		}
	}
	for i, text := range odd { // as project and target
		if b.Slow && i%16 != 1 {
			continue
		}
		r := record("y", int64(i))
		r.ProjectName, r.TargetName = "p"+text, "t"+text
		add(t, s, r)
		own := stores.Scope{Project: r.ProjectName, Target: r.TargetName}
		l, err := s.Load(ctx, own, 0)
		if err != nil || len(l.Records) != 1 {
			t.Errorf("scope %q: %v, %v", own, l, err)
		}
		if won, err := s.Claim(ctx, stores.Commit{Scope: own, Generation: 1, CommitID: text + "c", AtMS: base}); !won || err != nil {
			t.Errorf("scope %q: claim: %v, %v", own, won, err)
		}
		if h, err := s.Head(ctx, own); h.CommitID != text+"c" || err != nil {
			t.Errorf("scope %q: head %v, %v", own, h, err)
		}
		if n, err := s.Prune(ctx, own, base*2, false); n != 1 || err != nil {
			t.Errorf("scope %q: pruned %d, %v", own, n, err)
		}
	}
	if l := load(t, s, 0); len(l.Records) != len(odd) {
		t.Errorf("%d records are left of %d", len(l.Records), len(odd))
	}
}

// hostile is how many different texts testHostile writes.
const hostile = 10_000

// testHostile: ten thousand texts, put together at random from odd ones, any letters and any bytes, come back as they went in, as names by which
// records are found and as values.
func testHostile(t *testing.T, b Backend) {
	s := fresh(t, b)
	r := rand.New(rand.NewPCG(10, 4))
	seen := map[string]bool{}
	text := func() string {
		for {
			var out []byte
			for range 1 + r.IntN(6) {
				switch r.IntN(4) {
				case 0:
					out = append(out, byte(r.IntN(256)))
				case 1:
					out = utf8.AppendRune(out, rune(r.IntN(0x11_0000)))
				default:
					if piece := odd[r.IntN(len(odd))]; len(piece) < 100 {
						out = append(out, piece...)
					}
				}
			}
			if !seen[string(out)] {
				seen[string(out)] = true
				return string(out)
			}
		}
	}
	want := map[string]stores.Record{}
	var all []stores.Record
	for i := 0; len(seen) < hostile; i++ {
		rec := record("x", int64(i))
		for c := range stores.Columns {
			col := &stores.Columns[c]
			value := text
			switch {
			case col.Int:
				continue
			case col.JSON:
				value = func() string {
					list := []string{text()}
					for b.Slow && len(list) < 100 { // where each literal of a statement takes its time, few hold many
						list = append(list, text())
					}
					quoted, _ := json.Marshal(list) // of strings, which can't fail
					return string(quoted)
				}
			}
			if err := col.SetValue(&rec, stores.EscapeText(value())); err != nil {
				t.Fatal(err)
			}
		}
		rec.ProjectName, rec.TargetName = scope.Project, scope.Target
		rec.Action, rec.Status, rec.CommitID, rec.Checksum = "build", "success", nil, ""
		all, want[rec.NodeKey] = append(all, rec), rec
	}
	add(t, s, all...)
	l := load(t, s, 0)
	if len(l.Records) != len(all) || l.Rejected != 0 {
		t.Fatalf("%d records of %d, %d rejected", len(l.Records), len(all), l.Rejected)
	}
	for key, w := range want {
		if got := l.Records[key]; got == nil {
			t.Errorf("%q: no history", key)
		} else {
			same(t, []stores.Record{*got}, w)
		}
	}
}

// testBigJSON: 1 MB of JSON with all that needs escaping.
func testBigJSON(t *testing.T, b Backend) {
	s := fresh(t, b)
	list := make([]string, 0, 20000)
	for size := 0; size < 1<<20; {
		text := odd[len(list)%len(odd)]
		list = append(list, text)
		size += len(text) + 3
	}
	js, err := json.Marshal(map[string]any{"list": list})
	if err != nil {
		t.Fatal(err)
	}
	r := with(record("big", 1), func(r *stores.Record) { r.SQLFacts, r.Upstreams = p(string(js)), p(string(js)) })
	add(t, s, r)
	got := load(t, s, 0).Records[r.NodeKey]
	if got == nil || *got.SQLFacts != string(js) || *got.Upstreams != string(js) {
		t.Error("1 MB of JSON did not come back as it was")
	}
}

// testIdentifiers: names that could carry SQL are refused before anything runs; odd names that are allowed work and are kept apart.
func testIdentifiers(t *testing.T, b Backend) {
	if !b.Names {
		t.Skip("this store has no names")
	}
	place := b.New(t)
	for _, bad := range []string{
		"a b", "a.b", `a"b`, "a'b", "a`b", "a;b", "a\x00", "a\n", "-a", "--", "a)", "caf\u00e9", "\U0001F600", "a\\", "$a", "a/*", `x"; DROP TABLE y; --`,
	} {
		for _, o := range []Options{{Schema: bad}, {Table: bad}} {
			s, err := place.Open(o)
			if err == nil {
				t.Errorf("%+v was accepted", o)
				_ = s.Close()
			} else if !errors.Is(err, stores.ErrUnavailable) {
				t.Errorf("%+v: %v is not ErrUnavailable", o, err)
			}
		}
	}
	good := []Options{
		{Schema: "9-lives"}, {Schema: "select"}, {Schema: "a-b_c", Table: "table"}, {Table: "order"}, {Table: "1"}, {Table: "user-state_2"}, {Table: "null"},
	}
	for i, o := range good {
		if place.PlainNames && strings.Contains(o.Schema+o.Table, "-") || b.Slow && i > 4 {
			continue
		}
		s := open(t, place, o)
		add(t, s, record("a", int64(i)))
		same(t, history(t, s, stores.Query{}), record("a", int64(i)))
		if won, err := s.Claim(context.Background(), stores.Commit{Scope: scope, Generation: 1, CommitID: "c"}); !won || err != nil {
			t.Errorf("%+v: %v, %v", o, won, err)
		}
	}
}
