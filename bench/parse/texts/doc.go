// Package texts makes the SQL that the parser is measured on: models as dbt compiles them, queries in the manner of TPC-H and
// TPC-DS, and shapes that grow in one direction. All texts are of this project; a seed makes the same texts again.
package texts

import "hodor/grammar"

// Text is one SQL text of one statement, without a semicolon.
type Text struct {
	Name string
	SQL  string
}

// Set is a list of texts of one kind.
type Set struct {
	Name    string
	Dialect grammar.Dialect
	Texts   []Text
}

// Bytes is the sum of the texts' lengths.
func (s Set) Bytes() (n int) {
	for _, t := range s.Texts {
		n += len(t.SQL)
	}
	return n
}

// Sets returns what make bench-parse runs: models generated dbt models for each dialect, and the queries of Reporting and
// Retail, which both dialects read.
func Sets(models int) []Set {
	return []Set{
		{"dbt models, DuckDB", grammar.DuckDB, Models(models, 1, grammar.DuckDB)},
		{"dbt models, Databricks", grammar.Databricks, Models(models, 1, grammar.Databricks)},
		{"TPC-H-like", grammar.DuckDB, Reporting(20)},
		{"TPC-DS-like", grammar.DuckDB, Retail(20)},
	}
}
