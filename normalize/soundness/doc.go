// Package soundness has no code of its own: its tests execute what the normalizer claims.
//
//	generate_test.go, expression_test.go, rare_test.go   queries, respellings that mean the same, and mutants that mostly do not
//	schema_test.go                                       tables with awkward rows, and columns that queries do not know of
//	engine_test.go, python_test.go                       DuckDB 1.5, linked in, and DuckDB 2 in a Python environment
//	soundness_test.go                                    the law: one code hash, the same rows, column names and column types
//	unsound_test.go, mutation_test.go                    passes that break the law, each of which must be seen to
//
// A counterexample is cut down by hand and becomes a test beside the pass that made it.
package soundness
