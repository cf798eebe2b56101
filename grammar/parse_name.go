package grammar

import "strings"

// Which words may be names where. In Databricks nothing is reserved, so that the places decide (see clauseAhead); in DuckDB
// the classes of keywords.csv do.

// isName reports whether t can be a column or table name.
func (p *parser) isName(t *token) bool {
	switch t.kind {
	case kQuoted:
		return true
	case kWord:
		if t.word == noKeyword || p.d.In(Databricks) {
			return true
		}
		c := keywordClass[t.word]
		return c&duckWord == 0 || c&(classUnreserved|classColumnName) != 0
	}
	return false
}

// isLabel reports whether t can stand behind AS or a dot: any word.
func (p *parser) isLabel(t *token) bool { return t.kind == kWord || t.kind == kQuoted }

// isFunctionName reports whether t can be the only part of a function's name.
func (p *parser) isFunctionName(t *token) bool {
	switch t.kind {
	case kQuoted:
		return true
	case kWord:
		if t.word == noKeyword || p.d.In(Databricks) {
			return true
		}
		c := keywordClass[t.word]
		return c&duckWord == 0 || c&(classUnreserved|classFuncName) != 0
	}
	return false
}

// isTypeName reports whether t can be the only part of a type's name.
func (p *parser) isTypeName(t *token) bool {
	switch t.kind {
	case kQuoted:
		return true
	case kWord:
		if t.word == noKeyword || p.d.In(Databricks) {
			return true
		}
		c := keywordClass[t.word]
		return c&duckWord == 0 || c&(classUnreserved|classTypeName) != 0
	}
	return false
}

// identOf makes an Ident of a word, a quoted name or a string token.
func (p *parser) identOf(t *token) Ident {
	x := Ident{Span: Span{t.start, t.end}}
	switch t.kind {
	case kWord:
		x.Text = p.src[t.start:t.end]
	case kQuoted:
		q := p.src[t.start]
		x.Quote = DoubleQuote
		if q == '`' {
			x.Quote = BackQuote
		}
		x.Text = p.src[t.start+1 : t.end-1]
		if t.flags&flagPlain == 0 {
			x.Text = strings.ReplaceAll(x.Text, string([]byte{q, q}), string(q))
		}
	case kString:
		x.Quote = SingleQuote
		x.Text = p.decode(t)
	}
	return x
}

// takeIdent takes the token at the cursor as a name without looking at it, or IDENTIFIER('x') in Databricks.
func (p *parser) takeIdent() Ident {
	if p.identifierClause() && p.look(2).kind == kString && p.look(3).kind == kRParen {
		start := p.start()
		p.i += 2
		s := p.stringLiteral()
		p.expectKind(kRParen)
		return Ident{Span: p.since(start), Text: s.Value, Quote: ClauseQuote}
	}
	x := p.identOf(p.peek())
	p.next()
	return x
}

// identifierClause reports whether IDENTIFIER( stands at the cursor.
func (p *parser) identifierClause() bool {
	return p.is(kwIdentifier) && p.look(1).kind == kLParen && p.d.In(Databricks)
}

// ident parses a column or table name of one part; what names it in errors.
func (p *parser) ident(what string) Ident {
	if !p.isName(p.peek()) {
		p.fail(what)
	}
	return p.takeIdent()
}

// label parses a name that may be any word: behind AS, behind a dot.
func (p *parser) label(what string) Ident {
	if !p.isLabel(p.peek()) {
		p.fail(what)
	}
	return p.takeIdent()
}

// identOrString parses a name that DuckDB also takes as a string.
func (p *parser) identOrString(what string) Ident {
	if p.at(kString) && p.d.In(DuckDB) {
		return p.takeIdent()
	}
	return p.ident(what)
}

// labelOrString parses any word as a name, or in DuckDB a string.
func (p *parser) labelOrString(what string) Ident {
	if p.at(kString) && p.d.In(DuckDB) {
		return p.takeIdent()
	}
	return p.label(what)
}

// name parses a dotted name, of which DuckDB 2.0 takes parts behind a dot as strings too; what names it in errors.
func (p *parser) name(what string) Name {
	start := p.start()
	if p.identifierClause() && !(p.look(2).kind == kString && p.look(3).kind == kRParen) {
		return p.dynamicName()
	}
	if !p.isName(p.peek()) {
		p.fail(what)
	}
	mark := p.idents.mark()
	p.idents.add(p.takeIdent())
	for p.at(kDot) {
		p.next()
		p.idents.add(p.labelOrString("a name behind the dot"))
	}
	return Name{Span: p.since(start), Parts: p.idents.take(mark)}
}

// dynamicName parses IDENTIFIER(expr) as a whole name.
func (p *parser) dynamicName() Name {
	start := p.start()
	p.i += 2
	p.enter()
	x := p.expr()
	p.expectKind(kRParen)
	p.leave()
	if s, ok := x.(*String); ok { // several literals joined
		return Name{Span: p.since(start), Parts: p.idents.one(Ident{Span: p.since(start), Text: s.Value, Quote: ClauseQuote})}
	}
	return Name{Span: p.since(start), Dynamic: x}
}

// identList parses (name, ...). In DuckDB names may be strings, and a trailing comma is allowed.
func (p *parser) identList(what string) []Ident {
	p.expectKind(kLParen)
	return p.identListRest(what)
}

// identListRest parses a list of names behind its opening parenthesis.
func (p *parser) identListRest(what string) []Ident {
	mark := p.idents.mark()
	for {
		p.idents.add(p.identOrString(what))
		if !p.comma(kRParen) {
			break
		}
	}
	p.expectKind(kRParen)
	return p.idents.take(mark)
}

// comma takes a comma and reports whether another element follows. DuckDB allows a comma before the closing token.
func (p *parser) comma(closing kind) bool {
	if !p.acceptKind(kComma) {
		return false
	}
	return !(p.at(closing) && p.d.In(DuckDB))
}
