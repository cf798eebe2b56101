package session

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"hodor/engine"
	"hodor/normalize"
	"hodor/project"
	"hodor/stores"
	"hodor/versions"
)

// queued is a record that is not written yet, and the node it is of.
type queued struct {
	st     *state
	record stores.Record
}

// flushAt is how many queued records are written at once in the middle of a run (spec 4.1).
const flushAt = 200

// Built takes a node's outcome: what may have been written is stale, the target's new version is read, the record is queued. It also serves
// node/tested. A node that was never decided (its decision failed on the way) leaves no record, but makes everything stale.
func (s *Session) Built(ctx context.Context, req BuiltRequest) error {
	if !s.running.Load() {
		return ErrNoRun
	}
	s.taken(req.Taken)
	s.stir()
	n := s.proj.Nodes[req.ID]
	if n == nil {
		return fmt.Errorf("node %q is not in the manifest of this run", req.ID)
	}
	st := s.state(req.ID)
	beside := s.land(n, st)
	if req.Attempted || req.HooksRan {
		s.invalidate(n, st)
	}
	if st == nil {
		return nil
	}
	if !req.Attempted {
		if st.action == engine.Reuse && st.runHooks {
			s.enqueue(st, s.reuseRecord(st, req.Status))
		}
		return nil
	}
	var target engine.Version
	success := req.Status == "success"
	if n.Kind == engine.KindTest {
		success = req.Status == "pass" || req.Status == "warn" || req.Status == "fail"
	}
	if success && inScope(n.Kind) && !st.failed {
		if target = s.targetNow(ctx, n, ""); st.leftAsItWas(target) {
			target = ""
		}
	}
	doubtful := beside && success && inScope(n.Kind) && n.Kind != engine.KindView && !st.failed && !s.stillStand(ctx, st)
	if doubtful {
		target = "" // and so the record is no history
	}
	s.mu.Lock()
	st.attempted, st.succeeded, st.target, st.doubtful = true, success, target, doubtful
	s.mu.Unlock()
	if n.Kind == engine.KindView {
		s.resolver.Forget()
	}
	s.enqueue(st, s.buildRecord(st, req))
	return nil
}

// leftAsItWas tells whether a view has other code than its record and still the recorded definition. dbt's word alone is then no proof that
// the new view was made (S1): without a version this build is no history, and the next one decides anew.
func (st *state) leftAsItWas(target engine.Version) bool {
	r := st.record
	return st.node.Kind == engine.KindView && target.Known() && r != nil && r.DataVersion != nil && *r.DataVersion == string(target) &&
		r.HashVersion == normalize.Version && r.CodeHash != nil && *r.CodeHash != st.text.code
}

// invalidate makes stale what an attempt to build the node, or to run its hooks, may have written (S15).
func (s *Session) invalidate(n *project.Node, st *state) {
	switch {
	case mayWriteElsewhere(n, st):
		s.allStale()
	case !n.Relation.IsZero():
		s.reader.Invalidate(targetOf(n))
	}
}

// bareRecord says which node, which run, what was decided and what became of it.
func (s *Session) bareRecord(st *state, action engine.Action, status string) stores.Record {
	return stores.Record{
		RecordID: s.deps.NewID(), InvocationID: s.req.InvocationID, RecordedAtMS: s.recordMS(),
		ProjectName: s.req.ProjectName, TargetName: s.req.TargetName, NodeKey: st.key, UniqueID: st.node.UniqueID,
		ResourceType: string(st.node.Resource), Mode: s.req.Mode, Decision: string(st.decided.Action), Reason: string(st.decided.Reason),
		Action: string(action), Status: status, HashVersion: normalize.Version, HodorVersion: s.deps.HodorVersion,
	}
}

// record fills in what reuse and build have in common.
func (s *Session) record(st *state, action engine.Action, status string) stores.Record {
	r := s.bareRecord(st, action, status)
	if st.failed {
		return r
	}
	r.TextHash, r.CodeHash = orNil(st.text.hash), orNil(st.text.code)
	r.UnrenderedHash, r.ConfigHash = orNil(st.now.Unrendered), orNil(st.now.Config)
	upstreams := make(map[string]engine.Version, len(st.reads.upstreams))
	for _, u := range st.reads.upstreams {
		upstreams[u.Name] = u.Now
	}
	r.Upstreams = encode(upstreams)
	f := sqlFacts{
		Dialect: s.req.Adapter, Catalog: s.req.Database, Schema: s.req.Schema, Level: st.text.level, Facts: st.text.facts,
		Hooks: recordHooks(st.hooks), Columns: st.reads.columns, SQL: st.text.sql,
		Decided: decidedOf(st), After: s.future[st.key],
	}
	if action == engine.Build {
		f.Literals = st.text.literals // a text is held against the last build's
	}
	for _, v := range st.reads.views {
		if f.Views == nil {
			f.Views = map[string]viewFacts{}
		}
		f.Views[v.Name] = viewFacts{v.Code, v.Definition}
	}
	r.SQLFacts = encode(f)
	return r
}

