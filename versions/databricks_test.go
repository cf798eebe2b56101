package versions

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hodor/engine"
	"hodor/warehouse"
)

// losses are the statements after which nothing can be seen to have changed, and whose commits count as changes all the same: a build too many,
// never one too few. Where metrics can't tell, that is the price.
var losses = []string{
	"a feature dropped", "crtas same rows", "drop and recreate, same rows", "insert overwrite same rows", "recreated as a shallow clone",
	"restore: undo a column comment", "row tracking for what is there", "update 1 row to same value",
}

// TestDeltaCommits judges commits of real Delta tables (delta-history.jsonl, and delta-measured.jsonl, which TestSparkDeltaVersions writes). One that
// changed rows and left the columns alone must count as a change; one that changed the columns at least as ambiguous, since then their hash
// shows it. What changed nothing is a change only where that is listed.
func TestDeltaCommits(t *testing.T) {
	type row struct {
		Case          string
		Version       *int64
		TimestampMS   int64 `json:"timestamp_ms"`
		Operation     string
		Metrics       map[string]string
		Parameters    map[string]any
		DataChanged   bool `json:"data_changed"`
		SchemaChanged bool `json:"schema_changed"`
		Commit        bool
	}
	seen := map[class]int{}
	var lost []string
	for _, file := range []string{"delta-history.jsonl", "delta-measured.jsonl"} {
		raw, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		strongest := map[string]class{} // of a statement, which may have made several commits
		rows := map[string]row{}
		for line := range strings.Lines(string(raw)) {
			var r row
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatal(err)
			}
			if !r.Commit {
				continue
			}
			mode, _ := r.Parameters["mode"].(string)
			c := commit{version: *r.Version, atMS: r.TimestampMS, operation: r.Operation, metrics: r.Metrics, parameters: map[string]string{"mode": mode}}
			got := c.class()
			seen[got]++
			if before, ok := strongest[r.Case]; !ok || got < before {
				strongest[r.Case] = got
			}
			rows[r.Case] = r
		}
		for name, got := range strongest {
			switch r := rows[name]; {
			case r.DataChanged && !r.SchemaChanged && got != change:
				t.Errorf("%s: %s changed rows and counts as %s", name, r.Operation, got)
			case r.SchemaChanged && got == maintenance:
				t.Errorf("%s: %s changed the columns and counts as %s", name, r.Operation, got)
			case !r.DataChanged && !r.SchemaChanged && got == change:
				lost = append(lost, name)
			}
		}
	}
	slices.Sort(lost)
	if !slices.Equal(lost, losses) {
		t.Errorf("builds too many:\n%s", strings.Join(lost, "\n"))
	}
	if seen[change] < 30 || seen[ambiguous] < 5 || seen[maintenance] < 8 {
		t.Errorf("classes %v", seen)
	}
}

func TestClasses(t *testing.T) {
	zero := func(names ...string) map[string]string {
		m := map[string]string{}
		for _, n := range names {
			m[n] = "0"
		}
		return m
	}
	with := func(m map[string]string, name, value string) map[string]string {
		m = maps.Clone(m)
		m[name] = value
		return m
	}
	merge := zero("numOutputRows", "numTargetRowsInserted", "numTargetRowsUpdated", "numTargetRowsDeleted", "numTargetFilesAdded", "numTargetFilesRemoved")
	for _, c := range []struct {
		name      string
		operation string
		mode      string
		metrics   map[string]string
		want      class
	}{
		{"append of nothing", "WRITE", "Append", zero("numOutputRows", "numFiles"), ambiguous},
		{"append", "WRITE", "Append", with(zero("numFiles"), "numOutputRows", "1"), change},
		{"append of an empty file", "WRITE", "Append", with(zero("numOutputRows"), "numFiles", "1"), change},
		{"overwrite with nothing", "WRITE", "Overwrite", zero("numOutputRows", "numRemovedFiles"), change},
		{"write without a mode", "WRITE", "", zero("numOutputRows"), change},
		{"write without metrics", "WRITE", "Append", nil, change},
		{"merge of nothing", "MERGE", "", merge, ambiguous},
		{"merge with a deletion vector", "MERGE", "", with(merge, "numTargetDeletionVectorsAdded", "1"), change},
		{"merge that removed a file", "MERGE", "", with(merge, "numTargetFilesRemoved", "1"), change},
		{"merge with a metric that is no number", "MERGE", "", with(merge, "numTargetRowsUpdated", "many"), change},
		{"merge with other metrics only", "MERGE", "", zero("numSourceRows", "executionTimeMs"), change},
		{"delete of nothing", "DELETE", "", zero("numDeletedRows", "numRemovedFiles"), ambiguous},
		{"delete by files", "DELETE", "", map[string]string{"numRemovedFiles": "2"}, change},
		{"update of nothing", "UPDATE", "", with(zero("numUpdatedRows"), "executionTimeMs", "500"), ambiguous},
		{"streaming of nothing", "STREAMING UPDATE", "", zero("numOutputRows", "numAddedFiles", "numRemovedFiles"), ambiguous},
		{"column comment", "CHANGE COLUMN", "", nil, ambiguous},
		{"fsck", "FSCK", "", nil, change},
		{"restore of nothing", "RESTORE", "", zero("numRemovedFiles", "numRestoredFiles"), change},
		{"truncate of nothing", "TRUNCATE", "", zero("numRemovedFiles"), change},
		{"a name of tomorrow", "REARRANGE", "", zero("numOutputRows"), change},
		{"no name", "", "", nil, change},
		{"optimize", "OPTIMIZE", "", map[string]string{"numRemovedFiles": "9"}, maintenance},
		{"tags", "SET TAGS", "", nil, maintenance},
	} {
		if got := (commit{operation: c.operation, metrics: c.metrics, parameters: map[string]string{"mode": c.mode}}).class(); got != c.want {
			t.Errorf("%s: class %d, want %d", c.name, got, c.want)
		}
	}
}

