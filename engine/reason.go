package engine

// Reason is a reason code of spec section 5 (plus those of section 10 and docs/when-reuse.md). Codes are never renamed; new ones are added at the end.
//
// The Example lines below are run by reason_test.go. Each starts from a settled node of the kind that it names (nothing has changed since
// its last build, ten hours ago; it reads the tables a and b) and applies the changes that follow.
type Reason string

// The reason codes, in the order of the rules.
const (
	// FullRefresh: --full-refresh, or the node's config full_refresh: true. Spec 5, rule 2; tests too (S4).
	//
	// Example: table, full refresh
	// Example: test, full refresh
	FullRefresh Reason = "full_refresh"

	// Unsupported: a resource type, materialization or incremental strategy out of scope. Spec 5, rule 3.
	//
	// Example: unsupported
	Unsupported Reason = "unsupported"

	// NoHistory: no record of an earlier successful build counts. Spec 5, rule 4; S1, S3, and S5 for one from the future.
	//
	// Example: table, no record
	// Example: table, built in the future
	// Example: test, no recorded outcome
	NoHistory Reason = "no_history"

	// RelationMissing: nothing of the right type stands under the node's name, or it can't be told. Spec 5, rule 5.
	//
	// Example: table, relation missing
	// Example: test, relation missing
	RelationMissing Reason = "relation_missing"

	// CodeChanged: the code hash or the hash version differs from the record. Spec 5, rule 6.
	//
	// Example: table, code differs
	// Example: table, compare unrendered, code differs, unrendered differs
	CodeChanged Reason = "code_changed"

	// ConfigChanged: the config hash differs from the record. Spec 5, rule 7; S19 to S23 say what is in it.
	//
	// Example: view, config differs
	ConfigChanged Reason = "config_changed"

	// TargetModified: the target was written outside the node's own builds, or its version can't be read. Spec 5, rule 8; S17.
	//
	// Example: table, target differs
	// Example: view, target unknown
	TargetModified Reason = "target_modified"

	// SelectStarView: a view whose final SELECT * reads a relation directly. Spec 5, rule 9.
	//
	// Example: view, select star
	SelectStarView Reason = "select_star_view"

	// ViewUnchanged: a view with the same code, config and definition. Spec 5, rule 10.
	//
	// Example: view
	ViewUnchanged Reason = "view_unchanged"

	// UnknownUpstream: something that the node reads has no known version, now or in the record. Spec 5, rule 11; S3, S6, S7.
	//
	// Example: table, a unknown
	// Example: table, a not in the record
	// Example: view, hooks unknown
	UnknownUpstream Reason = "unknown_upstream"

	// UpstreamCodeChanged: a view between the node and its upstreams has other code, another definition or other columns than at the node's
	// last build. Spec 5, rule 12; S9, S18.
	//
	// Example: table, view v differs
	// Example: view, columns of a differ
	UpstreamCodeChanged Reason = "upstream_code_changed"

	// NoNewData: no upstream changed (any), or not all of them did (all). Spec 5, rule 13; S6 where there are none.
	//
	// Example: table
	// Example: table, reads nothing
	// Example: table, all, a differs
	NoNewData Reason = "no_new_data"

	// WithinLagTolerance: an upstream changed, but the last build is younger than lag_tolerance. Spec 5, rule 14.
	//
	// Example: table, a differs, lag 11h
	WithinLagTolerance Reason = "within_lag_tolerance"

	// NewUpstreamData: an upstream changed, and nothing allows to wait. Spec 5, rule 15.
	//
	// Example: table, a differs
	// Example: table, all, a differs, b differs
	// Example: test, a differs, lag 11h
	NewUpstreamData Reason = "new_upstream_data"

	// VolatileSQL: as NewUpstreamData, where nothing but volatile values changed, or one of them is never known. Spec 5, rule 15; S24 to S27.
	//
	// Example: table, volatile:date differs
	// Example: table, volatile:always unknown, lag 11h
	VolatileSQL Reason = "volatile_sql"

	// HodorError: hodor itself failed for this node (spec 10). It is the caller's word for an error or a panic; Decide says it only if no
	// rule came to a decision.
	//
	// Example: table, no rule decides
	HodorError Reason = "hodor_error"
)
