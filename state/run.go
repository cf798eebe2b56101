package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"hodor/executor"
	"hodor/session"
	"hodor/stores"
)

// Options say what a command does and with what.
type Options struct {
	// Command is compile, plan, run, seed, snapshot, build or test.
	Command string
	// Executor prepares and builds.
	Executor executor.Executor
	// StartOutside starts what stands in front of the warehouse; it is closed before the executor builds.
	StartOutside func(ctx context.Context) (Outside, error)
	// OpenStore opens the state store that the settings name.
	OpenStore func(ctx context.Context, settings session.Settings, root string, warehouse *sql.DB, out Outside) (stores.Store, error)
	// Manifest is the manifest that stands, for NoCompile.
	Manifest string

	// NoCompile plans from what is compiled; it measures nothing.
	NoCompile bool
	// MeasureSources asks dbt how fresh the sources are; SourcesFile takes an earlier measurement, TrustLoadedAt their load times as versions.
	MeasureSources bool
	SourcesFile    string
	TrustLoadedAt  bool
	// Saved is a plan to run, nil for none: it must be the plan that would be made now.
	Saved *Plan
	// DryRun builds nothing.
	DryRun bool
	// All tests every node, with the command test.
	All bool
	// FullRefresh, Select, Exclude and ResourceTypes narrow and change the BUILD set. The lists name nodes by id or name.
	FullRefresh   bool
	Select        []string
	Exclude       []string
	ResourceTypes []string
	// WithoutTests: the command build runs no checks.
	WithoutTests bool
	EngineArgs   []string

	// Sink takes the events of the run.
	Sink executor.Sink
	// Say takes a line for people about what goes on; nil: nowhere. Log takes lines for the log.
	Say func(format string, args ...any)
	Log func(format string, args ...any)
	// Version goes into records. Now is time.Now and NewID a new UUID, but for tests.
	Version string
	Now     func() time.Time
	NewID   func() string
}

func (o *Options) say(format string, args ...any) {
	if o.Say != nil {
		o.Say(format, args...)
	}
}

func (o *Options) logf(format string, args ...any) {
	if o.Log != nil {
		o.Log(format, args...)
	}
}

// Outcome says how a command ended.
type Outcome string

// The outcomes.
const (
	// PlannedOnly: nothing was to be built by this command (compile, plan, --dry-run).
	PlannedOnly Outcome = "planned"
	// NothingToDo: everything is reused, or tested.
	NothingToDo Outcome = "nothing_to_do"
	// Recorded: what succeeded is recorded, as far as it could be vouched for.
	Recorded Outcome = "recorded"
	// NothingSucceeded: nothing succeeded, so nothing was committed.
	NothingSucceeded Outcome = "nothing_succeeded"
	// RecordingFailed: dbt ran, and nothing is recorded.
	RecordingFailed Outcome = "not_recorded"
)

// Report is the result of a command.
type Report struct {
	Command string  `json:"command"`
	Project string  `json:"project"`
	Target  string  `json:"target"`
	Outcome Outcome `json:"outcome"`
	Plan    *Plan   `json:"plan"`
	// Execution is what dbt did, nil if it was not started.
	Execution *executor.ExecutionReport `json:"execution"`
	// Recorded are the nodes, Tested the tests that were recorded, sorted. NotRecorded are those that ran and were not.
	Recorded    []string          `json:"recorded"`
	Tested      []string          `json:"tested"`
	NotRecorded []NotRecordedNode `json:"not_recorded"`
	LeftOut     []LeftOut         `json:"left_out"`
	// Commit is the new head, nil if nothing was committed.
	Commit   *Head    `json:"commit"`
	Warnings []string `json:"warnings"`
}

// NotRecordedNode is a node or test that ran and is not recorded.
type NotRecordedNode struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// Run carries out a command. The report may be there beside an error: dbt has then run, and the report says what it did.
func (o *Options) Run(ctx context.Context) (*Report, error) {
	if o.Saved != nil {
		o.FullRefresh, o.Select, o.Exclude, o.ResourceTypes = o.Saved.Options.FullRefresh, o.Saved.Options.Select, o.Saved.Options.Exclude, o.Saved.Options.ResourceTypes
		o.TrustLoadedAt = o.Saved.Options.TrustLoadedAt
	}
	from, warnings, err := o.prepare(ctx)
	if err != nil {
		return nil, err
	}
	p, err := o.planNow(ctx, from)
	if err != nil {
		return nil, err
	}
	p.Warnings = list(append(warnings, p.Warnings...))
	if o.Saved != nil {
		if why := o.Saved.stale(&p.Plan); why != "" {
			return nil, fail(PlanStale, "make the plan again", nil, "the saved plan no longer holds: %s", why)
		}
	}
	r := &Report{
		Command: o.Command, Project: p.Project, Target: p.Target, Outcome: PlannedOnly, Plan: &p.Plan, Recorded: []string{}, Tested: []string{},
		NotRecorded: []NotRecordedNode{}, LeftOut: p.LeftOut, Warnings: p.Warnings,
	}
	if o.Command == "compile" || o.Command == "plan" {
		return r, nil
	}
	req := o.request(p)
	if o.Command == "test" {
		o.testRequest(p, r, &req)
	}
	if o.DryRun {
		return r, nil
	}
	if len(req.Nodes) == 0 {
		r.Outcome = NothingToDo
		return r, nil
	}
	return r, o.carryOut(ctx, p, r, req)
}

