//go:build cgo

package state

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hodor/executor"
)

func text(s string) *string { return &s }

// S28: what is below a node that is built and may write elsewhere, writes at compile time or is out of scope is planned BUILD; and on DuckDB nothing
// read after such a run is trusted for a record.
func TestS28(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(n *node)
	}{
		{"a hook that writes elsewhere", func(n *node) { n.hooks = []string{"insert into w.main.audit values (1)"} }},
		{"SQL at compile time", func(n *node) { n.sql = "select 3 as x -- {{ run_query('delete from x') }}" }},
		{"out of scope", func(n *node) { n.materialized = "my_own" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := shop(t)
			w.exec("create table w.main.audit (x int)")
			w.add("model.shop.side", "table", "select 1 as x")
			w.add("model.shop.below", "table", "select 2 as x -- "+"reads side only in depends_on", "model.shop.side")
			w.good(w.options("run"))
			w.good(w.options("run"))
			if len(w.built) > 0 {
				t.Fatalf("not settled: %v", w.built)
			}
			c.change(w.nodes["model.shop.side"])
			r := w.good(w.options("run"))
			w.expectBuilt("side below")
			for _, n := range r.NotRecorded {
				if n.ID == "model.shop.below" && strings.Contains(n.Why, "model.shop.side") {
					return
				}
			}
			t.Errorf("recorded %v, not recorded %v", r.Recorded, r.NotRecorded)
		})
	}
	t.Run("an on-run-end hook", func(t *testing.T) {
		w := shop(t)
		w.endHooks = []*string{text("insert into w.main.raw values (9, 9)")}
		if r := w.good(w.options("run")); len(r.Recorded) != 0 || len(r.NotRecorded) != 3 || r.Outcome != NothingSucceeded {
			t.Errorf("recorded %v, not recorded %v", r.Recorded, r.NotRecorded)
		}
		w.endHooks = []*string{text("grant select on w.main.raw to x"), text("select 1")}
		if r := w.good(w.options("run")); len(r.Recorded) != 3 {
			t.Errorf("harmless hooks: recorded %v, not recorded %v", r.Recorded, r.NotRecorded)
		}
	})
}

// S28, S2: on DuckDB a build whose hook may write elsewhere leaves no record of its end, so that of its beginning takes it the history that it had. A plan
// alone begins nothing, and a run is not overtaken by its own records.
func TestS28Begun(t *testing.T) {
	w := shop(t)
	w.exec("create table w.main.audit (x int)")
	hooked := w.add("model.shop.side", "table", "select 1 as x")
	w.good(w.options("run"))
	hooked.hooks = []string{"insert into w.main.audit values (1)"}
	for _, dry := range []bool{true, false} {
		o := w.options("run")
		o.DryRun = dry
		r := w.good(o)
		if got := reasons(r.Plan)["side"]; got != "build config_changed" {
			t.Fatalf("with the hook: %s", got)
		}
	}
	hooked.hooks = nil // as it was, and so is its own table
	if r := w.good(w.options("run")); reasons(r.Plan)["side"] != "build no_history" {
		t.Errorf("without it again: %v", reasons(r.Plan))
	}
	if r := w.good(w.options("run")); r.Outcome != NothingToDo {
		t.Errorf("again: %v", reasons(r.Plan))
	}
}

