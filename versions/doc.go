// Package versions answers one question a table: what is its data version now. Each table is read at most once a run and again only when
// stale (S15, S16); a failed read is an unknown version. SQL runs through database/sql, inside dbt on the relay driver.
//
// Beside tables it reads what else of the warehouse a decision needs, each with at most one statement a run unless it went stale: definitions of
// views (rule 8, S9), the clock (S5), the session's settings (S19), user functions that hide built-ins (S8), the values of volatile calls (S24).
//
// Every function of the engine is called by its full name (system.main.hash), and no operator is used that is one in the catalog (||, +), since
// a user macro may bear any of these names and would answer in their place. Measured on DuckDB 1.5.6 and 2.0.1.
package versions
