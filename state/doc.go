// Package state plans and records dbt runs from outside dbt. It prepares a project (package executor), plans with the decisions of package session,
// has exactly the BUILD set built, and records what succeeded.
//
// # One engine
//
// The plugin decides inside dbt, node by node; this package decides for the whole project before dbt runs, from the compiled manifest, with the same
// session, lineage, versions and engine, and what one recorded is history for the other. The difference: here a parent that will be built has not
// been built yet. So a table that will be built counts as changed data, and a view that will be built as the view that dbt will make
// (session.Foresee). A plan may thus hold more than the plugin would build, never less.
//
// # The warehouse
//
// Only dbt's own adapter opens it. A Python process (relay.go) loads the project as dbt does and runs statements; it is ended before dbt is started,
// since DuckDB lets one process in, and started again for the record.
//
// # What is recorded
//
// A node is recorded if it was built and none of its checks failed, and if everything that its record must say can be vouched for (observe.go): the
// upstreams as they were before the build began, the target as the build left it. In doubt there is no record, and the node is built again.
// Records carry a commit id and count once the head of the scope, read with the plan, is moved on by compare-and-swap.
package state