// Hooks at the start of a run have not run when the plan is made.
func TestRunStartHooks(t *testing.T) {
	for _, c := range []struct {
		name  string
		hook  *string
		built string
	}{
		{"creates a schema", text("create schema if not exists x"), ""},
		{"writes a table that nothing reads", text("insert into w.main.audit values (1)"), ""},
		{"fills what the project reads", text("insert into w.main.raw values (1, 1)"), "orders daily"},
		{"by a short name", text("delete from main.raw"), "orders daily"},
		{"may write anything", text("call something()"), "stg orders daily"}, // and may change the session
		{"can't be rendered", nil, "stg orders daily"},
		{"changes the session", text("set TimeZone = 'Asia/Tokyo'"), "stg orders daily"}, // config_changed
	} {
		t.Run(c.name, func(t *testing.T) {
			w := shop(t)
			w.good(w.options("run"))
			w.startHooks = []*string{c.hook}
			o := w.options("run")
			o.DryRun = true
			r := w.good(o)
			var got []string
			for _, n := range r.Plan.Build {
				got = append(got, n.Name)
			}
			if g := strings.Join(got, " "); g != c.built {
				t.Errorf("plans %q, want %q (%v)", g, c.built, reasons(r.Plan))
			}
		})
	}
	w := shop(t)
	w.startHooks = []*string{text("set TimeZone = 'Asia/Tokyo'")}
	w.good(w.options("run"))
	if r := w.good(w.options("run")); r.Outcome != NothingToDo {
		t.Errorf("the same hook twice: %v", reasons(r.Plan))
	}
	w.startHooks = []*string{text("set TimeZone = 'Europe/Rome'")}
	w.good(w.options("run"))
	w.expectBuilt("stg orders daily")
}

// Row 15: a full_refresh config builds without the flag; the flag builds everything.
func TestRow15FullRefresh(t *testing.T) {
	w := shop(t)
	w.good(w.options("run"))
	w.nodes["model.shop.daily"].config["full_refresh"] = true
	w.good(w.options("run"))
	r := w.good(w.options("run"))
	w.expectBuilt("daily")
	if got := reasons(r.Plan)["daily"]; got != "build full_refresh" {
		t.Error(got)
	}
	o := w.options("run")
	o.FullRefresh = true
	w.nodes["model.shop.daily"].config["full_refresh"] = false
	r = w.good(o)
	w.expectBuilt("stg orders daily")
	if got := reasons(r.Plan)["daily"]; got != "build full_refresh" {
		t.Error(got)
	}
}

// Row 12: what is left of a run is worked out anew: nothing is retried that was built, and what failed or was skipped is.
func TestRow12Rest(t *testing.T) {
	w := shop(t)
	w.add("model.shop.side", "table", "select 1 as x")
	w.fails["model.shop.orders"] = "error"
	_, err := w.run(w.options("run"))
	if code(err) != NotSucceeded {
		t.Fatal(err)
	}
	for range 2 {
		_, err = w.run(w.options("run"))
		if code(err) != NotSucceeded || len(w.built) != 0 {
			t.Fatalf("%v, built %v", err, w.built)
		}
	}
	delete(w.fails, "model.shop.orders")
	w.good(w.options("run"))
	w.expectBuilt("orders daily")
}

func TestNarrowing(t *testing.T) {
	make := func() *world {
		w := shop(t)
		w.exec("create table w.main.csv as select 1 as x")
		w.add("snapshot.shop.snap", "snapshot", "select id, amount from w.main.raw", "source.shop.raw")
		w.nodes["snapshot.shop.snap"].config["strategy"] = "check"
		w.add("model.shop.hist", "table", "select * from w.main.snap", "snapshot.shop.snap")
		w.add("snapshot.shop.alone", "snapshot", "select id from w.main.raw", "source.shop.raw")
		w.nodes["snapshot.shop.alone"].config["strategy"] = "check"
		return w
	}
	for _, c := range []struct {
		name, command string
		change        func(o *Options)
		built, left   string
	}{
		{"run takes the snapshots that it needs", "run", func(*Options) {}, "stg orders daily snap hist", "alone"},
		{"build takes all", "build", func(*Options) {}, "stg orders daily snap hist alone", ""},
		{"snapshot takes no models", "snapshot", func(*Options) {}, "snap alone", "stg orders daily hist"},
		{"exclude", "build", func(o *Options) { o.Exclude = []string{"orders", "model.shop.hist"} }, "stg daily snap alone", "orders hist"},
		{"select", "build", func(o *Options) { o.Select = []string{"stg"} }, "stg", "orders daily snap hist alone"},
		{"types", "build", func(o *Options) { o.ResourceTypes = []string{"snapshot"} }, "snap alone", "stg orders daily hist"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := make()
			o := w.options(c.command)
			o.DryRun = true
			c.change(o)
			r := w.good(o)
			got := map[string]bool{}
			for _, n := range r.Plan.Build {
				got[n.ID] = true
			}
			left := map[string]bool{}
			for _, l := range r.LeftOut {
				left[l.ID] = true
				if l.Why == "" || l.Reason == "" {
					t.Errorf("%+v says nothing", l)
				}
			}
			if g, want := strings.Join(keysOf(got), " "), sorted(c.built); g != want {
				t.Errorf("builds %q, want %q", g, want)
			}
			if g, want := strings.Join(keysOf(left), " "), sorted(c.left); g != want {
				t.Errorf("leaves out %q, want %q", g, want)
			}
		})
	}
	// What is left out stays to build, and what reads it is recorded with what it read.
	w := shop(t)
	w.good(w.options("run"))
	w.exec("insert into w.main.raw values (3, 30)")
	o := w.options("run")
	o.Exclude = []string{"orders"}
	r := w.good(o)
	w.expectBuilt("daily")
	if len(r.Recorded) != 1 {
		t.Errorf("recorded %v, not recorded %v", r.Recorded, r.NotRecorded)
	}
	w.good(w.options("run"))
	w.expectBuilt("orders daily")
}

