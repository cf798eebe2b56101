package session

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hodor/engine"
	"hodor/internal/aheadtest"
	"hodor/normalize"
	"hodor/project"
	"hodor/stores"
	"hodor/stores/memory"
	"hodor/versions"
	"hodor/warehouse"
)

// world is a dbt project, a warehouse and a state store for tests: nothing in it reads a real clock, and a "build" is what this file says it is.
type world struct {
	t        testing.TB
	nodes    map[string]*node
	order    []string
	store    stores.Store
	storeErr error

	mu          sync.Mutex
	tables      map[string]engine.Version // by relation key
	views       map[string]engine.Version // definitions
	date        string
	fingerprint string
	hidden      []string
	descending  bool
	sessionErr  error
	clock       time.Time // of the warehouse and of the process
	runs        int

	asks     bool // dbt asks for each node: nothing is said ahead
	settings Settings
	flags    Flags
	mode     string
	deferred map[string]string
	vars     string
	schema   string // the target's default

	// With a host the readers are the real ones on it, and the SQL is analysed for real, in the dialect of adapter.
	host    warehouse.Host
	adapter string
	builds  func(*node)      // does to the host what a build does
	latency time.Duration    // what the answer with the clock took
	now     func() time.Time // the process's clock, where the host has one of its own; nil: clock
}

// node is one entry of the manifest.
type node struct {
	id, resource, materialized, sql string
	parents                         []string
	config                          map[string]any
	fails                           string // status of its next builds, "" for success or pass
	wrote                           bool
	rendered                        *Hooks
}

func newWorld(t testing.TB) *world {
	w := &world{
		t: t, nodes: map[string]*node{}, store: &memory.Store{}, tables: map[string]engine.Version{}, views: map[string]engine.Version{},
		date: "2026-10-20", fingerprint: "f", clock: time.UnixMilli(1_792_465_200_000), mode: "on", vars: "v", schema: "main", adapter: "duckdb",
		settings: Settings{Store: "duckdb", MetadataThreads: 4, LookbackDays: 90},
	}
	return w
}

// add puts a node into the project. parents are unique ids.
func (w *world) add(id, materialized, sql string, parents ...string) *node {
	resource, _, _ := strings.Cut(id, ".")
	n := &node{id: id, resource: resource, materialized: materialized, sql: sql, parents: parents, config: map[string]any{"state": map[string]any{"lag_tolerance": "0s"}}}
	if _, ok := w.nodes[id]; !ok {
		w.order = append(w.order, id)
	}
	w.nodes[id] = n
	return n
}

func name(id string) string { return id[strings.LastIndexByte(id, '.')+1:] }

func (n *node) key() string { return project.Key([]string{"shop", "main", name(n.id)}) }

func quoted(id string) string { return fmt.Sprintf(`"shop"."main"."%s"`, name(id)) }

// manifest writes target/manifest.json.
func (w *world) manifest(dir, invocation string) string {
	nodes, sources := map[string]any{}, map[string]any{}
	for _, n := range w.nodes {
		config := map[string]any{"materialized": n.materialized, "enabled": true}
		maps.Copy(config, n.config)
		entry := map[string]any{
			"name": name(n.id), "resource_type": n.resource, "package_name": "shop", "language": "sql", "raw_code": n.sql, "database": "shop", "schema": "main",
			"alias": name(n.id), "config": config, "depends_on": map[string]any{"nodes": n.parents, "macros": []string{}}, "original_file_path": "seeds/" + name(n.id) + ".csv",
			"root_path": dir, "identifier": name(n.id), "source_name": "raw",
		}
		if n.resource != "test" {
			entry["relation_name"] = quoted(n.id)
			if w.adapter == "databricks" {
				entry["relation_name"] = strings.ReplaceAll(quoted(n.id), `"`, "`")
			}
		}
		if n.resource == "source" {
			sources[n.id] = entry
		} else {
			nodes[n.id] = entry
		}
		if n.resource == "seed" {
			must(w.t, os.MkdirAll(filepath.Join(dir, "seeds"), 0o755))
			must(w.t, os.WriteFile(filepath.Join(dir, "seeds", name(n.id)+".csv"), []byte(n.sql), 0o644))
		}
	}
	raw, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"invocation_id": invocation, "project_name": "shop", "adapter_type": w.adapter, "dbt_version": "1.12.5"},
		"nodes":    nodes, "sources": sources, "macros": map[string]any{},
	})
	must(w.t, err)
	path := filepath.Join(dir, "manifest.json")
	must(w.t, os.WriteFile(path, raw, 0o644))
	return path
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// reader is a versions.Reader on the world's maps.
type reader struct {
	w     *world
	reads int
	cache map[string]engine.Version
}