// workspace answers the statements of a Databricks reader from what a test has put into it.
type workspace struct {
	mu        sync.Mutex
	histories map[string][][]string // by name: version, operation, mode, metrics
	columns   map[string][]string   // name type name type ...
	views     map[string]string
	policies  map[string][]string // by catalog: schema.table
	whole     string              // the whole type of the column s
	broken    map[string]string   // statements that contain the key fail with the value
	sent      []string
}

func newWorkspace() *workspace {
	return &workspace{histories: map[string][][]string{}, columns: map[string][]string{}, views: map[string]string{}, policies: map[string][]string{}, broken: map[string]string{}}
}

func (w *workspace) Query(_ context.Context, statement string) (warehouse.Answer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, statement)
	for part, message := range w.broken {
		if strings.Contains(statement, part) {
			return warehouse.Answer{}, &warehouse.StatementError{Message: message}
		}
	}
	missing := &warehouse.StatementError{Message: "[TABLE_OR_VIEW_NOT_FOUND] no such thing"}
	switch {
	case strings.HasPrefix(statement, "DESCRIBE HISTORY "):
		rows, ok := w.histories[strings.TrimSuffix(strings.TrimPrefix(statement, "DESCRIBE HISTORY "), " LIMIT 20")]
		if !ok {
			return warehouse.Answer{}, missing
		}
		a := warehouse.Answer{Columns: []string{"version", "timestamp", "userId", "operation", "operationParameters", "operationMetrics"}}
		for _, r := range rows {
			at := "2026-10-20T04:12:0" + r[0][len(r[0])-1:] + ".500000+00:00"
			a.Rows = append(a.Rows, texts(r[0], at, "u", r[1], `{"mode":"`+r[2]+`"}`, r[3]))
		}
		return a, nil
	case strings.HasPrefix(statement, "DESCRIBE TABLE EXTENDED "):
		text, ok := w.views[strings.TrimPrefix(statement, "DESCRIBE TABLE EXTENDED ")]
		if !ok {
			return warehouse.Answer{}, missing
		}
		kind := "VIEW"
		if text == "" {
			kind = "MANAGED"
		}
		a := warehouse.Answer{Columns: []string{"col_name", "data_type", "comment"}, Rows: [][]*string{texts("View Text", "string", "a column of that name")}}
		columns := w.columns[strings.TrimPrefix(statement, "DESCRIBE TABLE EXTENDED ")]
		for i := 0; i < len(columns); i += 2 {
			a.Rows = append(a.Rows, texts(columns[i], columns[i+1], ""))
		}
		a.Rows = append(a.Rows, texts("", "", ""), texts("# Detailed Table Information", "", ""),
			texts("Type", kind, ""), texts("View Text", text, ""), texts("View Catalog and Namespace", "main.s", ""))
		return a, nil
	case strings.HasPrefix(statement, "DESCRIBE TABLE "):
		columns, ok := w.columns[strings.TrimPrefix(statement, "DESCRIBE TABLE ")]
		if !ok {
			return warehouse.Answer{}, missing
		}
		a := warehouse.Answer{Columns: []string{"col_name", "data_type", "comment"}}
		for i := 0; i < len(columns); i += 2 {
			a.Rows = append(a.Rows, texts(columns[i], columns[i+1], ""))
		}
		a.Rows = append(a.Rows, texts("# Partition Information", "", ""), texts("# col_name", "data_type", "comment"), texts("day", "date", ""))
		return a, nil
	case strings.HasPrefix(statement, "SELECT typeof(any_value(`s`)) FROM (SELECT `s` FROM "):
		if w.whole == "" {
			return warehouse.Answer{}, missing
		}
		return warehouse.Answer{Columns: []string{"a"}, Rows: [][]*string{texts(w.whole)}}, nil
	case strings.Contains(statement, "information_schema"):
		a := warehouse.Answer{Columns: []string{"table_schema", "table_name"}}
		for catalog, tables := range w.policies {
			if !strings.Contains(statement, "`"+catalog+"`.") {
				continue
			}
			for _, name := range tables {
				schema, table, _ := strings.Cut(name, ".")
				a.Rows = append(a.Rows, texts(schema, table))
			}
		}
		return a, nil
	case strings.Contains(statement, "current_timezone(), typeof"):
		return warehouse.Answer{Columns: []string{"a", "b", "c"}, Rows: [][]*string{texts("1792469520123", "Etc/UTC", "bigint")}}, nil
	case strings.Contains(statement, "date_add"):
		return warehouse.Answer{Columns: []string{"a", "b", "c"}, Rows: [][]*string{texts("2026-10-20", "1792469520123", "1792540800000")}}, nil
	case strings.Contains(statement, "current_user"):
		return warehouse.Answer{Columns: []string{"a", "b", "c", "d"}, Rows: [][]*string{texts("me", "main", "s", "Etc/UTC")}}, nil
	}
	return warehouse.Answer{}, errors.New("unexpected statement " + statement)
}

