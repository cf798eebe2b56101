package session

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"hodor/engine"
	"hodor/lineage"
	"hodor/normalize"
	"hodor/project"
	"hodor/stores"
	"hodor/versions"
)

// state is what a run knows of one node that was decided.
type state struct {
	node    *project.Node
	key     string
	record  *stores.Record // its history, nil for none
	text    text
	hooks   []hookText
	now     engine.Hashes
	found   lineage.Result
	reads   reads
	decided engine.Decision
	begun   string // why it has no history, if a run began to build it and no end is recorded
	// action is what the host was told to do.
	action   engine.Action
	runHooks bool
	asked    DecideRequest // of one that was decided ahead: what it holds for
	builtMS  int64         // the warehouse's clock right before the answer: the start of a build
	failed   bool          // hodor_error: nothing of the above is known

	// What may write beside it, under Session.mu (beside.go).
	writer bool
	beside bool
	wrote  uint64

	// Set by Built, under Session.mu.
	attempted, succeeded bool
	doubtful             bool           // what it read may have moved while it was built
	queued               bool           // a record of it is, or was, in the queue
	target               engine.Version // right after the build
}

func (s *Session) state(id string) *state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.states[id]
}

// Decide says whether a node may be reused. ErrNoRun and an unknown node are errors, which build; whatever else goes wrong is a build with the
// reason hodor_error.
func (s *Session) Decide(ctx context.Context, req DecideRequest) (answer DecideAnswer, err error) {
	if !s.running.Load() {
		return DecideAnswer{}, ErrNoRun
	}
	s.taken(req.Taken)
	n := s.proj.Nodes[req.ID]
	if n == nil {
		s.stir()
		return DecideAnswer{}, fmt.Errorf("node %q is not in the manifest of this run", req.ID)
	}
	if req.Wrote {
		s.stir()
		// Before anything is read: the statement has run (S15).
		s.mu.Lock()
		s.wrote++
		s.mu.Unlock()
		s.allStale()
	}
	defer func() {
		if p := recover(); p != nil {
			s.deps.Log("panic while %s was decided: %v\n%s", req.ID, p, debug.Stack())
			first, _, _ := strings.Cut(fmt.Sprint(p), "\n")
			answer, err = s.failed(ctx, n, "internal error: "+first), nil
		}
	}()
	st, need := s.gather(ctx, n, req)
	if need != "" {
		return DecideAnswer{Need: need}, nil
	}
	answer = s.answer(ctx, st)
	if st.action == engine.Reuse && !st.runHooks {
		answer.Ahead = s.lookAhead(n)
	}
	return answer, nil
}

// failed is the answer when deciding a node went wrong: it builds as if hodor were not there.
func (s *Session) failed(ctx context.Context, n *project.Node, why string) DecideAnswer {
	st := &state{node: n, key: n.Relation.Key(), failed: true, builtMS: s.recordMS(), decided: engine.Decision{Action: engine.Build, Reason: engine.HodorError}}
	if n.Kind == engine.KindTest {
		st.key = n.UniqueID
	}
	s.mu.Lock()
	if s.counts.errors++; s.counts.errors == 1 {
		s.undecided = fmt.Sprintf("%s (%s)", n.UniqueID, why)
	}
	s.mu.Unlock()
	return s.answer(ctx, st)
}

