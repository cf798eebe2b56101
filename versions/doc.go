// Package versions answers one question a table: what is its data version now. Each table is read at most once a run and again only when
// stale (S15, S16); a failed read is an unknown version. SQL runs through database/sql, inside dbt on the relay driver.
package versions
