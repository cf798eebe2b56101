package project

import "hodor/engine"

// builtinStrategies are the incremental strategies in scope, by adapter: those of the adapter less microbatch (spec 3). Any
// other name is a custom strategy.
var builtinStrategies = map[string]map[string]bool{
	"databricks": {"append": true, "merge": true, "delete+insert": true, "insert_overwrite": true, "replace_where": true},
	"duckdb":     {"append": true, "merge": true, "delete+insert": true},
}

// outOfScope names the materializations that the adapters or dbt itself bring and that hodor leaves to dbt, with the word for why.
var outOfScope = map[string]string{
	"materialized_view": "materialized view",
	"streaming_table":   "streaming table",
	"metric_view":       "metric view",
	"external":          "external table",
	"table_function":    "table function",
	"clone":             "clone",
	"function":          "function",
	"unit":              "unit test",
}

// classify sets Kind, Why and Strategy (spec section 3). What it does not know is unsupported.
func (p *Project) classify(n *Node) {
	n.Kind, n.Why = p.kind(n)
}

func (p *Project) kind(n *Node) (engine.Kind, string) {
	switch n.Resource {
	case Source:
		return "", ""
	case Test:
		return engine.KindTest, ""
	case Seed:
		return engine.KindSeed, ""
	case UnitTest:
		return engine.KindUnsupported, "unit test"
	case Operation:
		return engine.KindUnsupported, "hook operation"
	case Function:
		return engine.KindUnsupported, "function"
	case Snapshot:
		if n.Language != "" && n.Language != "sql" {
			return engine.KindUnsupported, n.Language + " snapshot"
		}
		if n.Strategy != "timestamp" && n.Strategy != "check" {
			return engine.KindUnsupported, "custom snapshot strategy " + n.Strategy
		}
		return engine.KindSnapshot, ""
	}
	if n.Language != "" && n.Language != "sql" {
		return engine.KindUnsupported, n.Language + " model"
	}
	switch n.Materialized {
	case "table":
		return engine.KindTable, ""
	case "view":
		return engine.KindView, ""
	case "ephemeral":
		return KindEphemeral, ""
	case "incremental":
		if n.Strategy == "" || n.Strategy == "default" {
			n.Strategy = p.defaultStrategy(n)
		}
		if n.Strategy == "microbatch" {
			return engine.KindUnsupported, "microbatch model"
		}
		if !builtinStrategies[p.Adapter][n.Strategy] {
			return engine.KindUnsupported, "custom incremental strategy " + n.Strategy
		}
		return engine.KindIncremental, ""
	}
	if why, ok := outOfScope[n.Materialized]; ok {
		return engine.KindUnsupported, why
	}
	return engine.KindUnsupported, "custom materialization " + n.Materialized
}

// defaultStrategy is what an unset incremental_strategy means: merge on Databricks; on DuckDB delete+insert, which without a unique_key only
// appends.
func (p *Project) defaultStrategy(n *Node) string {
	if p.Adapter == "databricks" {
		return "merge"
	}
	if n.keyed {
		return "delete+insert"
	}
	return "append"
}
