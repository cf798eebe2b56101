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
//
// It is done while the host waits for an answer, and at rest when that is out. A statement of ours beside dbt's own could fail the latter though dbt
// has but one thread: DuckDB takes no CHECKPOINT, and makes no index on rows just updated, while another transaction is open.

// window is how many nodes may be decided ahead of the host. It bounds how much earlier than its turn a node's versions are read.
const window = 256

// lookahead is what is decided and not asked for, under Session.mu.
type lookahead struct {
	off     bool
	order   []*project.Node   // about as dbt executes them
	at      map[string]int    // the place of each in it
	next    int               // the first of order that nobody has looked at
	looking bool              // on behalf of one answer at a time,
	end     int               // up to this place
	ready   []*state          // for that answer
	said    map[string]*state // the host has these, and has not taken them
	wg      sync.WaitGroup
	ctx     context.Context
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
	a.said, a.at = map[string]*state{}, map[string]int{}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	if a.off = !s.req.Ahead || s.req.Mode != "on" || s.req.Flags.FullRefresh || s.noReuse != "" || len(s.loaded.Records) == 0; a.off {
		return
	}
	for _, id := range s.req.Nodes {
		if n := s.proj.Nodes[id]; n != nil {
			a.at[id] = len(a.order)
			a.order = append(a.order, n)
		}
	}
}

// lookAhead decides what comes after a node, as far as the window goes, and returns the reuses among it, to go with the answer for that node. It
// looks once half of the window has passed.
func (s *Session) lookAhead(n *project.Node) []Ahead {
	a := &s.ahead
	s.mu.Lock()
	at, planned := a.at[n.UniqueID]
	if !planned || a.off || a.looking || a.next == len(a.order) || a.next > at+window/2 {
		s.mu.Unlock()
		return nil
	}
	a.looking, a.end = true, min(at+window, len(a.order))
	a.wg.Add(1)
	s.mu.Unlock()
	defer a.wg.Done()

	// Half of the statements at once are left to the nodes that others wait for.
	var beside sync.WaitGroup
	for range s.req.Settings.MetadataThreads/2 - 1 {
		beside.Add(1)
		s.deps.Go(func() {
			defer beside.Done()
			s.foreseeSome()
		})
	}
	s.foreseeSome()
	beside.Wait()
	return s.takeAhead()
}

// foreseeSome decides one node after the other up to the end of the window.
func (s *Session) foreseeSome() {
	a := &s.ahead
	for {
		s.mu.Lock()
		if a.off || a.next >= a.end {
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
		if st := s.foresee(a.ctx, n); st != nil {
			s.mu.Lock()
			a.ready = append(a.ready, st)
			s.mu.Unlock()
		}
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

// takeAhead hands out what is ready, but for what somebody asked for meanwhile.
func (s *Session) takeAhead() []Ahead {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &s.ahead
	ready := a.ready
	a.ready, a.looking = nil, false
	if a.off {
		return nil
	}
	var out []Ahead
	for _, st := range ready {
		id := st.node.UniqueID
		if _, known := s.states[id]; known {
			continue
		}
		d := s.describe(st)
		a.said[id] = st
		out = append(out, Ahead{ID: id, TextHash: st.asked.TextHash, Relation: st.asked.Relation, Reason: d.Reason, Note: d.Note, Replay: d.Replay})
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
	s.ahead.off = true
}

// endAhead lets nothing of it run on where dbt has stopped waiting for answers: no statement is asked for when its connections are gone.
func (s *Session) endAhead() {
	s.stir()
	if s.ahead.cancel != nil {
		s.ahead.cancel()
		s.ahead.wg.Wait()
	}
}
