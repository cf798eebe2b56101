// Package crowd plays the simulation over the stores that need an engine: random histories, and eight runs at once, over a DuckDB file and a real
// PostgreSQL. It is apart from the simulation so that only its own tests link DuckDB.
package crowd
