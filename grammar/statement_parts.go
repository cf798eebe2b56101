package grammar

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Parts that many statements share. Those with a Parse method are read by the core.

// Text is a string literal or, in Databricks, a parameter marker in its place, or a body between double dollars.
type Text struct {
	Span
	X      Expr
	Dollar bool
}

// Parse implements participle's Parseable.
func (x *Text) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, (*parser).startsText, func(p *parser) Text {
		start := p.start()
		if body := p.text(p.peek()); p.d.In(Databricks) && strings.HasPrefix(body, "$$") {
			p.next()
			return Text{Span: p.since(start), X: &String{Span: p.since(start), Value: body[2 : len(body)-2]}, Dollar: true}
		}
		y := p.primary()
		return Text{Span: p.since(start), X: y}
	})
}

func (x *Text) print(p *printer) {
	if x.Dollar {
		p.s("$$" + x.X.(*String).Value + "$$")
		return
	}
	x.X.print(p)
}

// Options is a property list: (key [=] [value], ...)
type Options struct {
	Span
	Items []Option
}

// Parse implements participle's Parseable.
func (x *Options) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, func(p *parser) bool { return p.at(kLParen) }, func(p *parser) Options {
		start := p.start()
		list := p.options()
		return Options{Span: p.since(start), Items: list}
	})
}

func (x *Options) print(p *printer) { p.options(x.Items) }

// ColumnList is (name, ...) where a query in parentheses could stand too.
type ColumnList struct {
	Span
	Names []Name
}

// Parse implements participle's Parseable.
func (x *ColumnList) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, func(p *parser) bool {
		return p.at(kLParen) && p.look(1).kind != kLParen && !p.startsQueryAt(1)
	}, func(p *parser) ColumnList {
		start := p.start()
		p.next()
		var list []Name
		for {
			list = append(list, p.objectName())
			if !p.comma(kRParen) {
				break
			}
		}
		p.expectKind(kRParen)
		return ColumnList{Span: p.since(start), Names: list}
	})
}

func (x *ColumnList) print(p *printer) {
	p.s("(")
	for i := range x.Names {
		p.if_(i > 0, ", ")
		x.Names[i].print(p)
	}
	p.s(")")
}

// Target is the table that UPDATE, DELETE or MERGE changes: name [[AS] alias]
type Target struct {
	Span
	Name  Name
	Alias Alias
}

// Parse implements participle's Parseable.
func (x *Target) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x,
		func(p *parser) bool { return p.isName(p.peek()) || p.d.In(DuckDB) && (p.at(kString) || p.is(kwOnly)) },
		func(p *parser) Target {
			start := p.start()
			parens := p.d.In(DuckDB) && p.accept(kwOnly) && p.acceptKind(kLParen) // 1.5; inheritance it has none
			t := Target{Name: p.objectName()}
			if parens {
				p.expectKind(kRParen)
			}
			if p.d.In(DuckDB) {
				if !p.is(kwSet) {
					t.Alias = p.duckAlias(false)
				}
			} else {
				t.Alias = p.alias()
			}
			t.Span = p.since(start)
			return t
		})
}

func (x *Target) print(p *printer) {
	x.Name.print(p)
	x.Alias.print(p)
}

// Subject is an expression that a query in parentheses may follow: INSERT .. REPLACE WHERE e (query). It ends before that
// query.
type Subject struct {
	Span
	X Expr
}

// Parse implements participle's Parseable.
func (x *Subject) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, (*parser).startsExpr, func(p *parser) Subject {
		start := p.start()
		end := p.followingQuery()
		kind := p.toks[end].kind
		p.toks[end].kind = kSemicolon
		defer func() { p.toks[end].kind = kind }()
		y := p.expr()
		return Subject{Span: p.since(start), X: y}
	})
}

func (x *Subject) print(p *printer) { x.X.print(p) }

// followingQuery returns the index of the first parenthesis outside all others that has a query and stands where an
// operator would have to, or of the end of the tokens.
func (p *parser) followingQuery() int {
	depth := 0
	for j := p.i; j < len(p.toks)-1; j++ {
		switch p.toks[j].kind {
		case kLParen:
			if depth == 0 && j > p.i && p.startsQueryAt(j+1-p.i) && p.endsOperand(&p.toks[j-1]) {
				return j
			}
			depth++
		case kRParen:
			depth--
		case kSemicolon:
			return j
		}
	}
	return len(p.toks) - 1
}

// endsOperand reports whether an operand can end with t.
func (p *parser) endsOperand(t *token) bool {
	switch t.kind {
	case kQuoted, kString, kNumber, kParam, kRParen, kRBracket:
		return true
	case kWord:
		switch t.word {
		case kwIn, kwExists, kwAnd, kwOr, kwNot, kwAny, kwAll, kwSome, kwArray, kwLike, kwBetween:
			return false
		}
		return true
	}
	return false
}

