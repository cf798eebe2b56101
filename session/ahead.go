package session

import (
	"context"
	"runtime/debug"
	"slices"
	"sync"

	"hodor/engine"
	"hodor/lineage"
	"hodor/project"
)

// A call of the host for each node costs several times what the decision does. So, where nothing has been built or written in a run, nodes are
// decided before the host asks for them, and the reuses among them go out with the answers that it gets anyway; it says later which it took. What a
// decision looks at is known for the whole run once it was read, unless the run itself makes it stale (S15): with the first build, hook or
// writing statement looking ahead ends for good, on both sides.

// window is how many nodes may be decided ahead of the host. It bounds how much earlier than its turn a node's versions are read.
const window = 256

// lookahead is what is decided and not asked for, under Session.mu.
type lookahead struct {
	off     bool
	order   []*project.Node // about as dbt executes them
	next    int             // the first of order that nobody has looked at
	workers int
	ready   []*state          // for the next answer
	said    map[string]*state // the host has these, and has not taken them
	wg      sync.WaitGroup
	cancel  context.CancelFunc
}

// Ahead is the reuse of a node that was not asked for. It holds if the host finds this text hash and this relation, and sends neither hooks nor
// SQL, nor has anything else to say.
type Ahead struct {
	ID       string  `json:"id"`
	TextHash *string `json:"text_hash"`
	Relation *string `json:"relation"`
	Reason   string  `json:"reason"`
	Note     string  `json:"note"`
	Replay   *Replay `json:"replay"`
}

// planAhead takes the selected nodes, which the host lists in the order in which it will ask for them, at the end of Start.
func (s *Session) planAhead() {
	a := &s.ahead
	a.said = map[string]*state{}
	if a.off = !s.req.Ahead || s.req.Mode != "on" || s.req.Flags.FullRefresh || s.noReuse != "" || len(s.loaded.Records) == 0; a.off {
		return
	}
	for _, id := range s.req.Nodes {
		if n := s.proj.Nodes[id]; n != nil {
			a.order = append(a.order, n)
		}
	}
}

// lookAhead goes on deciding nodes that were not asked for, beside what else happens.
func (s *Session) lookAhead() {
	s.mu.Lock()
	a, more := &s.ahead, 0
	if !a.off && a.next < len(a.order) && len(a.ready)+len(a.said) <= window/2 {
		// Half of the statements at once are left to the nodes that somebody waits for.
		more = max(1, s.req.Settings.MetadataThreads/2) - a.workers
		a.workers += more
		a.wg.Add(more)
		if a.cancel == nil {
			s.aheadCtx, a.cancel = context.WithCancel(context.Background())
		}
	}
	s.mu.Unlock()
	for range more {
		s.deps.Go(s.foreseeSome)
	}
}

// foreseeSome decides one node after the other while the window has room.
func (s *Session) foreseeSome() {
	a := &s.ahead
	defer a.wg.Done()
	for {
		s.mu.Lock()
		if a.off || a.next == len(a.order) || len(a.ready)+len(a.said)+a.workers > window {
			a.workers--
			s.mu.Unlock()
			return
		}
		n := a.order[a.next]
		a.next++
		_, known := s.states[n.UniqueID]
		s.mu.Unlock()
		if known {
			continue
		}
		st := s.foresee(s.aheadCtx, n)
		s.mu.Lock()
		if _, known := s.states[n.UniqueID]; st != nil && !a.off && !known {
			a.ready = append(a.ready, st)
		}
		s.mu.Unlock()
	}
}

// foresee decides a node as it is likely to be asked for: with the text and the relation of its record. nil where this is no reuse, where it might be none
// a moment later, or where the host has more to say.
func (s *Session) foresee(ctx context.Context, n *project.Node) (st *state) {
	defer func() {
		if p := recover(); p != nil {
			s.deps.Log("panic while %s was decided ahead: %v\n%s", n.UniqueID, p, debug.Stack())
			st = nil // who asks for it gets the error
		}
	}()
	if !inScope(n.Kind) || n.FullRefresh != nil && *n.FullRefresh || s.keepsFailures(n) || s.proj.NeedsRender(n, s.req.Deferred) || n.State.ExecuteHooksOnAnyReuse && len(n.Hooks) > 0 {
		return nil
	}
	r := s.loaded.Of(s.proj.NodeKey(n, nil), n.UniqueID)
	if r == nil {
		return nil
	}
	req := DecideRequest{ID: n.UniqueID, Pointer: true, Relation: expected(n)}
	if n.Resource != project.Seed {
		if req.TextHash = r.TextHash; req.TextHash == nil {
			return nil
		}
	}
	st, need := s.gather(ctx, n, req)
	if need != "" || st.decided.Action != engine.Reuse || st.decided.Reason == engine.WithinLagTolerance {
		return nil
	}
	if slices.ContainsFunc(st.found.Upstreams, func(u lineage.Upstream) bool { return u.Kind == lineage.Volatile }) {
		return nil // the day may end
	}
	st.asked = req
	return st
}

// expected is the relation that the host finds where a node may be reused.
func expected(n *project.Node) *string {
	kind := "table"
	switch n.Kind {
	case engine.KindTest:
		return nil
	case engine.KindView:
		kind = "view"
	}
	return &kind
}

// takeAhead hands out what is ready, to go with an answer.
func (s *Session) takeAhead() []Ahead {
	s.mu.Lock()
	ready := s.ahead.ready
	s.ahead.ready = nil
	for _, st := range ready {
		s.ahead.said[st.node.UniqueID] = st
	}
	s.mu.Unlock()
	var out []Ahead
	for _, st := range ready {
		a := s.describe(st)
		out = append(out, Ahead{ID: st.node.UniqueID, TextHash: st.asked.TextHash, Relation: st.asked.Relation, Reason: a.Reason, Note: a.Note, Replay: a.Replay})
	}
	return out
}

// taken notes what the host took of that, as if each had been asked for. An id that was not said, or was said by now in another way, is none.
func (s *Session) taken(ids []string) {
	for _, id := range ids {
		s.mu.Lock()
		st := s.ahead.said[id]
		delete(s.ahead.said, id)
		s.mu.Unlock()
		if st != nil {
			s.keep(st)
		}
	}
}

// stir ends looking ahead: something was, or will be, built or written. What the host took before counts.
func (s *Session) stir() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ahead.off, s.ahead.ready = true, nil
}

// endAhead lets nothing of it run on: no statement is asked for when dbt's connections are gone.
func (s *Session) endAhead() {
	s.stir()
	s.mu.Lock()
	cancel := s.ahead.cancel
	s.mu.Unlock()
	if cancel != nil {
		cancel()
		s.ahead.wg.Wait()
	}
}
