package explain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hodor/internal/statetest"
	"hodor/internal/terminal"
	"hodor/stores"
	"hodor/stores/memory"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// shop is a store with the records of the shop.
func shop(t *testing.T) *memory.Store {
	t.Helper()
	s := &memory.Store{}
	if err := s.Append(context.Background(), statetest.Shop().Records); err != nil {
		t.Fatal(err)
	}
	return s
}

func ask(t *testing.T, s Store, o Options) *Answer {
	t.Helper()
	if o.LookbackDays == 0 {
		o.LookbackDays = 90
	}
	a, err := Explain(context.Background(), s, statetest.Scope, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func one(t *testing.T, s Store, o Options) *Node {
	t.Helper()
	a := ask(t, s, o)
	if len(a.Nodes) != 1 {
		t.Fatalf("%d nodes", len(a.Nodes))
	}
	return a.Nodes[0]
}

// golden compares with testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	statetest.Golden(t, filepath.Join("testdata", name), got, *update)
}

// The terminal form at three widths, and the JSON form.
func TestAnswerGolden(t *testing.T) {
	s := shop(t)
	for name, a := range map[string]*Answer{
		"latest":    ask(t, s, Options{}),
		"chain":     ask(t, s, Options{Invocation: statetest.Invocation(9), Nodes: []string{"summary"}, Chain: true}),
		"tolerance": ask(t, s, Options{Invocation: statetest.Invocation(6), Nodes: []string{"customers"}, Chain: true}),
		"shadow":    ask(t, s, Options{Invocation: statetest.Invocation(7)}),
		"modified":  ask(t, s, Options{Invocation: statetest.Invocation(8), Nodes: []string{"ratings"}, Chain: true}),
		"against":   ask(t, s, Options{Against: statetest.Invocation(5)}),
	} {
		for width, suffix := range map[int]string{0: "txt", 80: "80.txt", 140: "140.txt"} {
			var b bytes.Buffer
			a.Print(&terminal.Screen{Writer: &b, Width: width})
			golden(t, name+"."+suffix, b.Bytes())
			for line := range strings.Lines(b.String()) {
				if n := terminal.Len(strings.TrimRight(line, "\n")); width > 0 && n > width {
					t.Errorf("%s: a line of %d characters on %d columns: %q", name, n, width, line)
				}
			}
		}
		raw, err := json.MarshalIndent(a, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name+".json", append(raw, '\n'))
	}
	var b bytes.Buffer
	ask(t, s, Options{}).PrintBrief(&terminal.Screen{Writer: &b, Width: 80})
	golden(t, "brief.80.txt", b.Bytes())
	b.Reset()
	ask(t, s, Options{Nodes: []string{"summary"}}).Print(&terminal.Screen{Writer: &b, Width: 80, Colour: true})
	golden(t, "colour.80.txt", b.Bytes())
}

func TestHistoryGolden(t *testing.T) {
	p, err := History(context.Background(), shop(t), statetest.Scope, PastOptions{Node: "orders", LookbackDays: 90})
	if err != nil {
		t.Fatal(err)
	}
	for width, name := range map[int]string{0: "history.txt", 80: "history.80.txt", 140: "history.140.txt"} {
		var b bytes.Buffer
		p.Print(&terminal.Screen{Writer: &b, Width: width})
		golden(t, name, b.Bytes())
	}
	raw, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "history.json", append(raw, '\n'))
}

// The chain ends at what changed first, not at the nearest parent, and leads through a view and through runs before this one.
func TestChain(t *testing.T) {
	s := shop(t)
	n := one(t, s, Options{Invocation: statetest.Invocation(4), Nodes: []string{"model.shop.summary"}, Chain: true})
	roots := n.Cause.Roots()
	if len(roots) != 1 || roots[0].Name != "shop.raw.tickets" || roots[0].Kind != "source" || roots[0].What != "200 → 230 rows" {
		t.Errorf("began with %+v", roots)
	}
	path := []string{}
	for c := n.Cause; len(c.Causes) > 0; c = c.Causes[0] {
		path = append(path, Name(c.UniqueID))
	}
	if !slices.Equal(path, []string{"summary", "ratings", "stg_tickets"}) {
		t.Errorf("path %v", path)
	}

	// In the last run summary was built since ratings had been built by run 8, for a reason of its own, and customers by this run.
	n = one(t, s, Options{Nodes: []string{"summary"}, Chain: true})
	if len(n.Cause.Causes) != 2 {
		t.Fatalf("causes %+v", n.Cause.Causes)
	}
	customers, ratings := n.Cause.Causes[0], n.Cause.Causes[1]
	if customers.Reason != "code_changed" || customers.Invocation != "" {
		t.Errorf("customers %+v", customers)
	}
	if ratings.Reason != "target_modified" || ratings.Invocation != statetest.Invocation(8) {
		t.Errorf("ratings %+v", ratings)
	}
}

