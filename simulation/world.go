package simulation

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hodor/session"
	"hodor/stores"
	"hodor/stores/memory"
)

// Stats counts what histories did.
type Stats struct {
	Histories, Runs, Decisions, Reuses int
	// Provable counts the decisions of which the model can prove that nothing has changed, in runs without faults; Taken those of them that were
	// reused.
	Provable, Taken int
	// Ahead counts the reuses that were said before they were asked for.
	Ahead int
	// Kept counts reuses that a setting allows though a rebuild would differ.
	Kept int
	// Wrong counts histories with a wrong reuse.
	Wrong int
}

// Add adds the counts of o.
func (s *Stats) Add(o Stats) {
	s.Histories += o.Histories
	s.Runs += o.Runs
	s.Decisions += o.Decisions
	s.Reuses += o.Reuses
	s.Provable += o.Provable
	s.Taken += o.Taken
	s.Ahead += o.Ahead
	s.Kept += o.Kept
	s.Wrong += o.Wrong
}

// world is one history in progress.
type world struct {
	db    *database
	p     *project
	old   map[string][]*node // earlier forms of nodes, for reverts
	can   map[string]bool    // what SQL and nodes this history has
	store stores.Store
	open  func(dir string) (stores.Store, error) // nil: memory

	process atomic.Int64 // the clock of the machine that hodor runs on, epoch ms
	dir     string
	runs    int
	ids     atomic.Int64
	tick    int
	// crowded: runs go on in goroutines of their own, and mu guards everything.
	crowded bool
	mu      sync.Mutex
	active  []*run
	writer  *flight // who writes now; nil: someone else

	late    bool // it is shortly before midnight, and the next step follows at once
	harmed  int  // the number of runs before the state was harmed last
	built   map[string][]build
	earlier map[string][]content // by key: what tables held before
	truth   map[string]truth
	stats   Stats
	log     []string
	quiet   bool // no log is kept
	wrong   string
}

// build is one build of a node as it really was.
type build struct {
	startMS int64
	means   string
	left    string            // the target's content
	reads   map[string]string // contents by key
}

// truth is what the model knows to be recorded of a node.
type truth struct {
	means   string
	reads   map[string]int
	target  int
	builtMS int64
	atMS    int64
}

func (w *world) say(format string, args ...any) {
	if w.quiet {
		return
	}
	w.log = append(w.log, fmt.Sprintf(format, args...))
}

// fail keeps the first wrong reuse.
func (w *world) fail(format string, args ...any) {
	if w.wrong == "" {
		w.wrong = fmt.Sprintf(format, args...)
		w.say("WRONG: %s", w.wrong)
	}
}

// touched is told of every write in the warehouse: a run may have read what stood there before, until it must read again.
func (w *world) touched(old, now *relation, key string) {
	if now != nil && w.writer != nil {
		now.maker = w.writer.r
	}
	if old != nil && !old.isView {
		w.earlier[key] = append(w.earlier[key], old.content)
	}
	for _, r := range w.active {
		r.before[key] = append(r.before[key], old)
	}
	if w.writer != nil {
		w.writer.wrote[key] = true
	}
}

var zones = []string{"UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Auckland"}

func zone(name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return z
}

