//go:build cgo

package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"

	"hodor/executor"
	"hodor/session"
	"hodor/stores"
	"hodor/stores/memory"
	"hodor/warehouse"
	"hodor/warehouse/warehousetest"
)

// world is a project on a real DuckDB, without dbt: its executor runs the nodes' SQL itself and leaves the artifacts that dbt would, and its Outside
// answers what the Python process would.
type world struct {
	t     testing.TB
	dir   string
	db    *sql.DB
	store stores.Store
	nodes map[string]*node
	order []string // topological
	// Hooks of a run, as text; nil can't be rendered.
	startHooks, endHooks []*string
	measured             map[string]string // source id to status, written by Prepare
	breakPrepare         error
	rendered             string // what every hook with Jinja renders to
	vars                 string // a hash over all variables; "" is some constant
	// before is called when the executor begins to build, between when all nodes are built and before it returns.
	before, between func()
	// beside: two runs are under way, so one may hold the warehouse while the other's dbt runs.
	beside bool
	fails  map[string]string // status of the next builds
	adjust func(*executor.ExecutionReport)

	mu       sync.Mutex
	open     int
	runs     int
	built    []string
	tests    []string
	storeErr error
}

// node is a model, seed, snapshot, source or test. sql names relations as w.main.x.
type node struct {
	id, materialized, sql string
	parents               []string
	config                map[string]any
	hooks                 []string
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), store: &memory.Store{}, nodes: map[string]*node{}, fails: map[string]string{}}
	db, err := sql.Open("duckdb", filepath.Join(w.dir, "w.duckdb"))
	must(t, err)
	w.db = db
	t.Cleanup(func() { db.Close() })
	return w
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) exec(statement string) {
	w.t.Helper()
	if _, err := w.db.Exec(statement); err != nil {
		w.t.Fatalf("%s: %v", statement, err)
	}
}

func (w *world) add(id, materialized, sql string, parents ...string) *node {
	n := &node{id: id, materialized: materialized, sql: sql, parents: parents, config: map[string]any{"state": map[string]any{"lag_tolerance": "0s"}}}
	if _, again := w.nodes[id]; !again {
		w.order = append(w.order, id)
	}
	w.nodes[id] = n
	return n
}

func short(id string) string { return id[strings.LastIndexByte(id, '.')+1:] }

func kindOf(id string) string { kind, _, _ := strings.Cut(id, "."); return kind }

// manifest writes a manifest.json into a folder as one invocation would; compiled names the nodes whose SQL it has (nil: all).
func (w *world) manifest(folder, invocation string, compiled map[string]bool) string {
	nodes, sources, units := map[string]any{}, map[string]any{}, map[string]any{}
	for _, n := range w.nodes {
		config := map[string]any{"materialized": n.materialized, "enabled": true}
		for k, v := range n.config {
			config[k] = v
		}
		var hooks []map[string]any
		for _, h := range n.hooks {
			hooks = append(hooks, map[string]any{"sql": h, "transaction": true})
		}
		if hooks != nil {
			config["post-hook"] = hooks
		}
		e := map[string]any{
			"name": short(n.id), "resource_type": kindOf(n.id), "package_name": "shop", "language": "sql", "raw_code": n.sql, "database": "w", "schema": "main",
			"alias": short(n.id), "identifier": short(n.id), "config": config, "depends_on": map[string]any{"nodes": n.parents, "macros": []string{}},
			"original_file_path": "models/" + short(n.id) + ".sql", "root_path": w.dir, "source_name": "raw", "fqn": []string{"shop", short(n.id)},
		}
		if f := n.config["freshness"]; f != nil {
			e["freshness"] = f
		}
		if kindOf(n.id) != "test" {
			e["relation_name"] = `"w"."main"."` + short(n.id) + `"`
		}
		if kindOf(n.id) != "source" && (compiled == nil || compiled[n.id]) {
			e["compiled"], e["compiled_code"] = true, n.sql
		}
		switch kindOf(n.id) {
		case "source":
			sources[n.id] = e
		case "unit_test":
			units[n.id] = e
		default:
			nodes[n.id] = e
		}
	}
	raw, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"invocation_id": invocation, "project_name": "shop", "adapter_type": "duckdb", "dbt_version": "1.12.5"},
		"nodes":    nodes, "sources": sources, "unit_tests": units, "macros": map[string]any{},
	})
	must(w.t, err)
	must(w.t, os.MkdirAll(filepath.Join(w.dir, folder), 0o755))
	path := filepath.Join(w.dir, folder, "manifest.json")
	must(w.t, os.WriteFile(path, raw, 0o644))
	return path
}

