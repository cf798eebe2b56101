package stores

// Record is one row of the state table: what the rules said about one node in one run, and what happened. Field order is the order of the
// columns in the DDL and in the checksum. A nil pointer is SQL NULL.
type Record struct {
	RecordID     string // uuid
	InvocationID string
	RecordedAtMS int64 // warehouse clock, epoch ms
	ProjectName  string
	TargetName   string
	// NodeKey is the relation's name in lower case for models, seeds and snapshots, and
	// "<unique_id>#<sha of the tested relations>" for tests (spec 8.1).
	NodeKey        string
	UniqueID       string
	ResourceType   string
	Mode           string // shadow, on
	Decision       string // build, reuse: what the rules said
	Reason         string // reason code, engine.Reason
	Action         string // build, reuse: what happened
	Status         string // dbt's final status
	TextHash       *string
	CodeHash       *string
	UnrenderedHash *string
	ConfigHash     *string
	HashVersion    string
	// SQLFacts is JSON: the analysis kept for the fast path, with the dialect, default catalog and schema it holds for. See session/evidence.go.
	SQLFacts *string
	// DataVersion is the target's version token right after the build; nil if it could not be read, and then the record is no history (S3).
	DataVersion     *string
	DataChangedAtMS *int64
	// BuiltAtMS is the start of the build that wrote this record, epoch ms of the warehouse clock; nil for a reuse.
	BuiltAtMS *int64
	// Upstreams is JSON: what was read, with versions, before the build began.
	Upstreams    *string
	TestResult   *string // JSON {"status","failures","message"}, tests only
	HodorVersion string
	CommitID     *string // nil: counts at once; else it counts when a commit row names it
	BuildMS      *int64  // duration of the build, ms
	Checksum     string  // "1:" and SHA-256 over all columns above, see Checksum
}