func (r *reader) read(key string, of map[string]engine.Version) engine.Version {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	if v, ok := r.cache[key]; ok {
		return v
	}
	r.reads++
	r.cache[key] = of[strings.TrimPrefix(key, "view:")]
	return r.cache[key]
}

func (r *reader) Rows(_ context.Context, rel versions.Relation, _ engine.Version) engine.Version {
	return r.read(rel.Key, r.w.tables)
}

func (r *reader) Definition(_ context.Context, rel versions.Relation) engine.Version {
	return r.read("view:"+rel.Key, r.w.views)
}

func (r *reader) Columns(context.Context, versions.Relation, engine.Version) engine.Version {
	return ""
}

func (r *reader) Stands(ctx context.Context, rel versions.Relation) engine.Relation {
	if r.Rows(ctx, rel, "").Known() || r.Definition(ctx, rel).Known() {
		return engine.Present
	}
	return engine.Absent
}

func (r *reader) Volatile(_ context.Context, kind string) engine.Version {
	if kind == "date" {
		return engine.Version(r.w.date)
	}
	return ""
}

func (r *reader) Session(context.Context) (versions.Session, error) {
	return versions.Session{NowMS: r.w.clock.UnixMilli(), Asked: r.w.clock.Add(-r.w.latency), Taken: r.w.clock, Fingerprint: r.w.fingerprint, UserFunctions: r.w.hidden, Descending: r.w.descending, Engine: "v1"}, r.w.sessionErr
}

func (r *reader) Invalidate(rel versions.Relation) {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	delete(r.cache, rel.Key)
	delete(r.cache, "view:"+rel.Key)
}

func (r *reader) InvalidateAll() {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	clear(r.cache)
}

func (r *reader) Reads() int { return r.reads }

var (
	blanks    = regexp.MustCompile(`\s+`)
	urls      = regexp.MustCompile(`'\w+://[^']*'`)
	fromTable = regexp.MustCompile(`\b(?:from|join) ("[^ ]+|[a-z_.]+)`)
)

