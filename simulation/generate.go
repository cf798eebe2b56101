package simulation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// abilities are what a history may have; each draws some.
var abilities = []string{
	"union", "in", "star", "carry", "abs", "engine", "own", "random", "day", "today", "started", "file", "now", "hard", "hooks", "views", "ephemeral",
	"incremental", "snapshot", "seed", "itself", "outside", "lag", "all", "volatile", "compile writes", "unread", "rowid", "audit", "side", "tests",
}

// addNode adds a node of a random kind that reads what is there already.
func (w *world) addNode(r *rand.Rand, name string) {
	n := &node{resource: "model", name: name, schema: "main", alias: name, mat: "table", severity: "error", spelling: r.IntN(32)}
	switch roll := r.IntN(10); {
	case w.can["views"] && roll < 4 || roll == 0:
		n.mat = "view"
	case w.can["ephemeral"] && roll < 6:
		n.mat = "ephemeral"
	case w.can["incremental"] && roll < 8:
		n.mat = "incremental"
	case w.can["snapshot"] && roll == 8:
		n.mat, n.resource = "snapshot", "snapshot"
	case w.can["seed"] && roll == 9:
		n.mat, n.resource, n.rows = "seed", "seed", [][2]int{{1, 4}, {2, 6}}
	case w.can["outside"] && roll == 9:
		n.mat = "materialized_view"
	}
	n.id = n.resource + ".shop." + name
	if n.mat != "seed" {
		n.query = w.newQuery(r, n)
	}
	w.settings(r, n)
	if w.can["hooks"] && r.IntN(2) == 0 {
		w.newHooks(r, n)
	}
	w.p.nodes[n.id] = n
	w.p.sort()
}

// addTest adds a test of a node.
func (w *world) addTest(r *rand.Rand, name string) {
	n := &node{id: "test.shop." + name, resource: "test", name: name, schema: "main", alias: name, mat: "test", spelling: r.IntN(32)}
	n.severity, n.errorIf = []string{"error", "warn"}[r.IntN(2)], r.IntN(3)
	n.query = w.newQuery(r, n)
	for i := range n.query.arms {
		n.query.arms[i].where = append(n.query.arms[i].where, cond{op: "gt", k: 2 + r.IntN(8)})
	}
	w.settings(r, n)
	w.p.nodes[n.id] = n
	w.p.sort()
}

func (w *world) settings(r *rand.Rand, n *node) {
	if w.can["lag"] && r.IntN(2) == 0 && n.mat != "test" {
		n.lagMS = int64(1+r.IntN(120)) * 60_000
	}
	n.all = w.can["all"] && r.IntN(2) == 0
	n.volatile = ""
	if w.can["volatile"] {
		n.volatile = []string{"", "true", "false"}[r.IntN(3)]
	}
	n.compileWrites = w.can["compile writes"] && n.resource == "model" && n.mat != "ephemeral" && r.IntN(4) == 0
	n.hooksOnReuse = w.can["hooks"] && r.IntN(4) == 0
	if w.can["unread"] && r.IntN(4) == 0 && n.resource == "model" {
		n.extra = []string{"source.shop.raw.s2"}
	}
}

// readable lists what a node may read: sources, and nodes that do not read it.
func (w *world) readable(n *node) []string {
	readers := w.p.readers(n.id)
	return w.p.ids(func(o *node) bool {
		return o.id != n.id && !readers[o.id] && o.resource != "test" && (n.mat != "snapshot" || o.mat != "ephemeral")
	})
}

func (w *world) newRef(r *rand.Rand, n *node) ref {
	ids := w.readable(n)
	id := ids[r.IntN(len(ids))]
	if w.can["audit"] && r.IntN(2) == 0 {
		return ref{id: "source.shop.raw.audit"} // what hooks write into
	}
	if r.IntN(2) == 0 { // rather the newer ones, for depth
		id = ids[len(ids)-1-r.IntN(min(3, len(ids)))]
	}
	if w.can["hard"] && r.IntN(4) == 0 && w.p.nodes[id].mat != "ephemeral" {
		return ref{hard: w.p.nodes[id].key()}
	}
	return ref{id: id}
}

func (w *world) newQuery(r *rand.Rand, n *node) query {
	q := query{arms: []arm{w.newArm(r, n)}}
	if w.can["union"] && r.IntN(3) == 0 && !q.arms[0].star && !filtered(q) {
		other := w.newArm(r, n)
		if filtered(query{arms: []arm{other}}) {
			return q // half a model that only takes new rows would be another one on each build
		}
		other.star, other.carry, other.stamp = false, false, q.arms[0].stamp
		q.arms[0].carry = false
		q.arms = append(q.arms, other)
	}
	return q
}

