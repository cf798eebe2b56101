package grammar

import (
	"fmt"
	"strings"
)

// Dialect is a set of SQL dialects, one bit each, so that a construct can be tested against several at once.
type Dialect uint8

// The dialects. Databricks is Databricks SQL and open Spark SQL; DuckDB is 1.5 and 2.0.
const (
	Databricks Dialect = 1 << iota
	DuckDB
)

// In reports whether d shares a dialect with set: d.In(Databricks|DuckDB).
func (d Dialect) In(set Dialect) bool { return d&set != 0 }

// String returns the names as the command line takes them, joined by "|".
func (d Dialect) String() string {
	var names []string
	if d.In(Databricks) {
		names = append(names, "databricks")
	}
	if d.In(DuckDB) {
		names = append(names, "duckdb")
	}
	if rest := d &^ (Databricks | DuckDB); rest != 0 || len(names) == 0 {
		names = append(names, fmt.Sprintf("dialect(%d)", uint8(rest)))
	}
	return strings.Join(names, "|")
}

// DialectOf returns the single dialect of that name, in any case.
func DialectOf(name string) (Dialect, error) {
	switch strings.ToLower(name) {
	case "databricks":
		return Databricks, nil
	case "duckdb":
		return DuckDB, nil
	}
	return 0, fmt.Errorf("dialect %q is unknown: databricks or duckdb is needed", name)
}
