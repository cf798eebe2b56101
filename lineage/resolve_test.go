package lineage

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"hodor/normalize"
	"hodor/project"
)

func TestUpstreams(t *testing.T) {
	for _, c := range []struct {
		name    string
		dialect string // duckdb if empty
		build   func(w *world)
		node    string // model.shop.t if empty
		want    string
		views   string
		direct  string
		itself  bool
		hooks   bool
	}{
		{
			name: "S6 no upstreams",
			build: func(w *world) {
				w.add("table model.shop.t")
				w.body("model.shop.t")
			},
		},
		{
			name: "S6 parents of every kind that leaves a table",
			build: func(w *world) {
				w.add("table model.shop.a")
				w.add("incremental model.shop.b")
				w.add("seed seed.shop.c")
				w.add("snapshot snapshot.shop.d")
				w.add("source source.shop.raw.e")
				w.add("table model.shop.t", "model.shop.a", "model.shop.b", "seed.shop.c", "snapshot.shop.d", "source.shop.raw.e")
				w.body("model.shop.t", "shop.main.a", "shop.main.b", "shop.main.c", "shop.main.d", "shop.raw.e")
			},
			want:   "shop.main.a shop.main.b shop.main.c shop.main.d shop.raw.e",
			direct: "shop.main.a shop.main.b shop.main.c shop.main.d shop.raw.e",
		},
		{
			name: "S6 a parent that no text names still counts",
			build: func(w *world) {
				w.add("table model.shop.a")
				w.add("table model.shop.t", "model.shop.a")
				w.body("model.shop.t")
			},
			want: "shop.main.a", direct: "shop.main.a",
		},
		{
			name: "S6 a function, a missing node and kinds without a table are unknown",
			build: func(w *world) {
				w.add("function function.shop.f")
				w.add("external model.shop.x")
				w.add("shout model.shop.y")
				w.add("materialized_view model.shop.z")
				w.add("table model.shop.t", "function.shop.f", "model.shop.x", "model.shop.y", "model.shop.z", "model.shop.gone", "metric.shop.m")
				w.body("model.shop.t")
			},
			want: "?node:function.shop.f ?node:metric.shop.m ?node:model.shop.gone ?node:model.shop.x ?node:model.shop.y ?node:model.shop.z",
		},
		{
			name: "a microbatch model leaves a table with a version",
			build: func(w *world) {
				w.add(`incremental model.shop.a incremental_strategy="microbatch"`)
				w.add("table model.shop.t", "model.shop.a")
				w.body("model.shop.t", "shop.main.a")
			},
			want: "shop.main.a", direct: "shop.main.a",
		},
		{
			name: "S6 its own relation is no upstream",
			build: func(w *world) {
				w.add("incremental model.shop.t", "source.shop.raw.e")
				w.add("source source.shop.raw.e")
				w.body("model.shop.t", "shop.raw.e", "shop.main.t")
			},
			want: "shop.raw.e", direct: "shop.raw.e", itself: true,
		},
		{
			name: "S6 its own relation in another case, and as a source",
			build: func(w *world) {
				w.add("source source.shop.raw.t")
				w.sources["source.shop.raw.t"].(map[string]any)["relation_name"] = `"shop"."main"."T"`
				w.add("table model.shop.t", "source.shop.raw.t")
				w.body("model.shop.t", "SHOP.Main.t")
			},
			itself: true,
		},
		{
			name: "a post-hook that reads {{ this }} is not the node reading itself",
			build: func(w *world) {
				w.add("table model.shop.t")
				w.body("model.shop.t")
				w.hook("model.shop.t", "insert into log select count(*) from shop.main.t", "shop.main.t")
			},
		},
		{
			name: "a header that reads the node does",
			build: func(w *world) {
				w.add("table model.shop.t")
				w.body("model.shop.t")
				w.facts["model.shop.t"] = Facts{Body: &normalize.Facts{}, Level: normalize.LevelQualified, Hooks: []HookFacts{
					{Header: true, SQL: "set variable x = (select max(a) from shop.main.t);", Known: true, Level: normalize.LevelQualified, Facts: facts("shop.main.t")}}}
			},
			itself: true,
		},
		{
			name: "S10 a hard-coded table is unknown, also one that another model makes",
			build: func(w *world) {
				w.add("table model.shop.a")
				w.add("table model.shop.t")
				w.body("model.shop.t", "shop.main.a", "other.x.y")
			},
			want: "?table:other.x.y ?table:shop.main.a",
		},
		{
			name: "S10 a hard-coded table that is a source's relation is that source",
			build: func(w *world) {
				w.add("source source.shop.raw.e")
				w.add("table model.shop.t")
				w.body("model.shop.t", "shop.raw.e")
			},
			want: "shop.raw.e", direct: "shop.raw.e",
		},
		{
			name: "S10 DuckDB: one part and main.t may be hidden by a temporary table; a schema of the default catalog may not",
			build: func(w *world) {
				w.add("table model.shop.a")
				w.add("source source.shop.raw.e")
				w.add("table model.shop.t", "model.shop.a", "source.shop.raw.e")
				w.body("model.shop.t", "a", "main.a", "e", "raw.e", "temp.e")
			},
			want: "shop.main.a shop.raw.e ?table:a ?table:e ?table:main.a ?table:temp.e", direct: "shop.main.a shop.raw.e",
		},
		{
			name: "DuckDB: catalog.table is the catalog's schema main",
			build: func(w *world) {
				w.add("table model.shop.a")
				w.add("table model.shop.t", "model.shop.a")
				w.body("model.shop.t", "shop.a")
			},
			want: "shop.main.a", direct: "shop.main.a",
		},
		{
			name: "DuckDB: a.b that may be two known relations is unknown",
			build: func(w *world) {
				w.add("source source.shop.raw.e")
				w.add("source source.shop.raw2.e")
				w.sources["source.shop.raw2.e"].(map[string]any)["relation_name"] = `"raw"."main"."e"`
				w.add("table model.shop.t")
				w.body("model.shop.t", "raw.e")
			},
			want: "?table:raw.e",
		},
		{
			name: "names mean nothing certain after a hook that may change them",
			build: func(w *world) {
				w.add("source source.shop.raw.e")
				w.add("table model.shop.t", "source.shop.raw.e")
				w.body("model.shop.t", "raw.e", "shop.raw.e")
				w.hook("model.shop.t", "use other")
			},
			want: "shop.raw.e ?table:raw.e", direct: "shop.raw.e",
		},
		{
			name: "Databricks: names of fewer parts by the defaults", dialect: "databricks",
			build: func(w *world) {
				w.add("table model.shop.a")
				w.add("source source.shop.raw.e")
				w.add("table model.shop.t", "model.shop.a", "source.shop.raw.e")
				w.body("model.shop.t", "A", "raw.E", "x.y")
			},
			want: "shop.main.a shop.raw.e ?table:x.y", direct: "shop.main.a shop.raw.e",
		},
		{
			name: "Databricks: a temporary view of a pre-hook may hide a name of one part", dialect: "databricks",
			build: func(w *world) {
				w.add("table model.shop.a")
				w.add("table model.shop.t", "model.shop.a")
				w.body("model.shop.t", "a")
				w.hook("model.shop.t", "create temporary view a as select 1")
			},
			want: "shop.main.a ?table:a", direct: "shop.main.a",
		},
		{
			name: "Databricks: a relation that dbt prints with two parts", dialect: "databricks",
			build: func(w *world) {
				w.add("source source.shop.raw.e")
				w.sources["source.shop.raw.e"].(map[string]any)["relation_name"] = "`raw`.`e`"
				w.add("table model.shop.t", "source.shop.raw.e")
				w.body("model.shop.t", "raw.e")
			},
			want: "raw.e", direct: "raw.e",
		},
		{
			name: "paths and opaque inputs, Databricks", dialect: "databricks",
			build: func(w *world) {
				w.add("table model.shop.t")
				w.body("model.shop.t", "path:delta.`/X/y`", "path:parquet.`/z`", "opaque:read_files", "opaque:ops.latest")
			},
			want: "delta.`/X/y` ?opaque:ops.latest ?opaque:read_files ?path:parquet.`/z`",
		},
		{
			name: "paths, DuckDB",
			build: func(w *world) {
				w.add("table model.shop.t")
				w.body("model.shop.t", "path:'dir/x.csv'", "path:delta.`/x`")
			},
			want: "?path:'dir/x.csv' ?path:delta.`/x`",
		},
		{
			name: "S10 a source that is a file or a plugin's is what the SQL reads",
			build: func(w *world) {
				w.add(`source source.shop.raw.file meta={"external_location":"x.csv"}`)
				w.add(`source source.shop.raw.sheet meta={"plugin":"excel"}`)
				w.add(`source source.shop.raw.unread meta={"plugin":"excel"}`)
				w.add("table model.shop.t", "source.shop.raw.file", "source.shop.raw.sheet", "source.shop.raw.unread")
				w.body("model.shop.t", "path:'x.csv'", "shop.raw.sheet")
			},
			want: "?path:'x.csv' shop.raw.sheet", direct: "shop.raw.sheet",
		},
		{
			name: "S9 a view is expanded, at any depth; what it needs is the reader's",
			build: func(w *world) {
				w.add("source source.shop.raw.e")
				w.add("source source.shop.raw.f")
				w.add("view model.shop.v", "source.shop.raw.e")
				w.add("view model.shop.u", "model.shop.v", "source.shop.raw.f")
				w.add("table model.shop.t", "model.shop.u")
				w.body("model.shop.v", "shop.raw.e", "opaque:read_csv")
				w.body("model.shop.u", "shop.main.v", "shop.raw.f")
				w.body("model.shop.t", "shop.main.u")
			},
			want: "?opaque:read_csv shop.raw.e shop.raw.f", views: "shop.main.u shop.main.v", direct: "shop.main.u",
		},
		{
			name: "S9 a view without facts is unknown",
			build: func(w *world) {
				w.add("view model.shop.v")
				w.add("table model.shop.t", "model.shop.v")
				w.body("model.shop.t", "shop.main.v")
			},
			want: "?view:shop.main.v", views: "shop.main.v", direct: "shop.main.v",
		},
		{
			name: "S9 a view at level text is unknown",
			build: func(w *world) {
				w.add("view model.shop.v")
				w.add("table model.shop.t", "model.shop.v")
				w.body("model.shop.t", "shop.main.v")
				unknown := normalize.Unknown()
				w.facts["model.shop.v"] = Facts{Body: &unknown, Level: normalize.LevelText}
			},
			want: "?view:shop.main.v", views: "shop.main.v", direct: "shop.main.v",
		},
		{
			name: "S9 hooks of a view count for its readers",
			build: func(w *world) {
				w.add("source source.shop.raw.e")
				w.add("view model.shop.v")
				w.add("table model.shop.t", "model.shop.v")
				w.body("model.shop.v")
				w.hook("model.shop.v", "insert into log select * from shop.raw.e", "shop.raw.e", "always!stamp")
				w.body("model.shop.t", "shop.main.v")
			},
			want: "shop.raw.e volatile:always", views: "shop.main.v", direct: "shop.main.v",
		},
		{
			name: "views that read each other are unknown, not endless",
			build: func(w *world) {
				w.add("view model.shop.v", "model.shop.u")
				w.add("view model.shop.u", "model.shop.v")
				w.add("table model.shop.t", "model.shop.v")
				w.body("model.shop.v", "shop.main.u")
				w.body("model.shop.u", "shop.main.v")
				w.body("model.shop.t", "shop.main.v")
			},
			want: "?view:shop.main.v", views: "shop.main.u shop.main.v", direct: "shop.main.v",
		},
		{
			name: "a view that hard-codes its reader's table is unknown",
			build: func(w *world) {
				w.add("view model.shop.v")
				w.add("table model.shop.t", "model.shop.v")
				w.body("model.shop.v", "shop.main.t")
				w.body("model.shop.t", "shop.main.v")
			},
			want: "?table:shop.main.t", views: "shop.main.v", direct: "shop.main.v",
		},
		{
			name: "an ephemeral parent is inlined: its parents are the node's",
			build: func(w *world) {
				w.add("source source.shop.raw.e")
				w.add("view model.shop.v", "source.shop.raw.e")
				w.add("ephemeral model.shop.x", "model.shop.v")
				w.add("ephemeral model.shop.y", "model.shop.x", "model.shop.y")
				w.add("table model.shop.t", "model.shop.y")
				w.body("model.shop.v", "shop.raw.e")
				w.body("model.shop.t", "shop.main.v")
			},
			want: "shop.raw.e", views: "shop.main.v", direct: "shop.main.v",
		},
		{
			name: "S11 a test reads what it tests; its table of failures is nothing it reads",
			build: func(w *world) {
				w.add("table model.shop.a")
				w.add("test test.shop.q", "model.shop.a")
				w.body("test.shop.q", "shop.main.a", "always!deciding")
			},
			node: "test.shop.q", want: "shop.main.a volatile:always", direct: "shop.main.a",
		},
		{
			name: "a seed has no SQL; its hooks count",
			build: func(w *world) {
				w.add("seed seed.shop.t")
				w.hook("seed.shop.t", "insert into log select * from other.x.y", "other.x.y")
			},
			node: "seed.shop.t", want: "?table:other.x.y",
		},
		{
			name: "SQL that nobody has read is unknown",
			build: func(w *world) {
				w.add("table model.shop.t")
			},
			want: "?opaque:unparsed",
		},
		{
			name: "SQL at level text is unknown",
			build: func(w *world) {
				w.add("table model.shop.t")
				unknown := normalize.Unknown()
				w.facts["model.shop.t"] = Facts{Body: &unknown, Level: normalize.LevelText}
			},
			want: "?opaque:unparsed volatile:always",
		},
		{
			name: "S7 tables, paths and calls of hooks count, stamps too",
			build: func(w *world) {
				w.add("source source.shop.raw.e")
				w.add("table model.shop.t")
				w.body("model.shop.t")
				w.hook("model.shop.t", "insert into log select now() from shop.raw.e", "shop.raw.e", "date!stamp", "path:'x.csv'")
			},
			want: "?path:'x.csv' shop.raw.e volatile:date", direct: "shop.raw.e",
		},
		{
			name: "S7 opaque inputs of a hook",
			build: func(w *world) {
				w.add("table model.shop.t")
				w.body("model.shop.t")
				w.hook("model.shop.t", "insert into log select * from f()", "opaque:f")
			},
			want: "?hooks:model.shop.t ?opaque:f", hooks: true,
		},
		{
			name: "S7 harmless hooks are not looked at, whatever the grammar makes of them",
			build: func(w *world) {
				w.add("view model.shop.v")
				w.body("model.shop.v")
				unknown := normalize.Unknown()
				w.facts["model.shop.v"] = Facts{Body: &normalize.Facts{}, Level: normalize.LevelQualified, Hooks: []HookFacts{
					{SQL: "grant select on v to `x`", Known: true, Level: normalize.LevelText, Facts: unknown}}}
			},
			node: "model.shop.v",
		},
		{
			name: "S7 a hook that could not be rendered",
			build: func(w *world) {
				w.add("table model.shop.t")
				w.facts["model.shop.t"] = Facts{Body: &normalize.Facts{}, Level: normalize.LevelQualified, Hooks: []HookFacts{{}}}
			},
			want: "?hooks:model.shop.t", hooks: true,
		},
		{
			name: "S7 a hook that does not parse",
			build: func(w *world) {
				w.add("table model.shop.t")
				w.facts["model.shop.t"] = Facts{Body: &normalize.Facts{}, Level: normalize.LevelQualified, Hooks: []HookFacts{
					{SQL: "do x", Known: true, Level: normalize.LevelText, Facts: normalize.Unknown()}}}
			},
			want: "?hooks:model.shop.t ?opaque:unparsed volatile:always", hooks: true,
		},
		{
			name: "S7 a view with a hook that reads something builds",
			build: func(w *world) {
				w.add("source source.shop.raw.e")
				w.add("view model.shop.v", "source.shop.raw.e")
				w.body("model.shop.v", "shop.raw.e")
				w.hook("model.shop.v", "insert into log select * from shop.raw.e", "shop.raw.e")
			},
			node: "model.shop.v", want: "shop.raw.e", direct: "shop.raw.e", hooks: true,
		},
		{
			name: "S7 a view with a hook of constants does not",
			build: func(w *world) {
				w.add("view model.shop.v")
				w.body("model.shop.v")
				w.hook("model.shop.v", "insert into log values (1)")
			},
			node: "model.shop.v",
		},
		{
			name: "S7 a view with a volatile call in a hook does",
			build: func(w *world) {
				w.add("view model.shop.v")
				w.body("model.shop.v")
				w.hook("model.shop.v", "insert into log values (now())", "always!stamp")
			},
			node: "model.shop.v", want: "volatile:always", hooks: true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dialect, id := c.dialect, c.node
			if dialect == "" {
				dialect = "duckdb"
			}
			if id == "" {
				id = "model.shop.t"
			}
			w := newWorld(t, dialect)
			c.build(w)
			got := w.of(id)
			sorted := func(s string) []string { return slices.Sorted(strings.FieldsSeq(s)) }
			if !reflect.DeepEqual(sorted(names(got.Upstreams)), sorted(c.want)) {
				t.Errorf("upstreams: %s\nwant:      %s", names(got.Upstreams), c.want)
			}
			if viewNames(got.Views) != c.views {
				t.Errorf("views: %s, want %s", viewNames(got.Views), c.views)
			}
			if names(got.Direct) != c.direct {
				t.Errorf("direct: %s, want %s", names(got.Direct), c.direct)
			}
			if got.ReadsItself != c.itself || got.HooksUnknown != c.hooks {
				t.Errorf("reads itself %v, hooks unknown %v", got.ReadsItself, got.HooksUnknown)
			}
			for _, u := range got.Upstreams {
				if u.Kind == Unknown && u.Why == "" && !strings.HasPrefix(u.Name, "volatile") {
					t.Errorf("%s does not say why", u.Name)
				}
				if u.Kind == Table && project.Key(u.Parts) != u.Name {
					t.Errorf("%s has the parts %q", u.Name, u.Parts)
				}
			}
		})
	}
}

