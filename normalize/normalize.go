package normalize

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"hodor/grammar"
)

// The dialects, as Options.Dialect names them.
const (
	DialectDatabricks = "databricks"
	DialectDuckDB     = "duckdb"
)

// Normalize analyses one compiled text. It never fails: what can't be understood comes back at level text with facts that claim nothing, and
// Error says why. It is safe for concurrent use.
func Normalize(sql string, opt Options) Result { return run(sql, opt, nil) }

// run is Normalize; trace, if not nil, notes what each pass changed.
func run(sql string, opt Options, trace *tracer) Result {
	replacer := opt.Replacer
	if replacer == nil {
		replacer = NewReplacer(opt.InvocationID, opt.RunStartedAt)
	}
	replaced := replacer.Replace(sql)
	r := guarded(sql, replaced, opt, replacer, trace)
	if replaced != sql {
		for i := range r.Literals {
			r.Literals[i].stable = replacer.Replace(r.Literals[i].Text)
		}
	}
	r.TextHash = TextHash(replaced)
	r.CodeHash = CodeHash(opt.Dialect, r.Level, r.Normalized)
	return r
}

// guarded is analyse, but a panic there makes the text an unknown one: it builds, and the rest of the run goes on.
func guarded(sql, replaced string, opt Options, replacer *Replacer, trace *tracer) (r Result) {
	defer func() {
		if p := recover(); p != nil {
			r = unparsed(replaced, &Error{Line: 1, Column: 1, Message: fmt.Sprintf("internal error, please report this text: %v", p)})
		}
	}()
	return analyse(sql, replaced, opt, replacer, trace)
}

// analyse is Normalize without the hashes.
func analyse(sql, replaced string, opt Options, replacer *Replacer, trace *tracer) Result {
	if opt.Dialect != DialectDatabricks && opt.Dialect != DialectDuckDB {
		return unparsed(replaced, &Error{Line: 1, Column: 1, Message: fmt.Sprintf("unknown dialect %q; databricks and duckdb are known", opt.Dialect)})
	}
	if !utf8.ValidString(sql) {
		return unparsed(replaced, &Error{Line: 1, Column: 1, Message: "the text is not UTF-8"})
	}
	dialect, err := grammar.DialectOf(opt.Dialect)
	if err != nil {
		return unparsed(replaced, &Error{Line: 1, Column: 1, Message: err.Error()})
	}
	var r Result
	err = grammar.Lend(sql, dialect, func(file *grammar.File) {
		r = tree(file, sql, replaced, dialect, opt.Catalog, replacer, trace)
	})
	if err != nil {
		return text(sql, dialect, replacer, err)
	}
	return r
}

// tree is analyse for a text that parses. Nothing of the tree may be part of the result.
func tree(file *grammar.File, sql, replaced string, dialect grammar.Dialect, catalog string, replacer *Replacer, trace *tracer) Result {
	a := newAnalysis(sql, dialect)
	trace.step("tokens", file)
	if replaced != sql {
		a.replacePlaceholders(file, replacer)
		trace.step("placeholder", file)
	}
	a.shape(file)
	trace.step("shape", file)
	found := literals(sql, a.literals)
	a.file(file)
	a.otherPlaceholders()
	if a.misread != "" {
		var p placer
		line, column := p.at(sql, int(a.misreadAt))
		return text(sql, dialect, replacer, &grammar.ParseError{Line: line, Column: column, Expected: a.misread})
	}
	a.canonical(file, trace)
	a.qualifyTables(catalog)
	trace.step("qualify_table", file)
	r := Result{Level: LevelQualified, Normalized: printed(file, dialect), Facts: a.facts(), Literals: found}
	if a.gaveUp != "" {
		r.Level = LevelParsed
		r.Error = &Error{Line: 1, Column: 1, Message: "not every name could be resolved: " + a.gaveUp}
	}
	a.release() // not where a pass panics
	return r
}