func sorted(words string) string {
	m := map[string]bool{}
	for _, word := range strings.Fields(words) {
		m["x."+word] = true
	}
	return strings.Join(keysOf(m), " ")
}

// S30: a saved plan runs only while it is the plan that would be made now.
func TestS30SavedPlan(t *testing.T) {
	for _, c := range []struct {
		name string
		move func(w *world)
		text string // of the refusal; "" if it runs
	}{
		{"nothing moved", func(*world) {}, ""},
		{"a comment", func(w *world) { w.nodes["model.shop.stg"].sql += " -- x" }, ""},
		{"data of a source", func(w *world) { w.exec("insert into w.main.raw values (8, 8)") }, "the data of w.main.raw"},
		{"code", func(w *world) { w.nodes["model.shop.daily"].sql = "select 7 as amount from w.main.orders" }, "the code or configuration of model.shop.daily"},
		{"configuration", func(w *world) { w.nodes["model.shop.daily"].config["grants"] = map[string]any{"select": "x"} }, "the code or configuration of model.shop.daily"},
		{"a new node", func(w *world) { w.add("model.shop.new", "table", "select 1 as x") }, "model.shop.new is new"},
		{"the head", func(w *world) { w.good(w.options("run")) }, "generation"},
		{"a view", func(w *world) { w.exec("create or replace view w.main.stg as select 1 as id, 2 as amount") }, "the definition of w.main.stg"},
		{"a target", func(w *world) { w.exec("delete from w.main.daily") }, "the data of w.main.daily"},
		{"the session", func(w *world) { w.exec("set global default_null_order = 'nulls_first'") }, "the session's settings"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := shop(t)
			w.good(w.options("run"))
			w.exec("insert into w.main.raw values (3, 30)")
			plan := w.options("compile")
			made := w.good(plan)
			raw, err := made.Plan.Save()
			must(t, err)
			saved, err := LoadPlan(raw)
			must(t, err)
			c.move(w)
			o := w.options("run")
			o.Saved = saved
			r, err := w.run(o)
			if c.text == "" {
				must(t, err)
				if len(r.Recorded) != 2 {
					t.Errorf("recorded %v", r.Recorded)
				}
				return
			}
			if code(err) != PlanStale || !strings.Contains(err.Error(), c.text) || len(w.built) != 0 {
				t.Errorf("%v, built %v; want a refusal with %q", err, w.built, c.text)
			}
		})
	}
	if _, err := LoadPlan([]byte(`{"schema_version": 9}`)); code(err) != RequestRefused {
		t.Errorf("another version: %v", err)
	}
}