// FreeText is text that runs to the end of the statement and has no syntax: the value of a Databricks SET, a path.
type FreeText struct {
	Span
	Text string
}

// Parse implements participle's Parseable.
func (x *FreeText) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, func(p *parser) bool { return !p.at(kEOF) && !p.at(kSemicolon) }, (*parser).freeText)
}

func (p *parser) freeText() FreeText {
	start := p.start()
	for !p.at(kEOF) && !p.at(kSemicolon) {
		if p.at(kError) { // whatever it is, it belongs to the text
			t := p.peek()
			end := max(t.start, int32(len(strings.TrimRight(p.src, " \t\r\n"))))
			t.kind, t.end, t.word = kWord, end, noKeyword
			p.toks = append(p.toks, token{kind: kEOF, start: end, end: end})
		}
		p.next()
	}
	return FreeText{Span: p.since(start), Text: p.src[start:p.end()]}
}

// Present reports whether there is any text.
func (x *FreeText) Present() bool { return x.Text != "" }

func (x *FreeText) print(p *printer) { p.s(x.Text) }

// Words is opaque text inside a statement, token by token, up to where the statement says.
type Words struct {
	Span
	Tokens []string
}

func (x *Words) print(p *printer) { p.s(strings.Join(x.Tokens, " ")) }

// Assignment is column = expr, or (column, ...) = expr, of UPDATE and MERGE.
type Assignment struct {
	tagged
	Row     bool   `parser:"( @'('"`
	Columns []Name `parser:"@@ ( ',' @@ )* ')' | @@ )"`
	Value   Expr   `parser:"'=' @@"`
}

// Partition is PARTITION (column [= value], ...) (Databricks).
type Partition struct {
	tagged
	Items []PartitionItem `parser:"'PARTITION' '(' @@ ( ',' @@ )* ')'"`
}

// PartitionItem is one column of a Partition; ALTER TABLE .. DROP PARTITION also compares.
type PartitionItem struct {
	tagged
	Column Ident   `parser:"@@"`
	Op     Keyword `parser:"( @( '=' | '==' | '<' | '>' | '<=' | '>=' | '<>' | '!=' )"`
	Value  Expr    `parser:"@@ )?"`
}

// CredentialClause is WITH (CREDENTIAL name) behind a path (Databricks).
type CredentialClause struct {
	tagged
	Name    *Name    `parser:"'WITH' '(' 'CREDENTIAL' ( @@"`
	Options *Options `parser:"| @@ ) ')'"`
}

// IdentityOption is one of the sequence options of an identity column: (START WITH n INCREMENT BY m) (Databricks).
type IdentityOption struct {
	tagged
	Start     Expr `parser:"'START' 'WITH' @@"`
	Increment Expr `parser:"| 'INCREMENT' 'BY' @@"`
}

// Parse lets a participle tag refer to a number with @@. It implements participle's Parseable.
func (x *Number) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, func(p *parser) bool { return p.at(kNumber) }, func(p *parser) Number { return *p.number() })
}

// Parse lets a participle tag refer to ROW FORMAT .. with @@. It implements participle's Parseable.
func (x *RowFormat) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, func(p *parser) bool { return p.are(kwRow, kwFormat) },
		func(p *parser) RowFormat { return *p.rowFormat() })
}

// Parse lets a participle tag refer to one element of ORDER BY with @@. It implements participle's Parseable.
func (s *Sort) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, s, (*parser).startsExpr, func(p *parser) Sort { return p.sort() })
}

// Parse lets a participle tag refer to a table with its version, but without alias, with @@ (Databricks). It implements
// participle's Parseable.
func (x *Table) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, func(p *parser) bool { return p.isName(p.peek()) }, func(p *parser) Table {
		start := p.start()
		t := Table{Name: p.name("a table")}
		p.timeTravel(&t)
		t.Span = p.since(start)
		return t
	})
}

// Result is what a function returns: an expression or a query.
type Result struct {
	Span
	Query *Query
	X     Expr
}

// Parse implements participle's Parseable.
func (x *Result) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, (*parser).startsExpr, func(p *parser) Result {
		start := p.start()
		if p.startsQuery() {
			q := p.query()
			return Result{Span: p.since(start), Query: q}
		}
		y := p.expr()
		return Result{Span: p.since(start), X: y}
	})
}

func (x *Result) print(p *printer) {
	if x.Query != nil {
		x.Query.print(p)
		return
	}
	x.X.print(p)
}

