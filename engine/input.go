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
	// caller leaves Code empty.
	Definition Version
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

// Input is all that a decision may look at.
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
	// ReadsItself: a table model that reads {{ this }} (S6).
	ReadsItself bool
	// HooksUnknown: hooks or header that can't be analysed, opaque inputs or writes in them (S7); stands before rule 10.
	HooksUnknown bool
	// Columns: S18, Databricks views: column hashes of the relations read, now.
	Columns   map[string]Version
	Upstreams []Upstream
	Views     []View
	// RequireAll: require_fresh_data_from: all.
	RequireAll bool
	// LagToleranceMS is lag_tolerance in ms; 0 for tests.
	LagToleranceMS int64
	// NowMS is the warehouse clock now, epoch ms; 0: unknown, which builds wherever it is asked (S5).
	NowMS  int64
	Record *Record
}
