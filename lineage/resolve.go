package lineage

import (
	"slices"
	"strings"
	"sync"

	"hodor/engine"
	"hodor/normalize"
	"hodor/project"
)

// Resolver answers for one run. It keeps the expansion of every view that it meets. Safe for concurrent use.
type Resolver struct {
	p        *project.Project
	opts     Options
	evidence Evidence
	deferred map[string][]string // parts by parent id

	mu       sync.Mutex
	views    map[string]*reading // by view id
	visiting map[string]bool
}

// NewResolver returns a Resolver for one run of the project.
func NewResolver(p *project.Project, opts Options, evidence Evidence) *Resolver {
	r := &Resolver{p: p, opts: opts, evidence: evidence, deferred: map[string][]string{}, views: map[string]*reading{}, visiting: map[string]bool{}}
	for id, name := range opts.Deferred {
		parts, _ := project.ParseName(name)
		r.deferred[id] = parts
	}
	return r
}

// Forget drops what is kept of views, since one of them was built or analysed anew.
func (r *Resolver) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.views)
}

// Of answers what a node reads, given the facts of its own parts (S6-S11).
func (r *Resolver) Of(n *project.Node, facts Facts) Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	read := r.read(n, facts)
	read.count(n.State.EvaluateVolatile)
	res := Result{ReadsItself: read.itself, HooksUnknown: read.hooksUnknown, Read: read.deferred}
	if n.Kind == engine.KindView && read.hooksRead(n.State.EvaluateVolatile) {
		res.HooksUnknown = true
	}
	for _, u := range read.upstreams {
		res.Upstreams = append(res.Upstreams, u)
	}
	for _, v := range read.views {
		res.Views = append(res.Views, v)
	}
	for _, u := range read.direct {
		res.Direct = append(res.Direct, u)
	}
	for _, u := range read.others {
		res.Others = append(res.Others, u)
	}
	byName := func(a, b Upstream) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(res.Upstreams, byName)
	slices.SortFunc(res.Direct, byName)
	slices.SortFunc(res.Others, byName)
	slices.SortFunc(res.Views, func(a, b View) int { return strings.Compare(a.Name, b.Name) })
	return res
}

// reading is what a node reads before its own setting says which volatile calls count.
type reading struct {
	upstreams map[string]Upstream
	views     map[string]View
	direct    map[string]Upstream
	others    map[string]Upstream
	deferred  map[string]string
	// volatile calls by kind: decides is true if one of that kind is deciding, comes from a hook or through a view.
	volatile     map[string]bool
	itself       bool
	hooksUnknown bool
	// hookReads: a hook or header reads another relation or a path; hookVolatile: it has volatile calls.
	hookReads, hookVolatile bool
}

func newReading() *reading {
	return &reading{upstreams: map[string]Upstream{}, views: map[string]View{}, direct: map[string]Upstream{}, others: map[string]Upstream{}, volatile: map[string]bool{}}
}

func (x *reading) add(u Upstream) {
	if old, ok := x.upstreams[u.Name]; ok && (old.NodeID != "" || u.NodeID == "") {
		return
	}
	x.upstreams[u.Name] = u
}

func (x *reading) unknown(name, why string) { x.add(Upstream{Name: name, Kind: Unknown, Why: why}) }

// other adds something that the node names itself and that is no table or view of the manifest.
func (x *reading) other(u Upstream) {
	x.add(u)
	x.others[u.Name] = u
}

// count turns volatile calls into upstreams by evaluate_volatile_sql (spec 9.1).
func (x *reading) count(rule project.VolatileRule) {
	for kind, decides := range x.volatile {
		if rule == project.VolatileAll || rule != project.VolatileNone && decides {
			x.add(Upstream{Name: "volatile:" + kind, Kind: Volatile})
		}
	}
}

func (x *reading) hooksRead(rule project.VolatileRule) bool {
	return x.hookReads || x.hookVolatile && rule != project.VolatileNone
}

// read gathers what one node reads: depends_on joined with what its SQL, hooks and header name (S6).
func (r *Resolver) read(n *project.Node, facts Facts) *reading {
	x := newReading()
	s := &scope{r: r, n: n, x: x, kept: keptNames(facts.Hooks), own: n.Relation.Key(), named: map[string]bool{}, parents: map[string]string{}}
	if n.Kind == engine.KindTest {
		s.own = "" // a test's relation is its table of failures, which no text of it reads
	}
	ids := r.inlined(n)
	for _, id := range ids {
		s.parent(id)
	}
	s.body(facts)
	for _, h := range facts.Hooks {
		s.hook(h)
	}
	for _, id := range ids {
		s.dependsOn(id)
	}
	return x
}

