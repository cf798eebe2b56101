package session

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"hodor/engine"
	"hodor/normalize"
	"hodor/stores"
	"hodor/stores/delta"
	"hodor/stores/memory"
	"hodor/warehouse"
	"hodor/warehouse/warehousetest"
)

// kinds tell the statements of a run apart.
var kinds = []struct {
	name    string
	pattern *regexp.Regexp
}{
	{"history", regexp.MustCompile("^DESCRIBE HISTORY `")},
	{"definition", regexp.MustCompile("^DESCRIBE TABLE EXTENDED `")},
	{"columns", regexp.MustCompile("^DESCRIBE TABLE `")},
	{"policies", regexp.MustCompile(`information_schema\.row_filters UNION .*information_schema\.column_masks`)},
	{"clock and session", regexp.MustCompile(`^SELECT cast\(unix_millis\(current_timestamp`)},
	{"look at the state tables", regexp.MustCompile(" CROSS JOIN .* LIMIT 0$")},
	{"load", regexp.MustCompile("^WITH commits AS .* FROM `shop`.`ops`.`hodor_state`")},
	{"insert", regexp.MustCompile("^INSERT INTO `shop`.`ops`.`hodor_state` ")},
}

// databricks is a scripted workspace: tables whose history has one commit for each build, views, and empty state tables.
type databricks struct {
	w    *world
	mu   sync.Mutex
	sent map[string]int
	odd  []string
}

func (d *databricks) Query(_ context.Context, statement string) (warehouse.Answer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	kind := ""
	for _, k := range kinds {
		if k.pattern.MatchString(statement) {
			kind = k.name
			break
		}
	}
	d.sent[kind]++
	row := func(columns string, values ...string) warehouse.Answer {
		a := warehouse.Answer{Columns: strings.Split(columns, " ")}
		if len(values) > 0 {
			list := make([]*string, len(values))
			for i := range values {
				list[i] = &values[i]
			}
			a.Rows = [][]*string{list}
		}
		return a
	}
	name := regexp.MustCompile("`([a-z0-9_]+)`( LIMIT 20)?$").FindStringSubmatch(statement)
	switch kind {
	case "history":
		d.w.mu.Lock()
		defer d.w.mu.Unlock()
		v := d.w.tables["shop.main."+name[1]]
		if !v.Known() {
			return warehouse.Answer{}, &warehouse.StatementError{Message: "[TABLE_OR_VIEW_NOT_FOUND] " + name[1]}
		}
		n := 0
		for _, c := range v {
			n = (n*31 + int(c)) % 100_000
		}
		return row("version timestamp operation operationParameters operationMetrics", fmt.Sprint(n), "2026-10-20T04:12:07.5Z", "WRITE", `{"mode":"Append"}`,
			`{"numOutputRows":"2"}`), nil
	case "definition":
		d.w.mu.Lock()
		defer d.w.mu.Unlock()
		v := d.w.views["shop.main."+name[1]]
		if !v.Known() {
			return warehouse.Answer{}, &warehouse.StatementError{Message: "[TABLE_OR_VIEW_NOT_FOUND] " + name[1]}
		}
		a := row("col_name data_type comment", "id", "int", "")
		for _, r := range [][2]string{{"", ""}, {"# Detailed Table Information", ""}, {"Type", "VIEW"}, {"View Text", string(v)}, {"View Catalog and Namespace", "shop.main"}} {
			a.Rows = append(a.Rows, row("a b c", r[0], r[1], "").Rows...)
		}
		return a, nil
	case "columns":
		return row("col_name data_type comment", "id", "int", ""), nil
	case "policies":
		return row("table_schema table_name"), nil
	case "clock and session":
		return row("a b c", fmt.Sprint(d.w.clock.UnixMilli()), "UTC", "bigint"), nil
	case "look at the state tables":
		var names []string
		for _, c := range stores.Columns {
			names = append(names, c.Name)
		}
		names = append(names, "|")
		for _, c := range stores.CommitColumns {
			names = append(names, c.Name)
		}
		return row(strings.Join(names, " ")), nil
	case "load":
		return warehouse.Answer{Columns: make([]string, len(stores.Columns)+1)}, nil
	case "insert":
		return row("num_affected_rows"), nil
	}
	d.odd = append(d.odd, statement)
	return warehouse.Answer{}, &warehouse.StatementError{Message: "not scripted"}
}