// scripted stands in for the SQL analysis: tables behind from and join, a star, three volatile calls, the run's start, read_csv; "broken" does not parse.
func scripted(text string, opt normalize.Options) normalize.Result {
	replaced := opt.Replacer.Replace(text)
	canonical := blanks.ReplaceAllString(strings.TrimSpace(replaced), " ")
	r := normalize.Result{Level: normalize.LevelQualified, TextHash: normalize.TextHash(replaced), Normalized: canonical}
	if strings.Contains(text, "broken") {
		r.Level, r.Facts = normalize.LevelText, normalize.Unknown()
	}
	r.CodeHash = normalize.CodeHash(opt.Dialect, r.Level, canonical)
	if r.Level == normalize.LevelText {
		return r
	}
	for _, m := range fromTable.FindAllStringSubmatch(canonical, -1) {
		if parts, ok := project.ParseName(m[1]); ok {
			r.Facts.Tables = append(r.Facts.Tables, parts)
		}
	}
	for _, name := range []string{"sum", "upper"} {
		if strings.Contains(text, name+"(") {
			r.Facts.Calls = append(r.Facts.Calls, name)
		}
	}
	r.Facts.SelectStar = strings.Contains(text, "select *")
	r.Facts.Paths = urls.FindAllString(text, -1)
	if strings.Contains(text, "read_csv") {
		r.Facts.Opaque = []string{"read_csv"}
	}
	for word, v := range map[string]normalize.Volatile{
		"current_date": {Function: "current_date", Kind: "date", Use: "deciding"}, "random()": {Function: "random", Kind: "always", Use: "deciding"},
		"as loaded_at":         {Function: "current_timestamp", Kind: "always", Use: "stamp"},
		"< '{{run_started_at:": {Function: "run_started_at", Kind: "always", Use: "deciding"},
		", '{{run_started_at:": {Function: "run_started_at", Kind: "always", Use: "stamp"},
	} {
		if strings.Contains(replaced, word) {
			r.Facts.Volatile = append(r.Facts.Volatile, v)
		}
	}
	for _, number := range regexp.MustCompile(`\b\d+\b`).FindAllString(text, -1) {
		r.Literals = append(r.Literals, normalize.Literal{Text: number, Line: 1, Column: strings.Index(text, number) + 1})
	}
	return r
}

// run is one dbt invocation in progress.
type run struct {
	w       *world
	s       *Session
	start   StartAnswer
	ahead   aheadtest.Host[Ahead]
	took    []string // what was said ahead and taken
	answers map[string]DecideAnswer
	status  map[string]string
	finish  FinishAnswer
	id      string
	started string // run_started_at, which stands for $started in SQL
	replace *normalize.Replacer
}

func (w *world) begin() *run {
	w.t.Helper()
	w.runs++
	w.clock = w.clock.Add(time.Minute)
	var ids atomic.Int64
	r := &run{w: w, answers: map[string]DecideAnswer{}, status: map[string]string{}, id: fmt.Sprintf("00000000-0000-4000-8000-%012d", w.runs)}
	r.s = New(Deps{
		Warehouse: nowhere{}, HodorVersion: "test", Log: w.t.Logf, Now: func() time.Time {
			if w.now != nil {
				return w.now()
			}
			return w.clock
		},
		OpenStore: func(context.Context, Settings, string, *sql.DB) (stores.Store, error) {
			return unclosed{w.store}, w.storeErr
		},
		Go:    func(f func()) { f() },
		NewID: func() string { return fmt.Sprintf("record-%d-%d", w.runs, ids.Add(1)) },
	})
	if w.host != nil {
		r.s.deps.Warehouse = w.host
	} else {
		r.s.normalize = scripted
		r.s.newReader = func(string, *sql.DB, versions.Options) (versions.Reader, error) {
			return &reader{w: w, cache: map[string]engine.Version{}}, nil
		}
	}
	dir := w.t.TempDir()
	var selected []string
	for _, id := range w.order {
		if w.nodes[id].resource != "source" {
			selected = append(selected, id)
		}
	}
	r.started = w.clock.UTC().Format("2006-01-02T15:04:05.000000+00:00")
	var err error
	r.start, err = r.s.Start(context.Background(), StartRequest{
		InvocationID: r.id, RunStartedAt: r.started, Command: "build", Mode: w.mode, Adapter: w.adapter,
		ProjectName: "shop", TargetName: "dev", ProjectRoot: dir, ManifestPath: w.manifest(dir, r.id), Database: "shop", Schema: w.schema, Nodes: selected,
		Deferred: w.deferred, Flags: w.flags, Settings: w.settings, Context: Context{Vars: w.vars, Target: "t"}, Ahead: !w.asks,
	})
	must(w.t, err)
	r.replace = r.s.replacer
	return r
}

// unclosed keeps the store open for the next run.
type unclosed struct{ stores.Store }

