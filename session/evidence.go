package session

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"hodor/engine"
	"hodor/lineage"
	"hodor/normalize"
	"hodor/project"
	"hodor/stores"
	"hodor/versions"
)

// reads is everything that a node reads, with the versions of this moment.
type reads struct {
	upstreams []engine.Upstream
	views     []engine.View
	columns   map[string]engine.Version // S18; nil where views bind anew
	why       map[string]string         // by upstream name: why it is unknown
}

// evidence reads the versions of all that lineage found, many at once. then are the record's versions, which a reader may take over where it
// can prove that they stand.
func (s *Session) evidence(ctx context.Context, n *project.Node, facts lineage.Facts, found lineage.Result, then *engine.Record) reads {
	out := reads{upstreams: make([]engine.Upstream, len(found.Upstreams)), why: map[string]string{}}
	recorded := func(name string) engine.Version {
		if then == nil {
			return ""
		}
		return then.Upstreams[name]
	}
	var all group
	for i, u := range found.Upstreams {
		out.upstreams[i].Name = u.Name
		switch u.Kind {
		case lineage.Table, lineage.Path:
			all.start(func() { out.upstreams[i].Now = s.reader.Rows(ctx, relationOf(u), recorded(u.Name)) })
		case lineage.Volatile:
			_, kind, _ := strings.Cut(u.Name, ":")
			all.start(func() { out.upstreams[i].Now = s.reader.Volatile(ctx, kind) })
		default:
			out.why[u.Name] = u.Why
		}
	}
	views := make([]engine.View, len(found.Views))
	for i, v := range found.Views {
		all.start(func() { views[i] = s.viewNow(ctx, v) })
	}
	var columns []engine.Version
	var named []lineage.Upstream
	if n.Kind == engine.KindView && s.req.Adapter == normalize.DialectDatabricks {
		named = slices.Concat(found.Direct, found.Others)
		columns = make([]engine.Version, len(named))
		for i, u := range named {
			all.start(func() { columns[i] = s.columns(ctx, u, recorded(u.Name)) })
		}
		out.columns = map[string]engine.Version{}
	}
	all.wait()
	out.views = views
	for i, v := range columns {
		out.columns[named[i].Name] = v
	}
	if n.Resource != project.Seed {
		for _, name := range s.hiddenFrom(ctx, facts, found.Views) {
			u := engine.Upstream{Name: "opaque:" + name}
			out.upstreams = append(out.upstreams, u)
			out.why[u.Name] = "a user function of that name hides the built-in one"
		}
	}
	return out
}

// columns reads the columns of what a view names itself (S18); unknown for what has no name of three parts and no path.
func (s *Session) columns(ctx context.Context, u lineage.Upstream, then engine.Version) engine.Version {
	if u.Kind == lineage.Unknown {
		if len(u.Parts) != 3 {
			return ""
		}
		return s.reader.Columns(ctx, versions.Relation{Key: project.Key(u.Parts), Parts: u.Parts}, "")
	}
	return s.reader.Columns(ctx, relationOf(u), then)
}

// hiddenFrom returns the user functions that may stand in for a built-in which a node's texts, or the views that it reads through, call (S8).
func (s *Session) hiddenFrom(ctx context.Context, facts lineage.Facts, views []lineage.View) []string {
	var hidden []string
	var calls map[string]bool // gathered once it matters
	for _, name := range s.present(ctx).UserFunctions {
		all, some := normalize.MacroHides(name)
		if some && !all && calls == nil {
			calls = map[string]bool{}
			addCalls(calls, facts)
			for _, v := range views {
				if n := s.proj.Nodes[v.NodeID]; n != nil {
					inner, _ := s.View(n)
					addCalls(calls, inner)
				}
			}
		}
		if all || some && calls[name] {
			hidden = append(hidden, name)
		}
	}
	return hidden
}

func addCalls(calls map[string]bool, f lineage.Facts) {
	if f.Body != nil {
		for _, name := range f.Body.Calls {
			calls[name] = true
		}
	}
	for _, h := range f.Hooks {
		for _, name := range h.Facts.Calls {
			calls[name] = true
		}
	}
}

// group runs functions beside each other, the last of them in wait. A panic in one comes back from wait, so that it fails the one node and not the process.
type group struct {
	wg    sync.WaitGroup
	last  func()
	mu    sync.Mutex
	panic any
}

func (g *group) start(f func()) {
	if before := g.last; before != nil {
		g.wg.Go(func() { g.run(before) })
	}
	g.last = f
}