func (w *world) invocation() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs++
	return fmt.Sprintf("run-%d", w.runs)
}

// --- the executor ---

func (w *world) Name() string { return "world" }

func (w *world) Capabilities() executor.Capabilities {
	return executor.Capabilities{Contract: executor.ContractVersion}
}

func (w *world) Prepare(_ context.Context, req executor.PrepareRequest) (executor.PrepareReport, error) {
	w.alone()
	if w.breakPrepare != nil {
		return executor.PrepareReport{}, w.breakPrepare
	}
	id := w.invocation()
	r := executor.PrepareReport{Artifacts: executor.Artifacts{Manifest: w.manifest("target", id, nil), RunID: id}}
	if req.MeasureSources && w.measured != nil {
		var results []any
		for source, status := range w.measured {
			results = append(results, map[string]any{"unique_id": source, "status": status, "max_loaded_at": "2026-10-20T00:00:00Z"})
		}
		raw, err := json.Marshal(map[string]any{"metadata": map[string]any{"dbt_schema_version": "https://schemas.getdbt.com/dbt/sources/v3.json"}, "results": results})
		must(w.t, err)
		r.SourcesMeasured, r.Artifacts.Sources = true, filepath.Join(w.dir, "target", "sources.json")
		must(w.t, os.WriteFile(r.Artifacts.Sources, raw, 0o644))
	}
	return r, nil
}

// alone fails the test if the warehouse is held open while dbt would run.
func (w *world) alone() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open != 0 && !w.beside {
		w.t.Errorf("dbt runs while %d processes hold the warehouse", w.open)
	}
}

