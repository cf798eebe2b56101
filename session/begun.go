package session

import (
	"context"
	"time"

	"hodor/engine"
	"hodor/project"
	"hodor/stores"
)

// What a build did to its own table shows in the table's version. What its hooks did to other tables shows nowhere: a run that is killed before it
// has recorded the build, and a build that fails, leave them as they are now, and if all that the node reads comes back as it was, nothing would tell
// that they are not what its last recorded build left. So the store is told before such a build begins (stores.Begun).

// beginWithin is how long dbt waits at most, in one run, for records of this kind that are not written in the end.
const beginWithin = 10 * time.Second

// begin records that a build begins which may write elsewhere, before the host is told to make it. It holds for runs too that record nothing else (S4). A
// store that can't be written changes nothing: the record of the end is all that is left then.
func (s *Session) begin(ctx context.Context, st *state) {
	if s.deps.Plan || !s.voids(st) {
		return
	}
	if err := s.appendBegun(ctx, []stores.Record{s.begunRecord(st)}); err != nil {
		s.deps.Log("the beginning of %s can't be recorded: %v", st.node.UniqueID, err)
	}
}

// voids tells whether the beginning of a node's attempt is to be recorded.
func (s *Session) voids(st *state) bool {
	n := st.node
	if st.action != engine.Build || n.Kind == engine.KindTest || !mayWriteElsewhere(n, st) || st.builtMS == 0 {
		return false
	}
	known := s.unread || s.loaded.Of(st.key, n.UniqueID) != nil || s.future[st.key] > 0
	switch {
	case known && s.req.Settings.Store == "delta":
		// A commit takes seconds there. New data upstream is a later version for good: the node builds until a build of it is recorded.
		return st.decided.Action == engine.Build && st.decided.Reason != engine.NewUpstreamData
	case s.req.Settings.Store == "delta", !inScope(n.Kind):
		return known
	}
	return true
}

// begunRecord has no more than a record must: it is no history, and nothing is compared with it.
func (s *Session) begunRecord(st *state) stores.Record {
	r := s.bareRecord(st, engine.Build, stores.Begun)
	builtMS := st.builtMS
	r.BuiltAtMS = &builtMS
	return r
}

func (s *Session) appendBegun(ctx context.Context, records []stores.Record) error {
	s.storeMu.Lock()
	defer s.storeMu.Unlock()
	ctx, done := context.WithTimeout(ctx, beginWithin-s.beganInVain)
	defer done()
	since := time.Now()
	store, err := s.openStoreLocked(ctx)
	if err == nil {
		err = store.Append(ctx, records)
	}
	if err != nil {
		s.beganInVain += time.Since(since)
	}
	return err
}

// begunBefore says so where the newest build of a node is one of which the end was never recorded.
func (s *Session) begunBefore(key string, n *project.Node) string {
	r := s.loaded.Void[key]
	if r == nil || r.Status != stores.Begun || r.UniqueID != n.UniqueID {
		return ""
	}
	return "a run began to build it at " + time.UnixMilli(r.RecordedAtMS).UTC().Format("2006-01-02 15:04 UTC") +
		" and did not record how that ended; it may have left other tables half written"
}