// both remembers in memory, and asks the Delta store the same, so that its statements are counted.
type both struct {
	stores.Store
	delta stores.Store
}

func (b both) Load(ctx context.Context, scope stores.Scope, since int64) (*stores.Loaded, error) {
	if _, err := b.delta.Load(ctx, scope, since); err != nil {
		return nil, err
	}
	return b.Store.Load(ctx, scope, since)
}

func (b both) Append(ctx context.Context, list []stores.Record) error {
	if err := b.delta.Append(ctx, list); err != nil {
		return err
	}
	return b.Store.Append(ctx, list)
}

// large is a project of 200 models: 20 sources, a view over each, a table over each view and then tables over tables, as wide as deep.
func large(w *world) {
	for i := range 20 {
		source, view := fmt.Sprintf("source.shop.raw%d", i), fmt.Sprintf("model.shop.stg%d", i)
		w.add(source, "table", "")
		w.tables[w.nodes[source].key()] = engine.Version(fmt.Sprint("s", i))
		w.add(view, "view", fmt.Sprintf("select id from shop.main.raw%d", i), source)
	}
	for i := range 180 {
		parents := []string{fmt.Sprintf("model.shop.stg%d", i%20)}
		text := fmt.Sprintf("select a.id + %d as id from shop.main.stg%d as a", i, i%20)
		if i >= 20 {
			parents = append(parents, fmt.Sprintf("model.shop.t%d", i-20))
			text += fmt.Sprintf(" join shop.main.t%d as b on a.id = b.id", i-20)
		}
		w.add(fmt.Sprintf("model.shop.t%d", i), "table", text, parents...)
	}
}

// TestStatementsOfARun counts what 200 models cost on Databricks. A table is asked for its history once, and a second time after it was built; its
// columns only when a version is recorded anew; everything else once a run, or once a flush of 200 records.
func TestStatementsOfARun(t *testing.T) {
	w := newWorld(t)
	w.adapter = "databricks"
	d := &databricks{w: w, sent: map[string]int{}}
	w.host = d
	large(w)
	db := warehouse.Open(d, 4)
	defer db.Close()
	kept := &memory.Store{}
	once := map[string]int{"clock and session": 1, "policies": 1, "look at the state tables": 1, "load": 1, "insert": 1}
	for _, c := range []struct {
		name   string
		before func()
		reused int
		want   map[string]int
	}{
		{"everything is built", nil, 0, map[string]int{"history": 20 + 180, "columns": 20 + 180, "definition": 20}},
		{"nothing is new", nil, 200, map[string]int{"history": 20 + 180, "definition": 20}},
		{"a source has new rows", func() { w.touch("source.shop.raw3") }, 191, map[string]int{"history": 20 + 180 + 9, "columns": 1 + 9, "definition": 20}},
	} {
		if c.before != nil {
			c.before()
		}
		ds, err := delta.Open(delta.Options{Warehouse: db, Database: "shop", Schema: "ops"}) // as in a process of its own
		if err != nil {
			t.Fatal(err)
		}
		w.store = both{kept, ds}
		clear(d.sent)
		d.odd = nil
		r := w.run()
		maps.Copy(c.want, once)
		if r.finish.Reused != c.reused {
			t.Errorf("%s: %d reused, want %d", c.name, r.finish.Reused, c.reused)
		}
		if !maps.Equal(d.sent, c.want) {
			t.Errorf("%s:\n got %v\nwant %v\nodd %.300q", c.name, d.sent, c.want, d.odd)
		}
	}
}