// filtered tells whether a query takes only what is newer than its own table.
func filtered(q query) bool {
	return slices.ContainsFunc(q.arms, func(a arm) bool { return slices.ContainsFunc(a.where, func(c cond) bool { return c.op == "new" }) })
}

func (w *world) newArm(r *rand.Rand, n *node) arm {
	a := arm{from: w.newRef(r, n)}
	a.star = w.can["star"] && r.IntN(4) == 0 && n.mat != "snapshot"
	source := strings.HasPrefix(a.from.id, "source.") && !strings.HasSuffix(a.from.id, "audit")
	a.carry = w.can["carry"] && source && r.IntN(2) == 0 && n.mat != "snapshot"
	a.expr = w.newExpr(r)
	if w.can["now"] && r.IntN(4) == 0 && n.mat != "snapshot" {
		a.stamp = "now"
	} else if w.can["started"] && r.IntN(4) == 0 && n.mat != "snapshot" {
		a.stamp = "started"
	}
	for range r.IntN(2) {
		a.where = append(a.where, w.newCond(r, n, source))
	}
	switch {
	case n.mat == "incremental" && !a.star:
		if r.IntN(2) == 0 {
			a.where = append(a.where, cond{op: "new", in: ref{id: "this"}})
		}
	case w.can["itself"] && n.mat == "table" && r.IntN(4) == 0:
		a.where = append(a.where, cond{op: "notin", in: ref{id: "this"}})
	}
	a.converge()
	return a
}

// converge leaves out the filter on the node's own table where what is stored may be less than what was read: the next build would then let more rows
// through, with nothing new to read. That an incremental build with no new input writes no rows is taken for granted (spec section 14).
func (a *arm) converge() {
	if a.expr.op == "half" || a.expr.op == "ansi" {
		a.where = slices.DeleteFunc(a.where, func(c cond) bool { return c.op == "new" })
	}
}

func (w *world) newExpr(r *rand.Rand) expr {
	ops := []string{"v", "add", "mul"}
	for _, op := range []string{"abs", "own", "random", "started"} {
		if w.can[op] {
			ops = append(ops, op)
		}
	}
	if w.can["rowid"] && w.db.duckdb() {
		ops = append(ops, "rowid")
	}
	if w.can["engine"] {
		ops = append(ops, map[bool]string{true: "half", false: "ansi"}[w.db.duckdb()])
	}
	return expr{ops[r.IntN(len(ops))], 1 + r.IntN(3)}
}

func (w *world) newCond(r *rand.Rand, n *node, source bool) cond {
	ops := []string{"gt"}
	for _, op := range []string{"in", "day", "file"} {
		if w.can[op] {
			ops = append(ops, op)
		}
	}
	if w.can["today"] && !w.db.duckdb() {
		ops = append(ops, "today")
	}
	if w.can["carry"] && source {
		ops = append(ops, "text")
	}
	c := cond{op: ops[r.IntN(len(ops))], k: r.IntN(5)}
	if c.op == "in" {
		c.in = w.newRef(r, n)
	}
	return c
}

func (w *world) newHooks(r *rand.Rand, n *node) {
	n.hooks = nil
	most := r.IntN(3)
	if w.can["audit"] {
		most = 1 + r.IntN(2)
	}
	for range most {
		h := hook{k: 1 + r.IntN(3)}
		kinds := []string{"grant", "audit", "side"}
		if n.mat == "table" {
			kinds = append(kinds, "bump", "max", "var")
		}
		switch n.mat {
		case "table", "view", "incremental":
			h.what = kinds[r.IntN(len(kinds))]
		case "snapshot", "seed":
			h.what = kinds[r.IntN(2)]
		default:
			continue
		}
		if w.can["audit"] && r.IntN(2) == 0 {
			h.what = "audit"
		}
		if w.can["side"] && r.IntN(2) == 0 && (n.mat == "table" || n.mat == "incremental") {
			h.what = "side"
		}
		if h.what == "max" || h.what == "side" {
			ids := w.readable(n)
			ids = slices.DeleteFunc(ids, func(id string) bool { return w.p.nodes[id].mat == "ephemeral" })
			h.in = ref{id: ids[r.IntN(len(ids))]}
		}
		h.pre = (h.what == "audit" || h.what == "side") && r.IntN(3) == 0
		n.hooks = append(n.hooks, h)
	}
}

