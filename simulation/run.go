package simulation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"hodor/internal/aheadtest"
	"hodor/normalize"
	"hodor/session"
	"hodor/warehouse"
)

// run is one dbt invocation in progress, with what the plugin does in it.
type run struct {
	w          *world
	number     int
	host       *host
	session    *session.Session // nil: mode off
	id         string
	started    string
	mode       string
	command    string
	flags      session.Flags
	threads    int
	storeFault string
	broken     map[string]string // by id: how its build fails
	stop       int               // steps until the process is killed; -1: never
	faultless  bool

	todo    []string
	flights []*flight
	done    map[string]string // status by id
	cache   map[string]string // dbt's relation cache
	render  map[string]bool
	// replacements are what the service said of this run's literals, in stretches that begin alike: most do.
	replacements [][][2]string
	// before holds, by key, what stood there since the run may have read it.
	before  map[string][]*relation
	learned map[string]truth
	ahead   aheadtest.Host[session.Ahead]
	over    bool
	// decisions counts the answers to node/decide.
	decisions int
}

// flight is one node between its decision and its last word.
type flight struct {
	job     job
	r       *run
	startMS int64
	decided bool
	reused  bool
	wrote   map[string]bool
	written bool
	failed  bool
	outcome outcome
	means   string
	day     string
	reads   map[string]int
	content map[string]string
}

// begin starts a run: dbt lists relations, the first node starts hodor.
func (w *world) begin(r *run) {
	w.runs++
	w.stats.Runs++
	r.w, r.number, r.before, r.done, r.learned = w, w.runs, map[string][]*relation{}, map[string]string{}, map[string]truth{}
	r.id = fmt.Sprintf("00000000-0000-4000-8000-%012d", w.runs)
	r.started = time.UnixMilli(w.process.Load()).UTC().Format("2006-01-02 15:04:05.000000+00:00")
	r.cache = w.db.stands()
	w.say("run %d: %s %s %+v store %q stop %d broken %v nodes %v", r.number, r.mode, r.command, r.flags, r.storeFault, r.stop, r.broken, r.todo)
	if r.mode == "off" {
		w.active = append(w.active, r)
		return
	}
	if r.host == nil {
		r.host = &host{}
	}
	r.host.db = func() *database { return w.db }
	if w.crowded {
		r.host.guard = &w.mu
	}
	dir, err := w.manifestDir(r.number)
	manifest := ""
	if err == nil {
		manifest, err = w.p.manifest(dir, w.db, r.id)
	}
	if err != nil {
		w.fail("the manifest can't be written: %v", err)
		return
	}
	r.session = session.New(r.deps())
	req := session.StartRequest{
		InvocationID: r.id, RunStartedAt: r.started, Command: r.command, Mode: r.mode, Adapter: w.db.dialect, ProjectName: "shop", TargetName: "dev",
		ProjectRoot: w.dir, ManifestPath: manifest, Database: catalog, Schema: "main", Nodes: r.todo, Flags: r.flags,
		Settings: session.Settings{Store: "duckdb", MetadataThreads: 2, LookbackDays: 90},
		Context:  session.Context{Vars: fmt.Sprint("vars ", w.p.k), Target: "t"}, Ahead: true,
	}
	var answer session.StartAnswer
	w.outside(func() { answer, err = r.session.Start(context.Background(), req) })
	if err != nil {
		w.fail("run/start: %v", err)
		return
	}
	for pairs, n := answer.Replacements, 0; len(pairs) > 0; pairs = pairs[n:] {
		for n = 1; n < len(pairs) && strings.HasPrefix(pairs[n][0], start(pairs[0])); n++ {
		}
		r.replacements = append(r.replacements, pairs[:n])
	}
	r.render = map[string]bool{}
	for _, id := range answer.RenderHooks {
		r.render[id] = true
	}
	w.active = append(w.active, r)
}

// step does one thing; false when the run is over.
func (r *run) step(rnd *rand.Rand) bool {
	w := r.w
	if r.over || w.wrong != "" {
		return false
	}
	w.pass(rnd.Int64N(5000))
	if r.stop == 0 {
		w.say("run %d is killed", r.number)
		r.end()
		return false
	}
	r.stop--
	next := r.ready()
	switch {
	case next != "" && len(r.flights) < r.threads && (len(r.flights) == 0 || rnd.IntN(2) == 0):
		r.todo = slices.DeleteFunc(r.todo, func(id string) bool { return id == next })
		r.decide(next, rnd)
	case len(r.flights) > 0:
		f := r.flights[rnd.IntN(len(r.flights))]
		if !f.written {
			f.write()
		} else {
			f.report()
		}
	case len(r.todo) > 0:
		// What is left waits for nothing that still runs: its parents failed.
		r.todo = nil
	default:
		r.finish()
		return false
	}
	return true
}