// newWorld makes the project and the warehouse that a seed means.
func newWorld(seed uint64, dir string, focus []string) *world {
	r := rand.New(rand.NewPCG(seed, 1))
	w := &world{
		p: &project{nodes: map[string]*node{}, k: 5}, old: map[string][]*node{}, can: map[string]bool{}, store: &memory.Store{}, dir: dir,
		built: map[string][]build{}, earlier: map[string][]content{}, truth: map[string]truth{},
	}
	w.db = &database{
		dialect: []string{"duckdb", "databricks"}[r.IntN(2)], rels: map[string]*relation{}, setting: map[string]string{"threads": "4"},
		functions: map[string]int{}, filters: map[string]int{}, zone: time.UTC, release: "v1.5.6", nowMS: 1_792_465_200_000 + r.Int64N(86_400_000),
		touched: w.touched,
	}
	for _, dialect := range []string{"duckdb", "databricks"} {
		if slices.Contains(focus, dialect) {
			w.db.dialect = dialect
		}
	}
	w.process.Store(1_790_000_000_000 + r.Int64N(1e10))
	if w.db.duckdb() {
		w.db.setting["integer_division"] = "false"
	} else {
		w.db.setting["ansi"] = "false"
	}
	if r.IntN(4) == 0 {
		w.process.Add([]int64{-1, 1}[r.IntN(2)] * 10 * 365 * 86_400_000)
	}
	for _, what := range abilities {
		w.can[what] = r.IntN(4) == 0 || slices.Contains(focus, what)
	}
	for i, name := range []string{"s1", "s2", "audit"} {
		n := &node{id: "source.shop.raw." + name, resource: "source", name: name, schema: "raw", alias: name}
		w.p.nodes[n.id] = n
		w.p.sort()
		c := content{cols: []column{{name: "id", typ: "INTEGER"}, {name: "v", typ: "INTEGER"}}}
		if name != "audit" {
			c.cols = append(c.cols, column{name: "s", typ: "VARCHAR", collate: w.db.duckdb() && r.IntN(3) == 0}, column{name: "f", typ: "DOUBLE"})
		}
		for j := range 3 {
			row := []value{value(fmt.Sprint(j + 1)), value(fmt.Sprint((j + 1) * (i + 2)))}
			if name != "audit" {
				row = append(row, []value{"a", "b", null}[j%3], []value{"0.0", "1.5"}[j%2])
			}
			c.rows = append(c.rows, row)
		}
		w.db.write(n.parts(), c, "CREATE TABLE AS SELECT", "", map[string]string{"numOutputRows": "3"})
	}
	for i := range 2 + r.IntN(3) {
		w.addNode(r, fmt.Sprintf("n%d", i+1))
	}
	tests := r.IntN(2)
	if w.can["tests"] {
		tests += 2
	}
	for i := range tests {
		w.addTest(r, fmt.Sprintf("t%d", i+1))
	}
	return w
}

// ErrWrong is the error of a history in which a reuse was wrong, or in which hodor failed where it must not.
var ErrWrong = errors.New("wrong")

// deps are what a session needs, with the faults of the run.
func (r *run) deps() session.Deps {
	w := r.w
	start := func(f func()) { f() } // a history is the same each time
	if w.crowded {
		start = nil
	}
	return session.Deps{
		Go:        start,
		Warehouse: r.host, HodorVersion: "simulation", Now: func() time.Time { return time.UnixMilli(w.process.Load()) },
		OpenStore: func(context.Context, session.Settings, string, *sql.DB) (stores.Store, error) {
			if r.storeFault == "open" {
				return nil, stores.ErrUnavailable
			}
			if w.open != nil {
				store, err := w.open(w.dir)
				return &faulty{store, r, true}, err
			}
			return &faulty{w.store, r, false}, nil
		},
		NewID: func() string { return fmt.Sprintf("record-%d", w.ids.Add(1)) },
	}
}

// faulty is a store that fails as its run says.
type faulty struct {
	stores.Store
	r     *run
	close bool
}

// Load implements stores.Store.
func (f *faulty) Load(ctx context.Context, scope stores.Scope, since int64) (*stores.Loaded, error) {
	if f.r.storeFault == "load" {
		return nil, errQuery
	}
	return f.Store.Load(ctx, scope, since)
}

// Append implements stores.Store.
func (f *faulty) Append(ctx context.Context, records []stores.Record) error {
	switch f.r.storeFault {
	case "append", "killed":
		return errQuery
	case "part":
		if err := f.Store.Append(ctx, records[:len(records)/2]); err != nil {
			return err
		}
		return errQuery
	}
	return f.Store.Append(ctx, records)
}

// Close implements stores.Store.
func (f *faulty) Close() error {
	if f.close {
		return f.Store.Close()
	}
	return nil
}