// A measurement of the sources may only turn known into unknown.
func TestSources(t *testing.T) {
	source := "source.shop.raw"
	for _, c := range []struct {
		name     string
		measured map[string]string
		asks     bool
		built    string
	}{
		{"passes", map[string]string{source: "pass"}, true, ""},
		{"stale", map[string]string{source: "error"}, true, "orders daily"},
		{"nearly stale", map[string]string{source: "warn"}, true, "orders daily"},
		{"failed", map[string]string{source: "runtime error"}, true, "orders daily"},
		{"missing, and asked for", map[string]string{}, true, "orders daily"},
		{"missing, and has no limit", map[string]string{}, false, ""},
		{"no measurement", nil, true, "orders daily"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := shop(t)
			w.good(w.options("run"))
			w.measured = c.measured
			if c.asks {
				w.nodes[source].config["freshness"] = map[string]any{"error_after": map[string]any{"count": 1, "period": "day"}}
			}
			o := w.options("run")
			o.MeasureSources = true
			w.good(o)
			w.expectBuilt(c.built)
		})
	}
	// A file that was left behind is not read; one that is named is.
	w := shop(t)
	w.good(w.options("run"))
	stale := `{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/sources/v3.json"}, "results": [{"unique_id": "source.shop.raw", "status": "error"}]}`
	path := filepath.Join(w.dir, "target", "sources.json")
	must(t, os.WriteFile(path, []byte(stale), 0o644))
	w.good(w.options("run"))
	w.expectBuilt("")
	o := w.options("run")
	o.NoCompile, o.SourcesFile = true, path
	w.good(o)
	w.expectBuilt("orders daily")
	o.MeasureSources = true
	if _, err := w.run(o); code(err) != RequestRefused {
		t.Errorf("measuring without compiling: %v", err)
	}
	o = w.options("run")
	o.SourcesFile = filepath.Join(w.dir, "none.json")
	if _, err := w.run(o); code(err) != RequestRefused {
		t.Errorf("a measurement that is not there: %v", err)
	}
}

// A source without a version of its own takes the time of its last load, if that is trusted.
func TestTrustLoadedAt(t *testing.T) {
	w := newWorld(t)
	w.exec("create view w.main.foreign_view as select 1 as x")
	w.add("source.shop.foreign_view", "", "")
	w.add("model.shop.reader", "table", "select x from w.main.foreign_view", "source.shop.foreign_view")
	w.measured = map[string]string{"source.shop.foreign_view": "pass"}
	w.good(w.options("run"))
	w.good(w.options("run"))
	w.expectBuilt("reader")
	o := w.options("run")
	o.MeasureSources, o.TrustLoadedAt = true, true
	w.good(o)
	w.expectBuilt("reader")
	w.good(o)
	w.expectBuilt("")
	o.TrustLoadedAt = false
	w.good(o)
	w.expectBuilt("reader")
}

// Unit tests never vouch for a node (S29), and a node without tests is never tested.
func TestS29Tested(t *testing.T) {
	w := shop(t)
	w.add("unit_test.shop.daily.u", "unit", "", "model.shop.daily")
	w.good(w.options("build"))
	r := w.good(w.options("compile"))
	tested := map[string]bool{}
	for _, n := range r.Plan.Nodes {
		tested[short(n.ID)] = n.Tested
	}
	if !tested["orders"] || tested["daily"] || tested["stg"] {
		t.Errorf("tested: %v", tested)
	}
	// A test whose outcome would not be replayed any more makes its node untested.
	w.exec("insert into w.main.orders values (7, 7)")
	r = w.good(w.options("compile"))
	for _, n := range r.Plan.Nodes {
		if n.Tested {
			t.Errorf("%s is tested though its table was changed", n.ID)
		}
	}
}

// A plan from a manifest without compiled SQL builds what it does not know.
func TestNoCompile(t *testing.T) {
	w := shop(t)
	w.good(w.options("run"))
	o := w.options("run")
	o.NoCompile = true
	w.good(o)
	w.expectBuilt("")
	w.manifest("target", "only one compiled", map[string]bool{"model.shop.stg": true, "model.shop.orders": true})
	r := w.good(o)
	w.expectBuilt("daily")
	if len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0], "not compiled") {
		t.Errorf("warnings %q", r.Warnings)
	}
	must(t, os.Remove(o.Manifest))
	if _, err := w.run(o); code(err) != ManifestUnreadable {
		t.Errorf("no manifest: %v", err)
	}
	must(t, os.WriteFile(o.Manifest, []byte(`{"metadata": {"inv`), 0o644))
	if _, err := w.run(o); code(err) != ManifestUnreadable {
		t.Errorf("half a manifest: %v", err)
	}
}

