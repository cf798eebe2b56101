package grammar

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Statements other than queries are participle productions over the core's own tokens. Both sides count the same tokens:
// token index = base + RawCursor, since comments live in a side table and nothing is elided. So control crosses over in
// both directions: runProduction lets participle parse a statement from the core's cursor on; production and the Parse
// methods of Query, Name and Ident let a tag refer to the core with @@.
//
//	type Truncate struct {
//		Table *Name `parser:"'TRUNCATE' 'TABLE' @@"`
//	}
//	var truncate = sync.OnceValue(buildProduction[Truncate])
//	node := runProduction(p, truncate())
//
// Literals in tags match any word without regard to case; strings keep their quotes, so a literal never matches one. The
// grammar is built lazily and shared by all goroutines: a production finds the core of its text by the file name that every
// participle token carries.

// Token types as tags name them.
const (
	typeWord lexer.TokenType = -(iota + 2)
	typeQuoted
	typeString
	typeNumber
	typeParam
	typeSymbol
	typeError
)

// definition is the lexer as participle sees it.
type definition struct{ d Dialect }

// Symbols names the token types.
func (definition) Symbols() map[string]lexer.TokenType {
	return map[string]lexer.TokenType{
		"EOF": lexer.EOF, "Word": typeWord, "Quoted": typeQuoted, "String": typeString, "Number": typeNumber,
		"Param": typeParam, "Symbol": typeSymbol, "Error": typeError,
	}
}

// Lex reads all of r and lexes it; the core never comes this way.
func (d definition) Lex(filename string, r io.Reader) (lexer.Lexer, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return d.LexString(filename, string(b))
}

// LexString lexes a text on its own.
func (d definition) LexString(filename, sql string) (lexer.Lexer, error) {
	tokens := lexAll(sql, d.d)
	return &tokenReader{src: sql, file: filename, toks: tokens}, nil
}

// tokenReader hands the core's tokens to participle.
type tokenReader struct {
	src  string
	file string
	toks []token
	i    int
}

// Next returns the next token; offsets are the core's, line and column are left to errors.
func (r *tokenReader) Next() (lexer.Token, error) {
	if r.i >= len(r.toks) {
		end := len(r.src)
		if r.i > 0 {
			end = int(r.toks[r.i-1].end)
		}
		return lexer.EOFToken(lexer.Position{Filename: r.file, Offset: end}), nil
	}
	t := &r.toks[r.i]
	r.i++
	pos := lexer.Position{Filename: r.file, Offset: int(t.start)}
	if t.kind == kEOF {
		return lexer.EOFToken(pos), nil
	}
	return lexer.Token{Type: t.kind.participle(), Value: r.src[t.start:t.end], Pos: pos}, nil
}

func (k kind) participle() lexer.TokenType {
	switch k {
	case kWord:
		return typeWord
	case kQuoted:
		return typeQuoted
	case kString:
		return typeString
	case kNumber:
		return typeNumber
	case kParam:
		return typeParam
	case kError:
		return typeError
	}
	return typeSymbol
}

// productionOptions are the options that every parser of statements is built with.
func productionOptions(more ...participle.Option) []participle.Option {
	return append([]participle.Option{
		participle.Lexer(definition{Databricks}),
		participle.CaseInsensitive("Word"),
		participle.UseLookahead(1),
		participle.ParseTypeWith(production((*parser).startsExpr, (*parser).expr)),
		participle.ParseTypeWith(production((*parser).startsType, (*parser).dataType)),
		participle.ParseTypeWith(production((*parser).startsFrom, (*parser).fromItem)),
		participle.ParseTypeWith(production((*parser).startsNested, (*parser).nestedStatement)),
	}, more...)
}

// startsExpr reports whether an expression may start at the cursor.
func (p *parser) startsExpr() bool {
	switch p.peek().kind {
	case kEOF, kError, kRParen, kComma, kSemicolon, kDot, kEq:
		return false
	}
	return true
}

func (p *parser) startsFrom() bool {
	switch p.peek().kind {
	case kEOF, kError, kRParen, kComma, kSemicolon, kDot, kEq:
		return false
	}
	return true
}

func (p *parser) startsType() bool { return p.isLabel(p.peek()) }

// sessions finds the core by the file name of its tokens.
var (
	sessions    sync.Map // string -> *parser
	sessionName atomic.Uint64
)

func sessionOf(lex *lexer.PeekingLexer) *parser {
	p, _ := sessions.Load(lex.Peek().Pos.Filename)
	return p.(*parser)
}

// runProduction lets participle parse from the cursor on with g, and moves the cursor behind what it took. It raises the
// core's own error if there was one, for its place is the true one. A production inside another one, and every later
// statement of a text that has a script, goes on in the same tokens, so that none is converted twice.
func runProduction[G any](p *parser, g *participle.Parser[G]) *G {
	if p.lex == nil || p.i < p.base || p.i >= p.lexEnd {
		p.openSession()
	}
	sticky := p.sticky
	p.sticky = nil
	lex := p.lexHere()
	p.reached = lex.MakeCheckpoint()
	node, err := g.ParseFromLexer(&lex, participle.AllowTrailing(true))
	if p.sticky != nil {
		panic(p.sticky)
	}
	if err != nil {
		p.raiseParticiple(err)
	}
	p.sticky = sticky
	p.i = p.base + int(lex.RawCursor())
	return node
}

// lexHere returns participle's tokens at the cursor.
func (p *parser) lexHere() lexer.PeekingLexer {
	lex := *p.lex
	n := p.i - p.base
	if n >= int(p.reached.RawCursor()) {
		lex.LoadCheckpoint(p.reached)
	}
	if n > int(lex.RawCursor()) {
		lex.FastForward(lexer.RawCursor(n - 1))
	}
	return lex
}

