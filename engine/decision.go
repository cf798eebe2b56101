package engine

// Action is build or reuse.
type Action string

// The two actions. The zero value is neither and must be treated as Build.
const (
	Build Action = "build"
	Reuse Action = "reuse"
)

// Decision is the answer of Decide.
type Decision struct {
	Action Action
	Reason Reason
	// Evidence says what was compared, for explain: one entry for each thing that decided, then and now.
	Evidence []Evidence
}

// Evidence is one comparison behind a decision.
type Evidence struct {
	What string // "code_hash", "upstream main.orders", "view main.stg", "target", "lag_tolerance"
	Then string
	Now  string
}

// Reason is a reason code of spec section 5 (plus those of section 10 and SAFETY). Codes are never renamed.
type Reason string

// The reason codes, in the order of the rules.
const (
	FullRefresh         Reason = "full_refresh"
	Unsupported         Reason = "unsupported"
	NoHistory           Reason = "no_history"
	RelationMissing     Reason = "relation_missing"
	CodeChanged         Reason = "code_changed"
	ConfigChanged       Reason = "config_changed"
	TargetModified      Reason = "target_modified"
	SelectStarView      Reason = "select_star_view"
	ViewUnchanged       Reason = "view_unchanged"
	UnknownUpstream     Reason = "unknown_upstream"
	UpstreamCodeChanged Reason = "upstream_code_changed"
	NoNewData           Reason = "no_new_data"
	WithinLagTolerance  Reason = "within_lag_tolerance"
	NewUpstreamData     Reason = "new_upstream_data"
	VolatileSQL         Reason = "volatile_sql"
	HodorError          Reason = "hodor_error"
)
