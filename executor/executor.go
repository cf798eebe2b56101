package executor

import (
	"context"
	"time"
)

// ContractVersion is the version of the contract that this package describes.
const ContractVersion = "0.4"

// Executor builds nodes of one project. Methods are called one after another, never at the same time.
type Executor interface {
	// Name is a short word for messages, such as "dbt".
	Name() string
	// Capabilities tells what the executor can do beyond the rest of the contract.
	Capabilities() Capabilities
	// Prepare refreshes the project's metadata and, if asked, measures the sources first. It builds nothing.
	Prepare(ctx context.Context, req PrepareRequest) (PrepareReport, error)
	// Execute builds the nodes of the request, or runs their checks, and nothing else. An executor with Capabilities.RunEvents tells sink of its
	// progress as it goes; others ignore it. sink may be nil.
	//
	// When ctx ends, the executor stops the engine, waits for it in bounded time and reports what finished, if that can be proven.
	Execute(ctx context.Context, req ExecutionRequest, sink Sink) (ExecutionReport, error)
}

// Capabilities are what an executor can do. The zero value is the least.
type Capabilities struct {
	// Contract is the version that the executor was written for.
	Contract string `json:"contract"`
	// RunEvents: Execute reports live.
	RunEvents bool `json:"run_events"`
}

// NodeRef names a node or source of the project. ID is unique in it, Name is for people.
type NodeRef struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Mode is what an execution does.
type Mode string

// The modes.
const (
	// Build builds the nodes and runs their checks and those of the requested sources.
	Build Mode = "build"
	// BuildOnly builds the nodes and runs no check.
	BuildOnly Mode = "run"
	// Test runs the checks of the nodes and sources and builds nothing.
	Test Mode = "test"
)

// PrepareRequest asks for fresh metadata.
type PrepareRequest struct {
	// MeasureSources asks how fresh the sources are.
	MeasureSources bool
	// EngineArgs are options for the engine, as in ExecutionRequest.
	EngineArgs []string
}

// PrepareReport is what Prepare did.
type PrepareReport struct {
	// SourcesMeasured: the measurements are of this call. One that an earlier call left behind does not count.
	SourcesMeasured bool `json:"sources_measured"`
	// Artifacts say where the metadata is.
	Artifacts Artifacts `json:"artifacts"`
	// Warnings are lines for people.
	Warnings []string `json:"warnings,omitempty"`
}

// Artifacts are the files that describe the project as one invocation of the engine saw it.
type Artifacts struct {
	// Manifest is the absolute path of the project's description.
	Manifest string `json:"manifest"`
	// Sources is the absolute path of the measurements of the sources, "" if there are none of this call.
	Sources string `json:"sources,omitempty"`
	// Results is the absolute path of the engine's own results of an execution, with the text that was built of each node; "" if there are none.
	Results string `json:"results,omitempty"`
	// RunID is the invocation that the files must be of.
	RunID string `json:"run_id"`
	// RunStartedAt is the engine's own word for when that invocation began, as its templates print it: UTC, microseconds. "": not known.
	RunStartedAt string `json:"run_started_at,omitempty"`
}

// ExecutionRequest says what to build.
type ExecutionRequest struct {
	Nodes []NodeRef
	// Sources are sources whose checks run too, in the modes Build and Test.
	Sources []NodeRef
	Mode    Mode
	// FullRefresh rebuilds from nothing what would be built in steps.
	FullRefresh bool
	// EngineArgs are passed on to the engine. An executor refuses those that would change which nodes run, where results go, or make what ran
	// differ from what gets recorded.
	EngineArgs []string
	// Scope names the state that the run belongs to; every event carries it.
	Scope string
}

// Status is what became of a node or a source.
type Status string

// The statuses. The zero value is none of them.
const (
	// Success: built; in Test mode, and for sources, checked to the end (FullyChecked).
	Success Status = "success"
	// Failed: the build failed; in Test mode, and for sources, a check failed.
	Failed Status = "failed"
	// Skipped: not built, or not reported on; in Test mode, and for sources, not checked to the end.
	Skipped Status = "skipped"
)

// NodeExecution is the outcome of one requested node or source. Lists hold ids of checks, sorted.
type NodeExecution struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Status  Status `json:"status"`
	Message string `json:"message,omitempty"`
	// StartedAt and FinishedAt are when the engine built the node, on this machine's clock; zero if it did not say.
	StartedAt  time.Time `json:"started_at,omitzero"`
	FinishedAt time.Time `json:"finished_at,omitzero"`
	// ChecksPassed ran and passed (a warning passes), ChecksFailed ran and failed or broke, ChecksSkipped cover the node and did not run to
	// an end. In mode BuildOnly all are empty.
	ChecksPassed  []string `json:"checks_passed"`
	ChecksFailed  []string `json:"checks_failed"`
	ChecksSkipped []string `json:"checks_skipped"`
	// FullyChecked: at least one check passed on it, none failed and none was skipped.
	FullyChecked bool `json:"fully_checked"`
}

// settle sets FullyChecked from the lists.
func (n *NodeExecution) settle() {
	n.FullyChecked = len(n.ChecksPassed) > 0 && len(n.ChecksFailed) == 0 && len(n.ChecksSkipped) == 0
}

// CheckExecution is one check that the engine ran, for the record.
type CheckExecution struct {
	ID string `json:"id"`
	// Outcome is pass, warn, fail, error or skipped, as the engine says it.
	Outcome  string `json:"outcome"`
	Failures int64  `json:"failures"`
	Message  string `json:"message,omitempty"`
	// Covers are the requested nodes and sources that the check is about.
	Covers     []string  `json:"covers"`
	StartedAt  time.Time `json:"started_at,omitzero"`
	FinishedAt time.Time `json:"finished_at,omitzero"`
}

// ExecutionReport is what an execution did.
type ExecutionReport struct {
	// RunID is unique for each execution.
	RunID      string    `json:"run_id"`
	StartedAt  time.Time `json:"started_at"`
	FinishedAt time.Time `json:"finished_at"`
	// Nodes has one outcome for each requested node, Sources one for each requested source, both in the order of the request.
	Nodes   []NodeExecution `json:"nodes"`
	Sources []NodeExecution `json:"sources"`
	// Checks are all checks that ran or were skipped, sorted by id.
	Checks []CheckExecution `json:"checks"`
	// Unrequested are nodes that the engine built all the same, sorted. They must not be recorded.
	Unrequested []string `json:"unrequested"`
	// Succeeded: every node and every source is a Success, no check failed, and the engine itself says so. A source of which
	// no check ran is Skipped, so it keeps the run from having succeeded.
	Succeeded bool `json:"succeeded"`
	// EngineFailed: the engine ended as failed. With no failed node or check, something else went wrong (a hook), and nothing it says about
	// checks vouches for a node.
	EngineFailed bool `json:"engine_failed"`
	// Interrupted: the execution was stopped from outside.
	Interrupted bool `json:"interrupted"`
	// Command is what ran, for people.
	Command string `json:"command"`
	// Artifacts describe the code that was built.
	Artifacts Artifacts `json:"artifacts"`
	// EventsDropped counts events that the sink did not take in time.
	EventsDropped int `json:"events_dropped"`
}
