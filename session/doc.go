// Package session is one dbt run: it loads history, answers decisions, records what was built, flushes and sums up. It ties project,
// normalize, lineage, versions, engine and stores together; it knows no JSON-RPC.
package session