// What the executor can't do has a code of its own, and nothing is recorded.
func TestEngineErrors(t *testing.T) {
	w := shop(t)
	for _, c := range []struct {
		err  *executor.Error
		code Code
	}{
		{&executor.Error{Code: executor.NotPrepared, Text: "does not compile"}, NotCompiled},
		{&executor.Error{Code: executor.NotStarted, Text: "no dbt"}, EngineMissing},
		{executor.Refusal("", "no"), RequestRefused},
	} {
		w.breakPrepare = c.err
		if _, err := w.run(w.options("run")); code(err) != c.code || !errors.Is(err, error(c.err)) {
			t.Errorf("%v becomes %v", c.err, err)
		}
	}
	w.breakPrepare = nil
	o := w.options("run")
	o.Executor = broken{w}
	r, err := w.run(o)
	if code(err) != OutcomeUnknown || r == nil || r.Outcome != RecordingFailed || r.Execution == nil {
		t.Errorf("an unreadable outcome: %v, %+v", err, r)
	}
	if _, err := w.run(&Options{
		Command: "run", Executor: w, OpenStore: w.openStore, StartOutside: func(context.Context) (Outside, error) { return nil, errors.New("no Python") },
	}); code(err) != WarehouseUnavailable {
		t.Errorf("no Python: %v", err)
	}
	w.good(w.options("run"))
	w.expectBuilt("stg orders daily")
}

// broken runs, and leaves nothing that can be read.
type broken struct{ *world }

func (b broken) Execute(ctx context.Context, req executor.ExecutionRequest, sink executor.Sink) (executor.ExecutionReport, error) {
	r, _ := b.world.Execute(ctx, req, sink)
	return executor.ExecutionReport{}, &executor.Error{Code: executor.Unreadable, Text: "dbt was killed", Partial: &r}
}

// An interrupt: what finished is recorded, the rest is not.
func TestInterrupted(t *testing.T) {
	w := shop(t)
	ctx, cancel := context.WithCancel(context.Background())
	w.adjust = func(r *executor.ExecutionReport) {
		cancel()
		r.Nodes[2].Status, r.Interrupted, r.Succeeded = executor.Skipped, true, false
	}
	r, err := w.options("run").Run(ctx)
	if code(err) != Interrupted || strings.Join(r.Recorded, " ") != "model.shop.orders model.shop.stg" {
		t.Fatalf("%v, recorded %v, not recorded %v", err, r.Recorded, r.NotRecorded)
	}
	w.adjust = nil
	if _, err := w.options("run").Run(ctx); code(err) != Interrupted {
		t.Errorf("stopped while it was planned: %v", err)
	}
	w.breakPrepare = &executor.Error{Code: executor.NotPrepared, Text: "stopped"}
	if _, err := w.options("run").Run(ctx); code(err) != Interrupted {
		t.Errorf("stopped while it compiled: %v", err)
	}
	w.breakPrepare = nil
	w.good(w.options("run"))
	w.expectBuilt("daily")
}

// The project changes while dbt runs: what dbt saw of it is not known.
func TestChangedMeanwhile(t *testing.T) {
	w := shop(t)
	w.between = func() { w.vars = "other" }
	if r, err := w.run(w.options("run")); code(err) != NotRecorded || r.Outcome != RecordingFailed {
		t.Errorf("other variables: %v", err)
	}
	w = shop(t)
	w.rendered = "comment on table w.main.orders is 'a'"
	w.nodes["model.shop.orders"].hooks = []string{"{{ some_macro() }}"}
	w.between = func() { w.rendered = "comment on table w.main.orders is 'b'" }
	r := w.good(w.options("run"))
	if len(r.NotRecorded) != 1 || r.NotRecorded[0].ID != "model.shop.orders" || !strings.Contains(r.NotRecorded[0].Why, "hooks") {
		t.Errorf("recorded %v, not recorded %v", r.Recorded, r.NotRecorded)
	}
	w.between = nil
	w.good(w.options("run"))
	if r = w.good(w.options("run")); r.Outcome != NothingToDo {
		t.Errorf("hooks that stand: %v", reasons(r.Plan))
	}
}

