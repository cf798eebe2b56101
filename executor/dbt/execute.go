package dbt

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"hodor/executor"
)

// buildable are the resource types that a request may name as nodes.
var buildable = map[string]bool{"model": true, "seed": true, "snapshot": true, "function": true}

// Execute implements executor.Executor.
func (e *Executor) Execute(ctx context.Context, req executor.ExecutionRequest, sink executor.Sink) (executor.ExecutionReport, error) {
	x, err := e.plan(req)
	if err != nil {
		return executor.ExecutionReport{}, err
	}
	x.queue = executor.NewQueue(sink, 0)
	report, err := x.run(ctx)
	if err != nil {
		x.queue.Close(executor.QueuePatience)
		return report, err
	}
	x.tellRest(&report)
	report.EventsDropped = x.queue.Close(executor.QueuePatience)
	return report, nil
}

// Arguments returns the command line of a request without running it: what follows the word dbt.
func (e *Executor) Arguments(req executor.ExecutionRequest) ([]string, error) {
	x, err := e.plan(req)
	if err != nil {
		return nil, err
	}
	return x.args, nil
}

// execution is one run of dbt.
type execution struct {
	e     *Executor
	req   executor.ExecutionRequest
	args  []string
	out   output
	queue *executor.Queue
	// live: how a node ended may be told before the end.
	live bool
	// nothing: no check covers what was requested, so there is nothing to run.
	nothing bool

	refs     map[string]executor.NodeRef
	begun    map[string]time.Time
	finished map[string]executor.Status
	// announced: the beginning of the run was told; started: dbt came to a node.
	announced, started bool
}

// plan checks a request and makes the command line.
func (e *Executor) plan(req executor.ExecutionRequest) (*execution, error) {
	if err := executor.CheckRequest(req); err != nil {
		return nil, err
	}
	pass, out, err := arguments(req.EngineArgs, e.out)
	if err != nil {
		return nil, err
	}
	path := e.artifact("manifest.json")
	m, err := ReadManifest(path)
	if err != nil {
		if os.IsNotExist(err) {
			return nil, &executor.Error{Code: executor.NotStarted, Text: "there is no manifest in " + e.target, Hint: "compile the project first (leave --no-compile out)"}
		}
		return nil, &executor.Error{Code: executor.NotStarted, Text: err.Error(), Hint: "compile the project again (leave --no-compile out)"}
	}
	if !supported(m.DBTVersion) {
		return nil, &executor.Error{Code: executor.NotStarted, Text: fmt.Sprintf("%s was written by dbt %q, which is not known", path, m.DBTVersion), Hint: "dbt-core 1.12 is needed"}
	}
	x := &execution{
		e: e, req: req, out: out, refs: map[string]executor.NodeRef{}, begun: map[string]time.Time{}, finished: map[string]executor.Status{},
		live: req.Mode != executor.Test && !slices.Contains(pass, "--fail-fast") && !slices.Contains(pass, "-x"),
	}
	var ids, sourceChecks []string
	types := map[string]bool{}
	covered := false
	for _, n := range req.Nodes {
		node := m.Nodes[n.ID]
		if node == nil {
			return nil, executor.Refusal("compile the project again", "%s is not in dbt's manifest", n.ID)
		}
		if !buildable[node.Type] {
			return nil, executor.Refusal("name models, seeds and snapshots", "%s is a %s, which is not built by itself", n.ID, node.Type)
		}
		ids = append(ids, n.ID)
		types[node.Type] = true
		x.refs[n.ID] = n
		covered = covered || len(m.Checks(n.ID)) > 0
	}
	for _, s := range req.Sources {
		if node := m.Nodes[s.ID]; node == nil || node.Type != "source" {
			return nil, executor.Refusal("name sources of the project", "%s is no source in dbt's manifest", s.ID)
		}
		if req.Mode != executor.BuildOnly {
			sourceChecks = append(sourceChecks, m.Checks(s.ID)...)
		}
	}
	slices.Sort(sourceChecks)
	sourceChecks = slices.Compact(sourceChecks)
	x.nothing = len(sourceChecks) == 0 && (req.Mode == executor.Test && !covered || len(ids) == 0)
	selectors, err := m.Select(append(ids, sourceChecks...))
	if err != nil {
		return nil, err
	}
	command, extra := e.words(req, types)
	x.args = append(e.base([]string{command}, out), extra...)
	x.args = append(x.args, forCommand(command, pass)...)
	if (req.FullRefresh || e.opt.FullRefresh) && (command == "run" || command == "build" || command == "seed") {
		x.args = append(x.args, "--full-refresh")
	}
	x.args = append(append(x.args, "--select"), selectors...)
	return x, nil
}