// canonical runs the passes that follow the binding, each in its own file. The last three go over the tree together: what a node marks and changes beside
// its expressions before its parts are rewritten, and each expression behind its own. Traced, each has a walk of its own, which comes to the same.
func (a *analysis) canonical(file *grammar.File, trace *tracer) {
	a.fold()
	trace.step("fold", file)
	a.canonicalNames(file)
	trace.step("names", file)
	p := &parens{duck: a.duck(), keep: a.parens}
	s := &spelling{dialect: a.dialect, frozen: a.frozenNodes(), units: a.units}
	if trace == nil {
		grammar.WalkRewrite(file, func(n grammar.Node) bool {
			p.mark(n)
			s.node(n)
			return true
		}, func(x grammar.Expr) grammar.Expr { return a.mergeDot(s.rewrite(p.rewrite(x))) })
		return
	}
	grammar.WalkRewrite(file, func(n grammar.Node) bool {
		p.mark(n)
		return true
	}, func(x grammar.Expr) grammar.Expr { return a.mergeDot(p.rewrite(x)) })
	trace.step("parens", file)
	grammar.Walk(file, func(n grammar.Node) bool {
		if _, ok := n.(*grammar.TypeName); ok {
			s.node(n)
		}
		return true
	})
	trace.step("types", file)
	grammar.WalkRewrite(file, func(n grammar.Node) bool {
		if _, ok := n.(*grammar.TypeName); !ok {
			s.node(n)
		}
		return true
	}, s.rewrite)
	trace.step("spelling", file)
}

// buffers are what canonical texts are printed into.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// printed is grammar.Print, without a buffer of its own that has to grow.
func printed(file *grammar.File, dialect grammar.Dialect) string {
	buffer := buffers.Get().(*[]byte)
	*buffer = grammar.AppendPrint((*buffer)[:0], file, dialect)
	text := string(*buffer)
	if cap(*buffer) <= 1<<20 {
		buffers.Put(buffer)
	}
	return text
}

// mergeDot writes (name).field as name.field where the binder found that they are one.
func (a *analysis) mergeDot(x grammar.Expr) grammar.Expr {
	dot, ok := x.(*grammar.Dot)
	if !ok {
		return x
	}
	if c := a.oneNames[dot]; c != nil {
		return c
	}
	if !a.dots[dot] {
		return x
	}
	c, ok := stripParens(dot.X).(*grammar.Column)
	if !ok {
		return x
	}
	parts := append(c.Parts[:len(c.Parts):len(c.Parts)], dot.Name)
	return &grammar.Column{Parts: parts}
}

// frozenNodes are the nodes of all items whose text DuckDB prints into a column's name.
func (a *analysis) frozenNodes() map[grammar.Node]bool {
	nodes := map[grammar.Node]bool{}
	for item := range a.frozen {
		if nodes[item] {
			continue
		}
		grammar.Walk(item, func(n grammar.Node) bool {
			if nodes[n] {
				return false
			}
			nodes[n] = true
			return true
		})
	}
	return nodes
}

// text is the result for SQL that does not parse: its tokens without comments, each literal byte for byte, one a line; if not even the lexer
// reads it, its exact bytes. Collapsing blanks instead could merge texts whose literals differ.
func text(sql string, dialect grammar.Dialect, replacer *Replacer, parseErr error) Result {
	err := &Error{Line: 1, Column: 1}
	var at *grammar.ParseError
	if errors.As(parseErr, &at) {
		err = &Error{Line: at.Line, Column: at.Column, Message: at.Message()}
	}
	var b strings.Builder
	for token, lexErr := range grammar.Tokens(sql, dialect) {
		if lexErr != nil {
			return unparsed(replacer.Replace(sql), err)
		}
		// A token may hold line breaks, so its kind and length stand before it.
		value := replacer.Replace(token.Text)
		fmt.Fprintf(&b, "%d:%d:%s\n", token.Kind, len(value), value)
	}
	r := unparsed(b.String(), err)
	r.Literals = tokenLiterals(sql, dialect)
	return r
}

// unparsed is the result for a text of which nothing is known but its bytes.
func unparsed(canonical string, err *Error) Result {
	return Result{Level: LevelText, Normalized: canonical, Facts: Unknown(), Error: err}
}
