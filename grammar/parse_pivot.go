package grammar

// pivot parses PIVOT (..) behind x, which is nil in a pipe.
func (p *parser) pivot(x FromItem) *Pivot {
	v := &Pivot{X: x}
	start := p.start()
	if x != nil {
		start = x.Bounds().Start
	}
	p.next()
	p.enter()
	p.expectKind(kLParen)
	for {
		v.Aggregates = append(v.Aggregates, p.pivotItem())
		if !p.acceptKind(kComma) {
			break
		}
		if p.is(kwFor) && p.d.In(DuckDB) {
			break
		}
	}
	p.expect(kwFor)
	v.For = append(v.For, p.pivotFor())
	if p.d.In(DuckDB) {
		for !p.at(kRParen) && !p.is(kwGroup) {
			v.For = append(v.For, p.pivotFor())
		}
		if p.are(kwGroup, kwBy) {
			v.GroupBy = p.pivotGroupBy()
		}
	}
	p.expectKind(kRParen)
	p.leave()
	if p.d.In(DuckDB) {
		v.Alias = p.duckAlias(false)
	}
	v.Span = p.since(start)
	return v
}

// pivotItem parses an aggregate with its alias; the word FOR is none.
func (p *parser) pivotItem() SelectItem {
	stop := p.stop
	p.stop = kwFor
	item := p.selectItem()
	p.stop = stop
	return item
}

// pivotFor parses column IN (..).
func (p *parser) pivotFor() PivotFor {
	f := PivotFor{}
	start := p.start()
	if p.d.In(Databricks) {
		f.Column = p.pivotColumn()
	} else {
		f.Column = p.access(p.primary())
	}
	p.expect(kwIn)
	f.Values, f.Enum, f.Query = p.pivotIn()
	if f.Query != nil {
		p.refuse(f.Query.Start, "a query as the list of values is for the statement PIVOT only", "")
	}
	f.Span = p.since(start)
	return f
}

// pivotColumn parses a name or (name, ...) of Databricks.
func (p *parser) pivotColumn() Expr {
	if !p.at(kLParen) {
		return p.dottedColumn()
	}
	start := p.start()
	p.next()
	mark := p.exprs.mark()
	for {
		p.exprs.add(p.dottedColumn())
		if !p.acceptKind(kComma) {
			break
		}
	}
	p.expectKind(kRParen)
	return &Row{Span: p.since(start), Items: p.exprs.take(mark)}
}

// dottedColumn parses a dotted name as a Column.
func (p *parser) dottedColumn() *Column {
	n := p.name("a column")
	if n.Dynamic != nil {
		p.refuse(n.Start, "IDENTIFIER(..) takes one string here", "")
	}
	x := p.columns.new()
	x.Span, x.Parts = n.Span, n.Parts
	return x
}

// pivotIn parses what follows IN: values in parentheses; in DuckDB also a query in parentheses or the name of an enum.
func (p *parser) pivotIn() ([]SelectItem, *Name, *Query) {
	if !p.at(kLParen) {
		if p.d.In(Databricks) {
			p.fail(`"("`)
		}
		if p.at(kString) {
			at := p.takeIdent()
			return nil, &Name{Span: at.Span, Parts: p.idents.one(at)}, nil
		}
		n := p.name("values in parentheses, or a type")
		return nil, &n, nil
	}
	p.next()
	if p.d.In(DuckDB) && p.startsQuery() {
		q := p.query()
		p.expectKind(kRParen)
		return nil, nil, q
	}
	var out []SelectItem
	for {
		out = append(out, p.selectItem())
		if !p.comma(kRParen) {
			break
		}
	}
	p.expectKind(kRParen)
	return out, nil, nil
}

// unpivot parses UNPIVOT [INCLUDE|EXCLUDE NULLS] (..) [alias] behind x, which is nil in a pipe.
func (p *parser) unpivot(x FromItem) *Unpivot {
	v := &Unpivot{X: x}
	start := p.start()
	if x != nil {
		start = x.Bounds().Start
	}
	p.next()
	v.Nulls = p.unpivotNulls()
	p.enter()
	p.expectKind(kLParen)
	if p.at(kLParen) {
		v.Parens = true
		v.Values = p.identList("a name for the values")
	} else {
		v.Values = p.idents.one(p.identOrString("a name for the values"))
	}
	p.expect(kwFor)
	v.Name = p.identOrString("a name for the names")
	p.expect(kwIn)
	if !p.at(kLParen) {
		p.fail(`"("`)
	}
	if p.d.In(DuckDB) {
		var q *Query
		if v.In, _, q = p.pivotIn(); q != nil {
			p.refuse(q.Start, "UNPIVOT takes columns here", "")
		}
	} else {
		v.In = p.unpivotColumns()
	}
	p.expectKind(kRParen)
	p.leave()
	if p.d.In(DuckDB) {
		v.Alias = p.duckAlias(false)
	} else if x != nil {
		v.Alias = p.alias()
	}
	v.Span = p.since(start)
	return v
}

// unpivotColumns parses (column [[AS] a], ...) or ((column, ..) [[AS] a], ...) of Databricks.
func (p *parser) unpivotColumns() []SelectItem {
	p.expectKind(kLParen)
	var out []SelectItem
	for {
		item := SelectItem{}
		start := p.start()
		item.X = p.pivotColumn()
		if p.accept(kwAs) || p.isLabel(p.peek()) {
			item.Alias = p.label("a name behind AS")
		}
		item.Span = p.since(start)
		out = append(out, item)
		if !p.acceptKind(kComma) {
			break
		}
	}
	p.expectKind(kRParen)
	return out
}

