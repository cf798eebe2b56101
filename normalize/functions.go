package normalize

import (
	"sort"
	"strings"

	"hodor/grammar"
)

// volatility says what besides its arguments determines the value of a function (S24).
type volatility uint8

// Kinds of volatility: nothing; the date; user, catalog, schema and time zone; anything else.
const (
	pure volatility = iota
	kindDate
	kindSession
	kindAlways
)

// String returns the kind as facts name it.
func (k volatility) String() string {
	return [...]string{"", "date", "session", "always"}[k]
}

// form says what a function makes of rows.
type form uint8

// Forms: a value of a row; of several rows; of a row among others; rows of a value. Only generators are no opaque table functions (S8).
const (
	single form = iota
	aggregate
	windowed
	generator
)

// function is one built-in function.
type function struct {
	name string
	kind volatility
	form form
}

// builtin finds a built-in function by its name in lower case. A function that one supported version has counts: what users define under
// such a name in another version is found by the session, which asks the database for user macros (S8).
func builtin(d grammar.Dialect, name string) (function, bool) {
	list := functionsDatabricks
	if d == grammar.DuckDB {
		list = functionsDuckDB
	}
	i := sort.Search(len(list), func(i int) bool { return list[i].name >= name })
	if i < len(list) && list[i].name == name {
		return list[i], true
	}
	return function{}, false
}

// Builtin tells whether the dialect (databricks, duckdb) has a built-in function of that name, in any case. The session asks it which of
// the macros of a DuckDB database shadow a built-in.
func Builtin(dialect, name string) bool {
	d := grammar.Databricks
	if dialect == DialectDuckDB {
		d = grammar.DuckDB
	}
	_, ok := builtin(d, strings.ToLower(name))
	return ok
}

// bareWords are the words that are functions without parentheses, where no column has their name.
var bareWords = map[grammar.Dialect]map[string]bool{
	grammar.Databricks: set("current_date", "current_timestamp", "current_time", "current_user", "user", "session_user", "grouping__id"),
	grammar.DuckDB: set("current_catalog", "current_date", "current_schema", "current_role", "current_time", "current_timestamp", "current_user",
		"localtime", "localtimestamp", "session_user", "user"),
}

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}