// FlowSource is the source of a change flow, in front of KEYS (..) (Databricks).
type FlowSource struct {
	Span
	X FromItem
}

// Parse implements participle's Parseable.
func (x *FlowSource) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, (*parser).startsFrom, func(p *parser) FlowSource {
		start := p.start()
		end := len(p.toks) - 1
		for j := p.i + 1; j < end; j++ {
			if p.toks[j+1].kind == kLParen && p.toks[j].kind == kWord && equalFold(p.text(&p.toks[j]), "KEYS") {
				end = j
			}
		}
		saved := p.toks[end]
		p.toks[end].kind, p.toks[end].word = kSemicolon, noKeyword
		defer func() { p.toks[end] = saved }()
		y := p.fromItem()
		return FlowSource{Span: p.since(start), X: y}
	})
}

func (x *FlowSource) print(p *printer) { x.X.print(p) }

// LoopQuery is the query of a FOR loop, which ends before DO (Databricks).
type LoopQuery struct {
	Span
	Query *Query
}

// Parse implements participle's Parseable.
func (x *LoopQuery) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, (*parser).startsStatementQuery, func(p *parser) LoopQuery {
		start := p.start()
		stop := p.stop
		p.stop = kwDo
		defer func() { p.stop = stop }()
		q := p.query()
		return LoopQuery{Span: p.since(start), Query: q}
	})
}

func (x *LoopQuery) print(p *printer) { x.Query.print(p) }

// Nested is a statement of a script, where SET assigns a variable (Databricks).
type Nested struct {
	Span
	Statement Statement
}

// Parse implements participle's Parseable.
func (x *Nested) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, (*parser).startsNested, func(p *parser) Nested {
		start := p.start()
		outer := p.inScript
		p.inScript = true
		defer func() { p.inScript = outer }()
		s := p.nestedStatement()
		return Nested{Span: p.since(start), Statement: s}
	})
}

func (x *Nested) print(p *printer) { x.Statement.print(p) }

// startsText reports whether a string or a parameter marker stands at the cursor.
func (p *parser) startsText() bool {
	return p.at(kString) || p.at(kParam) || p.at(kColon) && p.d.In(Databricks) && p.isLabel(p.look(1))
}

// UsingArgs is item, ... or (item, ...): the arguments of EXECUTE IMMEDIATE and OPEN (Databricks).
type UsingArgs struct {
	Span
	Items []SelectItem
}

// Parse implements participle's Parseable.
func (x *UsingArgs) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, (*parser).startsExpr, func(p *parser) UsingArgs {
		start := p.start()
		parens := p.at(kLParen) && p.closesStatement()
		if parens {
			p.next()
		}
		var list []SelectItem
		for {
			list = append(list, p.selectItem())
			if !p.acceptKind(kComma) {
				break
			}
		}
		if parens {
			p.expectKind(kRParen)
		}
		return UsingArgs{Span: p.since(start), Items: list}
	})
}

func (x *UsingArgs) print(p *printer) { p.items(x.Items) }

// closesStatement reports whether the statement ends behind the parenthesis at the cursor.
func (p *parser) closesStatement() bool {
	depth := 0
	for j := p.i; j < len(p.toks); j++ {
		switch p.toks[j].kind {
		case kLParen:
			depth++
		case kRParen:
			depth--
			if depth == 0 {
				k := p.toks[min(j+1, len(p.toks)-1)].kind
				return k == kEOF || k == kSemicolon
			}
		}
	}
	return false
}

// DefaultValue is the expression behind DEFAULT of a column: it ends before NOT NULL and the like (DuckDB).
type DefaultValue struct {
	Span
	X Expr
}

// Parse implements participle's Parseable.
func (x *DefaultValue) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, (*parser).startsExpr, func(p *parser) DefaultValue {
		start := p.start()
		if p.is(kwNot) {
			p.fail("an expression without AND, OR and NOT")
		}
		y := p.binary(duckPostfix)
		if duckInfix[p.peek().kind] == duckCompare {
			y = p.compare(y)
		}
		for p.is(kwIs) && (p.look(1).word == kwDistinct || p.look(1).word == kwNot && p.look(2).word == kwDistinct) {
			y = p.isTest(y, duckPostfix)
		}
		return DefaultValue{Span: p.since(start), X: y}
	})
}

func (x *DefaultValue) print(p *printer) {
	switch y := x.X.(type) {
	case *Is:
		if y.Test == IsDistinctFrom {
			y.print(p)
			return
		}
	case *Binary:
		if duckLevel(y.Rest[0].Op) == duckCompare {
			y.print(p)
			return
		}
	}
	p.operand(x.X, duckPostfix, 0)
}
