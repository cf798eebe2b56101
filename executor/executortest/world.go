package executortest

import "hodor/executor"

// World is a project for a case: what there is, and what happens to it when it is built. Ids are short words of letters and digits.
type World struct {
	Nodes   []Node
	Sources []string
	Checks  []Check
	// CoverageUnknown: the engine does not say what its checks are about.
	CoverageUnknown bool
}

// Node is a node of a world.
type Node struct {
	ID string
	// Parents are ids of nodes and sources.
	Parents []string
	// Fails: its build fails. Unreported: the engine says nothing of it. Extra: the engine builds it, requested or not.
	Fails, Unreported, Extra bool
}

// Check is a check of a world.
type Check struct {
	ID string
	// Covers are ids of nodes and sources.
	Covers []string
	// Fails: it fails when it runs. NotRun: the engine does not run it, though it covers what was requested.
	Fails, NotRun bool
}

// Bench is one executor over one world.
type Bench struct {
	Executor executor.Executor
	// Ref returns the reference by which the executor knows a node or source of the world.
	Ref func(id string) executor.NodeRef
	// Check returns the id by which the executor knows a check of the world.
	Check func(id string) string
	// Built returns what was really built since the last call, sorted, as ids of the world: from what the builds left behind, not from reports.
	Built func() ([]string, error)
	// Ran tells whether the engine did anything since the last call.
	Ran func() (bool, error)
}

// Harness makes benches.
type Harness interface {
	// New returns a bench over the world, prepared. It returns ErrCannot for a world that this kind of bench can't have.
	New(w World) (*Bench, error)
	// ForbiddenArgs are engine arguments that the executor must refuse.
	ForbiddenArgs() [][]string
	// WithoutEvents returns the bench's executor with the capability run_events taken away.
	WithoutEvents(b *Bench) executor.Executor
}