// ready is the next node whose parents are done.
func (r *run) ready() string {
	for _, id := range r.todo {
		waits := false
		for _, parent := range r.w.p.upstream(id) {
			waits = waits || slices.Contains(r.todo, parent)
			for _, f := range r.flights {
				waits = waits || f.job.n.id == parent
			}
		}
		if !waits {
			return id
		}
	}
	return ""
}

// upstream lists a node's parents, ephemeral ones replaced by their own.
func (p *project) upstream(id string) []string {
	var out []string
	for _, parent := range p.nodes[id].parents() {
		if p.nodes[parent].mat == "ephemeral" {
			out = append(out, p.upstream(parent)...)
			continue
		}
		out = append(out, parent)
	}
	return out
}

func (r *run) decide(id string, rnd *rand.Rand) {
	w, n := r.w, r.w.p.nodes[id]
	for _, parent := range w.p.upstream(id) {
		if status := r.done[parent]; status == "error" || status == "skipped" {
			r.done[id] = "skipped"
			return
		}
	}
	if n.compileWrites {
		// The plugin sees the statement on the thread that compiles.
		f := &flight{wrote: map[string]bool{}}
		_ = w.writing(f, func() error { return w.db.audit(7) })
		defer r.fresh(f)
	}
	compiled := w.p.compile(n, r.cache, r.flags.FullRefresh || n.fullRefresh)
	f := &flight{r: r, startMS: w.db.nowMS, wrote: map[string]bool{}, job: job{
		p: w.p, n: n, compiled: compiled, env: env{db: w.db, started: r.started, tick: &w.tick}, fullRefresh: r.flags.FullRefresh || n.fullRefresh,
		failAt: r.broken[id], empty: r.flags.Empty && n.mat != "seed",
	}}
	f.means, f.day = w.means(f.job)
	f.reads, f.content = f.job.stamps(w.db), f.job.contents(w.db)
	if r.session == nil {
		r.flights = append(r.flights, f)
		return
	}
	before, stood := map[string][]*relation{}, maps.Clone(w.db.rels)
	for key, states := range r.before {
		before[key] = slices.Clone(states)
	}
	if len(w.active) > 1 && n.mat != "view" && n.mat != "test" {
		f.job.began = w.db.clone()
	}
	provable := r.provable(f)
	meanwhile := r.meanwhile(rnd)
	a, err := r.ask(n, compiled)
	r.host.during = nil // no statement was of what it writes
	if err != nil {
		if r.faultless || !errors.Is(err, warehouse.ErrGone) {
			w.fail("node/decide of %s: %v", id, err)
		}
		return
	}
	if meanwhile != nil {
		for key := range meanwhile.wrote {
			before[key] = append(before[key], stood[key])
		}
	}
	if w.crowded { // others have written while the decision was made
		for key, states := range r.before {
			before[key] = append(before[key], states...)
		}
		for key, old := range stood {
			if w.db.rels[key] != old {
				before[key] = append(before[key], old)
			}
		}
	}
	w.stats.Decisions++
	r.decisions++
	w.say("run %d: %s is %s, %s", r.number, id, a.Decision, a.Reason)
	if a.Decision == "reuse" && (a.Action == "reuse" || n.mat != "test") { // in shadow mode a replay is not sent
		w.check(r, f, a, before)
	}
	if provable && meanwhile == nil {
		w.stats.Provable++
		if a.Action == "reuse" {
			w.stats.Taken++
		} else {
			w.say("run %d: %s could have been reused", r.number, id)
		}
	}
	f.decided = true
	if a.Action != "reuse" {
		r.flights = append(r.flights, f)
		return
	}
	w.stats.Reuses++
	r.done[id] = "reused"
	r.learn(f)
	if a.RunHooks {
		f.reused, f.job.onlyHooks, f.job.failAt = true, true, ""
		r.flights = append(r.flights, f)
	}
}