// prepare refreshes the project, unless it is to be taken as it is compiled, and reads the measurements of the sources.
func (o *Options) prepare(ctx context.Context) (from source, warnings []string, err error) {
	from.asked = o.MeasureSources || o.SourcesFile != ""
	if o.NoCompile || o.Command == "plan" {
		if o.MeasureSources {
			return from, nil, fail(RequestRefused, "leave --no-compile out, or name a measurement with --sources", nil, "the sources can't be measured without compiling again: dbt source freshness would rewrite the compiled manifest")
		}
		id, err := manifestID(o.Manifest)
		if err != nil {
			return from, nil, fail(ManifestUnreadable, "compile the project first (state compile)", err, "there is no compiled project")
		}
		from.artifacts = executor.Artifacts{Manifest: o.Manifest, RunID: id}
	} else {
		o.say("compiling the project")
		prepared, err := o.Executor.Prepare(ctx, executor.PrepareRequest{MeasureSources: o.MeasureSources, EngineArgs: o.EngineArgs})
		if err != nil && ctx.Err() != nil {
			return from, nil, fail(Interrupted, "run it again", nil, "stopped while the project was compiled; nothing was built")
		}
		if err != nil {
			return from, nil, engineError(err)
		}
		from.artifacts, warnings = prepared.Artifacts, prepared.Warnings
		if o.MeasureSources && prepared.SourcesMeasured {
			if from.measured, err = readMeasurements(prepared.Artifacts.Sources); err != nil {
				warnings = append(warnings, fmt.Sprintf("the measurements of the sources can't be read: %v.", err))
			}
		}
	}
	if o.SourcesFile != "" {
		if from.measured, err = readMeasurements(o.SourcesFile); err != nil {
			return from, nil, fail(RequestRefused, "name a sources.json of dbt source freshness", err, "--sources can't be read")
		}
	}
	return from, warnings, nil
}

// manifestID returns the invocation that wrote a manifest.
func manifestID(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	d := json.NewDecoder(f)
	if err := open(d); err != nil {
		return "", err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return "", err
		}
		if key != "metadata" {
			var skip json.RawMessage
			if err := d.Decode(&skip); err != nil {
				return "", err
			}
			continue
		}
		var m struct {
			InvocationID string `json:"invocation_id"`
		}
		err = d.Decode(&m)
		if err == nil && m.InvocationID == "" {
			err = fmt.Errorf("it does not say of which invocation it is")
		}
		return m.InvocationID, err
	}
	return "", fmt.Errorf("it has no metadata")
}

// planNow plans against the state as it stands, and lets go of the warehouse.
func (o *Options) planNow(ctx context.Context, from source) (*planned, error) {
	o.say("planning")
	out, err := o.StartOutside(ctx)
	if err != nil {
		return nil, outsideError(err)
	}
	command := o.Command
	if o.Saved != nil {
		command = o.Saved.Command
	}
	p, err := o.plan(ctx, out, from, command)
	if closed := out.Close(); closed != nil {
		o.logf("closing the warehouse: %v", closed)
	}
	return p, err
}

func outsideError(err error) error {
	if _, ok := err.(*Error); ok {
		return err
	}
	return fail(WarehouseUnavailable, "", err, "the warehouse can't be reached")
}

// request is what the executor is asked for: the BUILD set, and with tests the sources that it reads.
func (o *Options) request(p *planned) executor.ExecutionRequest {
	req := executor.ExecutionRequest{
		Nodes: p.Build, Mode: executor.BuildOnly, FullRefresh: o.FullRefresh, EngineArgs: o.EngineArgs, Scope: p.Project + "/" + p.Target,
	}
	if o.Command == "build" && !o.WithoutTests {
		req.Mode, req.Sources = executor.Build, p.Sources
	}
	return req
}

