package normalize

import (
	"sync"

	"hodor/grammar"
)

//go:generate go run hodor/tools/gen-functions

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
	index, list := byNameDatabricks, functionsDatabricks
	if d == grammar.DuckDB {
		index, list = byNameDuckDB, functionsDuckDB
	}
	if i, ok := index()[name]; ok {
		return list[i], true
	}
	return function{}, false
}

// byNameDatabricks and byNameDuckDB are the places of the functions in their lists.
var (
	byNameDatabricks = sync.OnceValue(func() map[string]int { return byName(functionsDatabricks) })
	byNameDuckDB     = sync.OnceValue(func() map[string]int { return byName(functionsDuckDB) })
)

func byName(list []function) map[string]int {
	m := make(map[string]int, len(list))
	for i := range list {
		m[list[i].name] = i
	}
	return m
}

// behindSyntax are the functions of DuckDB that its parser puts behind operators, brackets and words: a text calls them without naming them.
var behindSyntax = set("list_value", "struct_pack", "map", "to_years", "to_quarters", "to_months", "to_weeks", "to_days", "to_hours", "to_minutes", "to_seconds",
	"to_milliseconds", "to_microseconds", "to_decades", "to_centuries", "to_millennia", "trunc", "date_part", "position", "list_apply", "list_transform",
	"list_filter", "substring", "trim", "ltrim", "rtrim", "overlay", "like_escape", "ilike_escape", "not_like_escape", "not_ilike_escape", "regexp_full_match", "regexp_matches",
	"contains", "list_contains", "timezone", "row", "array_slice", "array_extract", "struct_extract", "json_extract", "json_extract_string", "count_star", "unpivot_list",
	"array_agg", "list", "list_zip", "generate_subscripts", "map_entries", "map_from_entries", "construct_array", "unnest", "concat", "current_catalog", "current_date",
	"current_schema", "current_role", "current_time", "current_timestamp", "current_user", "get_current_time", "get_current_timestamp", "current_localtime",
	"current_localtimestamp", "localtime", "localtimestamp", "session_user", "user", "coalesce", "if", "ifnull", "nullif", "struct_extract_at", "first", "any_value", "mode",
	"grouping", "grouping_id", "histogram", "create_sort_key", "constant_or_null", "error")

// MacroHides tells what a user's macro of that name hides in DuckDB, where macros come before the built-in functions (S8): every text may call what
// its parser puts behind syntax, operators included (all); any other built-in is called by the texts whose Facts.Calls name it (some).
func MacroHides(name string) (all, some bool) {
	name = lower(name)
	for i := 0; i < len(name); i++ {
		if c := name[i]; !(c == '_' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9') {
			return true, true
		}
	}
	_, some = builtin(grammar.DuckDB, name)
	return behindSyntax[name], some || behindSyntax[name]
}

// bareWords are the words that are functions without parentheses, where no column has their name.
var bareWords = map[grammar.Dialect]map[string]bool{
	grammar.Databricks: set("current_date", "current_timestamp", "current_time", "current_user", "user", "session_user", "grouping__id"),
	grammar.DuckDB: set("current_catalog", "current_date", "current_schema", "current_role", "current_time", "current_timestamp", "current_user",
		"localtime", "localtimestamp", "session_user", "user"),
}

// bareWord tells whether a folded name is one of bareWords.
func (a *analysis) bareWord(name string) bool {
	switch {
	case len(name) < len("user"):
		return false
	case name[0] != 'c' && name[0] != 'l' && name[0] != 's' && name[0] != 'u' && name[0] != 'g':
		return false
	}
	return bareWords[a.dialect][name]
}

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}