func (g *group) run(f func()) {
	defer func() {
		if p := recover(); p != nil {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.panic = fmt.Sprintf("%v\n%s", p, debug.Stack())
		}
	}()
	f()
}

func (g *group) wait() {
	if g.last != nil {
		g.run(g.last)
		g.last = nil
	}
	g.wg.Wait()
	if g.panic != nil {
		panic(g.panic)
	}
}

func relationOf(u lineage.Upstream) versions.Relation {
	if u.Kind == lineage.Path {
		return versions.Relation{Key: u.Name, Path: u.Name}
	}
	return versions.Relation{Key: u.Name, Parts: u.Parts}
}

func targetOf(n *project.Node) versions.Relation {
	return versions.Relation{Key: n.Relation.Key(), Parts: n.Relation.Parts}
}

// viewNow is a view as it stands: the code of its last build, unless its present definition is not the one that the build left (S9).
func (s *Session) viewNow(ctx context.Context, v lineage.View) engine.View {
	out := engine.View{Name: v.Name}
	n := s.proj.Nodes[v.NodeID]
	if n == nil {
		return out
	}
	code, built := s.viewBuilt(n)
	out.Definition = s.reader.Definition(ctx, targetOf(n))
	if built.Known() && built == out.Definition {
		out.Code = code
	}
	return out
}

// viewBuilt returns code hash and definition that the last build of a view left, in this run or before.
func (s *Session) viewBuilt(n *project.Node) (code string, definition engine.Version) {
	if st := s.state(n.UniqueID); st != nil && st.attempted {
		if !st.succeeded {
			return "", ""
		}
		return st.text.code, st.target
	}
	r := s.loaded.Of(s.proj.NodeKey(n, nil), n.UniqueID)
	if r == nil || r.CodeHash == nil || r.DataVersion == nil || r.HashVersion != normalize.Version {
		return "", ""
	}
	return *r.CodeHash, engine.Version(*r.DataVersion)
}

// View implements lineage.Evidence: the facts of a view's last build, in this run or before.
func (s *Session) View(n *project.Node) (lineage.Facts, bool) {
	if st := s.state(n.UniqueID); st != nil && st.attempted {
		if !st.succeeded || st.text.facts == nil {
			return lineage.Facts{}, false
		}
		return lineageFacts(st.text, st.hooks), true
	}
	r := s.loaded.Of(s.proj.NodeKey(n, nil), n.UniqueID)
	s.mu.Lock()
	facts, ok := s.viewMemo[r]
	s.mu.Unlock()
	if ok {
		return facts, true
	}
	f := recordedFacts(r)
	if f == nil || f.Facts == nil || r.HashVersion != normalize.Version || f.Dialect != s.req.Adapter {
		return lineage.Facts{}, false
	}
	facts = f.lineageFacts()
	s.mu.Lock()
	s.viewMemo[r] = facts
	s.mu.Unlock()
	return facts, true
}

// engineRecord is a stored record as the engine takes it; nil if it can't be decoded, which is no history.
func engineRecord(r *stores.Record, f *sqlFacts, kind engine.Kind) *engine.Record {
	if r == nil || r.BuiltAtMS == nil {
		return nil
	}
	out := &engine.Record{
		Hashes: engine.Hashes{Version: r.HashVersion, Code: deref(r.CodeHash), Unrendered: deref(r.UnrenderedHash), Config: deref(r.ConfigHash)},
		Target: engine.Version(deref(r.DataVersion)), BuiltAtMS: *r.BuiltAtMS,
	}
	if r.Upstreams != nil {
		if decode(*r.Upstreams, &out.Upstreams) != nil {
			return nil
		}
	}
	if f != nil {
		out.Columns = f.Columns
		out.Views = make(map[string]engine.View, len(f.Views))
		for name, v := range f.Views {
			out.Views[name] = engine.View{Name: name, Code: v.Code, Definition: v.Definition}
		}
	}
	if kind == engine.KindTest {
		t := recordedTest(r)
		if t == nil {
			return nil
		}
		out.Test = &engine.TestResult{Status: t.Status, Failures: t.Failures, Message: t.Message}
	}
	return out
}

// testResult is the JSON of a record's test_result.
type testResult struct {
	Status   string `json:"status"`
	Failures int64  `json:"failures"`
	Message  string `json:"message"`
}

func recordedTest(r *stores.Record) *testResult {
	var t testResult
	if r == nil || r.TestResult == nil || decode(*r.TestResult, &t) != nil {
		return nil
	}
	return &t
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// orNil is the other way: what is not known is NULL.
func orNil[T ~string](s T) *string {
	if s == "" {
		return nil
	}
	text := string(s)
	return &text
}
