// Package lineage answers which tables a node reads: dbt parents with views and ephemerals expanded, sources, hard-coded tables, paths and
// opaque inputs of its SQL, hooks and header (S6-S11).
package lineage