// inlined returns the node's parents, ephemeral ones replaced by their own: their code stands in the node's compiled SQL.
func (r *Resolver) inlined(n *project.Node) []string {
	var ids []string
	seen := map[string]bool{n.UniqueID: true}
	var take func(parents []string)
	take = func(parents []string) {
		for _, id := range parents {
			if seen[id] {
				continue
			}
			seen[id] = true
			if parent := r.p.Nodes[id]; parent != nil && parent.Kind == project.KindEphemeral {
				take(parent.Parents)
				continue
			}
			ids = append(ids, id)
		}
	}
	take(n.Parents)
	return ids
}

// scope resolves the names in one node's texts.
type scope struct {
	r    *Resolver
	n    *project.Node
	x    *reading
	kept bool
	own  string
	// parents maps the keys under which parents may be read (own relation, deferred relation) to the parent's id; named holds those that a
	// text reads.
	parents map[string]string
	named   map[string]bool
}

func (s *scope) parent(id string) {
	if parent := s.r.p.Nodes[id]; parent != nil && !parent.Relation.IsZero() {
		s.parents[parent.Relation.Key()] = id
	}
	if parts := s.r.deferred[id]; len(parts) > 0 {
		s.parents[project.Key(parts)] = id
	}
}

// body takes the compiled SQL. Seeds have none.
func (s *scope) body(facts Facts) {
	if facts.Body == nil && s.n.Resource == project.Seed {
		return
	}
	if unread(facts.Body, facts.Level) {
		s.x.unknown("opaque:unparsed", "its SQL can't be read")
	}
	if facts.Body == nil {
		return
	}
	s.facts(facts.Body, false, &s.x.itself)
	for _, v := range facts.Body.Volatile {
		s.x.volatile[v.Kind] = s.x.volatile[v.Kind] || v.Use != "stamp"
	}
}

// hook takes one hook or header: part of the node's SQL, unless it provably reads nothing (S7).
func (s *scope) hook(h HookFacts) {
	if h.Known && project.HookIsHarmless(h.SQL) {
		return
	}
	if !h.Known || unread(&h.Facts, h.Level) || len(h.Facts.Opaque) > 0 {
		s.x.hooksUnknown = true
		s.x.unknown("hooks:"+s.n.UniqueID, "a hook or header can't be analysed")
	}
	if !h.Known {
		return
	}
	itself := false
	s.facts(&h.Facts, true, &itself)
	s.x.itself = s.x.itself || itself && h.Header
	for _, v := range h.Facts.Volatile {
		s.x.volatile[v.Kind] = true
		s.x.hookVolatile = true
	}
}

// facts takes the tables, paths and opaque inputs of one text.
func (s *scope) facts(f *normalize.Facts, hook bool, itself *bool) {
	for _, parts := range f.Tables {
		if s.table(parts) {
			*itself = true
		} else {
			s.x.hookReads = s.x.hookReads || hook
		}
	}
	for _, path := range f.Paths {
		s.x.hookReads = s.x.hookReads || hook
		if s.r.opts.Dialect == "databricks" && strings.HasPrefix(path, "delta.") {
			s.x.other(Upstream{Name: path, Kind: Path})
		} else {
			s.x.other(Upstream{Name: "path:" + path, Kind: Unknown, Why: "a file without a version"})
		}
	}
	for _, o := range f.Opaque {
		s.x.hookReads = s.x.hookReads || hook
		s.x.other(Upstream{Name: "opaque:" + o, Kind: Unknown, Why: "an input that can't be traced"})
	}
}

// table takes one name in a text; it reports true if it is the node itself. A parent is noted and followed later; a source of the manifest is
// read as such; anything else is hard-coded and unknown (S10).
func (s *scope) table(parts []string) bool {
	keys := s.r.opts.candidates(parts, s.kept)
	found, id := "", ""
	for _, key := range keys {
		if key == s.own && key != "" {
			found, id = s.one(found, key), ""
			continue
		}
		if p, ok := s.parents[key]; ok {
			found, id = s.one(found, key), p
			continue
		}
		for _, n := range s.r.p.At(key) {
			if n.Resource == project.Source {
				found, id = s.one(found, key), n.UniqueID
				break
			}
		}
	}
	switch {
	case found == "" || found == ambiguous:
		why := "hard-coded, no parent's or source's relation"
		if found == ambiguous {
			why = "two relations bear this name"
		}
		s.x.other(Upstream{Name: "table:" + project.Key(parts), Kind: Unknown, Why: why, Parts: parts})
	case found == s.own:
		return true
	case s.parents[found] != "":
		s.named[found] = true
	default:
		s.tableUpstream(s.r.p.Nodes[id].Relation.Parts, id)
	}
	return false
}

