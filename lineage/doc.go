// Package lineage answers which tables a node reads: dbt parents with views and ephemerals expanded, sources, hard-coded tables, paths and
// opaque inputs of its SQL, hooks and header (S6-S11). It does no I/O: what a node's SQL says comes as facts, what a view between says comes
// from an Evidence that the caller supplies. What it can't prove it reports as an unknown upstream, never as nothing.
package lineage
