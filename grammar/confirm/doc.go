// Package confirm holds tests only: they ask DuckDB itself, in process, whether what grammar accepts, prints and groups is
// what the engine reads. They stand apart so that the tests of grammar need no C compiler.
package confirm