func texts(values ...string) []*string {
	out := make([]*string, len(values))
	for i, v := range values {
		out[i] = &v
	}
	return out
}

func databricks(t *testing.T, w *workspace) *Databricks {
	db := warehouse.Open(w, 4)
	t.Cleanup(func() { db.Close() })
	return NewDatabricks(db, Options{Log: t.Logf, Catalog: "main"})
}

const (
	orders    = "`main`.`s`.`orders`"
	zeroMerge = `{"numOutputRows":"0","numTargetRowsInserted":"0","numTargetFilesAdded":"0"}`
)

func withOrders() *workspace {
	w := newWorkspace()
	w.histories[orders] = [][]string{{"7", "WRITE", "Append", `{"numOutputRows":"2"}`}, {"6", "CREATE TABLE", "", "{}"}}
	w.columns[orders] = []string{"id", "int", "v", "string"}
	return w
}

func TestDatabricksTokens(t *testing.T) {
	w := withOrders()
	r := rel("main", "s", "orders")
	first := databricks(t, w).Rows(t.Context(), r, "")
	if !strings.HasPrefix(string(first), "7@1792469527500#") || len(w.sent) != 3 {
		t.Fatalf("token %q after\n%s", first, strings.Join(w.sent, "\n"))
	}
	for _, c := range []struct {
		name       string
		commits    [][]string // newer ones, newest first
		columns    []string
		same       bool
		statements int // with the recorded token: history, policies, perhaps columns
	}{
		{"nothing", nil, nil, true, 2},
		{"optimize", [][]string{{"8", "OPTIMIZE", "", `{"numRemovedFiles":"3"}`}}, nil, true, 2},
		{"merge of nothing", [][]string{{"8", "MERGE", "", zeroMerge}}, nil, true, 3},
		{"column comment", [][]string{{"9", "OPTIMIZE", "", "{}"}, {"8", "CHANGE COLUMN", "", "{}"}}, nil, true, 3},
		{"column moved", [][]string{{"8", "CHANGE COLUMN", "", "{}"}}, []string{"v", "string", "id", "int"}, false, 3},
		{"column widened", [][]string{{"8", "CHANGE COLUMN", "", "{}"}}, []string{"id", "bigint", "v", "string"}, false, 3},
		{"merge that added a column", [][]string{{"8", "MERGE", "", zeroMerge}}, []string{"id", "int", "v", "string", "w", "int"}, false, 3},
		{"append", [][]string{{"8", "WRITE", "Append", `{"numOutputRows":"1"}`}}, nil, false, 3},
		{"restore", [][]string{{"8", "RESTORE", "", `{"numRemovedFiles":"0"}`}}, nil, false, 3},
	} {
		w := withOrders()
		w.histories[orders] = append(slices.Clone(c.commits), w.histories[orders]...)
		if c.columns != nil {
			w.columns[orders] = c.columns
		}
		now := databricks(t, w).Rows(t.Context(), r, first)
		if !now.Known() || (now == first) != c.same {
			t.Errorf("%s: %s, then %s", c.name, first, now)
		}
		if len(w.sent) != c.statements {
			t.Errorf("%s: %d statements:\n%s", c.name, len(w.sent), strings.Join(w.sent, "\n"))
		}
		if fresh := databricks(t, w).Rows(t.Context(), r, ""); fresh != now {
			t.Errorf("%s: with the record %s, without %s", c.name, now, fresh)
		}
	}
}