// gather collects everything that the engine looks at and asks it. need is not empty if the host must send more first.
func (s *Session) gather(ctx context.Context, n *project.Node, req DecideRequest) (st *state, need string) {
	st = &state{node: n, key: s.proj.NodeKey(n, nil)}
	in := engine.Input{
		Kind: n.Kind, FullRefresh: s.req.Flags.FullRefresh || n.FullRefresh != nil && *n.FullRefresh, NoReuse: s.noReuse,
		CompareUnrendered: n.State.CompareUnrendered, RequireAll: n.State.RequireAll, LagToleranceMS: n.State.LagToleranceMS,
		ViewsBindAnew: s.req.Adapter == normalize.DialectDuckDB,
	}
	if !inScope(n.Kind) {
		s.decide(st, in)
		return st, ""
	}
	// A test is known by what it reads, and where deferral may lead its parents elsewhere only its text tells.
	deferred := n.Kind == engine.KindTest && s.mayBeDeferred(n, map[string]bool{})
	var recorded *sqlFacts
	if !deferred {
		st.record = s.loaded.Of(st.key, n.UniqueID)
		recorded = recordedFacts(st.record)
	}
	known := false
	switch {
	case n.Resource == project.Seed:
		st.text, known = text{code: n.SeedHash()}, true
	case req.SQL != nil:
		s.mu.Lock()
		s.counts.sqlSent++
		s.mu.Unlock()
		st.text, known = s.analyse(*req.SQL), true
	case req.TextHash == nil:
		known = true // not UTF-8: nothing is known of it
	case !deferred:
		st.text, known = s.fromRecord(*req.TextHash, st.record, recorded)
	}
	if !known {
		return nil, "sql"
	}
	st.hooks = s.hooks(n, req.Hooks, recorded)
	facts := lineageFacts(st.text, st.hooks)
	found := s.resolver.Of(n, facts)
	st.found = found
	if deferred {
		st.key = s.proj.NodeKey(n, found.Read)
		st.record = s.loaded.Of(st.key, n.UniqueID)
		recorded = recordedFacts(st.record)
	}
	in.Record = engineRecord(st.record, recorded, n.Kind)
	st.begun = s.begunBefore(st.key, n)

	session := s.present(ctx)
	if session.Descending && st.text.hash != "" {
		st.text.code = st.text.hash // the canonical text leaves ASC out
	}
	st.now = engine.Hashes{Version: normalize.Version, Code: st.text.code}
	if session.Fingerprint != "" {
		// Hooks are part of the node's SQL (S7). Their source is in the hash already; the rendered text may differ though the source does not, for
		// instance by the day.
		extra := []string{session.Fingerprint, s.req.Context.Session}
		for _, h := range st.hooks {
			extra = append(extra, h.hash)
		}
		st.now.Config = s.hasher.Config(n, extra...)
	}
	if n.State.CompareUnrendered {
		st.now.Unrendered = s.hasher.Unrendered(n)
	}
	st.reads = s.evidence(ctx, n, facts, found, in.Record)

	in.Now = st.now
	in.Relation = s.relation(ctx, n, req, found.Read, in.Record != nil && in.Record.Hashes.Config == st.now.Config)
	if in.Record != nil {
		in.Target = s.targetNow(ctx, n, in.Record.Target)
	}
	in.KeepsFailures = s.keepsFailures(n)
	in.Columns = st.reads.columns
	in.SelectStarView = n.Kind == engine.KindView && (st.text.facts == nil || st.text.facts.SelectStar)
	in.ReadsItself = found.ReadsItself
	in.HooksUnknown = found.HooksUnknown
	in.LineageKnown = n.Resource == project.Seed || st.text.facts != nil && st.text.level != normalize.LevelText && st.text.level != ""
	if n.Kind != engine.KindView {
		// What a view's query reads is read anew whenever the view is; hooks that read anything set HooksUnknown.
		in.Upstreams, in.Views = st.reads.upstreams, st.reads.views
	} else if holdsRun(st.text.facts, n.State.EvaluateVolatile) {
		in.Upstreams = []engine.Upstream{{Name: "volatile:always"}}
	} else if hooks := (lineage.Facts{Hooks: facts.Hooks}); len(st.hooks) > 0 && len(s.hiddenFrom(ctx, hooks, nil)) > 0 {
		in.HooksUnknown = true
	}
	s.decide(st, in)
	return st, ""
}

// holdsRun tells whether a view's SQL holds a value of the run that made it, its start or its id, in a use that counts (S27). A call is made
// whenever the view is read; such a literal stays what it was.
func holdsRun(f *normalize.Facts, rule project.VolatileRule) bool {
	return f != nil && rule != project.VolatileNone && slices.ContainsFunc(f.Volatile, func(v normalize.Volatile) bool {
		return v.PerRun() && (v.Use != "stamp" || rule == project.VolatileAll)
	})
}

func inScope(k engine.Kind) bool {
	switch k {
	case engine.KindTable, engine.KindIncremental, engine.KindView, engine.KindSeed, engine.KindSnapshot, engine.KindTest:
		return true
	}
	return false
}

func (s *Session) decide(st *state, in engine.Input) {
	in.NowMS = s.nowMS()
	st.builtMS = s.recordMS()
	st.decided = engine.Decide(in)
}

// mayBeDeferred tells whether a ref of the node, or of an ephemeral one inlined into it, may resolve to another environment's relation.
func (s *Session) mayBeDeferred(n *project.Node, seen map[string]bool) bool {
	for _, id := range n.Parents {
		if _, ok := s.req.Deferred[id]; ok {
			return true
		}
		if parent := s.proj.Nodes[id]; parent != nil && parent.Kind == project.KindEphemeral && !seen[id] {
			seen[id] = true
			if s.mayBeDeferred(parent, seen) {
				return true
			}
		}
	}
	return false
}

// relation is what stands under the node's name: for a test, whether everything that it tests stands, and its table of failures if it keeps one.
// The latter is asked for only where the configuration is the recorded one: a table that the last build was not told to write is not missing, and
// the change of the configuration builds.
func (s *Session) relation(ctx context.Context, n *project.Node, req DecideRequest, read map[string]string, sameConfig bool) engine.Relation {
	stands := func(want string) engine.Relation {
		switch {
		case !req.Pointer:
			return engine.Absent // the pointer view of a versioned model must be made
		case req.Relation == nil:
			return engine.Absent
		case *req.Relation == want:
			return engine.Present
		case *req.Relation == "unknown":
			return engine.Unseen
		}
		return engine.Absent
	}
	switch n.Kind {
	case engine.KindView:
		return stands("view")
	case engine.KindTest:
	default:
		return stands("table")
	}
	if sameConfig && s.keepsFailures(n) {
		if r := stands("table"); r != engine.Present && stands("view") != engine.Present {
			return r
		}
		if r := s.reader.Stands(ctx, targetOf(n)); r != engine.Present {
			return r // dbt's cache is older than on-run-start (S17)
		}
	}
	for _, r := range s.tested(n, read, map[string]bool{n.UniqueID: true}) {
		if got := s.reader.Stands(ctx, r); got != engine.Present {
			return got
		}
	}
	return engine.Present
}

