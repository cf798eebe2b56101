// Package postgres is the state store in a Postgres database, Databricks Lakebase included (spec 8.4).
//
// Host, user, password and TLS come from where every libpq client takes them: the PG* variables, ~/.pgpass (PGPASSFILE) and the service file
// (PGSERVICE). hodor's own settings name only database, schema and table. Schema and tables are created on first use if they are
// missing; a role that may not create them needs no more than SELECT, INSERT and, for prune, DELETE on tables that `ddl` has made.
//
// For Lakebase, whose password is a token of one hour, Options.BeforeConnect is asked before each physical connection.
package postgres