func TestDatabricksUnknown(t *testing.T) {
	r := rel("main", "s", "orders")
	for name, change := range map[string]func(*workspace){
		"no such table":     func(w *workspace) { delete(w.histories, orders) },
		"no change":         func(w *workspace) { w.histories[orders] = [][]string{{"8", "OPTIMIZE", "", "{}"}} },
		"no commit":         func(w *workspace) { w.histories[orders] = nil },
		"order of versions": func(w *workspace) { slices.Reverse(w.histories[orders]) },
		"columns refused":   func(w *workspace) { w.broken["DESCRIBE TABLE"] = "no" },
		"type cut short":    func(w *workspace) { w.columns[orders] = []string{"id", "struct<a:int,... 3 more fields>"} },
		"no columns":        func(w *workspace) { w.columns[orders] = nil },
	} {
		w := withOrders()
		change(w)
		if v := databricks(t, w).Rows(t.Context(), r, ""); v.Known() {
			t.Errorf("%s: %s", name, v)
		}
	}
	w := withOrders()
	d := databricks(t, w)
	for _, r := range []Relation{rel("orders"), rel("a", "b", "c", "d"), {Key: "x", Path: "delta.`/x`; drop"}, {Key: "y", Path: "parquet.`/x`"}, {Key: "z"}} {
		if v := d.Rows(t.Context(), r, ""); v.Known() {
			t.Errorf("%+v: %s", r, v)
		}
	}
}

// S12: a policy changes rows without a commit.
func TestS12Policies(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*workspace)
		known  bool
	}{
		"row filter":       {func(w *workspace) { w.policies["main"] = []string{"S.Orders"} }, false},
		"policies refused": {func(w *workspace) { w.broken["information_schema"] = "no" }, false},
		"another table's":  {func(w *workspace) { w.policies["main"] = []string{"s.other"} }, true},
		"none":             {func(*workspace) {}, true},
	} {
		w := withOrders()
		c.change(w)
		if v := databricks(t, w).Rows(t.Context(), rel("main", "s", "orders"), ""); v.Known() != c.known {
			t.Errorf("%s: %q", name, v)
		}
	}
}

// DESCRIBE shows 25 fields of a struct; a change beyond them is one all the same.
func TestDatabricksWideStructs(t *testing.T) {
	token := func(whole string) engine.Version {
		w := withOrders()
		w.columns[orders] = []string{"id", "int", "s", "struct<a:int,... 3 more fields>"}
		w.whole = whole
		return databricks(t, w).Rows(t.Context(), rel("main", "s", "orders"), "")
	}
	a, b := token("struct<a:int,b:int,c:int,d:int>"), token("struct<a:int,b:int,c:int,d:bigint>")
	if !a.Known() || !b.Known() || a == b {
		t.Errorf("two types beyond the cut: %q and %q", a, b)
	}
	if v := token("struct<a:int,... 3 more fields>"); v.Known() {
		t.Errorf("a type that stays cut: %q", v)
	}
}

func TestDatabricksNames(t *testing.T) {
	w := newWorkspace()
	for _, name := range []string{"`hive_metastore`.`s`.`o``x`", "`s`.`t`", "delta.`/data/x`"} {
		w.histories[name] = [][]string{{"1", "WRITE", "Append", `{"numOutputRows":"2"}`}}
		w.columns[name] = []string{"id", "int"}
	}
	d := databricks(t, w)
	for _, r := range []Relation{rel("hive_metastore", "s", "o`x"), rel("s", "t"), {Key: "delta.`/data/x`", Path: "delta.`/data/x`"}} {
		if v := d.Rows(t.Context(), r, ""); !v.Known() {
			t.Errorf("%+v has no version", r)
		}
	}
	asked := 0
	for _, s := range w.sent {
		if strings.Contains(s, "information_schema") {
			asked++
		}
	}
	if asked != 1 { // for the default catalog of s.t; neither for the metastore nor for a path
		t.Errorf("policies asked %d times", asked)
	}
}