const ambiguous = "\x00"

func (s *scope) one(found, key string) string {
	if found != "" && found != key {
		return ambiguous
	}
	return key
}

// tableUpstream adds a table by its name, unless it is the node itself, which a source may name too.
func (s *scope) tableUpstream(parts []string, id string) {
	u := Upstream{Name: project.Key(parts), Kind: Table, Parts: parts, NodeID: id}
	if u.Name == s.own {
		s.x.itself = true
		return
	}
	s.x.add(u)
	s.x.direct[u.Name] = u
}

// dependsOn follows one parent, after the texts have shown under which name a deferred one is read.
func (s *scope) dependsOn(id string) {
	parent := s.r.p.Nodes[id]
	if parts, ok := s.r.deferred[id]; ok {
		if len(parts) == 0 {
			s.x.other(Upstream{Name: "node:" + id, Kind: Unknown, Why: "the name of its deferred relation can't be read"})
			return
		}
		key := project.Key(parts)
		own := parent != nil && !parent.Relation.IsZero() && s.named[parent.Relation.Key()]
		if parent == nil || key != parent.Relation.Key() {
			if s.named[key] || !own {
				// What stands there is the other environment's: a view is found out, and unknown, when its version is read (S9).
				s.tableUpstream(parts, "")
				if s.x.deferred == nil {
					s.x.deferred = map[string]string{}
				}
				s.x.deferred[id] = key
			}
			if s.named[key] && !own {
				return
			}
		}
	}
	if parent == nil {
		s.x.other(Upstream{Name: "node:" + id, Kind: Unknown, Why: "not in the manifest"})
		return
	}
	switch {
	case parent.Resource == project.Source:
		s.source(parent)
	case parent.Relation.IsZero():
		s.x.other(Upstream{Name: "node:" + id, Kind: Unknown, Why: orWord(parent.Why, "it has no relation")})
	case parent.Kind == engine.KindView:
		s.view(parent)
	case parent.MakesTable():
		s.tableUpstream(parent.Relation.Parts, id)
	default:
		s.x.other(Upstream{Name: "node:" + id, Kind: Unknown, Why: orWord(parent.Why, "no table"), Parts: parent.Relation.Parts})
	}
}

// source reads a source, unless it is a file or a plugin's: that one is what the compiled SQL reads (S10), which for a plugin may be its
// relation.
func (s *scope) source(parent *project.Node) {
	if parent.Relation.IsZero() && !parent.External {
		s.x.other(Upstream{Name: "node:" + parent.UniqueID, Kind: Unknown, Why: "a source without a relation"})
		return
	}
	if !parent.External || s.named[parent.Relation.Key()] && !parent.Relation.IsZero() {
		s.tableUpstream(parent.Relation.Parts, parent.UniqueID)
	}
}

// view expands a view of the manifest: its tables, paths, opaque inputs and hooks, and all its volatile calls as deciding ones (S9).
func (s *scope) view(v *project.Node) {
	key := v.Relation.Key()
	s.x.views[key] = View{NodeID: v.UniqueID, Name: key}
	s.x.direct[key] = Upstream{Name: key, Kind: Table, Parts: v.Relation.Parts, NodeID: v.UniqueID}
	inner := s.r.expand(v)
	if inner == nil {
		s.x.unknown("view:"+key, "nothing is known of this view")
		return
	}
	for _, u := range inner.upstreams {
		s.x.add(u)
	}
	for k, view := range inner.views {
		s.x.views[k] = view
	}
	for kind := range inner.volatile {
		s.x.volatile[kind] = true
	}
}

// expand returns what a view reads, nil if that is unknown. A view that is reached from itself is unknown.
func (r *Resolver) expand(v *project.Node) *reading {
	if x, ok := r.views[v.UniqueID]; ok {
		return x
	}
	if r.visiting[v.UniqueID] {
		return nil
	}
	facts, ok := r.evidence.View(v)
	if !ok || unread(facts.Body, facts.Level) {
		r.views[v.UniqueID] = nil
		return nil
	}
	r.visiting[v.UniqueID] = true
	x := r.read(v, facts)
	delete(r.visiting, v.UniqueID)
	r.views[v.UniqueID] = x
	return x
}

func orWord(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
