package fake

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"hodor/executor"
	"hodor/executor/executortest"
)

// Fault is a way in which a fake breaks the contract, for the tests of the suite. The zero value breaks nothing.
type Fault string

// The faults, each the counterpart of a case.
const (
	RunsEmpty         Fault = "runs an empty request"
	BuildsParents     Fault = "builds parents too and does not say so"
	FailureIsError    Fault = "returns an error for a failed node"
	AssumesSuccess    Fault = "takes silence for success"
	ChecksInRun       Fault = "runs checks in mode run"
	FirstCoverOnly    Fault = "puts a failed check on one node only"
	HidesUnrequested  Fault = "does not list what was built unrequested"
	BuildsInTest      Fault = "builds in mode test"
	SkipsCountAsPass  Fault = "takes a skipped check for a pass"
	PassesArgs        Fault = "passes every engine argument"
	ForgetsSources    Fault = "succeeds without the sources"
	IgnoresSourceFail Fault = "builds behind a source whose check failed"
	EndsTwice         Fault = "tells that the run ended before its nodes"
	ListsTwice        Fault = "reports a node twice"
	LosesScope        Fault = "leaves the scope out of events"
	WaitsForSink      Fault = "waits for its sink"
	SameRunID         Fault = "gives every run the same id"
)

// Executor is a fake over one world. Create it with New.
type Executor struct {
	world executortest.World
	fault Fault
	// NoEvents takes the capability run_events away.
	NoEvents bool
	// Prepared is what Prepare answers.
	Prepared executor.PrepareReport

	mu    sync.Mutex
	runs  int
	built []string
	ran   bool
}

// New returns a fake that builds the nodes of w; fault is normally "".
func New(w executortest.World, fault Fault) *Executor { return &Executor{world: w, fault: fault} }

// Name implements executor.Executor.
func (f *Executor) Name() string { return "fake" }

// Capabilities implements executor.Executor.
func (f *Executor) Capabilities() executor.Capabilities {
	return executor.Capabilities{Contract: executor.ContractVersion, RunEvents: !f.NoEvents}
}

// Prepare implements executor.Executor.
func (f *Executor) Prepare(_ context.Context, req executor.PrepareRequest) (executor.PrepareReport, error) {
	r := f.Prepared
	r.SourcesMeasured = req.MeasureSources
	return r, nil
}

// Built returns what was built since the last call, sorted, each once.
func (f *Executor) Built() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.built
	f.built = nil
	slices.Sort(out)
	return slices.Compact(out)
}

// Ran tells whether anything ran since the last call.
func (f *Executor) Ran() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.ran
	f.ran = false
	return out
}