// testRequest asks for the tests of what was built and is not tested; with All, of everything that has tests.
func (o *Options) testRequest(p *planned, r *Report, req *executor.ExecutionRequest) {
	req.Mode, req.Nodes, req.FullRefresh = executor.Test, []executor.NodeRef{}, false
	p.Build = []executor.NodeRef{}
	pl := &planner{o: o, command: "test"}
	for _, n := range p.Nodes {
		if len(n.Tests) == 0 || n.Tested && !o.All || !n.Built && !o.All {
			continue
		}
		if why := pl.leaves(n.ID, p.project.Nodes[n.ID]); why != "" {
			r.LeftOut = append(r.LeftOut, LeftOut{n.ID, n.Name, n.Reason, why})
			continue
		}
		req.Nodes = append(req.Nodes, executor.NodeRef{ID: n.ID, Name: n.Name})
	}
	p.Build = req.Nodes
	p.Sources = p.sourcesOf(req.Nodes)
	p.LeftOut = r.LeftOut
	req.Sources = p.Sources
}

// carryOut builds and records. Once dbt has run, the report says what it did, whatever goes wrong after.
func (o *Options) carryOut(ctx context.Context, p *planned, r *Report, req executor.ExecutionRequest) error {
	o.say("%s: %d of %d nodes", o.Command, len(req.Nodes), len(p.Nodes))
	execution, err := executor.Run(ctx, o.Executor, req, o.Sink)
	if err != nil {
		var failed *executor.Error
		if e, ok := err.(*executor.Error); ok {
			failed = e
		}
		if failed != nil && failed.Partial != nil {
			r.Execution, r.Outcome = failed.Partial, RecordingFailed
		}
		if ctx.Err() != nil && failed != nil && failed.Code != executor.Refused {
			e := engineError(err).(*Error)
			return &Error{Code: Interrupted, Text: e.Text, Hint: e.Hint, Err: err}
		}
		return engineError(err)
	}
	r.Execution = &execution
	o.say("recording")
	// What finished is recorded even if the user has had enough, in bounded time.
	recording, done := context.WithTimeout(context.WithoutCancel(ctx), recordWithin)
	defer done()
	if err := o.record(recording, p, r, req); err != nil {
		r.Outcome = RecordingFailed
		r.Recorded, r.Tested, r.Commit = []string{}, []string{}, nil
		return err
	}
	switch {
	case execution.Interrupted:
		return fail(Interrupted, "what finished is recorded; run it again for the rest", nil, "the run was interrupted")
	case execution.Succeeded:
		return nil
	case o.Command == "test":
		return o.testError(&execution)
	}
	failed, skipped := count(execution.Nodes)
	return fail(NotSucceeded, "what succeeded is recorded; correct the rest and run it again", nil,
		"%d of %d nodes failed and %d were skipped%s", failed, len(execution.Nodes), skipped, engineWord(&execution, failed))
}

// recordWithin bounds the recording after a run: opening the warehouse, reading versions, writing.
const recordWithin = 10 * time.Minute

func count(nodes []executor.NodeExecution) (failed, skipped int) {
	for _, n := range nodes {
		switch {
		case n.Status == executor.Failed, len(n.ChecksFailed) > 0:
			failed++
		case n.Status == executor.Skipped:
			skipped++
		}
	}
	return failed, skipped
}

// engineWord says that dbt failed although no node did.
func engineWord(r *executor.ExecutionReport, failed int) string {
	if r.EngineFailed && failed == 0 && !checkFailed(r) {
		return "; dbt itself ended as failed (a hook of the run, perhaps)"
	}
	return ""
}

func checkFailed(r *executor.ExecutionReport) bool {
	return slices.ContainsFunc(r.Checks, func(c executor.CheckExecution) bool {
		return c.Outcome != "pass" && c.Outcome != "warn" && c.Outcome != "skipped" && c.Outcome != "no-op"
	})
}

// testError is how state test ends when not everything passed.
func (o *Options) testError(r *executor.ExecutionReport) error {
	failed, skipped := 0, 0
	for _, list := range [][]executor.NodeExecution{r.Nodes, r.Sources} {
		f, s := count(list)
		failed, skipped = failed+f, skipped+s
	}
	switch {
	case failed > 0:
		return fail(NotSucceeded, "passes are recorded; look at the failures and test again", nil, "tests of %d nodes or sources failed, and of %d not all ran", failed, skipped)
	case r.EngineFailed:
		return fail(Incomplete, "look at what dbt says and test again", nil, "dbt failed though no test did, so nothing counts as tested")
	}
	return fail(Incomplete, "test again", nil, "of %d nodes or sources not all tests ran", skipped)
}