// explain ends the parse if g, which took the tokens from start up to the cursor, had got further before it gave one of its
// optional parts up: that is the place of the mistake. The statement is read a second time, so only a text that is wrong
// anyway comes here.
func explain[G any](p *parser, g *participle.Parser[G], start int) {
	end := p.i
	p.i = start
	lex := p.lexHere()
	_, err := g.ParseFromLexer(&lex)
	p.sticky = nil
	p.i = end
	var at participle.Error
	if errors.As(err, &at) && at.Position().Offset > int(p.start()) && strings.Contains(at.Message(), "(expected ") {
		p.raiseParticiple(err)
	}
}

// openSession hands the tokens from the cursor on to participle.
func (p *parser) openSession() {
	p.closeSession()
	p.session = strconv.FormatUint(sessionName.Add(1), 36)
	sessions.Store(p.session, p)
	p.base, p.lexEnd = p.i, p.statementEnd()
	lex, err := lexer.Upgrade(&tokenReader{src: p.src, file: p.session, toks: p.toks[p.i:p.lexEnd]})
	if err != nil {
		p.fail("a statement")
	}
	p.lex, p.reached = lex, lex.MakeCheckpoint()
}

func (p *parser) closeSession() {
	if p.lex != nil {
		sessions.Delete(p.session)
		p.lex = nil
	}
}

// statementEnd returns the index behind the last token that the statement at the cursor may have. Only scripts have
// semicolons inside, and only they pay for tokens up to the end of the text.
func (p *parser) statementEnd() int {
	if p.script {
		return len(p.toks)
	}
	for i := p.i; i < len(p.toks); i++ {
		if p.toks[i].kind == kSemicolon {
			return i
		}
	}
	return len(p.toks)
}

// raiseParticiple turns participle's error into ours.
func (p *parser) raiseParticiple(err error) {
	var own *ParseError
	if errors.As(err, &own) {
		panic(own)
	}
	var at participle.Error
	if !errors.As(err, &at) {
		p.fail("a statement")
	}
	offset := at.Position().Offset
	for p.i < len(p.toks)-1 && int(p.toks[p.i].start) < offset {
		p.i++
	}
	expected := "something else"
	if _, list, ok := strings.Cut(at.Message(), "(expected "); ok {
		expected = expectedBy(strings.TrimSuffix(list, ")"))
	}
	p.fail(expected)
}

// production lends a method of the core to participle: starts says whether the construct may begin at the cursor, parse
// takes it.
func production[T any](starts func(*parser) bool, parse func(*parser) T) func(*lexer.PeekingLexer) (T, error) {
	return func(lex *lexer.PeekingLexer) (x T, err error) {
		p := sessionOf(lex)
		if p.sticky != nil {
			return x, p.sticky
		}
		p.i = p.base + int(lex.RawCursor())
		if !starts(p) {
			return x, participle.NextMatch
		}
		defer func() {
			if r := recover(); r != nil {
				e, ok := r.(*ParseError)
				if !ok {
					panic(r)
				}
				if p.sticky == nil {
					p.sticky = e
				}
				err = e
			}
		}()
		x = parse(p)
		if n := p.i - p.base; n > int(lex.RawCursor()) {
			lex.FastForward(lexer.RawCursor(n - 1))
		}
		return x, nil
	}
}

// parseInto is production for a concrete type that participle calls through its Parse method.
func parseInto[T any](lex *lexer.PeekingLexer, into *T, starts func(*parser) bool, parse func(*parser) T) error {
	x, err := production(starts, parse)(lex)
	if err == nil {
		*into = x
	}
	return err
}

// Parse lets a participle tag refer to a query with @@. It implements participle's Parseable.
func (q *Query) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, q, func(p *parser) bool { return p.startsStatementQuery() || p.startsShow() },
		func(p *parser) Query { return *p.query() })
}

// Parse lets a participle tag refer to a dotted name with @@. It implements participle's Parseable.
func (n *Name) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, n, func(p *parser) bool { return p.isName(p.peek()) || p.at(kString) && p.d.In(DuckDB) },
		func(p *parser) Name { return p.objectName() })
}

// Parse lets a participle tag refer to a name of one part, which may be any word, with @@. It implements participle's
// Parseable.
func (x *Ident) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, func(p *parser) bool { return p.isLabel(p.peek()) || p.at(kString) && p.d.In(DuckDB) },
		func(p *parser) Ident { return p.labelOrString("a name") })
}

// Parse lets a participle tag refer to a string literal with @@. It implements participle's Parseable.
func (x *String) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, func(p *parser) bool { return p.at(kString) }, func(p *parser) String { return *p.stringLiteral() })
}

// Parse lets a participle tag refer to an alias with @@. It implements participle's Parseable.
func (a *Alias) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, a, func(p *parser) bool {
		i := p.i
		defer func() { p.i = i }()
		x := p.tableAlias()
		return x.Present()
	}, func(p *parser) Alias { return p.tableAlias() })
}

// Parse lets a participle tag refer to one item of a select list (RETURNING) with @@. It implements participle's Parseable.
func (s *SelectItem) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, s, (*parser).startsExpr, func(p *parser) SelectItem { return p.selectItem() })
}

// objectName parses a dotted name; in DuckDB a string is one too.
func (p *parser) objectName() Name {
	if p.at(kString) && p.d.In(DuckDB) {
		s := p.takeIdent()
		return Name{Span: s.Span, Parts: p.idents.one(s)}
	}
	return p.name("a name")
}

// tableAlias parses an alias of a table in the dialect's way.
func (p *parser) tableAlias() Alias {
	if p.d.In(DuckDB) {
		return p.duckAlias(false)
	}
	return p.alias()
}