// Execute implements executor.Executor.
func (f *Executor) Execute(_ context.Context, req executor.ExecutionRequest, sink executor.Sink) (executor.ExecutionReport, error) {
	if err := executor.CheckRequest(req); err != nil && f.fault != RunsEmpty {
		return executor.ExecutionReport{}, err
	}
	if len(req.EngineArgs) > 0 && f.fault != PassesArgs {
		return executor.ExecutionReport{}, executor.Refusal("leave it out", "the fake has no engine to pass %q to", req.EngineArgs)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.runs++
	f.ran = true
	start := time.Now()
	r := executor.ExecutionReport{RunID: fmt.Sprintf("fake-%p-%d", f, f.runs), StartedAt: start, Command: "fake " + string(req.Mode)}
	if f.fault == SameRunID {
		r.RunID = "fake"
	}
	run := &run{f: f, req: req, status: map[string]executor.Status{}, blocked: map[string]bool{}, checks: map[string]string{}}
	run.all()
	for _, n := range req.Nodes {
		r.Nodes = append(r.Nodes, run.node(n, start))
	}
	for _, n := range req.Sources {
		r.Sources = append(r.Sources, run.node(n, start))
	}
	for _, c := range run.order {
		r.Checks = append(r.Checks, executor.CheckExecution{ID: c, Outcome: run.checks[c], Covers: run.covers(c)})
	}
	for _, id := range run.unrequested {
		if f.fault != HidesUnrequested && f.fault != BuildsParents {
			r.Unrequested = append(r.Unrequested, id)
		}
	}
	r.FinishedAt = time.Now()
	ok := !run.anyFailed
	executor.Settle(req, &r, ok)
	if f.fault == ForgetsSources {
		r.Succeeded = ok
	}
	if f.fault == FailureIsError && !ok {
		return r, &executor.Error{Code: executor.Unreadable, Text: "a node failed"}
	}
	if sink != nil && !f.NoEvents {
		f.tell(req, &r, sink)
	}
	if f.fault == ListsTwice {
		r.Nodes = append(r.Nodes, r.Nodes...)
	}
	return r, nil
}

// tell sends the events of the run.
func (f *Executor) tell(req executor.ExecutionRequest, r *executor.ExecutionReport, sink executor.Sink) {
	events := executor.Events(req, *r)
	if f.fault == EndsTwice {
		slices.Reverse(events)
	}
	if f.fault == LosesScope {
		for i := range events {
			events[i].Scope = ""
		}
	}
	if f.fault == WaitsForSink {
		for _, e := range events {
			_ = sink.Event(e)
		}
		return
	}
	q := executor.NewQueue(sink, 0)
	for _, e := range events {
		q.Emit(e)
	}
	r.EventsDropped = q.Close(executor.QueuePatience)
}

// run is one execution.
type run struct {
	f           *Executor
	req         executor.ExecutionRequest
	status      map[string]executor.Status
	blocked     map[string]bool // a check on it failed: what reads it is skipped
	checks      map[string]string
	order       []string
	unrequested []string
	anyFailed   bool
}

func (r *run) requested(id string) bool {
	return slices.ContainsFunc(r.req.Nodes, func(n executor.NodeRef) bool { return n.ID == id }) || r.requestedSource(id)
}

func (r *run) requestedSource(id string) bool {
	return slices.ContainsFunc(r.req.Sources, func(n executor.NodeRef) bool { return n.ID == id })
}

// all runs the world in its order, which is topological.
func (r *run) all() {
	w := &r.f.world
	checking := r.req.Mode != executor.BuildOnly || r.f.fault == ChecksInRun
	building := r.req.Mode != executor.Test || r.f.fault == BuildsInTest
	if checking {
		for _, s := range w.Sources {
			if r.requestedSource(s) {
				r.check(s)
			}
		}
	}
	for _, n := range w.Nodes {
		requested := r.requested(n.ID)
		extra := n.Extra || r.f.fault == BuildsParents && r.parentOfRequested(n.ID)
		if !requested && !extra {
			continue
		}
		if building {
			r.build(n, requested)
		} else {
			r.status[n.ID] = executor.Success
		}
		if requested && checking && r.status[n.ID] == executor.Success {
			r.check(n.ID)
		}
	}
	// Checks that cover a requested node and never ran.
	if checking {
		for _, c := range w.Checks {
			if r.checks[c.ID] == "" && slices.ContainsFunc(c.Covers, r.requested) {
				r.checks[c.ID] = "skipped"
				r.order = append(r.order, c.ID)
			}
		}
	}
}

func (r *run) parentOfRequested(id string) bool {
	for _, n := range r.f.world.Nodes {
		if r.requested(n.ID) && slices.Contains(n.Parents, id) {
			return true
		}
	}
	return false
}

func (r *run) build(n executortest.Node, requested bool) {
	for _, p := range n.Parents {
		source := slices.Contains(r.f.world.Sources, p)
		if r.status[p] == executor.Failed || r.status[p] == executor.Skipped || r.blocked[p] && !(source && r.f.fault == IgnoresSourceFail) {
			r.status[n.ID] = executor.Skipped
			return
		}
	}
	switch {
	case n.Unreported:
		r.f.built = append(r.f.built, n.ID)
		if r.f.fault == AssumesSuccess {
			r.status[n.ID] = executor.Success
		}
		return
	case n.Fails:
		r.status[n.ID] = executor.Failed
		r.anyFailed = true
		return
	}
	r.status[n.ID] = executor.Success
	r.f.built = append(r.f.built, n.ID)
	if !requested {
		r.unrequested = append(r.unrequested, n.ID)
	}
}

// check runs the checks that cover id and have not run.
func (r *run) check(id string) {
	for _, c := range r.f.world.Checks {
		if !slices.Contains(c.Covers, id) || r.checks[c.ID] != "" {
			continue
		}
		r.order = append(r.order, c.ID)
		switch {
		case c.NotRun:
			r.checks[c.ID] = "skipped"
			if r.f.fault == SkipsCountAsPass {
				r.checks[c.ID] = "pass"
			}
		case c.Fails:
			r.checks[c.ID] = "fail"
			r.anyFailed = true
			for _, covered := range c.Covers {
				r.blocked[covered] = true
			}
		default:
			r.checks[c.ID] = "pass"
		}
	}
}

// covers are the requested nodes and sources that a check is about.
func (r *run) covers(check string) []string {
	var out []string
	for _, c := range r.f.world.Checks {
		if c.ID == check {
			for _, id := range c.Covers {
				if r.requested(id) {
					out = append(out, id)
				}
			}
		}
	}
	if r.f.fault == FirstCoverOnly && len(out) > 1 {
		out = out[:1]
	}
	return out
}

// node is the outcome of a requested node or source, before it is settled.
func (r *run) node(n executor.NodeRef, at time.Time) executor.NodeExecution {
	e := executor.NodeExecution{ID: n.ID, Name: n.Name, Status: r.status[n.ID]}
	if e.Status == executor.Success || e.Status == executor.Failed {
		e.StartedAt, e.FinishedAt = at, time.Now()
	}
	for _, c := range r.order {
		covers := slices.Contains(r.covers(c), n.ID)
		switch outcome := r.checks[c]; {
		case outcome == "fail" && (covers || r.f.world.CoverageUnknown):
			e.ChecksFailed = append(e.ChecksFailed, c)
		case r.f.world.CoverageUnknown || !covers:
		case outcome == "pass":
			e.ChecksPassed = append(e.ChecksPassed, c)
		default:
			e.ChecksSkipped = append(e.ChecksSkipped, c)
		}
	}
	if r.f.fault == ChecksInRun && r.req.Mode == executor.BuildOnly && len(e.ChecksPassed) > 0 {
		e.Message = strings.Join(e.ChecksPassed, " ")
	}
	return e
}
