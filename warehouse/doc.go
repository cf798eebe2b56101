// Package warehouse is relay, the database/sql driver that runs SQL on dbt's own adapter connection: each statement goes over the protocol to
// the plugin (warehouse/query) and comes back as text or NULL. So hodor needs no credentials inside dbt, and a DuckDB file that dbt holds
// locked is still readable.
//
// Relay knows statements and nothing else: no parameters (literals are written into the SQL by whoever makes it), no transactions, no types
// but text. It opens nothing; a "connection" of database/sql is only a slot, so SetMaxOpenConns bounds how many statements are in flight.
package warehouse
