package session

import (
	"context"

	"hodor/engine"
	"hodor/lineage"
	"hodor/project"
)

// A record says that its content follows from the versions read before the build (S3). Two nodes may run at once, and a hook of the one may write
// what the other reads, between the other's decision and its build. The record of the other then holds a version that its content does not
// follow from. Where versions say when a table changed, that costs a build; where they say what is in it (DuckDB), the old rows may come back, and
// with them the version. So what was read is read again after a build beside which such a hook ran.

// mayWriteElsewhere tells whether an attempt to build the node, or to run its hooks, may write anything but the node itself (S15).
func mayWriteElsewhere(n *project.Node, st *state) bool {
	return st == nil || st.failed || !inScope(n.Kind) || writesElsewhere(st.hooks)
}

// takeOff notes that an attempt begins: from here on it may write elsewhere. The caller holds s.mu.
func (s *Session) takeOff(st *state) {
	st.beside = s.writers > 0
	if (st.action == engine.Build || st.runHooks) && mayWriteElsewhere(st.node, st) {
		st.writer = true
		s.writers++
		s.wrote++
	}
	st.wrote = s.wrote
}

// land notes that an attempt has ended, and tells whether another that may write elsewhere, or did, was under way at any time of it.
func (s *Session) land(n *project.Node, st *state) (beside bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	beside = st != nil && (st.beside || st.wrote != s.wrote)
	switch {
	case st != nil && st.writer:
		st.writer = false
		s.writers--
	case mayWriteElsewhere(n, st):
		s.wrote++ // the host has built what was to be reused, or what was never decided
	}
	return beside
}

// stillStand reads what a node reads once more, past what is kept, and tells whether all of it is as it was at the decision.
func (s *Session) stillStand(ctx context.Context, st *state) bool {
	then := map[string]engine.Version{}
	for _, u := range st.reads.upstreams {
		then[u.Name] = u.Now
	}
	for _, u := range st.found.Upstreams {
		if u.Kind != lineage.Table && u.Kind != lineage.Path {
			continue
		}
		r := relationOf(u)
		s.reader.Invalidate(r)
		if now := s.reader.Rows(ctx, r, ""); !now.Known() || now != then[u.Name] {
			return false
		}
	}
	for _, v := range st.found.Views {
		n := s.proj.Nodes[v.NodeID]
		if n == nil {
			return false
		}
		s.reader.Invalidate(targetOf(n))
	}
	for i, v := range st.found.Views {
		if now := s.viewNow(ctx, v); now != st.reads.views[i] {
			return false
		}
	}
	return true
}
