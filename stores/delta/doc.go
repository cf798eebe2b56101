// Package delta is the state store in a Delta table of Databricks (spec section 8.2). Statements go through a handle that others made: inside dbt
// the relay on dbt's own connection, elsewhere Connect, which speaks to a SQL warehouse through databricks-sql-go. There is one implementation
// for both, and no transactions, keys or parameters in it: an append is one INSERT of literals, which two jobs may do at once, and the commit
// table is claimed by MERGE and read back.
//
// The driver is held at arm's length: it runs in goroutines of its own, so that a stalled server or a slow clean-up keeps nobody beyond the
// deadline, a panic in it is an error, its telemetry is off, and its log, which may hold SQL, is silent.
package delta
