package engine

// Kind is what a node is to the rules.
type Kind string

// The kinds. Incrementals, seeds and snapshots follow the rules of tables (spec section 3); Ephemeral is never decided.
const (
	KindTable       Kind = "table"
	KindIncremental Kind = "incremental"
	KindView        Kind = "view"
	KindSeed        Kind = "seed"
	KindSnapshot    Kind = "snapshot"
	KindTest        Kind = "test"
	KindUnsupported Kind = "unsupported"
)

// Version is an opaque data version token of a table or view; the zero value is an unknown version. Tokens are only compared for equality.
type Version string

// Known tells whether the version could be read.
func (v Version) Known() bool { return v != "" }

// Relation is what stands in the warehouse under the node's name.
type Relation string

// Relation states. The zero value means that it can't be told, which counts as missing.
const (
	Unseen  Relation = ""
	Present Relation = "present" // present, and of the type that the materialization makes
	Absent  Relation = "missing" // absent or of another type
)

// Hashes are the identities of a node's code and configuration now or at its last build. An empty hash is unknown and equals nothing.
type Hashes struct {
	Version    string // hash version
	Code       string
	Unrendered string // only with compare_unrendered_code
	Config     string
}

// Upstream is one thing that a node reads, with its version now.
type Upstream struct {
	// Name is the canonical relation name, a path, an opaque input ("opaque:read_csv") or a volatile kind ("volatile:date").
	Name string
	// Now is the version read before this decision; unknown for opaque inputs and volatile:always.
	Now Version
}

// View is a view (or ephemeral model with code of its own) between a node and its upstream tables.
type View struct {
	Name string
	// Code is the code hash of that view's last build (its record); empty: no record, unknown.
	Code string
	// Definition is the view's present definition in the warehouse; it must equal the one of the view's own record (S9), or the
	// caller leaves Code empty. Unknown makes the view unknown, unless Ephemeral is set.
	Definition Version
	// Ephemeral: there is nothing in the warehouse, so Definition does not count.
	Ephemeral bool
}

// Record is the evidence that the last build left. nil Record in Input means no history.
type Record struct {
	Hashes    Hashes
	Target    Version            // right after the build
	BuiltAtMS int64              // start of the build, epoch ms
	Upstreams map[string]Version // by Upstream.Name, as read before the build
	Views     map[string]View    // by View.Name, as of the build
	Columns   map[string]Version // S18, views on Databricks: column hashes of the relations that the view reads
	Test      *TestResult
}

// TestResult is the recorded outcome of a test.
type TestResult struct {
	Status   string // pass, warn, fail
	Failures int64
	Message  string
}

// Input is all that a decision may look at. Its zero value builds. Fields are of three sorts (law_test.go keeps the list):
//
//   - evidence (hashes, versions, the record, the clock, LineageKnown ...): the zero value is "not known" and builds;
//   - alarms (FullRefresh, NoReuse, SelectStarView, ReadsItself, HooksUnknown, KeepsFailures): set, they can only lead to a build; the caller sets them
//     where it can't tell;
//   - settings (CompareUnrendered, RequireAll, LagToleranceMS): the zero value is the one that builds more.
type Input struct {
	Kind Kind
	// FullRefresh: --full-refresh, or the node's config full_refresh: true.
	FullRefresh bool
	// NoReuse, if not empty, forbids reuse for this run with the reason code it names (S4 --empty and --sample, an unavailable store ...).
	NoReuse Reason
	// CompareUnrendered: compare_unrendered_code.
	CompareUnrendered bool
	Now               Hashes
	Relation          Relation
	// Target is the target's present data version (for a view: of its definition).
	Target Version
	// SelectStarView: the node is a view whose final SELECT * reads a relation directly (rule 9).
	SelectStarView bool
	// ReadsItself: a model that reads {{ this }} (S6). Incrementals and snapshots do so by design and are not affected.
	ReadsItself bool
	// HooksUnknown: hooks or header that can't be analysed, opaque inputs or writes in them (S7); stands before rule 10.
	HooksUnknown bool
	// KeepsFailures: a test that stores its failures; what stands there must be what its last run left (S22), as a table's rows must.
	KeepsFailures bool
	// Columns: S18, Databricks views: column hashes of the relations read, now.
	//
	// A nil map, here or in the record, means that they were not read; a view that reads no relation has an empty one.
	Columns map[string]Version
	// ViewsBindAnew: the engine binds a view's columns at each query (DuckDB), so Columns do not count.
	ViewsBindAnew bool
	// LineageKnown: SQL, hooks and header were analysed to the end, so Upstreams and Views are all that the node reads. Without it the node
	// builds (unknown_upstream), views too.
	LineageKnown bool
	// Upstreams are what the node reads. For a view: only what its hooks and header read (S7); what its query reads is read anew whenever
	// the view is, and does not count (rule 10).
	Upstreams []Upstream
	// Views are the views between the node and its upstreams; for a view: between its hooks and their upstreams.
	Views []View
	// RequireAll: require_fresh_data_from: all.
	RequireAll bool
	// LagToleranceMS is lag_tolerance in ms; 0 for tests.
	LagToleranceMS int64
	// NowMS is the warehouse clock now, epoch ms; 0: unknown, which builds wherever it is asked (S5).
	NowMS  int64
	Record *Record
}