func (w *world) Execute(_ context.Context, req executor.ExecutionRequest, _ executor.Sink) (executor.ExecutionReport, error) {
	if err := executor.CheckRequest(req); err != nil {
		return executor.ExecutionReport{}, err
	}
	w.alone()
	if w.before != nil {
		w.before()
	}
	r := executor.ExecutionReport{RunID: w.invocation(), StartedAt: time.Now(), Command: "world"}
	requested, status := map[string]int{}, map[string]string{}
	for i, n := range req.Nodes {
		requested[n.ID] = i
		r.Nodes = append(r.Nodes, executor.NodeExecution{ID: n.ID, Name: n.Name})
	}
	for _, n := range req.Sources {
		r.Sources = append(r.Sources, executor.NodeExecution{ID: n.ID, Name: n.Name})
	}
	var results []any
	place := func(id string) *executor.NodeExecution {
		if i, ok := requested[id]; ok {
			return &r.Nodes[i]
		}
		for i := range r.Sources {
			if r.Sources[i].ID == id {
				return &r.Sources[i]
			}
		}
		return nil
	}
	for _, id := range w.order {
		n := w.nodes[id]
		switch kindOf(id) {
		case "test":
			c := executor.CheckExecution{ID: id, Outcome: "pass", StartedAt: time.Now()}
			blocked := false
			for _, p := range n.parents {
				if x := place(p); x != nil {
					c.Covers = append(c.Covers, p)
					blocked = blocked || status[p] == "error" || status[p] == "skipped"
				}
			}
			if len(c.Covers) == 0 || req.Mode == executor.BuildOnly {
				continue
			}
			switch {
			case blocked || w.fails[id] == "skipped":
				c.Outcome = "skipped"
			case w.fails[id] != "":
				c.Outcome, c.Failures = w.fails[id], 1
			}
			c.FinishedAt = time.Now()
			if c.Outcome != "skipped" {
				w.tests = append(w.tests, id)
			}
			for _, p := range c.Covers {
				x := place(p)
				switch c.Outcome {
				case "pass", "warn":
					x.ChecksPassed = append(x.ChecksPassed, id)
				case "skipped":
					x.ChecksSkipped = append(x.ChecksSkipped, id)
				default:
					x.ChecksFailed = append(x.ChecksFailed, id)
					status[p] = "error" // what reads it is skipped
				}
			}
			r.Checks = append(r.Checks, c)
			results = append(results, map[string]any{"unique_id": id, "status": c.Outcome, "compiled_code": n.sql})
			continue
		}
		x, ok := requested[id]
		if !ok || req.Mode == executor.Test {
			continue
		}
		status[id] = "success"
		for _, p := range n.parents {
			if status[p] == "error" || status[p] == "skipped" {
				status[id] = "skipped"
			}
		}
		e := &r.Nodes[x]
		if status[id] == "success" {
			e.StartedAt = time.Now()
			if f := w.fails[id]; f != "" {
				status[id] = f
			} else {
				w.make(n)
				w.built = append(w.built, id)
			}
			e.FinishedAt = time.Now()
		}
		e.Status = map[string]executor.Status{"success": executor.Success, "error": executor.Failed, "skipped": executor.Skipped}[status[id]]
		results = append(results, map[string]any{"unique_id": id, "status": status[id], "compiled_code": n.sql})
	}
	failed := false
	for _, s := range status {
		failed = failed || s == "error"
	}
	r.FinishedAt = time.Now()
	r.Artifacts = executor.Artifacts{Manifest: w.manifest("target", r.RunID, nil), Results: filepath.Join(w.dir, "target", "run_results.json"), RunID: r.RunID}
	raw, err := json.Marshal(map[string]any{"metadata": map[string]any{"invocation_id": r.RunID}, "results": results})
	must(w.t, err)
	must(w.t, os.WriteFile(r.Artifacts.Results, raw, 0o644))
	executor.Settle(req, &r, !failed)
	if w.adjust != nil {
		w.adjust(&r)
	}
	if w.between != nil {
		w.between()
	}
	return r, nil
}

// make builds a node as dbt would.
func (w *world) make(n *node) {
	name := `w.main."` + short(n.id) + `"`
	exists := w.standing(short(n.id))
	switch {
	case n.materialized == "view":
		if exists != "" && exists != "view" {
			w.exec("drop table " + name)
		}
		w.exec("create or replace view " + name + " as " + n.sql)
	case n.materialized == "incremental" && exists == "table":
		w.exec("insert into " + name + " " + n.sql)
	default:
		if exists == "view" {
			w.exec("drop view " + name)
		}
		w.exec("create or replace table " + name + " as " + n.sql)
	}
	for _, h := range n.hooks {
		if strings.Contains(h, "{{") {
			h = w.rendered
		}
		w.exec(h)
	}
}

func (w *world) standing(name string) string {
	var kind sql.NullString
	err := w.db.QueryRow("select case when table_type = 'VIEW' then 'view' else 'table' end from information_schema.tables where table_schema = 'main' and table_name = ?", name).Scan(&kind)
	if err == sql.ErrNoRows {
		return ""
	}
	must(w.t, err)
	return kind.String
}

// --- the warehouse from outside ---

type outside struct {
	warehouse.Host
	w *world
}

func (w *world) outside(context.Context) (Outside, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open++
	return &outside{warehousetest.FromDB(w.db), w}, nil
}

func (o *outside) Close() error {
	o.w.mu.Lock()
	defer o.w.mu.Unlock()
	o.w.open--
	return nil
}

func (w *world) startRequest() session.StartRequest {
	vars := "v"
	if w.vars != "" {
		vars = w.vars
	}
	return session.StartRequest{
		Adapter: "duckdb", ProjectName: "shop", TargetName: "dev", ProjectRoot: w.dir, Database: "w", Schema: "main",
		Settings: session.Settings{Store: "duckdb", MetadataThreads: 4, LookbackDays: 90}, Context: session.Context{Vars: vars, Target: "t"},
	}
}