// encode makes JSON of maps and structs of text, which can't fail; a value that does is not known.
func encode(v any) *string {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	text := string(raw)
	return &text
}

// reuseRecord says that a node was reused. It is no history and does not reset the clock; its versions are those of the decision.
func (s *Session) reuseRecord(st *state, status string) stores.Record {
	r := s.record(st, engine.Reuse, status)
	r.DataVersion, r.TestResult = st.record.DataVersion, st.record.TestResult
	return r
}

func (s *Session) buildRecord(st *state, req BuiltRequest) stores.Record {
	r := s.record(st, engine.Build, req.Status)
	builtMS, buildMS := st.builtMS, max(req.BuildMS, 0)
	r.BuiltAtMS, r.BuildMS = &builtMS, &buildMS
	r.DataVersion = orNil(st.target)
	if ms, ok := versions.ChangedAt(st.target); ok {
		r.DataChangedAtMS = &ms
	}
	if st.node.Kind == engine.KindTest && st.succeeded && !st.doubtful {
		// Only of a test that ran to its end: the engine's message of one that broke may quote SQL and data, which no record holds.
		t := testResult{Status: req.Status}
		if req.Failures != nil {
			t.Failures = *req.Failures
		}
		if req.Message != nil {
			t.Message = *req.Message
		}
		r.TestResult = encode(t)
	}
	return r
}

// enqueue queues a record in place of an earlier one of the same node, and flushes when enough are waiting. With --fail-fast nothing is written
// before the end, since dbt may still call a finished node skipped.
func (s *Session) enqueue(st *state, r stores.Record) {
	if s.noRecords {
		return
	}
	s.mu.Lock()
	if st.queued {
		s.queue = slices.DeleteFunc(s.queue, func(q *queued) bool { return q.st == st })
	}
	st.queued = true
	s.queue = append(s.queue, &queued{st, r})
	full := len(s.queue) >= flushAt && !s.req.Flags.FailFast && !s.flushing
	s.flushing = s.flushing || full
	s.mu.Unlock()
	if full {
		// Finish and Close wait for it by the store's lock.
		s.deps.Go(func() { _ = s.flush(context.Background()) })
	}
}

// flush writes what is queued. What could not be written is lost, which costs builds; Finish says so, once for all of it.
func (s *Session) flush(ctx context.Context) error {
	s.storeMu.Lock()
	defer s.storeMu.Unlock()
	s.mu.Lock()
	batch := s.queue
	s.queue, s.flushing = nil, false
	s.mu.Unlock()
	if len(batch) == 0 {
		return nil
	}
	records := make([]stores.Record, len(batch))
	for i, q := range batch {
		records[i] = q.record
	}
	store, err := s.openStoreLocked(ctx)
	if err == nil {
		err = store.Append(ctx, records)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.counts.lost += len(records)
		s.lostWhy = err
		return err
	}
	s.counts.recorded += len(records)
	return nil
}

// Finish corrects outcomes, flushes and sums up. The session answers nothing after it.
func (s *Session) Finish(ctx context.Context, req FinishRequest) (FinishAnswer, error) {
	if !s.running.Swap(false) {
		return FinishAnswer{}, ErrNoRun
	}
	s.taken(req.Taken)
	s.endAhead()
	s.mu.Lock()
	for id, status := range req.Statuses {
		st := s.states[id]
		if st == nil {
			continue
		}
		// Whatever was said of it is not how it ended.
		s.queue = slices.DeleteFunc(s.queue, func(q *queued) bool { return q.st == st && q.record.Status != status })
	}
	s.mu.Unlock()
	err := s.flush(ctx)
	if err != nil && !errors.Is(err, stores.ErrUnavailable) {
		s.deps.Log("flush: %v", err)
	}
	// A store that could not be read at the start has had its warning.
	s.mu.Lock()
	failed, undecided, lost, lostWhy := s.counts.errors, s.undecided, s.counts.lost, s.lostWhy
	s.mu.Unlock()
	if lost > 0 && !s.unread {
		s.warn("%d records could not be written: %v; the next run builds their nodes.", lost, lostWhy)
	}
	switch failed {
	case 0:
	case 1:
		s.warn("%s could not be decided and builds; please report this.", undecided)
	default:
		s.warn("%d nodes could not be decided and build, the first of them %s; please report this.", failed, undecided)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	a := FinishAnswer{Errors: s.counts.errors, Recorded: s.counts.recorded, Warnings: s.warnings}
	s.warnings = nil
	if a.Warnings == nil {
		a.Warnings = []string{}
	}
	for id, st := range s.states {
		switch {
		case st.attempted:
			a.Built++
		case st.action == engine.Reuse && req.Statuses[id] == "":
			a.Reused++
			if st.record != nil && st.record.BuildMS != nil {
				a.SavedMS += *st.record.BuildMS
			}
		}
	}
	a.Debug = Debug{Parsed: s.counts.parsed, SQLSent: s.counts.sqlSent, VersionsRead: s.reader.Reads(), Statements: int(s.statements.Load())}
	return a, nil
}

func newUUID() string {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err)
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:])
}