// evaluate_volatile_sql (spec 9.1) is the reader's; through a view and from a hook every call decides.
func TestVolatile(t *testing.T) {
	for setting, want := range map[string]string{
		`"auto"`: "volatile:always volatile:date",
		`true`:   "volatile:always volatile:date volatile:session",
		`false`:  "",
	} {
		w := newWorld(t, "duckdb")
		w.add("view model.shop.v")
		w.add(`table model.shop.t state={"evaluate_volatile_sql":`+setting+`}`, "model.shop.v")
		w.body("model.shop.v", "date!stamp")
		w.body("model.shop.t", "shop.main.v", "session!stamp", "always!deciding")
		if got := names(w.of("model.shop.t").Upstreams); got != want {
			t.Errorf("%s: %q, want %q", setting, got, want)
		}
	}
	// One call of a kind that decides is enough.
	w := newWorld(t, "duckdb")
	w.add("table model.shop.t")
	w.body("model.shop.t", "date!deciding", "date!stamp")
	if got := names(w.of("model.shop.t").Upstreams); got != "volatile:date" {
		t.Errorf("got %q", got)
	}
}

// S6, S9: a deferred parent is the relation that is really read. Under which name shows the SQL; where it shows neither, both count.
func TestDeferred(t *testing.T) {
	for _, c := range []struct {
		reads, want, views string
		read               map[string]string
	}{
		{"prod.main.v", "prod.main.v", "", map[string]string{"model.shop.v": "prod.main.v"}},
		{"shop.main.v", "shop.raw.e", "shop.main.v", nil},
		{"", "prod.main.v shop.raw.e", "shop.main.v", map[string]string{"model.shop.v": "prod.main.v"}},
		{"shop.main.v prod.main.v", "prod.main.v shop.raw.e", "shop.main.v", map[string]string{"model.shop.v": "prod.main.v"}},
	} {
		w := newWorld(t, "duckdb")
		w.options.Deferred = map[string]string{"model.shop.v": `"prod"."main"."V"`}
		w.add("source source.shop.raw.e")
		w.add("view model.shop.v", "source.shop.raw.e")
		w.add("table model.shop.t", "model.shop.v")
		w.body("model.shop.v", "shop.raw.e")
		w.body("model.shop.t", strings.Fields(c.reads)...)
		got := w.of("model.shop.t")
		if names(got.Upstreams) != c.want || viewNames(got.Views) != c.views || !reflect.DeepEqual(got.Read, c.read) {
			t.Errorf("%q reads %s through %s, in place of parents %v", c.reads, names(got.Upstreams), viewNames(got.Views), got.Read)
		}
	}
	for _, printed := range []string{"read_csv('x')", ""} {
		w := newWorld(t, "duckdb")
		w.options.Deferred = map[string]string{"model.shop.a": printed}
		w.add("table model.shop.a")
		w.add("table model.shop.t", "model.shop.a")
		w.body("model.shop.t", "shop.main.a")
		if got := w.of("model.shop.t").Upstreams; len(got) != 1 || got[0].Kind != Unknown {
			t.Errorf("deferred to %q: %s", printed, names(got))
		}
	}
}