func (o *outside) Describe(context.Context) (Description, error) {
	return Description{StartRequest: o.w.startRequest(), Merged: true}, nil
}

func (o *outside) Nodes(_ context.Context, ids, render []string) (map[string]NodeFacts, error) {
	out := map[string]NodeFacts{}
	for _, id := range ids {
		n := o.w.nodes[id]
		f := NodeFacts{Pointer: true}
		if kind := o.w.standing(short(id)); kind != "" && kindOf(id) != "test" {
			f.Relation = &kind
		}
		raw, err := json.Marshal(n.config["state"])
		must(o.w.t, err)
		f.State = raw
		if slices.Contains(render, id) {
			f.Hooks = &session.Hooks{Post: []*string{}}
			text := o.w.rendered
			for range n.hooks {
				f.Hooks.Post = append(f.Hooks.Post, &text)
			}
		}
		out[id] = f
	}
	return out, nil
}

func (o *outside) RunHooks(context.Context) (RunHooks, error) {
	return RunHooks{Start: o.w.startHooks, End: o.w.endHooks}, nil
}

func (o *outside) Credential(context.Context, string) (Credential, error) { return Credential{}, nil }

func (w *world) openStore(context.Context, session.Settings, string, *sql.DB, Outside) (stores.Store, error) {
	if w.storeErr != nil {
		return nil, w.storeErr
	}
	return keepOpen{w.store, w.store.(stores.Committer)}, nil
}

// keepOpen is a store that outlives the run.
type keepOpen struct {
	stores.Store
	stores.Committer
}

func (keepOpen) Close() error { return nil }

func (w *world) options(command string) *Options {
	return &Options{Command: command, Executor: w, StartOutside: w.outside, OpenStore: w.openStore, Manifest: filepath.Join(w.dir, "target", "manifest.json"), Version: "test"}
}

// run carries a command out. What was built and tested is in w.built and w.tests.
func (w *world) run(o *Options) (*Report, error) {
	w.built, w.tests = nil, nil
	return o.Run(context.Background())
}

// good is run for a command that must succeed.
func (w *world) good(o *Options) *Report {
	w.t.Helper()
	r, err := w.run(o)
	must(w.t, err)
	return r
}

// expectBuilt compares what was built, by short names, in order of building.
func (w *world) expectBuilt(want string) {
	w.t.Helper()
	var got []string
	for _, id := range w.built {
		got = append(got, short(id))
	}
	if g := strings.Join(got, " "); g != want {
		w.t.Errorf("built %q, want %q", g, want)
	}
}

// reasons are the plan's decisions, by short name.
func reasons(p *Plan) map[string]string {
	out := map[string]string{}
	for _, n := range p.Nodes {
		out[short(n.ID)] = string(n.Action) + " " + string(n.Reason)
	}
	return out
}

func names2(list []executor.NodeRef) string {
	var out []string
	for _, n := range list {
		out = append(out, short(n.ID))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// shop is: source raw -> view stg -> table orders -> table daily; tests on orders and on the source.
func shop(t testing.TB) *world {
	w := newWorld(t)
	w.exec("create table w.main.raw (id int, amount int)")
	w.exec("insert into w.main.raw values (1, 10), (2, 20)")
	w.add("source.shop.raw", "", "")
	w.add("test.shop.raw_ok", "test", "select * from w.main.raw where id is null", "source.shop.raw")
	w.add("model.shop.stg", "view", "select id, amount from w.main.raw", "source.shop.raw")
	w.add("model.shop.orders", "table", "select id, amount from w.main.stg", "model.shop.stg")
	w.add("test.shop.orders_ok", "test", "select * from w.main.orders where id is null", "model.shop.orders")
	w.add("model.shop.daily", "table", "select sum(amount) as amount from w.main.orders", "model.shop.orders")
	return w
}
