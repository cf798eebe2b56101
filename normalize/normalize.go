package normalize

import (
	"fmt"
	"unicode/utf8"
)

// The dialects, as Options.Dialect names them.
const (
	DialectDatabricks = "databricks"
	DialectDuckDB     = "duckdb"
)

// Normalize analyses one compiled text. It never fails: what can't be understood comes back at level text with facts that claim nothing, and
// Error says why. It is safe for concurrent use.
func Normalize(sql string, opt Options) Result {
	replacer := opt.Replacer
	if replacer == nil {
		replacer = NewReplacer(opt.InvocationID, opt.RunStartedAt)
	}
	replaced := replacer.Replace(sql)
	r := guarded(sql, replaced, opt, replacer)
	r.TextHash = TextHash(replaced)
	r.CodeHash = CodeHash(opt.Dialect, r.Level, r.Normalized)
	return r
}

// guarded is analyse, but a panic there makes the text an unknown one: it builds, and the rest of the run goes on.
func guarded(sql, replaced string, opt Options, replacer *Replacer) (r Result) {
	defer func() {
		if p := recover(); p != nil {
			r = unparsed(replaced, &Error{Line: 1, Column: 1, Message: fmt.Sprintf("internal error, please report this text: %v", p)})
		}
	}()
	return analyse(sql, replaced, opt, replacer)
}

// analyse is Normalize without the hashes.
func analyse(sql, replaced string, opt Options, replacer *Replacer) Result {
	if opt.Dialect != DialectDatabricks && opt.Dialect != DialectDuckDB {
		return unparsed(replaced, &Error{Line: 1, Column: 1, Message: fmt.Sprintf("unknown dialect %q; databricks and duckdb are known", opt.Dialect)})
	}
	if !utf8.ValidString(sql) {
		return unparsed(replaced, &Error{Line: 1, Column: 1, Message: "the text is not UTF-8"})
	}
	return unparsed(replaced, &Error{Line: 1, Column: 1, Message: "no parser"})
}

// unparsed is the result for a text of which nothing is known but its bytes.
func unparsed(canonical string, err *Error) Result {
	return Result{Level: LevelText, Normalized: canonical, Facts: Unknown(), Error: err}
}