// A view is asked for once a run, until told otherwise, and only where something reads it.
func TestMemo(t *testing.T) {
	w := newWorld(t, "duckdb")
	w.add("source source.shop.raw.e")
	w.add("view model.shop.v", "source.shop.raw.e")
	w.add("table model.shop.a", "model.shop.v")
	w.add("table model.shop.b", "model.shop.v")
	w.body("model.shop.v", "shop.raw.e")
	w.body("model.shop.a", "shop.main.v")
	w.body("model.shop.b", "shop.main.v")
	r := w.resolver()
	var wg sync.WaitGroup
	for _, id := range []string{"model.shop.a", "model.shop.b", "model.shop.a", "source.shop.raw.e"} {
		wg.Go(func() { r.Of(r.p.Nodes[id], w.facts[id]) })
	}
	wg.Wait()
	if !reflect.DeepEqual(w.asked, []string{"model.shop.v"}) {
		t.Errorf("asked for %q", w.asked)
	}
	w.body("model.shop.v", "other.x.y")
	r.Forget()
	if got := names(r.Of(r.p.Nodes["model.shop.a"], w.facts["model.shop.a"]).Upstreams); got != "shop.raw.e ?table:other.x.y" {
		t.Errorf("after Forget it reads %s", got)
	}
}

// S18: what a view names itself beside tables and views of the manifest has columns too.
func TestS18Others(t *testing.T) {
	w := newWorld(t, "databricks")
	w.add("source source.shop.raw.e")
	w.add("materialized_view model.shop.m")
	w.add("function function.shop.f")
	w.add("view model.shop.v", "source.shop.raw.e", "model.shop.m", "function.shop.f")
	w.body("model.shop.v", "shop.raw.e", "shop.main.m", "shop.main.hard", "short", "path:delta.`/x`", "path:csv.`/y`", "opaque:read_files")
	got := w.of("model.shop.v")
	if names(got.Direct) != "shop.raw.e" {
		t.Errorf("direct: %s", names(got.Direct))
	}
	parts := map[string]string{}
	for _, u := range got.Others {
		parts[u.Name] = strings.Join(u.Parts, ".")
	}
	want := map[string]string{
		"delta.`/x`": "", "path:csv.`/y`": "", "opaque:read_files": "", "table:shop.main.hard": "shop.main.hard", "table:short": "short",
		"node:model.shop.m": "shop.main.m", "node:function.shop.f": "shop.main.f",
	}
	if !reflect.DeepEqual(parts, want) {
		t.Errorf("others: %v\nwant:   %v", parts, want)
	}
}
