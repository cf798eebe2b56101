package normalize

import (
	"slices"
	"unicode/utf8"

	"hodor/grammar"
)

// HookEffects says what a hook may do beyond the relation that it belongs to (S7, S15). The zero value is a hook that provably does nothing.
type HookEffects struct {
	// Reads: it may read another relation or a file, calls what may read anything, or holds a volatile call.
	Reads bool
	// Writes: it may write another relation, or change what names and settings mean for the statements after it.
	Writes bool
}

// Hook analyses the rendered text of a hook. this is the full name of the hook's own relation, as the dialect resolves it (lower case, catalog
// first); a name in the text counts as this one only if it is as long and equal, or can be made so by opt.Catalog in Databricks. A text that does not
// parse may do anything; one without any statement does nothing.
func Hook(sql string, opt Options, this []string) HookEffects {
	all := HookEffects{Reads: true, Writes: true}
	dialect, err := grammar.DialectOf(opt.Dialect)
	if err != nil || !utf8.ValidString(sql) {
		return all
	}
	empty := true
	for _, err := range grammar.Tokens(sql, dialect) {
		empty = false
		if err != nil {
			return all
		}
		break
	}
	if empty {
		return HookEffects{}
	}
	r := Normalize(sql, opt)
	file, err := grammar.Parse(sql, dialect)
	if err != nil || r.Level == LevelText {
		return all
	}
	own := func(parts []string) bool {
		if dialect == grammar.Databricks && len(parts) == 2 && opt.Catalog != "" {
			parts = append([]string{lower(opt.Catalog)}, parts...)
		}
		return slices.Equal(parts, this)
	}
	e := HookEffects{Reads: len(r.Facts.Paths)+len(r.Facts.Opaque)+len(r.Facts.Volatile) > 0}
	for _, table := range r.Facts.Tables {
		e.Reads = e.Reads || !own(table)
	}
	for _, s := range file.Statements {
		e.Writes = e.Writes || writesElsewhere(s, own) || writesInside(s)
	}
	return e
}

// writesInside tells whether a WITH in s holds a statement, whatever it writes: DuckDB 2.0 runs it with the query.
func writesInside(s grammar.Statement) bool {
	found := false
	grammar.Walk(s, func(n grammar.Node) bool {
		c, ok := n.(*grammar.CTE)
		found = found || ok && c.Statement != nil
		return !found
	})
	return found
}

// writesElsewhere tells whether a statement may change anything but rows and properties of the table that own accepts.
func writesElsewhere(s grammar.Statement, own func([]string) bool) bool {
	switch s.(type) {
	case *grammar.Query, *grammar.Grant, *grammar.CommentOn, *grammar.Analyze, *grammar.Optimize, *grammar.Vacuum,
		*grammar.DuckVacuum, *grammar.DuckAnalyze:
		return false
	case *grammar.Insert, *grammar.DuckInsert, *grammar.Update, *grammar.DuckUpdate, *grammar.Delete, *grammar.DuckDelete, *grammar.Merge, *grammar.DuckMerge,
		*grammar.Truncate, *grammar.DuckTruncate:
		named, elsewhere := false, false
		grammar.Objects(s, func(role grammar.Role, name *grammar.Name) {
			if role != grammar.RoleTarget {
				return
			}
			named = true
			elsewhere = elsewhere || name.Dynamic != nil || !own(nameParts(name, nil))
		})
		return !named || elsewhere
	}
	return true
}