// tested lists the relations of a test's parents, ephemeral ones replaced by what they read and deferred ones by what is read in their place.
func (s *Session) tested(n *project.Node, read map[string]string, seen map[string]bool) []versions.Relation {
	var out []versions.Relation
	for _, id := range n.Parents {
		if seen[id] {
			continue
		}
		seen[id] = true
		parent := s.proj.Nodes[id]
		switch {
		case read[id] != "":
			if parts, ok := project.ParseName(s.req.Deferred[id]); ok {
				out = append(out, versions.Relation{Key: project.Key(parts), Parts: parts})
			}
		case parent == nil:
		case parent.Kind == project.KindEphemeral:
			out = append(out, s.tested(parent, read, seen)...)
		case !parent.Relation.IsZero() && !parent.External:
			out = append(out, targetOf(parent))
		}
	}
	return out
}

// keepsFailures tells whether a test stores its failures in this run.
func (s *Session) keepsFailures(n *project.Node) bool {
	if n.Kind != engine.KindTest {
		return false
	}
	if n.StoreFailures != nil {
		return *n.StoreFailures
	}
	return s.req.Flags.StoreFailures
}

// targetNow reads the target's own version: of the rows, or of a view's definition. The target of a test is what it stores its failures in; one
// that stores none has no version.
func (s *Session) targetNow(ctx context.Context, n *project.Node, then engine.Version) engine.Version {
	view := n.Kind == engine.KindView
	if n.Kind == engine.KindTest {
		if !s.keepsFailures(n) {
			return ""
		}
		view = n.FailuresView
	}
	if view {
		return s.reader.Definition(ctx, targetOf(n))
	}
	return s.reader.Rows(ctx, targetOf(n), then)
}

// answer keeps the state and says it to the host.
func (s *Session) answer(ctx context.Context, st *state) DecideAnswer {
	a := s.describe(st)
	s.keep(st)
	s.begin(ctx, st)
	return a
}

// describe puts a decision into words for the host.
func (s *Session) describe(st *state) DecideAnswer {
	d := st.decided
	st.action = d.Action
	if s.req.Mode != "on" || d.Action != engine.Reuse {
		st.action = engine.Build
	}
	a := DecideAnswer{Action: string(st.action), Decision: string(d.Action), Reason: string(d.Reason), Note: st.note()}
	if st.action == engine.Reuse {
		st.runHooks = st.node.State.ExecuteHooksOnAnyReuse && len(st.node.Hooks) > 0
		a.RunHooks = st.runHooks
		if st.node.Kind == engine.KindTest {
			t := recordedTest(st.record)
			a.Replay = &Replay{Status: t.Status, Failures: t.Failures, Message: t.Message, InvocationID: st.record.InvocationID, BuiltAtMS: *st.record.BuiltAtMS}
		}
	}
	return a
}

// keep notes a decision that the host has, or gets, and its record.
func (s *Session) keep(st *state) {
	s.mu.Lock()
	delete(s.ahead.said, st.node.UniqueID)
	s.states[st.node.UniqueID] = st
	s.takeOff(st)
	s.mu.Unlock()
	if st.action != engine.Reuse || st.runHooks {
		s.stir()
		return
	}
	// The host says no more of it (docs/protocol.md); run/finish corrects.
	status := "reused"
	if st.node.Kind == engine.KindTest {
		status = recordedTest(st.record).Status
	}
	s.enqueue(st, s.reuseRecord(st, status))
}

// note is the short evidence for the log line.
func (st *state) note() string {
	d := st.decided
	if d.Action == engine.Reuse {
		return "built " + time.UnixMilli(*st.record.BuiltAtMS).UTC().Format("2006-01-02 15:04 UTC")
	}
	switch d.Reason {
	case engine.NoHistory:
		return st.begun
	case engine.CodeChanged:
		if f := recordedFacts(st.record); f != nil {
			return changedLiteral(saltedLiterals(f.Literals), st.text.present)
		}
	case engine.Unsupported:
		return st.node.Why
	case engine.UnknownUpstream, engine.UpstreamCodeChanged, engine.NewUpstreamData, engine.VolatileSQL:
		if len(d.Evidence) == 0 {
			return ""
		}
		first := d.Evidence[0].What
		name := first
		if len(name) > len("upstream ") && name[:len("upstream ")] == "upstream " {
			name = name[len("upstream "):]
		}
		if why := st.reads.why[name]; why != "" {
			return name + ": " + why
		}
		if n := len(d.Evidence); n > 1 && d.Reason != engine.UnknownUpstream {
			return fmt.Sprintf("%s and %d more", name, n-1)
		}
		return name
	}
	return ""
}