func TestDatabricksViews(t *testing.T) {
	w := newWorkspace()
	w.views["`main`.`s`.`v`"], w.views["`main`.`s`.`t`"] = "select 1", ""
	w.columns["`main`.`s`.`v`"] = []string{"id", "int"}
	d := databricks(t, w)
	v := rel("main", "s", "v")
	first := d.Definition(t.Context(), v)
	if !first.Known() || d.Definition(t.Context(), rel("main", "s", "t")).Known() || d.Definition(t.Context(), rel("main", "s", "none")).Known() {
		t.Errorf("definition %q; a table's or nothing's is known", first)
	}
	w.views["`main`.`s`.`v`"] = "select 2"
	if d.Definition(t.Context(), v) != first {
		t.Error("read again without need")
	}
	d.Invalidate(v)
	if now := d.Definition(t.Context(), v); now == first || !now.Known() {
		t.Errorf("after a change %q", now)
	}
	// The columns are those of the time when it was made; only another build gives it others.
	text := d.Definition(t.Context(), v)
	w.columns["`main`.`s`.`v`"] = []string{"id", "bigint"}
	d.Invalidate(v)
	if now := d.Definition(t.Context(), v); now == text || !now.Known() {
		t.Errorf("with other columns %q", now)
	}
	// S18: the columns of what a view reads, of a view and of a table.
	if !d.Columns(t.Context(), v, "").Known() || d.Columns(t.Context(), rel("main", "s", "none"), "").Known() {
		t.Error("columns of a view, or of nothing")
	}
	if d.Stands(t.Context(), v) != engine.Present || d.Stands(t.Context(), rel("main", "s", "none")) != engine.Absent || d.Stands(t.Context(), rel("x")) != engine.Unseen {
		t.Error("what stands is not told right")
	}
	w = withOrders()
	d = databricks(t, w)
	token := d.Rows(t.Context(), rel("main", "s", "orders"), "")
	columns := d.Columns(t.Context(), rel("main", "s", "orders"), token)
	if !columns.Known() || !strings.HasSuffix(string(token), "#"+string(columns)) {
		t.Errorf("columns %q of the token %q", columns, token)
	}
	w = withOrders()
	d = databricks(t, w)
	if got := d.Columns(t.Context(), rel("main", "s", "orders"), token); got != columns || len(w.sent) != 2 {
		t.Errorf("columns %q after %d statements", got, len(w.sent))
	}
}

func TestDatabricksSession(t *testing.T) {
	w := newWorkspace()
	d := databricks(t, w)
	now := time.Now()
	d.opt.Now = func() time.Time { return now }
	s, err := d.Session(t.Context())
	if err != nil || s.NowMS != 1792469520123 || s.Fingerprint == "" || !s.Taken.Equal(now) {
		t.Errorf("session %+v, %v", s, err)
	}
	if v := d.Volatile(t.Context(), "date"); v != "2026-10-20" {
		t.Errorf("date %q", v)
	}
	if v := d.Volatile(t.Context(), "session"); !v.Known() || strings.Contains(string(v), "me") && !strings.HasPrefix(string(v), "session:") {
		t.Errorf("session %q", v)
	}
	if v := d.Volatile(t.Context(), "always"); v.Known() {
		t.Errorf("always %q", v)
	}
	w.broken["SELECT"] = "no"
	d = databricks(t, w)
	if _, err := d.Session(t.Context()); err == nil {
		t.Error("without a warehouse a session")
	}
}

func TestCommitTime(t *testing.T) {
	for _, text := range []string{"2026-10-20T04:12:07.5Z", "2026-10-20T06:12:07.500+02:00", "2026-10-20 04:12:07.500000+00:00", "2026-10-20T04:12:07.5", "2026-10-20 04:12:07.5"} {
		if ms, ok := commitTime(text); !ok || ms != 1792469527500 {
			t.Errorf("%s: %d, %v", text, ms, ok)
		}
	}
	if _, ok := commitTime("yesterday"); ok {
		t.Error("a text that is no time is one")
	}
}

func TestChangedAt(t *testing.T) {
	for v, want := range map[engine.Version]int64{"7@1792469527500#ab": 1792469527500, "v1.5.6:6@00ff#ab": 0, "view:ab": 0, "": 0, "7": 0} {
		if ms, ok := ChangedAt(v); ms != want || ok != (want != 0) {
			t.Errorf("%s: %d, %v", v, ms, ok)
		}
	}
}

func TestTextMap(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":"1","b":2}`: "map[a:1 b:2]", `{}`: "map[]", `[["a","1"]]`: "map[]", `a=1`: "map[]",
	} {
		if got := fmt.Sprint(textMap(sql.NullString{String: text, Valid: true})); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}
