package grammar

// Expressions that only DuckDB has, and stars, which both have.

// star parses [qualifier.]* with its modifiers; in DuckDB also *COLUMNS(..). The cursor is at the star, or behind it if
// there is a qualifier.
func (p *parser) star(qualifier []Ident, start int32) Expr {
	if qualifier == nil {
		p.next()
		if p.is(kwColumns) && p.look(1).kind == kLParen && p.d.In(DuckDB) {
			x := p.columnsCall(nil, start)
			x.(*Columns).Unpack = true
			return x
		}
	}
	x := p.stars.new()
	x.Qualifier = qualifier
	if p.is(kwExclude) && p.d.In(DuckDB) || p.is(kwExcept) && p.excepts() {
		p.next()
		x.Exclude = p.excluded()
	}
	if p.d.In(DuckDB) {
		if p.is(kwReplace) {
			p.next()
			p.replaced(x)
		}
		if p.is(kwRename) {
			p.next()
			p.renamed(x)
		}
	}
	x.Span = p.since(start)
	if p.d.In(DuckDB) {
		p.checkStar(x)
	}
	return x
}

// excepts reports whether EXCEPT at the cursor, behind a star, names columns and is no set operator. A name without parentheses
// is DuckDB 2.0's.
func (p *parser) excepts() bool {
	if p.look(1).kind == kLParen {
		return !p.startsQueryAt(2)
	}
	return p.d.In(DuckDB) && p.isName(p.look(1)) && !p.startsQueryAt(1)
}

// starNames parses (a, b.c, ...), in DuckDB also one name without parentheses, with each in parentheses or bare.
func (p *parser) starNames(one func()) {
	if !p.at(kLParen) {
		if p.d.In(Databricks) {
			p.fail(`"("`)
		}
		one()
		return
	}
	p.next()
	for {
		one()
		if !p.comma(kRParen) {
			break
		}
	}
	p.expectKind(kRParen)
}

func (p *parser) excluded() []Column {
	var out []Column
	p.starNames(func() { out = append(out, p.starName()) })
	return out
}

// starName parses a dotted name of a column; in DuckDB its first part may be a string.
func (p *parser) starName() Column {
	start := p.start()
	mark := p.idents.mark()
	p.idents.add(p.identOrString("a column"))
	for p.acceptKind(kDot) {
		p.idents.add(p.label("a name behind the dot"))
	}
	return Column{Span: p.since(start), Parts: p.idents.take(mark)}
}

func (p *parser) replaced(x *Star) {
	p.starNames(func() {
		start := p.start()
		item := SelectItem{X: p.expr()}
		p.expect(kwAs)
		item.Alias = p.labelOrString("a column")
		for p.acceptKind(kDot) { // qualified: t.a
			item.Aliases = append(item.Aliases, p.label("a name behind the dot"))
		}
		item.Span = p.since(start)
		x.Replace = append(x.Replace, item)
	})
}

func (p *parser) renamed(x *Star) {
	p.starNames(func() {
		start := p.start()
		r := StarRename{Old: p.starName()}
		p.expect(kwAs)
		r.New = p.label("a column")
		r.Span = p.since(start)
		x.Rename = append(x.Rename, r)
	})
}

// columnsCall parses COLUMNS(arg).
func (p *parser) columnsCall(qualifier []Ident, start int32) Expr {
	x := &Columns{Qualifier: qualifier}
	p.next()
	p.enter()
	p.expectKind(kLParen)
	x.Arg = p.expr()
	p.expectKind(kRParen)
	p.leave()
	x.Span = p.since(start)
	return x
}

// list parses [a, b] or a comprehension.
func (p *parser) list() Expr {
	start := p.start()
	p.enter()
	p.expectKind(kLBracket)
	items, compr := p.listItems()
	p.leave()
	if compr != nil {
		compr.Span = p.since(start)
		return compr
	}
	return &List{Span: p.since(start), Items: items}
}

