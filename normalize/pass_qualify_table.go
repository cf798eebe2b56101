package normalize

import (
	"hodor/grammar"
)

// qualifyTables writes the default catalog in front of schema.table, so that both spellings are one (Databricks, T54).
//
// Safe because a two-part name is looked up in the current catalog only, and the run knows that one. Not for a bare table: a temporary view may
// hide it. Not for the schemas that are in no catalog, nor where the first part is a file format. Nothing is qualified in DuckDB, whose a.b may
// be a table of an attached database, and whose t may be a temporary table.
func (a *analysis) qualifyTables(catalog string) {
	if catalog == "" || a.duck() {
		return
	}
	for _, name := range a.names {
		if len(name.Parts) != 2 || clauseQuoted(name) {
			continue
		}
		if first := lower(name.Parts[0].Text); placelessSchemas[first] || pathFormats[first] {
			continue
		}
		name.Parts = append([]grammar.Ident{{Text: lower(catalog)}}, name.Parts...)
	}
}

// placelessSchemas are first parts of names that are no schema of the current catalog.
var placelessSchemas = set("global_temp", "session", "system", "builtin", "live")