// A chain that comes back to a node says so once and ends.
func TestChainEnds(t *testing.T) {
	a := statetest.Node{ID: "model.shop.a", Kind: "table", SQL: "select 1 as x from shop.main.b", Reads: []string{"shop.main.b"}}
	b := statetest.Node{ID: "model.shop.b", Kind: "table", SQL: "select 1 as x from shop.main.a", Reads: []string{"shop.main.a"}}
	st := statetest.New("duckdb")
	st.Versions["shop.main.a"], st.Versions["shop.main.b"] = "1", "1"
	st.Run(1, "2026-10-01 04:00", "on")
	st.Build(&a, "no_history", 10, "2")
	st.Build(&b, "no_history", 10, "2")
	st.Run(2, "2026-10-02 04:00", "on")
	st.Versions["shop.main.b"] = "3"
	st.Build(&a, "new_upstream_data", 10, "3")
	st.Build(&b, "new_upstream_data", 10, "3")
	s := &memory.Store{}
	if err := s.Append(context.Background(), st.Records); err != nil {
		t.Fatal(err)
	}
	n := one(t, s, Options{Nodes: []string{"a"}, Chain: true})
	if c := n.Cause.Causes[0].Causes[0]; !c.Again || c.UniqueID != "model.shop.a" {
		t.Errorf("%+v", c)
	}
}

func TestTolerance(t *testing.T) {
	n := one(t, shop(t), Options{Invocation: statetest.Invocation(6), Nodes: []string{"customers"}})
	if n.Tolerance == nil || n.Tolerance.MS != 6*3600_000 || n.Tolerance.LeftMS <= 0 || n.Tolerance.AgeMS+n.Tolerance.LeftMS != n.Tolerance.MS {
		t.Errorf("%+v", n.Tolerance)
	}
}

func TestAgainst(t *testing.T) {
	s := shop(t)
	note := func(against int, node string) string {
		return one(t, s, Options{Against: statetest.Invocation(against), Nodes: []string{node}}).Note
	}
	for _, c := range []struct {
		against int
		node    string
		want    string
	}{
		{7, "customers", "that build is what this run compared with"},
		{5, "customers", "it was built again since, by " + statetest.Invocation(7)},
		{2, "customers", "that run did not build it but reused it (no_new_data)"},
		{8, "summary", "its build in that run ended as error"},
		{8, "customers", "that run had no such node"},
	} {
		if got := note(c.against, c.node); !strings.HasPrefix(got, c.want) {
			t.Errorf("against %d, %s: %q, want %q", c.against, c.node, got, c.want)
		}
	}
	short := one(t, s, Options{Against: statetest.Invocation(5), Nodes: []string{"customers"}, LookbackDays: 3})
	if !strings.Contains(short.Note, "lookback window of 3 days") {
		t.Errorf("note %q", short.Note)
	}
}