func (u unclosed) LoadBefore(ctx context.Context, scope stores.Scope, since, before int64, keys ...string) (*stores.Loaded, error) {
	if e, ok := u.Store.(earlier); ok {
		return e.LoadBefore(ctx, scope, since, before, keys...)
	}
	return &stores.Loaded{}, nil
}

func (unclosed) Close() error { return nil }

type nowhere struct{}

func (nowhere) Query(context.Context, string) (warehouse.Answer, error) {
	return warehouse.Answer{}, warehouse.ErrGone
}

// decide does what the plugin does around node/decide.
func (r *run) decide(id string) DecideAnswer {
	r.w.t.Helper()
	n := r.w.nodes[id]
	req := DecideRequest{ID: id, Pointer: true, Wrote: n.wrote, Hooks: n.rendered}
	sql := strings.ReplaceAll(n.sql, "$started", r.started)
	if n.resource != "seed" {
		hash := normalize.TextHash(r.replace.Replace(sql))
		req.TextHash = &hash
	}
	req.Relation = r.w.relationType(n)
	if req.Wrote {
		r.ahead.Stir()
	}
	said, ok := r.ahead.Take(id, func(a Ahead) bool {
		return req.Hooks == nil && deref(a.TextHash) == deref(req.TextHash) && deref(a.Relation) == deref(req.Relation)
	})
	if ok {
		r.took = append(r.took, id)
		r.answers[id] = DecideAnswer{Action: "reuse", Decision: "reuse", Reason: said.Reason, Note: said.Note, Replay: said.Replay}
		return r.answers[id]
	}
	req.Taken = r.ahead.Taken()
	a, err := r.s.Decide(context.Background(), req)
	must(r.w.t, err)
	if a.Need == "sql" {
		req.SQL = &sql
		a, err = r.s.Decide(context.Background(), req)
		must(r.w.t, err)
		if a.Need != "" {
			r.w.t.Fatalf("%s: asked for %s again", id, a.Need)
		}
	}
	for _, said := range a.Ahead {
		r.ahead.Hear(said.ID, said)
	}
	if a.Need == "" && (a.Action == "build" || a.RunHooks) {
		r.ahead.Stir()
	}
	a.Ahead = nil
	r.answers[id] = a
	return a
}

func (w *world) relationType(n *node) *string {
	w.mu.Lock()
	defer w.mu.Unlock()
	kind := ""
	if w.tables[n.key()].Known() {
		kind = "table"
	} else if w.views[n.key()].Known() {
		kind = "view"
	}
	if kind == "" || n.resource == "test" {
		return nil
	}
	return &kind
}

