package normalize

import (
	"hodor/grammar"
)

// Step is what one pass made of a text. Before of the first step is the text itself; all else is SQL as the printer writes it.
type Step struct {
	Pass          string // the pass's file is pass_<Pass>.go; "tokens" is the printer
	Does          string // what it does, in a few words
	Before, After string
}

// passes says what each pass does.
var passes = map[string]string{
	"tokens":        "comments, blanks, case of keywords, quotes, AS, trailing commas",
	"placeholder":   "values of this run",
	"shape":         "FROM first, TABLE t, parentheses around queries and joins, set operations, LIMIT ALL",
	"fold":          "case of names that reach no result",
	"names":         "names of table aliases and common table expressions, qualifiers",
	"parens":        "parentheses that make no other tree",
	"types":         "names of one type",
	"spelling":      "spellings of operators, casts, numbers, function names, units, ASC",
	"qualify_table": "the default catalog",
}

// tracer notes the steps of one text; nil notes nothing.
type tracer struct {
	dialect grammar.Dialect
	last    string
	steps   []Step
}

// step notes what the pass has made of the tree, if that is anything.
func (t *tracer) step(pass string, file *grammar.File) {
	if t == nil {
		return
	}
	after := grammar.Print(file, t.dialect)
	if after == t.last {
		return
	}
	t.steps = append(t.steps, Step{Pass: pass, Does: passes[pass], Before: t.last, After: after})
	t.last = after
}

// Trace is Normalize, and beside its result the passes that changed something, in order. It costs several times as much.
func Trace(sql string, opt Options) (Result, []Step) {
	dialect, err := grammar.DialectOf(opt.Dialect)
	if err != nil {
		return Normalize(sql, opt), nil
	}
	trace := &tracer{dialect: dialect, last: sql}
	r := run(sql, opt, trace)
	if r.Level == LevelText {
		return r, nil
	}
	return r, trace.steps
}