// words chooses the command: the plainest that builds the request.
func (e *Executor) words(req executor.ExecutionRequest, types map[string]bool) (command string, extra []string) {
	switch req.Mode {
	case executor.Test:
		command = "test"
	case executor.Build:
		command = "build"
	default:
		if len(types) == 1 {
			for t, command := range map[string]string{"model": "run", "seed": "seed", "snapshot": "snapshot"} {
				if types[t] {
					return command, nil
				}
			}
		}
		return "build", []string{"--exclude-resource-type", "test", "--exclude-resource-type", "unit_test"}
	}
	for _, t := range e.opt.ExcludeChecks {
		extra = append(extra, "--exclude-resource-type", t)
	}
	return command, extra
}

func (x *execution) run(ctx context.Context) (executor.ExecutionReport, error) {
	r := executor.ExecutionReport{StartedAt: time.Now(), Command: "dbt " + shorten(x.args)}
	if x.nothing {
		r.RunID, r.FinishedAt = newID(), time.Now()
		x.outcomes(&r, &results{}, nil)
		executor.Settle(x.req, &r, true)
		return r, nil
	}
	path := x.e.artifact("run_results.json")
	before := invocationOf(path)
	c := &console{out: x.e.opt.Output, show: x.out, onEvent: func(ev logEvent) { x.event(ctx, ev) }}
	end, err := x.e.start(ctx, x.args, c)
	r.FinishedAt = time.Now()
	if err != nil {
		return r, err
	}
	found, err := readResults(path)
	switch {
	case err != nil && os.IsNotExist(err), err == nil && found.Metadata.InvocationID == before:
		return r, x.noResults(end, errNoResults, r)
	case err != nil:
		return r, x.noResults(end, err, r)
	case end.invocationID != "" && found.Metadata.InvocationID != end.invocationID:
		return r, x.noResults(end, fmt.Errorf("run_results.json is of another run (%s, not %s)", found.Metadata.InvocationID, end.invocationID), r)
	}
	r.RunID, r.Interrupted = found.Metadata.InvocationID, end.interrupted
	r.Artifacts = executor.Artifacts{Manifest: x.e.artifact("manifest.json"), Results: path, RunID: r.RunID, RunStartedAt: end.startedAt}
	m, err := ReadManifest(r.Artifacts.Manifest)
	if err != nil || m.InvocationID != r.RunID {
		m = nil // of another run: what covers what is not known
	}
	x.outcomes(&r, found, m)
	executor.Settle(x.req, &r, end.exit == 0 && !end.interrupted)
	return r, nil
}

// noResults is the error for a run whose outcome can't be read; it tells apart a run that never came to a node.
func (x *execution) noResults(end ended, err error, r executor.ExecutionReport) error {
	out := &executor.Error{Code: executor.Unreadable, Err: err}
	how := fmt.Sprintf("ended with exit status %d", end.exit)
	switch {
	case end.interrupted:
		how = "was interrupted"
	case end.killed:
		how = "was killed"
	}
	if !x.started && !end.killed && !end.interrupted {
		out.Code, out.Err = executor.NotStarted, nil
		out.Text = "dbt " + how + " before it built anything" + quoted(end.words)
		out.Hint = "correct what dbt says and run it again"
		return out
	}
	out.Text = "dbt " + how + ", and what it built can't be read" + quoted(end.words)
	out.Hint = "nothing is recorded; what was built is built again next time"
	x.outcomes(&r, &results{}, nil)
	for i := range r.Nodes {
		if s := x.finished[r.Nodes[i].ID]; s != "" {
			r.Nodes[i].Status = s
		}
	}
	executor.Settle(x.req, &r, false)
	r.RunID, r.Interrupted = end.invocationID, end.interrupted
	out.Partial = &r
	return out
}

// outcomes fills in what became of nodes, sources and checks. m is the manifest of the same run, nil if there is none.
func (x *execution) outcomes(r *executor.ExecutionReport, found *results, m *Manifest) {
	byID := map[string]*result{}
	for i := range found.Results {
		byID[found.Results[i].ID] = &found.Results[i]
	}
	place := map[string]*executor.NodeExecution{}
	for _, list := range []struct {
		refs []executor.NodeRef
		into *[]executor.NodeExecution
	}{{x.req.Nodes, &r.Nodes}, {x.req.Sources, &r.Sources}} {
		*list.into = make([]executor.NodeExecution, len(list.refs))
		for i, ref := range list.refs {
			n := &(*list.into)[i]
			n.ID, n.Name = ref.ID, ref.Name
			place[ref.ID] = n
			if res := byID[ref.ID]; res != nil {
				n.Status, n.Message = statusOf(res.Status), text(res.Message)
				n.StartedAt, n.FinishedAt = res.times()
			}
		}
	}
	for i := range found.Results {
		res := &found.Results[i]
		kind, _, _ := strings.Cut(res.ID, ".")
		switch {
		case isCheck(kind):
			x.check(r, res, m, place)
		case kind == "operation" || place[res.ID] != nil || statusOf(res.Status) == executor.Skipped:
		default:
			r.Unrequested = append(r.Unrequested, res.ID)
		}
	}
	if m == nil || x.req.Mode == executor.BuildOnly {
		return
	}
	// Checks that cover what was requested and are not in the results did not run.
	for id, n := range place {
		for _, check := range m.Checks(id) {
			if byID[check] != nil {
				continue
			}
			n.ChecksSkipped = append(n.ChecksSkipped, check)
			if i := slices.IndexFunc(r.Checks, func(c executor.CheckExecution) bool { return c.ID == check }); i >= 0 {
				r.Checks[i].Covers = append(r.Checks[i].Covers, id)
			} else {
				r.Checks = append(r.Checks, executor.CheckExecution{ID: check, Outcome: "skipped", Covers: []string{id}})
			}
		}
	}
}

