// Package sqlstore is the one implementation of stores.Store over database/sql. What differs between databases stands in a Dialect (types,
// quoting, parameters or literals, how a table is listed and created) and a Source (how a connection is come by and given back); packages
// duckdb and postgres are a dialect and a source each, and so is Delta.
//
// SQL is kept to what they all understand: ROW_NUMBER() in a subquery, no QUALIFY; text and bigint, no other type. Identifiers are checked
// (stores.CheckIdentifier) and quoted, values are parameters or, where a driver has none, literals by the dialect.
package sqlstore
