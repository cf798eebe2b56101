package grammar

import (
	"sort"

	"github.com/alecthomas/participle/v2/lexer"
)

// Parts that DuckDB's statements share.

// Arguments is (expr, ...) behind the name of a procedure, a pragma or a prepared statement; arguments may have names.
type Arguments struct {
	Span
	List []Expr
}

// Parse implements participle's Parseable.
func (x *Arguments) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, func(p *parser) bool { return p.at(kLParen) }, func(p *parser) Arguments {
		start := p.start()
		p.enter()
		p.next()
		var list []Expr
		for !p.at(kRParen) || len(list) > 0 {
			list = append(list, p.argument(&Call{}))
			if !p.comma(kRParen) { // DuckDB 2.0 allows one at the end
				break
			}
		}
		p.expectKind(kRParen)
		p.leave()
		return Arguments{Span: p.since(start), List: list}
	})
}

func (x *Arguments) print(p *printer) { p.exprParens(x.List) }

// FunctionName is the dotted name of a function that is called as a statement.
type FunctionName struct {
	Span
	Name Name
}

// Parse implements participle's Parseable.
func (x *FunctionName) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, func(p *parser) bool {
		return p.isFunctionName(p.peek()) || p.isName(p.peek()) && p.look(1).kind == kDot
	}, func(p *parser) FunctionName {
		n := Name{Span: Span{p.start(), 0}, Parts: []Ident{p.takeIdent()}}
		for p.acceptKind(kDot) {
			n.Parts = append(n.Parts, p.label("a name behind the dot"))
		}
		n.End = p.end()
		return FunctionName{Span: n.Span, Name: n}
	})
}

// Present reports whether there is a name.
func (x *FunctionName) Present() bool { return len(x.Name.Parts) > 0 }

func (x *FunctionName) print(p *printer) { x.Name.print(p) }

// ParenOptions is (name [value], ...) of COPY, ATTACH, EXPORT, EXPLAIN and CREATE SECRET.
type ParenOptions struct {
	Span
	Items []ParenOption
}

// ParenOption is one option of a ParenOptions. At most one of Star, Value and List is there.
type ParenOption struct {
	Span
	Key   Ident
	By    bool   // PARTITION BY, PARTITIONED BY, ORDER BY
	Star  bool   // *
	Value Expr   // an expression; a bare name stands for its text
	List  []Sort // (expr ASC, ...)
}

// Parse implements participle's Parseable.
func (x *ParenOptions) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, func(p *parser) bool {
		return p.at(kLParen) && p.isLabel(p.look(1)) && !p.startsQueryAt(1)
	}, func(p *parser) ParenOptions {
		start := p.start()
		p.next()
		var list []ParenOption
		for {
			list = append(list, p.parenOption())
			if !p.comma(kRParen) {
				break
			}
		}
		p.expectKind(kRParen)
		return ParenOptions{Span: p.since(start), Items: list}
	})
}

func (p *parser) parenOption() ParenOption {
	start := p.start()
	o := ParenOption{Key: p.label("an option")}
	if p.is(kwBy) && (o.Key.Is("PARTITION") || o.Key.Is("PARTITIONED") || o.Key.Is("ORDER")) {
		o.By = true
		p.next()
	}
	next := p.look(1).kind
	switch {
	case p.at(kComma) || p.at(kRParen):
	case p.at(kStar) && (next == kComma || next == kRParen):
		o.Star = true
		p.next()
	case p.at(kLParen) && p.sortsAhead():
		p.next()
		o.List = p.sortList()
		p.expectKind(kRParen)
	default:
		o.Value = p.expr()
	}
	o.Span = p.since(start)
	return o
}

