package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime/debug"

	"hodor/engine"
	"hodor/normalize"
	"hodor/project"
	"hodor/stores"
	"hodor/versions"
)

// This file is for a host that is not inside dbt (package state). It plans with the decisions of this package, before anything is built: Decide for
// every node in topological order, Foresee for each that will be built. And it records afterwards what it saw built: Compose makes the record that
// Built would have queued. Nothing of it writes.

// Foreseen is the version of a table that will be built: known, and equal to none that was ever recorded.
func Foreseen(key string) engine.Version { return engine.Version("foreseen:" + key) }

// Foresee says that a decided node will be built, so that nodes decided after it count its work as done. It returns the version that its relation
// will have, for the reader in between (Deps.Reader): for a table one that differs from every recorded one, since a build may change its rows; for
// a view the recorded definition if text and configuration are the recorded ones, since dbt then makes the same view, else another one.
func (s *Session) Foresee(id string) engine.Version {
	st := s.state(id)
	if st == nil {
		return ""
	}
	target := Foreseen(st.key)
	if st.node.Kind == engine.KindView && st.record != nil && !st.failed {
		r := st.record
		same := r.TextHash != nil && *r.TextHash == st.text.hash && r.ConfigHash != nil && *r.ConfigHash == st.now.Config && r.HashVersion == normalize.Version
		if same && r.DataVersion != nil {
			target = engine.Version(*r.DataVersion)
		}
	}
	s.mu.Lock()
	st.attempted, st.succeeded, st.target = true, !st.failed, target
	s.mu.Unlock()
	if st.node.Kind == engine.KindView {
		s.resolver.Forget()
	}
	return target
}

// Begin records of decided nodes, before they are built, that this begins, as far as they have a history to lose (begun.go). It returns their node keys.
func (s *Session) Begin(ctx context.Context, ids []string) ([]string, error) {
	var records []stores.Record
	var keys []string
	for _, id := range ids {
		n := s.proj.Nodes[id]
		if n == nil || n.Kind == engine.KindTest {
			continue
		}
		st := s.state(id)
		if st == nil {
			st = &state{node: n, key: n.Relation.Key(), decided: engine.Decision{Action: engine.Build, Reason: engine.HodorError}}
		}
		if s.loaded.Of(st.key, id) == nil && s.future[st.key] == 0 {
			continue
		}
		st.builtMS = s.recordMS()
		r := s.begunRecord(st)
		r.Mode = "on"
		records, keys = append(records, r), append(keys, st.key)
	}
	if len(records) == 0 {
		return nil, nil
	}
	return keys, s.appendBegun(ctx, records)
}

// Spoil says that a node was attempted outside and not built: nothing is known of it any more.
func (s *Session) Spoil(id string) {
	n := s.proj.Nodes[id]
	if n == nil {
		return
	}
	s.mu.Lock()
	s.states[id] = &state{node: n, key: s.proj.NodeKey(n, nil), failed: true, attempted: true}
	s.mu.Unlock()
	s.resolver.Forget()
}

// Observed is a build or test that ran outside, as its host saw it. Times are of the warehouse's clock, epoch ms.
type Observed struct {
	// Request is what Decide would have been asked, with the SQL that was built.
	Request DecideRequest
	// Status is dbt's word: success, or pass, warn, fail for a test. Failures and Message are a test's.
	Status   string
	Failures *int64
	Message  *string
	StartMS  int64
	EndMS    int64
	// Decision and Reason are the plan's.
	Decision engine.Action
	Reason   engine.Reason
	// CommitID is the commit that the record belongs to.
	CommitID string
}