// ask does what the plugin does around node/decide.
func (r *run) ask(n *node, compiled query) (session.DecideAnswer, error) {
	d := r.w.db
	req := session.DecideRequest{ID: n.id, Pointer: !n.pointerMissing, Wrote: n.compileWrites}
	sql := d.sql(compiled, spell(n.spelling), r.started)
	if n.resource != "seed" {
		hash := normalize.TextHash(r.replace(sql))
		req.TextHash = &hash
	}
	if kind := r.cache[n.key()]; kind != "" && n.resource != "test" {
		req.Relation = &kind
	}
	if r.render[n.id] {
		req.Hooks = &session.Hooks{}
		for _, h := range n.hooks {
			text := r.w.p.hookSQL(d, n, h, true)
			if h.pre {
				req.Hooks.Pre = append(req.Hooks.Pre, &text)
			} else {
				req.Hooks.Post = append(req.Hooks.Post, &text)
			}
		}
	}
	if req.Wrote {
		r.ahead.Stir()
	}
	said, ok := r.ahead.Take(n.id, func(a session.Ahead) bool {
		return req.Hooks == nil && req.Pointer && deref(a.TextHash) == deref(req.TextHash) && deref(a.Relation) == deref(req.Relation)
	})
	if ok {
		r.w.stats.Ahead++
		return session.DecideAnswer{Action: "reuse", Decision: "reuse", Reason: said.Reason, Note: said.Note, Replay: said.Replay}, nil
	}
	req.Taken = r.ahead.Taken()
	var a session.DecideAnswer
	var err error
	r.w.outside(func() {
		a, err = r.session.Decide(context.Background(), req)
		if err == nil && a.Need == "sql" {
			req.SQL, req.Wrote, req.Taken = &sql, false, nil
			if a, err = r.session.Decide(context.Background(), req); err == nil && a.Need != "" {
				err = fmt.Errorf("the service needs %s twice", a.Need)
			}
		}
	})
	for _, said := range a.Ahead {
		r.ahead.Hear(said.ID, said)
	}
	if err != nil || a.Action != "reuse" || a.RunHooks {
		r.ahead.Stir()
	}
	return a, err
}

// start is what a stretch of replacements begins with.
func start(pair [2]string) string { return pair[0][:min(4, len(pair[0]))] }

// replace puts the placeholders into a text, at each place the first that fits.
func (r *run) replace(sql string) string {
	var pairs []string
	for _, alike := range r.replacements {
		if !strings.Contains(sql, start(alike[0])) {
			continue
		}
		for _, p := range alike {
			if strings.Contains(sql, p[0]) {
				pairs = append(pairs, p[0], p[1])
			}
		}
	}
	if len(pairs) == 0 {
		return sql
	}
	return strings.NewReplacer(pairs...).Replace(sql)
}

// meanwhile lets, now and then, another node end while a version is being read (S16).
func (r *run) meanwhile(rnd *rand.Rand) *flight {
	if r.w.crowded || len(r.flights) == 0 || rnd.IntN(2) == 0 {
		return nil
	}
	f := r.flights[rnd.IntN(len(r.flights))]
	if f.written || !slices.ContainsFunc(f.job.n.hooks, func(h hook) bool { return h.what == "audit" }) {
		return nil
	}
	r.host.mu.Lock()
	r.host.duringText = "audit"
	r.host.during = func() {
		f.write()
		if f.written {
			f.report()
		}
	}
	r.host.mu.Unlock()
	return f
}

// writing runs f's writes to the warehouse.
func (w *world) writing(f *flight, do func() error) error {
	w.writer = f
	err := do()
	w.writer = nil
	return err
}

// write is the build itself.
func (f *flight) write() {
	r, w := f.r, f.r.w
	for _, other := range w.active {
		for _, g := range other.flights {
			if other != r && g.written && g.job.n.key() == f.job.n.key() && (r.session == nil || other.session == nil) {
				return // between a build's end and the reading of its version nobody else writes (docs/when-reuse.md, limits)
			}
		}
	}
	f.written = true
	if f.job.n.mat == "test" {
		var err error
		f.outcome, err = f.job.test()
		f.failed = err != nil
		return
	}
	f.failed = w.writing(f, f.job.run) != nil
	w.say("run %d: %s is built, failed %t", r.number, f.job.n.id, f.failed)
	if rel := w.db.rels[f.job.n.key()]; rel != nil && !f.failed {
		r.cache[f.job.n.key()] = map[bool]string{true: "view", false: "table"}[rel.isView]
		if !f.reused {
			w.built[f.job.n.id] = append(w.built[f.job.n.id], build{f.startMS, f.means, rel.whole(), f.content})
		}
	}
}

