package project

// Where says which part of a node a key belongs to.
type Where string

// The places of keys.
const (
	InConfig Where = "config" // node.config, also of tests
	InColumn Where = "column" // an entry of node.columns
	InNode   Where = "node"   // the node itself
)

// KeyRule says of one key whether it is part of the config hash (spec 6, S22, S23).
type KeyRule struct {
	Where Where
	Name  string
	In    bool
	Why   string
	// core: dbt writes the key for every node, with null where it is not set; then null is the same as absent, so that a key that one dbt
	// version knows and the other does not changes no hash.
	core bool
}

// Keys lists every key of dbt-core's and both adapters' configurations. A config or column key that it does not name is in. "Out" is undone
// for what hook text or an overriding macro reads (S21).
var Keys = []KeyRule{
	{InConfig, "tags", false, "labels for selection", true},
	{InConfig, "meta", false, "notes", true},
	{InConfig, "docs", false, "documentation", true},
	{InConfig, "persist_docs", false, "comments only", true},
	{InConfig, "state", false, "hodor's own settings", false},
	{InConfig, "enabled", false, "a disabled node is not there", true},
	{InConfig, "databricks_compute", false, "which machine runs it", false},
	{InConfig, "incremental_apply_config_changes", false, "how a change of settings is applied, not what", false},

	{InConfig, "alias", true, "name", true},
	{InConfig, "schema", true, "name", true},
	{InConfig, "database", true, "name", true},
	{InConfig, "group", true, "", true},
	{InConfig, "access", true, "", true},
	{InConfig, "static_analysis", true, "", true},
	{InConfig, "materialized", true, "what is made", true},
	{InConfig, "incremental_strategy", true, "how rows are merged", true},
	{InConfig, "batch_size", true, "", true},
	{InConfig, "lookback", true, "", true},
	{InConfig, "begin", true, "", true},
	{InConfig, "event_time", true, "", true},
	{InConfig, "concurrent_batches", true, "", true},
	{InConfig, "pre-hook", true, "runs with the node (S7)", true},
	{InConfig, "post-hook", true, "runs with the node (S7)", true},
	{InConfig, "quoting", true, "name", true},
	{InConfig, "column_types", true, "types of a seed", true},
	{InConfig, "full_refresh", true, "", true},
	{InConfig, "unique_key", true, "how rows are merged", true},
	{InConfig, "on_schema_change", true, "columns of an incremental", true},
	{InConfig, "on_configuration_change", true, "", true},
	{InConfig, "on_error", true, "", true},
	{InConfig, "grants", true, "", true},
	{InConfig, "packages", true, "", true},
	{InConfig, "contract", true, "types and constraints are enforced", true},
	{InConfig, "freshness", true, "", true},
	{InConfig, "latest_version_pointer", true, "name", true},
	{InConfig, "sql_header", true, "runs with the node (S7)", true},

	{InConfig, "delimiter", true, "how a seed is read", true},
	{InConfig, "quote_columns", true, "names of a seed's columns", true},
	{InConfig, "fast", true, "how a seed is loaded", false},

	{InConfig, "strategy", true, "snapshot", true},
	{InConfig, "target_schema", true, "snapshot", true},
	{InConfig, "target_database", true, "snapshot", true},
	{InConfig, "updated_at", true, "snapshot", true},
	{InConfig, "check_cols", true, "snapshot", true},
	{InConfig, "snapshot_meta_column_names", true, "snapshot", true},
	{InConfig, "dbt_valid_to_current", true, "snapshot", true},
	{InConfig, "hard_deletes", true, "snapshot", false},
	{InConfig, "invalidate_hard_deletes", true, "snapshot", false},

	{InConfig, "severity", true, "outcome of a test (S22)", true},
	{InConfig, "store_failures", true, "outcome of a test (S22)", true},
	{InConfig, "store_failures_as", true, "outcome of a test (S22)", true},
	{InConfig, "where", true, "outcome of a test (S22)", true},
	{InConfig, "limit", true, "outcome of a test (S22)", true},
	{InConfig, "fail_calc", true, "outcome of a test (S22)", true},
	{InConfig, "warn_if", true, "outcome of a test (S22)", true},
	{InConfig, "error_if", true, "outcome of a test (S22)", true},

	{InConfig, "file_format", true, "Databricks", false},
	{InConfig, "table_format", true, "Databricks", false},
	{InConfig, "location_root", true, "Databricks", false},
	{InConfig, "include_full_name_in_path", true, "Databricks", false},
	{InConfig, "partition_by", true, "Databricks", false},
	{InConfig, "clustered_by", true, "Databricks", false},
	{InConfig, "liquid_clustered_by", true, "Databricks", false},
	{InConfig, "auto_liquid_cluster", true, "Databricks", false},
	{InConfig, "buckets", true, "Databricks", false},
	{InConfig, "options", true, "Databricks", false},
	{InConfig, "merge_update_columns", true, "how rows are merged", false},
	{InConfig, "merge_exclude_columns", true, "how rows are merged", false},
	{InConfig, "databricks_tags", true, "warehouse tags", false},
	{InConfig, "query_tags", true, "Databricks", false},
	{InConfig, "tblproperties", true, "Databricks", false},
	{InConfig, "zorder", true, "Databricks", false},
	{InConfig, "skip_optimize", true, "Databricks", false},
	{InConfig, "unique_tmp_table_suffix", true, "Databricks", false},
	{InConfig, "skip_not_matched_step", true, "how rows are merged", false},
	{InConfig, "skip_matched_step", true, "how rows are merged", false},
	{InConfig, "matched_condition", true, "how rows are merged", false},
	{InConfig, "not_matched_condition", true, "how rows are merged", false},
	{InConfig, "not_matched_by_source_action", true, "how rows are merged", false},
	{InConfig, "not_matched_by_source_condition", true, "how rows are merged", false},
	{InConfig, "target_alias", true, "how rows are merged", false},
	{InConfig, "source_alias", true, "how rows are merged", false},
	{InConfig, "merge_with_schema_evolution", true, "columns of an incremental", false},
	{InConfig, "use_safer_relation_operations", true, "Databricks", false},
	{InConfig, "view_update_via_alter", true, "Databricks", false},
	{InConfig, "row_filter", true, "who sees which rows", false},
	{InConfig, "incremental_predicates", true, "how rows are merged", false},
	{InConfig, "predicates", true, "how rows are merged", false},
	{InConfig, "replace_where", true, "how rows are merged", false},
	{InConfig, "indexes", true, "DuckDB", false},
	{InConfig, "partitioned_by", true, "DuckDB", false},
	{InConfig, "sorted_by", true, "DuckDB", false},
	{InConfig, "catalog_name", true, "", false},

	{InColumn, "name", true, "only beside a key that is in (S23)", true},
	{InColumn, "description", false, "documentation (S23)", true},
	{InColumn, "meta", false, "notes", true},
	{InColumn, "tags", false, "labels for selection", true},
	{InColumn, "doc_blocks", false, "documentation", true},
	{InColumn, "granularity", false, "semantic layer", true},
	{InColumn, "dimension", false, "semantic layer", true},
	{InColumn, "entity", false, "semantic layer", true},
	{InColumn, "config", false, "its meta and tags; any other key in it is in", true},
	{InColumn, "data_type", true, "", true},
	{InColumn, "constraints", true, "", true},
	{InColumn, "quote", true, "", true},
	{InColumn, "column_mask", true, "who sees which values", false},
	{InColumn, "databricks_tags", true, "warehouse tags", false},

	{InNode, "constraints", true, "", true},
	{InNode, "language", true, "", true},
	{InNode, "latest_version", true, "only whether a versioned model is the latest: its pointer view is made with it", true},
}

var configRule, columnRule = ruleIndex(InConfig), ruleIndex(InColumn)

func ruleIndex(where Where) map[string]KeyRule {
	m := map[string]KeyRule{}
	for _, k := range Keys {
		if k.Where == where {
			m[k.Name] = k
		}
	}
	return m
}
