// Package versions measures what a data version of a large DuckDB table costs. README.md has the figures.
package versions
