// Package project reads the JSON form of dbt's manifest, once and streaming, and says what each node is: kind, relation, parents, hooks,
// configuration and the hashes over them (spec section 6). It opens no connection and decides nothing.
//
// Load gives a Project; a Node answers what it is without I/O. What depends on the run (environment values, vars, target, flags) enters only
// through a Context, so that the plugin's service and the state commands compute the same hashes.
//
// Whatever this package does not know is unknown, never absent: an unsupported node says why, a hash that can't be computed is empty and
// equals nothing.
package project