// check puts one result of a test onto what it covers.
func (x *execution) check(r *executor.ExecutionReport, res *result, m *Manifest, place map[string]*executor.NodeExecution) {
	c := executor.CheckExecution{ID: res.ID, Outcome: res.Status, Message: text(res.Message), Covers: []string{}}
	c.StartedAt, c.FinishedAt = res.times()
	if res.Failures != nil {
		c.Failures = *res.Failures
	}
	var covered []*executor.NodeExecution
	known := m != nil && m.Nodes[res.ID] != nil && len(m.Nodes[res.ID].Parents) > 0
	if known {
		for _, parent := range m.Nodes[res.ID].Parents {
			if n := place[parent]; n != nil && !slices.Contains(covered, n) {
				covered = append(covered, n)
				c.Covers = append(c.Covers, parent)
			}
		}
	} else {
		for _, n := range place {
			covered = append(covered, n)
			c.Covers = append(c.Covers, n.ID)
		}
	}
	for _, n := range covered {
		switch res.Status {
		case "pass", "warn":
			if known {
				n.ChecksPassed = append(n.ChecksPassed, res.ID)
			}
		case "skipped", "no-op":
			n.ChecksSkipped = append(n.ChecksSkipped, res.ID)
		default:
			n.ChecksFailed = append(n.ChecksFailed, res.ID)
		}
	}
	r.Checks = append(r.Checks, c)
}

// statusOf maps dbt's word for a node. A word that is not known is a failure, and one that says that nothing was done is no success.
func statusOf(word string) executor.Status {
	switch word {
	case "success":
		return executor.Success
	case "skipped", "no-op", "reused":
		return executor.Skipped
	}
	return executor.Failed
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// event turns a log event into one of the run's.
func (x *execution) event(ctx context.Context, ev logEvent) {
	if !x.announced {
		x.announced = true
		x.tell(executor.Event{Kind: executor.RunStarted, RunID: ev.Info.InvocationID})
	}
	ref, ok := x.refs[ev.Data.NodeInfo.UniqueID]
	if ev.Data.NodeInfo.UniqueID != "" {
		x.started = true
	}
	if !ok {
		return
	}
	now := time.Now()
	switch {
	case ev.Info.Name == "LogStartLine" && x.begun[ref.ID].IsZero() && x.req.Mode != executor.Test:
		x.begun[ref.ID] = now
		x.tell(executor.Event{Kind: executor.NodeStarted, RunID: ev.Info.InvocationID, Node: &ref})
	case strings.HasPrefix(ev.Info.Name, "Log") && strings.HasSuffix(ev.Info.Name, "Result") && !x.begun[ref.ID].IsZero() && x.finished[ref.ID] == "":
		status := statusOf(ev.Data.NodeInfo.Status)
		if !x.live || status == executor.Skipped || ctx.Err() != nil {
			return
		}
		x.finished[ref.ID] = status
		x.tell(executor.Event{Kind: executor.NodeFinished, RunID: ev.Info.InvocationID, Node: &ref, Status: status, Duration: now.Sub(x.begun[ref.ID])})
	}
}

func (x *execution) tell(e executor.Event) {
	e.Scope, e.At = x.req.Scope, time.Now()
	x.queue.Emit(e)
}

// tellRest sends what the log did not tell, and the end.
func (x *execution) tellRest(r *executor.ExecutionReport) {
	for _, e := range executor.Events(x.req, *r) {
		switch {
		case e.Kind == executor.RunStarted && x.announced,
			e.Kind == executor.NodeStarted && !x.begun[e.Node.ID].IsZero(),
			e.Kind == executor.NodeFinished && x.finished[e.Node.ID] != "":
			continue
		}
		x.queue.Emit(e)
	}
}

func newID() string {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err)
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:])
}
