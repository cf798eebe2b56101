package project

import "hodor/engine"

// Resource is dbt's resource_type.
type Resource string

// The resource types that take part in a run or are read by one. Others (analyses, exposures, metrics ...) are left out.
const (
	Model     Resource = "model"
	Seed      Resource = "seed"
	Snapshot  Resource = "snapshot"
	Test      Resource = "test"
	UnitTest  Resource = "unit_test"
	Operation Resource = "operation"
	Function  Resource = "function"
	Source    Resource = "source"
)

// KindEphemeral is the kind of ephemeral models: inlined into their readers, never decided. The other kinds are the engine's; sources have
// the empty kind, since nothing builds them.
const KindEphemeral engine.Kind = "ephemeral"

// Node is one resource of the manifest: a model, seed, snapshot, test, hook operation, function, unit test or source. Disabled resources are
// left out. A Node is read-only after Load and safe for concurrent use.
type Node struct {
	UniqueID string
	Name     string
	Package  string
	Resource Resource
	// Kind is what the node is to the rules; Why says in a few words why it is KindUnsupported.
	Kind engine.Kind
	Why  string
	// Materialized is config.materialized as written; Strategy the incremental or snapshot strategy with the adapter's default filled in.
	Materialized string
	Strategy     string
	Language     string // sql, python; "" for seeds and sources
	// Relation is where the node stands in the warehouse (for a test: its table of failures, if it stores them); the zero value for ephemerals,
	// operations and sources that are files.
	Relation Relation
	// RelationName is the relation as dbt prints it, quotes included; "" where dbt gives none (tests).
	RelationName string
	// Parents are depends_on.nodes, in order.
	Parents []string
	// FullRefresh is config.full_refresh: nil if unset. Only true forces a build (spec 5, rule 2).
	FullRefresh *bool
	State       State
	Hooks       []Hook
	// Header is sql_header. dbt renders it while it parses and never again, so it is final text.
	Header string
	// RawCode is the unrendered text ("" for seeds and sources).
	RawCode string
	// Version and LatestVersion of a versioned model, as text; "" if it has none.
	Version, LatestVersion string
	// Pointer is config.latest_version_pointer.enabled; nil leaves it to dbt's flag.
	Pointer *bool
	// SeedPath is the CSV file of a seed.
	SeedPath string
	// External tells that a source is a file or a plugin's table (meta external_location or plugin): it is what the compiled SQL reads (S10).
	External bool
	// StoreFailures is a test's store_failures after store_failures_as (nil: the flag decides); FailuresView tells that they are kept in a view.
	StoreFailures *bool
	FailuresView  bool

	// The entry's parts as they stand in the file; stateBlock is within config. rest is what a macro can see of the model besides (S21).
	config, unrendered, columns, constraints, testMeta, rest, stateBlock value
	keyed                                                                bool     // config.unique_key is set
	macros                                                               []string // depends_on.macros
}

// Hook is one pre or post hook.
type Hook struct {
	When        string // pre, post
	SQL         string // unrendered
	Transaction bool
}

// MakesTable tells whether a build leaves a table with a data version of its own under Relation, whatever made it. It is false for views, for
// what is unknown and for relations whose rows another engine keeps fresh (materialized views, streaming tables, external files).
func (n *Node) MakesTable() bool {
	switch n.Kind {
	case engine.KindTable, engine.KindIncremental, engine.KindSeed, engine.KindSnapshot:
		return true
	case engine.KindUnsupported:
		return n.Resource == Model && (n.Materialized == "table" || n.Materialized == "incremental") || n.Resource == Snapshot
	}
	return false
}

// IsLatest tells whether the node is the latest version of a versioned model.
func (n *Node) IsLatest() bool { return n.Version != "" && n.Version == n.LatestVersion }
