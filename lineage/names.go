package lineage

import (
	"hodor/normalize"
	"hodor/project"
)

// Options describe the run.
type Options struct {
	Dialect string // databricks, duckdb
	// Catalog and Schema are the target's defaults, by which names of fewer than three parts resolve; "" is not known.
	Catalog, Schema string
	// Deferred holds, by parent id, the quoted name of another environment's relation that a ref may resolve to.
	Deferred map[string]string
}

// candidates returns the keys of the relations that a name in SQL may mean, best first; none if that can't be told. Three parts mean what they
// say. Fewer are qualified by the defaults, where nothing can stand in between:
//
//   - kept tells that no hook or header changed what names mean (USE, CREATE TEMPORARY ...).
//   - DuckDB: a temporary table hides t and main.t, so these mean nothing certain (S10). a.b is a schema of the default catalog or an attached
//     catalog a with its schema main; where both exist DuckDB itself refuses the name.
//   - A name as dbt prints it may have two parts (hive_metastore); on Databricks it is also taken as it stands.
func (o Options) candidates(parts []string, kept bool) []string {
	duckdb := o.Dialect == "duckdb"
	switch len(parts) {
	case 3:
		return []string{project.Key(parts)}
	case 2:
		var keys []string
		if !kept {
			return nil
		}
		if duckdb && hideable(parts[0]) {
			return nil
		}
		if o.Catalog != "" {
			keys = append(keys, project.Key([]string{o.Catalog, parts[0], parts[1]}))
		}
		if duckdb {
			return append(keys, project.Key([]string{parts[0], "main", parts[1]}))
		}
		return append(keys, project.Key(parts))
	case 1:
		if !kept || duckdb || o.Catalog == "" || o.Schema == "" {
			return nil
		}
		return []string{project.Key([]string{o.Catalog, o.Schema, parts[0]})}
	}
	return nil
}

// hideable are the DuckDB schemas that the temporary or system catalog has too.
func hideable(schema string) bool {
	switch project.Fold(schema) {
	case "main", "temp", "system", "pg_catalog", "information_schema":
		return true
	}
	return false
}

// keptNames tells whether every hook and header leaves the meaning of names alone.
func keptNames(hooks []HookFacts) bool {
	for _, h := range hooks {
		if !h.Known || !project.HookKeepsNames(h.SQL) {
			return false
		}
	}
	return true
}

// unread tells whether facts can't be trusted: the text did not parse.
func unread(f *normalize.Facts, level string) bool {
	return f == nil || level == normalize.LevelText || level == ""
}