// What was built unrequested is not recorded, and on DuckDB nothing else of that run either.
func TestUnrequested(t *testing.T) {
	w := shop(t)
	w.adjust = func(r *executor.ExecutionReport) { r.Unrequested = []string{"model.shop.daily"} }
	o := w.options("run")
	o.Exclude = []string{"daily"}
	if r := w.good(o); len(r.Recorded) != 0 || len(r.NotRecorded) != 2 {
		t.Errorf("recorded %v, not recorded %v", r.Recorded, r.NotRecorded)
	}
}

// A node that reads what was built beside it is not recorded: which version it saw is not known.
func TestBuiltAtTheSameTime(t *testing.T) {
	w := shop(t)
	w.adjust = func(r *executor.ExecutionReport) { r.Nodes[1].FinishedAt = r.Nodes[2].FinishedAt }
	r := w.good(w.options("run"))
	if strings.Join(r.Recorded, " ") != "model.shop.orders model.shop.stg" || len(r.NotRecorded) != 1 || !strings.Contains(r.NotRecorded[0].Why, "at the same time") {
		t.Errorf("recorded %v, not recorded %v", r.Recorded, r.NotRecorded)
	}
}

// The plan's document has the keys of docs/schemas/plan.json, and no other.
func TestPlanSchema(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "docs", "schemas", "plan.json"))
	must(t, err)
	var schema map[string]any
	must(t, json.Unmarshal(raw, &schema))
	w := shop(t)
	w.good(w.options("run"))
	w.exec("insert into w.main.raw values (3, 30)")
	o := w.options("compile")
	o.Exclude = []string{"daily"}
	doc, err := w.good(o).Plan.Save()
	must(t, err)
	var plan any
	must(t, json.Unmarshal(doc, &plan))
	conforms(t, "plan", schema, schema, plan)
}

// conforms checks the part of JSON Schema that the plan's uses: type, enum, properties, required, additionalProperties, items, $ref.
func conforms(t *testing.T, path string, root, schema map[string]any, v any) {
	t.Helper()
	if ref, ok := schema["$ref"].(string); ok {
		schema = root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	kind := map[bool]string{}
	switch v := v.(type) {
	case map[string]any:
		kind[true] = "object"
		properties, _ := schema["properties"].(map[string]any)
		for key, value := range v {
			if p, ok := properties[key].(map[string]any); ok {
				conforms(t, path+"."+key, root, p, value)
			} else if more, ok := schema["additionalProperties"].(map[string]any); ok {
				conforms(t, path+"."+key, root, more, value)
			} else {
				t.Errorf("%s.%s is not in the schema", path, key)
			}
		}
		required, _ := schema["required"].([]any)
		for _, key := range required {
			if _, ok := v[key.(string)]; !ok {
				t.Errorf("%s lacks %s", path, key)
			}
		}
	case []any:
		kind[true] = "array"
		for _, item := range v {
			conforms(t, path+"[]", root, schema["items"].(map[string]any), item)
		}
	case string:
		kind[true] = "string"
	case bool:
		kind[true] = "boolean"
	case float64:
		kind[true] = "integer"
	}
	if schema["type"] != kind[true] {
		t.Errorf("%s is %s, the schema says %v", path, kind[true], schema["type"])
	}
	if enum, ok := schema["enum"].([]any); ok {
		found := false
		for _, e := range enum {
			found = found || e == v
		}
		if !found {
			t.Errorf("%s is %v, not one of %v", path, v, enum)
		}
	}
}
