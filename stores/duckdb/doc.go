// Package duckdb is the state store in one local DuckDB file (spec 8.3), by default .hodor/state.duckdb below the project's root.
//
// DuckDB lets one process write, or several read, and takes its lock when the file is opened. So the store opens the file for each operation
// and closes it: at once after reading, and after writing as soon as the burst of flushes is over (file.go has the times). Between them
// other dbt runs, `explain` and an editor may have the file; an operation that meets a lock waits a little (Options.Wait). What stays
// open is only DuckDB's engine in memory, to which the file is attached, since starting that costs more than opening the file.
//
// Without cgo there is no DuckDB: Open then returns ErrNoDuckDB.
package duckdb
