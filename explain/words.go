package explain

import "hodor/engine"

// Words are what is said of a reason code.
type Words struct {
	Means  string // why the node was built or reused
	Change string // what would change the decision, or "" where there is nothing to do
}

// reasons has the words for every reason code of the engine; docs/reason-codes.md says the same at length.
var reasons = map[engine.Reason]Words{
	engine.FullRefresh: {"--full-refresh, or full_refresh: true in the node's config, asks for it",
		"run without --full-refresh and without full_refresh: true"},
	engine.Unsupported: {"this kind of node is out of hodor's scope and is built as plain dbt does",
		"another materialization or incremental strategy"},
	engine.NoHistory: {"no earlier successful build counts: it is the first, lies before the lookback window, or can't be trusted",
		"one successful build; a longer hodor_lookback_days for nodes that are built seldom"},
	engine.RelationMissing: {"nothing of the right type stands under its name in the warehouse",
		"this build makes the relation; look for what dropped or replaced it if that happens again"},
	engine.CodeChanged: {"its SQL means something else than at its last build",
		"the same SQL as at the last build; --diff shows where the texts part"},
	engine.ConfigChanged: {"its configuration, a macro that decides how it is built, or a setting of the session is another one",
		"the configuration of the last build"},
	engine.TargetModified: {"its relation was written by something else than its own builds, or its version can't be read",
		"leave the relation to dbt"},
	engine.SelectStarView: {"a view whose last SELECT takes * from a relation: its columns follow those of the relation",
		"name the columns"},
	engine.ViewUnchanged: {"a view stores no data, and its code, configuration and definition are those of its last build",
		"other code or configuration, or a full refresh"},
	engine.UnknownUpstream: {"something that it reads has no version that could be compared",
		"read tables that dbt knows (ref, source) instead of files, functions and names in the text"},
	engine.UpstreamCodeChanged: {"a view between it and its tables has other code, another definition or other columns",
		"the view's code of the last build"},
	engine.NoNewData: {"nothing that it reads has changed since its last build",
		"new data upstream, other code or configuration"},
	engine.WithinLagTolerance: {"there is new data, but its last build is younger than lag_tolerance",
		"it builds once the tolerance has run out; a shorter lag_tolerance for fresher data"},
	engine.NewUpstreamData: {"something that it reads has changed since its last build",
		"a longer lag_tolerance, or require_fresh_data_from: all, lets it wait"},
	engine.VolatileSQL: {"nothing changed but a value such as today's date, or one that is another on every call",
		"take the call out of the SQL, or set evaluate_volatile_sql: false if it may be ignored"},
	engine.HodorError: {"hodor itself failed for this node, so it was built as plain dbt does",
		"see the warning in dbt's log, and report it"},
}

// WordsFor returns the words for a reason code; a code of a newer hodor has none.
func WordsFor(reason string) Words { return reasons[engine.Reason(reason)] }