func (p *parser) unpivotNulls() UnpivotNulls {
	switch {
	case p.acceptAll(kwInclude, kwNulls):
		return UnpivotInclude
	case p.acceptAll(kwExclude, kwNulls):
		return UnpivotExclude
	}
	return UnpivotDefault
}

// pivotQuery parses the statement form PIVOT item [ON ..] [USING ..] [GROUP BY ..] of DuckDB.
func (p *parser) pivotQuery() Body {
	v := &PivotQuery{}
	start := p.start()
	p.next()
	v.Source = p.fromItem()
	parts := 0
	if p.accept(kwOn) {
		parts++
		for {
			v.On = append(v.On, p.pivotOn())
			if !p.acceptKind(kComma) || p.is(kwUsing) || p.is(kwGroup) || p.at(kEOF) || p.at(kRParen) {
				break
			}
		}
	}
	if p.accept(kwUsing) {
		parts++
		mark := p.items.mark()
		for {
			p.items.add(p.selectItem())
			if !p.acceptKind(kComma) || p.endsSelectList() {
				break
			}
		}
		v.Using = p.items.take(mark)
	}
	if p.are(kwGroup, kwBy) {
		parts++
		v.GroupBy = p.pivotGroupBy()
	}
	if parts == 0 {
		p.fail("ON, USING or GROUP BY")
	}
	v.Span = p.since(start)
	return v
}

func (p *parser) pivotOn() PivotOn {
	o := PivotOn{}
	start := p.start()
	o.X = p.betweenLow()
	p.checkPivotOn(o.X)
	if p.accept(kwIn) {
		o.HasIn = true
		o.Values, o.Enum, o.Query = p.pivotIn()
	}
	if p.accept(kwAs) {
		o.Alias = p.labelOrString("a name behind AS")
	}
	o.Span = p.since(start)
	return o
}

// unpivotQuery parses the statement form UNPIVOT item ON .. [INTO ..] of DuckDB.
func (p *parser) unpivotQuery() Body {
	v := &UnpivotQuery{}
	start := p.start()
	p.next()
	v.Source = p.fromItem()
	v.Nulls = p.unpivotNulls()
	p.expect(kwOn)
	mark := p.items.mark()
	for {
		p.items.add(p.selectItem())
		if !p.acceptKind(kComma) || p.is(kwInto) || p.endsSelectList() {
			break
		}
	}
	v.On = p.items.take(mark)
	if p.accept(kwInto) {
		v.Into = true
		p.expect(kwName)
		v.Name = p.identOrString("a name for the names")
		if !p.accept(kwValue) && !p.accept(kwValues) {
			p.fail("VALUE")
		}
		for {
			v.Values = append(v.Values, p.identOrString("a name for the values"))
			if !p.acceptKind(kComma) || p.at(kRParen) || p.at(kEOF) {
				break
			}
		}
	}
	v.Span = p.since(start)
	return v
}

// matchRecognize parses MATCH_RECOGNIZE (..) [alias] behind x (Databricks).
func (p *parser) matchRecognize(x FromItem) FromItem {
	m := &MatchRecognize{X: x}
	p.next()
	p.enter()
	p.expectKind(kLParen)
	if p.acceptAll(kwPartition, kwBy) {
		m.PartitionBy = p.exprList()
	}
	if p.are(kwOrder, kwBy) {
		m.OrderBy = p.orderBy()
	}
	if p.accept(kwMeasures) {
		outer := p.measures
		p.measures = true
		for {
			m.Measures = append(m.Measures, p.selectItem())
			if !p.acceptKind(kComma) {
				break
			}
		}
		p.measures = outer
	}
	if p.is(kwOne) || p.is(kwAll) {
		m.Rows = p.words(func() bool { return p.is(kwAfter) || p.is(kwPattern) })
	}
	if p.acceptAll(kwAfter, kwMatch) {
		p.expect(kwSkip)
		m.Skip = p.words(func() bool { return p.is(kwPattern) && p.look(1).kind == kLParen })
	}
	p.expect(kwPattern)
	m.Pattern = p.tokensInParens()
	if p.accept(kwSubset) {
		for {
			s := MatchSubset{}
			start := p.start()
			s.Name = p.ident("a variable")
			p.expectKind(kEq)
			s.Variables = p.identList("a variable")
			s.Span = p.since(start)
			m.Subsets = append(m.Subsets, s)
			if !p.acceptKind(kComma) {
				break
			}
		}
	}
	p.expect(kwDefine)
	for {
		d := SelectItem{}
		start := p.start()
		d.Alias = p.ident("a variable")
		p.expect(kwAs)
		d.X = p.expr()
		d.Span = p.since(start)
		m.Define = append(m.Define, d)
		if !p.acceptKind(kComma) {
			break
		}
	}
	p.expectKind(kRParen)
	p.leave()
	m.Alias = p.alias()
	m.Span = p.since(x.Bounds().Start)
	return m
}

// words takes names until done; a clause of fixed words that are kept as they are.
func (p *parser) words(done func() bool) []Ident {
	var out []Ident
	for !done() {
		out = append(out, p.label("a word of the clause"))
	}
	return out
}

// tokensInParens takes a balanced parenthesis and returns the tokens inside as written. Statements use it for clauses that
// are opaque to us.
func (p *parser) tokensInParens() []string {
	p.expectKind(kLParen)
	var out []string
	for depth := 1; ; {
		t := p.peek()
		switch t.kind {
		case kLParen:
			depth++
		case kRParen:
			if depth--; depth == 0 {
				p.next()
				return out
			}
		case kEOF, kError:
			p.fail(`")"`)
		}
		out = append(out, p.text(t))
		p.next()
	}
}