// build does what dbt would do to the warehouse: a table's version follows from its SQL and its upstreams' versions.
func (w *world) build(n *node) string {
	if n.fails != "" {
		return n.fails
	}
	if w.builds != nil {
		w.builds(n)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	h := sha256.New()
	fmt.Fprint(h, blanks.ReplaceAllString(n.sql, " "))
	switch {
	case n.resource == "test":
		return "pass"
	case n.materialized == "view":
		w.views[n.key()] = engine.Version("view:" + hex.EncodeToString(h.Sum(nil)[:4]))
	default:
		for _, p := range n.parents {
			fmt.Fprint(h, w.rows(w.nodes[p]))
		}
		w.tables[n.key()] = engine.Version(hex.EncodeToString(h.Sum(nil)[:4]))
	}
	return "success"
}

// rows stands for what a relation's rows are.
func (w *world) rows(n *node) string {
	if n.materialized != "view" && n.materialized != "ephemeral" {
		return string(w.tables[n.key()])
	}
	out := n.sql
	for _, p := range n.parents {
		out += w.rows(w.nodes[p])
	}
	return out
}

// end reports an outcome like the plugin.
func (r *run) end(id, status string, attempted bool) {
	r.w.t.Helper()
	n := r.w.nodes[id]
	req := BuiltRequest{ID: id, Status: status, BuildMS: 1000, Attempted: attempted, Taken: r.ahead.Taken()}
	r.ahead.Stir()
	if n.resource == "test" {
		failures := int64(0)
		if status == "fail" || status == "warn" {
			failures = 2
		}
		message := "Got " + fmt.Sprint(failures)
		req.Failures, req.Message = &failures, &message
	}
	must(r.w.t, r.s.Built(context.Background(), req))
	r.status[id] = status
}

// all runs every node that is selected, in the order in which they were added, and finishes.
func (r *run) all(only ...string) *run {
	r.w.t.Helper()
	for _, id := range r.w.order {
		n := r.w.nodes[id]
		if n.resource == "source" || n.materialized == "ephemeral" || len(only) > 0 && !slices.Contains(only, id) {
			continue
		}
		r.w.clock = r.w.clock.Add(time.Second)
		a := r.decide(id)
		if a.Action == "reuse" {
			r.status[id] = "reused"
			if a.Replay != nil {
				r.status[id] = a.Replay.Status
			}
			continue
		}
		r.end(id, r.w.build(n), true)
	}
	return r.done(FinishRequest{})
}

func (r *run) done(req FinishRequest) *run {
	r.w.t.Helper()
	var err error
	req.Taken = r.ahead.Taken()
	r.finish, err = r.s.Finish(context.Background(), req)
	must(r.w.t, err)
	must(r.w.t, r.s.Close(context.Background()))
	return r
}

// run is a whole invocation.
func (w *world) run(only ...string) *run {
	w.t.Helper()
	return w.begin().all(only...)
}

// settled runs until nothing is new.
func (w *world) settled() {
	w.t.Helper()
	w.run()
	w.run()
}

// expect compares decision and reason of nodes, given as "decision reason".
func (r *run) expect(want map[string]string) {
	r.w.t.Helper()
	for _, id := range slices.Sorted(maps.Keys(want)) {
		a, ok := r.answers[id]
		if got := a.Decision + " " + a.Reason; !ok || got != want[id] {
			r.w.t.Errorf("%s: got %q (%s), want %q", id, got, a.Note, want[id])
		}
	}
}

// records returns the records of a run by unique id.
func (r *run) records() map[string]stores.Record {
	r.w.t.Helper()
	list, err := r.w.store.History(context.Background(), stores.Scope{Project: "shop", Target: "dev"}, stores.Query{InvocationID: r.id})
	must(r.w.t, err)
	out := map[string]stores.Record{}
	for _, rec := range stores.Ended(list) {
		if old, twice := out[rec.UniqueID]; twice {
			r.w.t.Errorf("two records of %s in one run: %+v and %+v", rec.UniqueID, old, rec)
		}
		out[rec.UniqueID] = rec
	}
	return out
}

// touch changes a table outside dbt.
func (w *world) touch(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tables[w.nodes[id].key()] += "+"
}

// shop is the project that most tests start from: a source, a view over it, a table over the view, a table over the table, a test.
func shop(t *testing.T) *world {
	w := newWorld(t)
	w.add("source.shop.raw_orders", "table", "")
	w.add("seed.shop.rates", "seed", "code,rate\nx,1\n")
	w.add("model.shop.stg", "view", `select id, amount from "shop"."main"."raw_orders"`, "source.shop.raw_orders")
	w.add("model.shop.orders", "table", `select id, amount * 2 as a from "shop"."main"."stg" join "shop"."main"."rates"`, "model.shop.stg", "seed.shop.rates")
	w.add("model.shop.daily", "incremental", `select a from "shop"."main"."orders"`, "model.shop.orders")
	w.add("test.shop.positive", "test", `select 1 from "shop"."main"."orders"`, "model.shop.orders")
	w.tables["shop.main.raw_orders"] = "6@raw"
	return w
}

func (r *run) hash(id string) *string {
	h := normalize.TextHash(r.replace.Replace(r.w.nodes[id].sql))
	return &h
}
