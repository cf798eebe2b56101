// Package project reads the JSON form of dbt's manifest, once and streaming, and says what each node is: kind, relation, parents, hooks,
// configuration and the hashes over them (spec section 6). It opens no connection and decides nothing.
package project