// Only a node's present text shows which literal parted, and only its literal.
func TestAddLines(t *testing.T) {
	s := shop(t)
	target := t.TempDir()
	write := func(sql string) {
		raw, err := json.Marshal(map[string]any{
			"metadata": map[string]any{"invocation_id": statetest.Invocation(9), "invocation_started_at": "2026-11-02T04:00:00.000000Z"},
			"results":  []any{map[string]any{"unique_id": "model.shop.customers", "compiled_code": sql}, map[string]any{"unique_id": "seed.shop.countries", "compiled_code": nil}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(target, "run_results.json"), raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	lines := func() *Lines {
		present, err := ReadPresent(target)
		if err != nil {
			t.Fatal(err)
		}
		n := one(t, s, Options{Nodes: []string{"customers"}})
		n.AddLines(present)
		return n.Lines
	}
	now := strings.Replace(statetest.Customers.SQL, ">= 3", ">= 4", 1)
	write(now)
	l := lines()
	if len(l.Literals) != 1 || l.Literals[0].Text != "4" || l.Literals[0].Line != 1 || l.Literals[0].Column != strings.Index(now, "4 then")+1 || l.Note != "" {
		t.Errorf("%+v", l)
	}
	if !slices.Equal(l.Parted, []string{"text_hash", "code_hash"}) {
		t.Errorf("parted %v", l.Parted)
	}
	write(strings.ToUpper(now))
	if l := lines(); !strings.Contains(l.Note, "another one than that of this record") {
		t.Errorf("of another text: %+v", l)
	}
	write(strings.Replace(now, "select", "SELECT", 1))
	if l := lines(); !strings.Contains(l.Note, "means the same") || len(l.Literals) != 1 {
		t.Errorf("of another spelling: %+v", l)
	}
	if _, err := ReadPresent(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no target folder: %v", err)
	}
	n := one(t, s, Options{Nodes: []string{"customers"}})
	n.AddLines(nil)
	if !strings.Contains(n.Lines.Note, "no present text") {
		t.Errorf("without a text: %+v", n.Lines)
	}
}

func TestAddLinesKeptSQL(t *testing.T) {
	st := statetest.New("duckdb")
	st.KeepSQL()
	n := statetest.Customers
	st.Run(1, "2026-10-01 04:00", "on")
	st.Build(&n, "no_history", 10, "1")
	n.SQL = strings.Replace(n.SQL, "'regular'", "'faithful'", 1)
	st.Run(2, "2026-10-02 04:00", "on")
	st.Build(&n, "code_changed", 10, "2")
	s := &memory.Store{}
	if err := s.Append(context.Background(), st.Records); err != nil {
		t.Fatal(err)
	}
	got := one(t, s, Options{Nodes: []string{"customers"}})
	got.AddLines(nil)
	var changed []string
	for line := range strings.Lines(got.Lines.SQL) {
		if (line[0] == '-' || line[0] == '+') && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "+++") {
			changed = append(changed, strings.TrimSpace(line))
		}
	}
	if len(changed) != 2 || !strings.Contains(changed[0], "'regular'") || !strings.Contains(changed[1], "'faithful'") || strings.Contains(changed[0], "customer_id") {
		t.Errorf("the diff has %q", changed)
	}
}

func TestNotFound(t *testing.T) {
	ctx, s := context.Background(), shop(t)
	for name, o := range map[string]Options{
		"no such invocation": {Invocation: "none"}, "no such node": {Nodes: []string{"nothing"}}, "no such other": {Against: "none"},
	} {
		if _, err := Explain(ctx, s, statetest.Scope, o); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Explain(ctx, s, stores.Scope{Project: "shop", Target: "dev"}, Options{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("an empty scope: %v", err)
	}
	if _, err := History(ctx, s, statetest.Scope, PastOptions{Node: "nothing"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("history: %v", err)
	}
}

func TestMatches(t *testing.T) {
	model := &stores.Record{UniqueID: "model.shop.orders.v2", NodeKey: `shop."my schema".orders_v2`, ResourceType: "model"}
	test := &stores.Record{UniqueID: "test.shop.not_null_id.0123456789", NodeKey: "test.shop.not_null_id.0123456789#7", ResourceType: "test"}
	for _, c := range []struct {
		r    *stores.Record
		name string
		want bool
	}{
		{model, "model.shop.orders.v2", true}, {model, "orders.v2", true}, {model, "orders_v2", true}, {model, `"My Schema"."ORDERS_V2"`, true},
		{model, "`shop`.`my schema`.`orders_v2`", true}, {model, "orders", false}, {model, "_v2", false}, {model, "", false},
		{test, "not_null_id", true}, {test, "test.shop.not_null_id.0123456789", true}, {test, "0123456789", false},
	} {
		if got := Matches(c.r, c.name); got != c.want {
			t.Errorf("Matches(%s, %q) = %v", c.r.UniqueID, c.name, got)
		}
	}
}

// Every reason code of the engine has words here and a section in docs/reason-codes.md, and neither knows another.
func TestReasons(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "engine", "reason.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, code)
		}
		return true
	})
	for _, code := range codes {
		if w := WordsFor(code); w.Means == "" || w.Change == "" {
			t.Errorf("%s has no words", code)
		}
	}
	if len(reasons) != len(codes) {
		t.Errorf("%d codes have words, %d are known to the engine", len(reasons), len(codes))
	}
	doc, err := os.ReadFile(filepath.Join("..", "docs", "reason-codes.md"))
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for line := range strings.Lines(string(doc)) {
		if heading, ok := strings.CutPrefix(strings.TrimSpace(line), "## `"); ok {
			listed = append(listed, strings.TrimSuffix(heading, "`"))
		}
	}
	if !slices.Equal(listed, codes) {
		t.Errorf("docs/reason-codes.md lists %v, the engine has %v", listed, codes)
	}
}

func TestDifference(t *testing.T) {
	rows := func(n, hash, columns string) string { return "v2.0.1:" + n + "@" + hash + "#" + columns }
	for _, c := range []struct{ then, now, want string }{
		{rows("900", "aa", "cc"), rows("1200", "bb", "cc"), "900 → 1,200 rows"},
		{rows("900", "aa", "cc"), rows("900", "bb", "cc"), "900 rows as before, other values"},
		{rows("900", "aa", "cc"), rows("900", "aa", "dd"), "the same 900 rows, other columns"},
		{rows("1", "aa", "cc"), "v3.0.0:1@aa#cc", "the same 1 row, DuckDB v2.0.1 → v3.0.0"},
		{"7@1792465200000#aa", "9@1792468800000#aa", "version 7 of 2026-10-20 03:00 UTC → version 9 of 2026-10-20 04:00 UTC"},
		{"", "9@1792468800000#aa", "unknown → version 9 of 2026-10-20 04:00 UTC"},
		{"view:aaaa", "view:bbbb", "definition aaaa → definition bbbb"},
	} {
		if got := Difference(c.then, c.now); got != c.want {
			t.Errorf("Difference(%s, %s) = %q, want %q", c.then, c.now, got, c.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for ms, want := range map[int64]string{0: "0 ms", 999: "999 ms", 1500: "1.5 s", 60_000: "60 s", 90_000: "2 min", 5_400_000: "1 h 30 min", 172_800_000: "2 days 0 h", -1500: "-1.5 s"} {
		if got := Duration(ms); got != want {
			t.Errorf("Duration(%d) = %q, want %q", ms, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", 1234567: "1,234,567"} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}
