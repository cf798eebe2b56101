// Package soundness has no code of its own: its tests execute what the normalizer claims. Generated queries are run on DuckDB beside their
// canonical text, their respellings and their mutants, over several databases, and whatever has one code hash must have the same rows, column
// names and column types.
package soundness
