// Package confirm holds tests only: they ask DuckDB 1.5 in process, DuckDB 2.0 in Python and, with the build tag spark, Spark's
// parser whether what grammar accepts, prints and groups is what the engine reads. They stand apart so that the tests of grammar
// need no C compiler.
package confirm