// edit changes a node in one way of the kind, keeping its former state for a revert.
func (w *world) edit(r *rand.Rand, kind string) {
	ids := w.p.ids(func(n *node) bool { return n.resource != "source" })
	id := ids[r.IntN(len(ids))]
	n := w.p.nodes[id].clone()
	switch kind {
	case "revert":
		if earlier := w.old[id]; len(earlier) > 0 {
			n = earlier[r.IntN(len(earlier))].clone()
		}
	case "code":
		if n.mat == "seed" {
			n.rows[r.IntN(len(n.rows))][1] = r.IntN(9)
			break
		}
		a := &n.query.arms[r.IntN(len(n.query.arms))]
		switch r.IntN(4) {
		case 0:
			a.expr = w.newExpr(r)
			a.converge()
		case 1:
			if len(a.where) > 0 {
				a.where = a.where[:len(a.where)-1]
			}
		case 2:
			a.where = append(a.where, w.newCond(r, n, false))
		default:
			n.query = w.newQuery(r, n)
		}
	case "spelling":
		n.spelling, n.tag, n.crlf = r.IntN(32), r.IntN(100), r.IntN(2) == 0
	case "config":
		which := r.IntN(5)
		if n.mat == "test" {
			which = 2
		}
		switch which {
		case 0:
			n.partition = r.IntN(3)
		case 3:
			n.pointerMissing = !n.pointerMissing && n.resource == "model"
		case 1:
			n.dataType = r.IntN(3)
		case 2:
			n.severity, n.errorIf = []string{"error", "warn"}[r.IntN(2)], r.IntN(3)
		default:
			w.settings(r, n)
		}
	case "hooks":
		w.newHooks(r, n)
	case "kind":
		if n.resource == "model" && n.mat != "materialized_view" {
			n.mat = []string{"table", "view", "incremental", "ephemeral"}[r.IntN(4)]
			n.hooks = nil
			if n.mat != "incremental" {
				for i := range n.query.arms {
					n.query.arms[i].where = slices.DeleteFunc(n.query.arms[i].where, func(c cond) bool { return c.op == "new" })
				}
			}
		}
	case "name":
		w.rename(r, n)
	case "parent": // a `-- depends_on` comes or goes
		switch {
		case n.resource != "model":
		case len(n.extra) == 0:
			n.extra = []string{"source.shop.raw.s2"}
		default:
			n.extra = nil
		}
	}
	w.replace(n)
}

// replace puts another form of a node into the project, unless the project would then read in a circle, or an ephemeral node would be read where
// none can be.
func (w *world) replace(n *node) {
	was := w.p.nodes[n.id]
	readers := w.p.readers(n.id)
	for _, parent := range n.parents() {
		if w.p.nodes[parent] == nil || readers[parent] || parent == n.id || n.mat == "snapshot" && w.p.nodes[parent].mat == "ephemeral" {
			return
		}
	}
	if n.mat == "ephemeral" {
		for _, o := range w.p.nodes {
			for _, h := range o.hooks {
				if h.in.id == n.id {
					return
				}
			}
			if o.mat == "snapshot" && slices.Contains(o.parents(), n.id) {
				return
			}
		}
		n.query.refs(func(r *ref) {
			if r.id == "this" {
				n = was
			}
		})
	}
	for _, o := range w.p.nodes {
		if o.id != n.id && o.key() == n.key() {
			return
		}
	}
	w.old[n.id] = append(w.old[n.id], was)
	w.p.nodes[n.id] = n
	w.p.sort()
	w.say("%s is now a %s at %s: %s %v partition %d spelling %d", n.id, n.mat, n.alias, n.query.text(), n.hooks, n.partition, n.spelling)
}

// rename gives a model another alias, or swaps it with another's.
func (w *world) rename(r *rand.Rand, n *node) {
	if n.resource != "model" && n.resource != "seed" {
		return
	}
	others := w.p.ids(func(o *node) bool { return o.resource == "model" && o.id != n.id })
	if len(others) > 0 && r.IntN(2) == 0 {
		o := w.p.nodes[others[r.IntN(len(others))]].clone()
		n.alias, o.alias = o.alias, n.alias
		w.p.nodes[o.id] = o
		w.p.nodes[n.id] = func() *node { c := w.p.nodes[n.id].clone(); c.alias = n.alias; return c }()
		return
	}
	n.alias = fmt.Sprintf("%s_%d", n.name, r.IntN(3))
}
