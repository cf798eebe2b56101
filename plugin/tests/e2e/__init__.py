"""End to end: real dbt-core, dbt-duckdb, DuckDB and the hodor-sql binary, on a project of its own for every test."""