// report is the plugin's last word of a node.
func (f *flight) report() {
	r, w, n := f.r, f.r.w, f.job.n
	r.flights = slices.DeleteFunc(r.flights, func(g *flight) bool { return g == f })
	status := "success"
	req := session.BuiltRequest{ID: n.id, BuildMS: w.db.nowMS - f.startMS, Attempted: !f.reused, HooksRan: f.reused, Taken: r.ahead.Taken()}
	switch {
	case f.failed:
		status = "error"
	case f.reused:
		status = "reused"
	case n.mat == "test":
		status = f.outcome.status
		req.Failures = &f.outcome.failures
		w.built[n.id] = append(w.built[n.id], build{f.startMS, f.means, "", f.content})
	}
	r.done[n.id], req.Status = status, status
	w.say("run %d: %s ends with %s", r.number, n.id, status)
	r.fresh(f)
	if r.session == nil {
		return
	}
	var err error
	w.outside(func() { err = r.session.Built(context.Background(), req) })
	if err != nil {
		w.fail("node/built of %s: %v", n.id, err)
	}
	if !f.failed && !f.reused && maps.Equal(f.job.stamps(w.db), f.reads) {
		r.learn(f)
	} else {
		delete(r.learned, n.id)
		delete(w.truth, n.id)
	}
}

// fresh: what f wrote is known to the service from now on.
func (r *run) fresh(f *flight) {
	for key := range f.wrote {
		delete(r.before, key)
	}
}

// learn notes what is recorded of a node if the run ends well.
func (r *run) learn(f *flight) {
	t := truth{means: f.means + f.day, reads: f.reads, target: -1, builtMS: f.startMS, atMS: f.startMS}
	if rel := r.w.db.rels[f.job.n.key()]; rel != nil {
		t.target = rel.stamp
	}
	r.learned[f.job.n.id] = t
	if f.job.n.mat == "view" {
		r.w.truth[f.job.n.id] = t // its readers look at it within this run
	}
}

// provable tells whether nothing has changed since a record that counts.
func (r *run) provable(f *flight) bool {
	w, n := r.w, f.job.n
	t, ok := w.truth[n.id]
	target := -1
	if rel := w.db.rels[n.key()]; rel != nil {
		target = rel.stamp
	}
	return ok && r.faultless && !r.flags.Empty && r.mode == "on" && !f.job.fullRefresh && len(w.active) == 1 && t.means == f.means+f.day && maps.Equal(t.reads, f.reads) && t.target == target &&
		w.db.nowMS >= t.atMS && w.db.nowMS-t.atMS < 60*86_400_000 && w.settles(f.job)
}

// finish ends the run in order.
func (r *run) finish() {
	w := r.w
	r.end()
	if r.session == nil {
		clear(w.truth)
		return
	}
	req := session.FinishRequest{Statuses: map[string]string{}, Taken: r.ahead.Taken()}
	if r.flags.FailFast {
		for id, status := range r.done {
			if slices.Contains(slices.Collect(maps.Values(r.done)), "error") && status != "error" && chance(2, r.id, id) == 0 && status != "skipped" {
				req.Statuses[id] = "skipped"
				delete(r.learned, id)
				delete(w.truth, id)
			}
		}
	}
	var err error
	w.outside(func() {
		_, err = r.session.Finish(context.Background(), req)
		err = errors.Join(err, r.session.Close(context.Background()))
	})
	if err != nil && r.faultless {
		w.fail("run/finish: %v", err)
	}
	if !r.faultless || r.flags.Empty {
		clear(w.truth)
		return
	}
	maps.Copy(w.truth, r.learned)
}

// end takes the run off the list, killed or not.
func (r *run) end() {
	r.over = true
	r.w.active = slices.DeleteFunc(r.w.active, func(o *run) bool { return o == r })
	if r.stop == 0 {
		clear(r.w.truth)
		if r.session != nil {
			r.storeFault = "killed" // what it has not written is lost, and its memory is this process's
			r.w.outside(func() { _ = r.session.Close(context.Background()) })
		}
	}
}

// fails makes a warehouse that refuses some statements of a run, or all after some time.
func fails(seed uint64) func(string) error {
	asked := 0
	return func(statement string) error {
		asked++
		if seed%3 == 0 && asked > int(seed%17) {
			return warehouse.ErrGone
		}
		if chance(4, fmt.Sprint(seed), strings.TrimSpace(statement)) == 0 {
			return &warehouse.StatementError{Message: "no"}
		}
		return nil
	}
}