// sortsAhead reports whether the parenthesis at the cursor has a direction of sorting outside all others.
func (p *parser) sortsAhead() bool {
	depth := 0
	for j := p.i; j < len(p.toks); j++ {
		t := &p.toks[j]
		switch t.kind {
		case kLParen:
			depth++
		case kRParen:
			if depth--; depth == 0 {
				return false
			}
		case kWord:
			if depth == 1 && (t.word == kwAsc || t.word == kwDesc || t.word == kwNulls && p.toks[j-1].kind != kLParen) {
				return true
			}
		}
	}
	return false
}

func (x *ParenOptions) print(p *printer) {
	p.s("(")
	for i := range x.Items {
		p.if_(i > 0, ", ")
		x.Items[i].print(p)
	}
	p.s(")")
}

func (x *ParenOption) print(p *printer) {
	p.word(&x.Key)
	p.if_(x.By, " BY")
	p.if_(x.Star, " *")
	if x.Value != nil {
		p.s(" ")
		x.Value.print(p)
	}
	for i := range x.List {
		if i == 0 {
			p.s(" (")
		} else {
			p.s(", ")
		}
		x.List[i].print(p)
	}
	p.if_(len(x.List) > 0, ")")
}

// has reports whether an option has the key.
func (x *ParenOptions) has(key string) bool {
	for i := range x.Items {
		if equalFold(x.Items[i].Key.Text, key) {
			return true
		}
	}
	return false
}

// DuckFile is the path of an ATTACH: an expression that starts with a string, a parameter, a parenthesis or a call (2.0), or a
// bare name, which stands for its text.
type DuckFile struct {
	Span
	X Expr
}

// Parse implements participle's Parseable.
func (x *DuckFile) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, func(p *parser) bool {
		switch p.peek().kind {
		case kString, kParam, kLParen:
			return true
		}
		return p.isName(p.peek())
	}, func(p *parser) DuckFile {
		start := p.start()
		if p.isLabel(p.peek()) && !p.startsCall() {
			n := p.name("a file")
			return DuckFile{Span: n.Span, X: &Column{Span: n.Span, Parts: n.Parts}}
		}
		y := p.expr()
		return DuckFile{Span: p.since(start), X: y}
	})
}

// startsCall reports whether a dotted name and a parenthesis are at the cursor.
func (p *parser) startsCall() bool {
	n := 1
	for p.look(n).kind == kDot && p.isLabel(p.look(n+1)) {
		n += 2
	}
	return p.look(n).kind == kLParen && p.glued(n)
}

func (x *DuckFile) print(p *printer) {
	c, ok := x.X.(*Column)
	if !ok {
		x.X.print(p)
		return
	}
	for i := range c.Parts {
		p.if_(i > 0, ".")
		p.word(&c.Parts[i])
	}
}

// NameOrString is a name or a string, which mean different things: the name of an extension or repository, or a path.
type NameOrString struct {
	tagged
	String *String `parser:"  @@"`
	Name   Ident   `parser:"| @@"`
}

func (x *NameOrString) check(p *parser) {
	if x.String == nil {
		p.nameWord(&x.Name)
	}
}

// nameWord ends the parse if x, which may be any word as far as its tag knows, is a string or a word that no name can be.
func (p *parser) nameWord(x *Ident) {
	if x.Present() && (x.Quote == SingleQuote || !p.isName(p.tokenAt(x.Start))) {
		p.failBack(x.Start, "a name")
	}
}

// tokenAt returns the token that starts at the offset.
func (p *parser) tokenAt(offset int32) *token { return &p.toks[p.indexAt(offset)] }

func (p *parser) indexAt(offset int32) int {
	return sort.Search(len(p.toks)-1, func(i int) bool { return p.toks[i].start >= offset })
}

// failAt is fail for a token that has been taken already.
func (p *parser) failBack(offset int32, expected string) {
	p.i = p.indexAt(offset)
	p.fail(expected)
}

// onlyOne refuses OR REPLACE together with IF NOT EXISTS.
func (p *parser) onlyOne(orReplace, ifNotExists bool, start int32) {
	if orReplace && ifNotExists {
		p.refuse(start, "OR REPLACE and IF NOT EXISTS exclude one another", "")
	}
}