// TestStatementsOfARunOnDuckDB does the same on a real DuckDB, where a version is read from the rows themselves, and one statement each reads the
// tables with their collations, the views, the settings and the user's functions.
func TestStatementsOfARunOnDuckDB(t *testing.T) {
	w := newWorld(t)
	large(w)
	c := &counted{host: warehousetest.Python(t, ".venv-next", ""), sent: map[string]int{}}
	w.host = c
	exec := func(statement string) {
		t.Helper()
		if _, err := c.host.Query(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	exec("attach ':memory:' as shop")
	w.builds = func(n *node) {
		kind := "table"
		if n.materialized == "view" {
			kind = "view"
		}
		exec("create or replace " + kind + " shop.main." + name(n.id) + " as " + n.sql)
	}
	for i := range 20 {
		exec(fmt.Sprintf("create table shop.main.raw%d as select %d as id", i, i))
	}
	w.now = time.Now
	once := map[string]int{"settings": 1, "user functions": 1, "release": 1}
	for _, r := range []struct {
		name   string
		before func()
		reused int
		want   map[string]int
	}{
		{"everything is built", nil, 0, map[string]int{"rows": 20 + 180, "tables": 1 + 180, "views": 20}},
		{"nothing is new", nil, 200, map[string]int{"rows": 20 + 180, "tables": 1, "views": 1}},
		{"a source has new rows", func() { exec("insert into shop.main.raw3 values (3)") }, 191, map[string]int{"rows": 20 + 180 + 9, "tables": 1 + 9, "views": 1}},
	} {
		if r.before != nil {
			r.before()
		}
		clear(c.sent)
		run := w.run()
		maps.Copy(r.want, once)
		if run.finish.Reused != r.reused {
			t.Errorf("%s: %d reused, want %d", r.name, run.finish.Reused, r.reused)
		}
		if !maps.Equal(c.sent, r.want) {
			t.Errorf("%s:\n got %v\nwant %v\n%.300q", r.name, c.sent, r.want, c.odd)
		}
	}
}

// counted sorts the statements for DuckDB.
type counted struct {
	host warehouse.Host
	mu   sync.Mutex
	sent map[string]int
	odd  []string
}

func (c *counted) Query(ctx context.Context, statement string) (warehouse.Answer, error) {
	kind := ""
	for _, k := range []struct{ name, mark string }{
		{"rows", "system.main.hash"}, {"user functions", "duckdb_functions()"}, {"settings", "duckdb_settings()"}, {"views", "duckdb_views()"},
		{"tables", "duckdb_tables()"}, {"release", "version()"},
	} {
		if strings.Contains(statement, k.mark) {
			kind = k.name
			break
		}
	}
	c.mu.Lock()
	c.sent[kind]++
	if kind == "" {
		c.odd = append(c.odd, statement)
	}
	c.mu.Unlock()
	return c.host.Query(ctx, statement)
}

// held holds back each history until as many statements as may be in flight are, and counts.
type held struct {
	*databricks
	full chan struct{} // closed once that many are

	mu        sync.Mutex
	now, most int
	limit     int
}

func (h *held) Query(ctx context.Context, statement string) (warehouse.Answer, error) {
	h.mu.Lock()
	h.now++
	h.most = max(h.most, h.now)
	if h.now == h.limit && h.most == h.limit {
		select {
		case <-h.full:
		default:
			close(h.full)
		}
	}
	h.mu.Unlock()
	if strings.HasPrefix(statement, "DESCRIBE HISTORY") {
		select {
		case <-h.full:
		case <-time.After(time.Minute): // the test fails: fewer are in flight than may be
		}
	}
	defer func() {
		h.mu.Lock()
		h.now--
		h.mu.Unlock()
	}()
	return h.databricks.Query(ctx, statement)
}

// TestMetadataThreads: hodor_metadata_threads is how many statements a run has on the warehouse at a time, when all nodes ask at once: so many, and never
// more.
func TestMetadataThreads(t *testing.T) {
	for _, threads := range []int{1, 3, 16} {
		w := newWorld(t)
		w.adapter, w.settings.MetadataThreads = "databricks", threads
		d := &databricks{w: w, sent: map[string]int{}}
		w.host = d
		large(w)
		w.run()
		clear(d.sent)
		h := &held{databricks: d, full: make(chan struct{}), limit: threads}
		w.host = h
		r := w.begin()
		reused := 0
		var wg sync.WaitGroup
		var mu sync.Mutex
		for _, id := range w.order {
			n := w.nodes[id]
			if n.resource == "source" {
				continue
			}
			hash := normalize.TextHash(r.replace.Replace(n.sql))
			req := DecideRequest{ID: id, Pointer: true, TextHash: &hash, Relation: w.relationType(n)}
			wg.Go(func() {
				a, err := r.s.Decide(t.Context(), req)
				if err != nil {
					t.Error(err)
				}
				if a.Action == "reuse" {
					mu.Lock()
					reused++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if h.most != threads {
			t.Errorf("hodor_metadata_threads: %d, at most %d statements at a time", threads, h.most)
		}
		if d.sent["history"] != 200 { // each table once, though all ask at the same time
			t.Errorf("%d threads: %d histories, want 200", threads, d.sent["history"])
		}
		if reused != 200 {
			t.Errorf("%d threads: %d reused, want 200", threads, reused)
		}
	}
}