// listItems parses the rest of a list behind its bracket.
func (p *parser) listItems() ([]Expr, *Comprehension) {
	mark := p.exprs.mark()
	for !p.at(kRBracket) {
		x := p.expr()
		if p.is(kwFor) && p.exprs.mark() == mark {
			return nil, p.comprehension(x)
		}
		p.exprs.add(x)
		if !p.comma(kRBracket) {
			break
		}
	}
	p.expectKind(kRBracket)
	return p.exprs.take(mark), nil
}

func (p *parser) comprehension(x Expr) *Comprehension {
	c := &Comprehension{X: x}
	p.expect(kwFor)
	for {
		if p.is(kwIn) {
			p.fail("a name for the element")
		}
		c.Vars = append(c.Vars, p.ident("a name for the element"))
		if !p.acceptKind(kComma) {
			break
		}
	}
	p.expect(kwIn)
	c.In = p.expr()
	if p.accept(kwIf) {
		c.If = p.expr()
	}
	p.expectKind(kRBracket)
	return c
}

// arrayKeyword parses ARRAY[..] or ARRAY(query).
func (p *parser) arrayKeyword() Expr {
	start := p.start()
	p.next()
	p.enter()
	defer p.leave()
	if p.acceptKind(kLParen) {
		q, _ := p.content()
		if q == nil {
			p.refuse(start, "ARRAY(..) takes a query", "write ARRAY[..] for a list")
		}
		return &ArrayQuery{Span: p.since(start), Query: q}
	}
	p.expectKind(kLBracket)
	items, compr := p.listItems()
	if compr != nil {
		p.refuse(start, "a comprehension has no ARRAY in front", "")
	}
	return &List{Span: p.since(start), Keyword: true, Items: items}
}

// structLiteral parses {key: value, ...}; only 2.0 takes an empty one.
func (p *parser) structLiteral() Expr {
	start := p.start()
	p.enter()
	p.expectKind(kLBrace)
	x := &Struct{}
	for !p.at(kRBrace) {
		at := p.start()
		f := StructItem{Name: p.identOrString("a key")}
		p.expectKind(kColon)
		f.Value = p.expr()
		f.Span = p.since(at)
		x.Fields = append(x.Fields, f)
		if !p.comma(kRBrace) {
			break
		}
	}
	p.expectKind(kRBrace)
	p.leave()
	x.Span = p.since(start)
	return x
}

// mapLiteral parses MAP {key: value, ...}.
func (p *parser) mapLiteral() Expr {
	start := p.start()
	p.next()
	p.enter()
	p.expectKind(kLBrace)
	x := &MapLiteral{}
	for !p.at(kRBrace) {
		at := p.start()
		f := StructItem{Key: p.expr()}
		p.expectKind(kColon)
		f.Value = p.expr()
		f.Span = p.since(at)
		x.Items = append(x.Items, f)
		if !p.comma(kRBrace) {
			break
		}
	}
	p.expectKind(kRBrace)
	p.leave()
	x.Span = p.since(start)
	return x
}

// rowKeyword parses ROW(..).
func (p *parser) rowKeyword() Expr {
	start := p.start()
	p.next()
	p.enter()
	p.expectKind(kLParen)
	x := &Row{Keyword: true}
	mark := p.exprs.mark()
	for !p.at(kRParen) {
		p.exprs.add(p.expr())
		if !p.comma(kRParen) {
			break
		}
	}
	p.expectKind(kRParen)
	p.leave()
	x.Items = p.exprs.take(mark)
	x.Span = p.since(start)
	return x
}

// lambdaKeyword parses LAMBDA x, y: body.
func (p *parser) lambdaKeyword() Expr {
	start := p.start()
	p.next()
	x := &Lambda{Keyword: true}
	for {
		x.Params = append(x.Params, p.ident("a parameter"))
		if !p.acceptKind(kComma) {
			break
		}
	}
	p.expectKind(kColon)
	p.enter()
	x.Body = p.expr()
	p.leave()
	x.Span = p.since(start)
	return x
}