// Compose makes the record of a build that ran outside. All versions come from the session's reader at this moment, so the host's reader must answer
// for what it can vouch: the upstreams as they were before the build, the target as the build left it. Nodes that were built together must
// be composed in topological order.
func (s *Session) Compose(ctx context.Context, o Observed) (r stores.Record, err error) {
	if !s.running.Load() {
		return r, ErrNoRun
	}
	n := s.proj.Nodes[o.Request.ID]
	if n == nil {
		return r, fmt.Errorf("node %q is not in the manifest of this run", o.Request.ID)
	}
	if s.noRecords {
		return r, fmt.Errorf("nothing is recorded of this run")
	}
	defer func() {
		if p := recover(); p != nil {
			s.deps.Log("panic while the record of %s was made: %v\n%s", o.Request.ID, p, debug.Stack())
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	st, need := s.gather(ctx, n, o.Request)
	if need != "" {
		return r, fmt.Errorf("its compiled SQL is not known")
	}
	st.decided = engine.Decision{Action: o.Decision, Reason: o.Reason}
	st.action, st.builtMS = engine.Build, o.StartMS
	success := o.Status == "success"
	if n.Kind == engine.KindTest {
		success = o.Status == "pass" || o.Status == "warn" || o.Status == "fail"
	}
	var target engine.Version
	if success && inScope(n.Kind) {
		target = s.targetNow(ctx, n, "")
	}
	s.mu.Lock()
	st.attempted, st.succeeded, st.target = true, success, target
	s.states[n.UniqueID] = st
	s.mu.Unlock()
	if n.Kind == engine.KindView {
		s.resolver.Forget()
	}
	r = s.buildRecord(st, BuiltRequest{ID: n.UniqueID, Status: o.Status, Failures: o.Failures, Message: o.Message, BuildMS: o.EndMS - o.StartMS})
	r.CommitID = orNil(o.CommitID)
	return r, nil
}

// TextHash is the hash of compiled SQL that the plugin would send.
func (s *Session) TextHash(sql string) string { return normalize.TextHash(s.replacer.Replace(sql)) }

// Project is the manifest of the run. It must not be changed.
func (s *Session) Project() *project.Project { return s.proj }

// Loaded is the history that the run started from. It must not be changed.
func (s *Session) Loaded() *stores.Loaded { return s.loaded }

// Clock is the warehouse's clock when the run was started, and now, epoch ms; 0: not known.
func (s *Session) Clock() (startMS, nowMS int64) { return s.session.NowMS, s.nowMS() }

// WarehouseMS converts a moment of this machine's clock, epoch ms, to the warehouse's, by the difference between the two when the run was started.
func (s *Session) WarehouseMS(localMS int64) int64 {
	return localMS + s.session.NowMS - s.session.Taken.UnixMilli()
}

// Decided is what was decided of a node, for a plan.
type Decided struct {
	engine.Decision
	// Note is the short evidence for people.
	Note string
	// Identity is a hash over the node's code and configuration, "" if one of these is not known.
	Identity string
	// Built tells that the node has a record that counts; BuildMS is how long that build took, ms, 0 if not known.
	Built   bool
	BuildMS int64
	// Replay is the recorded status of a test that need not run.
	Replay string
	// WritesElsewhere: hooks or header may write anything but the node itself (S15).
	WritesElsewhere bool
}

// Decided returns what Decide decided of a node.
func (s *Session) Decided(id string) (Decided, bool) {
	st := s.state(id)
	if st == nil {
		return Decided{}, false
	}
	d := Decided{Decision: st.decided, WritesElsewhere: st.failed || writesElsewhere(st.hooks)}
	if st.failed {
		return d, true
	}
	d.Note = st.note()
	if st.text.code != "" && st.now.Config != "" {
		sum := sha256.Sum256([]byte(st.text.code + "\n" + st.now.Config + "\n" + st.now.Unrendered))
		d.Identity = hex.EncodeToString(sum[:])
	}
	if st.record != nil {
		d.Built = true
		if st.record.BuildMS != nil {
			d.BuildMS = *st.record.BuildMS
		}
		if t := recordedTest(st.record); t != nil && d.Action == engine.Reuse {
			d.Replay = t.Status
		}
	}
	return d, true
}

// Session is what was read of the warehouse's session.
func (s *Session) Session() versions.Session { return s.session }