// pass lets time pass on both clocks.
func (w *world) pass(ms int64) {
	w.db.nowMS += ms
	w.process.Add(ms)
}

// expanded is what a compiled query means with all views between put in, and whether it holds something that is not the same on each call.
func (w *world) expanded(d *database, q query, depth int) string {
	var b strings.Builder
	b.WriteString(q.text())
	if depth > 20 {
		return b.String()
	}
	inside := q.clone()
	inside.refs(func(r *ref) {
		if r.inner != nil {
			b.WriteString(w.expanded(d, *r.inner, depth+1))
		} else if rel := d.rels[r.key()]; rel != nil && rel.isView {
			fmt.Fprintf(&b, "{%s: %s}", r.key(), w.expanded(d, rel.body, depth+1))
		}
	})
	return b.String()
}

// reached adds the keys of all relations that a compiled query reads, views included.
func (d *database) reached(q query, into map[string]bool) {
	inside := q.clone()
	inside.refs(func(r *ref) {
		if r.inner != nil {
			d.reached(*r.inner, into)
			return
		}
		key := r.key()
		if into[key] {
			return
		}
		into[key] = true
		if rel := d.rels[key]; rel != nil && rel.isView {
			d.reached(rel.body, into)
		}
	})
}

// keys are all relations that a build of the node reads, by its query and its hooks.
func (j job) keys(d *database) map[string]bool {
	out := map[string]bool{}
	d.reached(j.compiled, out)
	for _, h := range j.n.hooks {
		if h.in != (ref{}) {
			in := h.in
			j.p.resolve(j.n, &in)
			d.reached(query{arms: []arm{{from: in}}}, out)
		}
	}
	var extra func(n *node)
	extra = func(n *node) { // a parent that no text reads is one all the same, an ephemeral model's as well
		for _, id := range n.extra {
			d.reached(query{arms: []arm{{from: ref{parts: j.p.nodes[id].parts()}}}}, out)
		}
		for _, id := range n.parents() {
			if parent := j.p.nodes[id]; parent != nil && parent.mat == "ephemeral" {
				extra(parent)
			}
		}
	}
	for _, id := range j.p.order { // what belongs to a view beside its query belongs to the view's readers (S9)
		if v := j.p.nodes[id]; v.mat == "view" && out[v.key()] {
			for _, h := range v.hooks {
				if h.in != (ref{}) {
					in := h.in
					j.p.resolve(v, &in)
					d.reached(query{arms: []arm{{from: in}}}, out)
				}
			}
			extra(v)
		}
	}
	extra(j.n)
	return out
}

// means is everything but data that a node's result follows from; the day, if it does from that, by itself.
func (w *world) means(j job) (out, day string) {
	d := j.env.db
	text := w.expanded(d, j.compiled, 0)
	for _, h := range j.n.hooks {
		if h.in != (ref{}) {
			in := h.in
			j.p.resolve(j.n, &in)
			text += w.expanded(d, query{arms: []arm{{from: in}}}, 0)
		}
	}
	out = fmt.Sprintf("%s %s %s| %s | %s | %v %v %v", j.n.key(), j.n.mat, text, j.p.props(j.n), j.p.hookText(d, j.n), d.setting["integer_division"],
		d.setting["ansi"], d.zone) + d.release
	for _, call := range [][2]string{{"{abs}", "abs"}, {"{own}", "own_function"}} {
		if strings.Contains(text, call[0]) {
			out += fmt.Sprint(call[1], d.functions[call[1]])
		}
	}
	if j.n.mat == "seed" {
		out += fmt.Sprint(j.n.rows)
	}
	if j.n.mat == "test" {
		out += fmt.Sprintf("%s %d %t", j.n.severity, j.n.errorIf, j.p.warnError)
	}
	if strings.Contains(out, "[day ") || strings.Contains(out, "[today ") {
		day = d.today().Format(time.DateOnly)
	}
	return out, day
}

func (w *world) seeds() error { return os.MkdirAll(filepath.Join(w.dir, "seeds"), 0o755) }
