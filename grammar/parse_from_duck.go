package grammar

import "strings"

// duckBranch parses the branches that only DuckDB has.
func (p *parser) duckBranch() Body {
	switch p.peek().word {
	case kwPivot, kwPivotWider:
		return p.pivotQuery()
	case kwUnpivot, kwPivotLonger:
		return p.unpivotQuery()
	case kwDescribe, kwDesc, kwShow, kwSummarize:
		return p.showQuery()
	}
	return nil
}

// startsShow reports whether a ShowQuery is at the cursor.
func (p *parser) startsShow() bool {
	switch p.peek().word {
	case kwDescribe, kwDesc, kwShow, kwSummarize:
		return p.d.In(DuckDB)
	}
	return false
}

// showQuery parses DESCRIBE, SHOW or SUMMARIZE; statements use it too.
func (p *parser) showQuery() *ShowQuery {
	x := &ShowQuery{Verb: p.peek().word.String()}
	start := p.start()
	if p.is(kwDesc) {
		x.Verb = "DESCRIBE"
	}
	p.next()
	switch {
	case p.at(kRParen), p.at(kEOF), p.at(kSemicolon):
		if x.Verb == "SUMMARIZE" {
			p.fail("a table or a query")
		}
	case p.startsQuery() || p.at(kLParen):
		x.Query = p.query()
	case x.Verb == "SHOW" && (p.externalResources(0) || p.is(kwAll) && p.externalResources(1)):
		for p.at(kWord) {
			x.Words = append(x.Words, p.takeIdent())
		}
	case p.is(kwAll):
		x.Words = []Ident{p.takeIdent()}
		if p.is(kwTables) {
			x.Words = append(x.Words, p.takeIdent())
		}
	case p.is(kwTables) && p.look(1).word == kwFrom:
		x.Words = []Ident{p.takeIdent()}
		p.next()
		n := p.name("a schema or database")
		x.Name = &n
	case p.at(kString):
		s := p.takeIdent()
		x.Name = &Name{Span: s.Span, Parts: []Ident{s}}
	default:
		n := p.name("a table or a query")
		x.Name = &n
	}
	x.Span = p.since(start)
	return x
}

// externalResources reports whether EXTERNAL RESOURCES stands n tokens behind the cursor, as the last words (2.0).
func (p *parser) externalResources(n int) bool {
	next := p.look(n + 2).kind
	return p.look(n).word == kwExternal && p.wordAt(n+1) == "RESOURCES" && (next == kEOF || next == kSemicolon || next == kRParen)
}

// duckBaseItem parses one FROM item of DuckDB without joins.
func (p *parser) duckBaseItem() FromItem {
	start := p.start()
	var prefix Ident
	if p.look(1).kind == kColon && (p.isName(p.peek()) || p.at(kString)) {
		prefix = p.takeIdent()
		p.next()
	}
	lateral := p.accept(kwLateral)
	x := p.duckUnaliased(start, lateral, prefix)
	return x
}

func (p *parser) duckUnaliased(start int32, lateral bool, prefix Ident) FromItem {
	prefixed := prefix.Present()
	switch {
	case p.at(kLParen):
		at := p.start()
		q, x := p.fromContent()
		if lateral && q == nil {
			p.refuse(at, "LATERAL stands before a query or a function", "")
		}
		item := p.closeParenItem(at, lateral, q, x)
		if prefixed {
			switch item := item.(type) {
			case *Derived:
				p.setPrefix(&item.Source, prefix)
				item.Start = start
			case *ParenFrom:
				p.setPrefix(&item.Source, prefix)
				item.Start = start
			}
		}
		return item
	case p.is(kwValues) && p.look(1).kind == kLParen && !lateral:
		x := &InlineValues{Values: p.values(false)}
		x.Lateral = lateral
		x.Values.Alias = p.duckAlias(true)
		if prefixed {
			x.Values.Alias = Alias{Span: prefix.Span, Name: prefix}
		}
		x.Values.End = p.end()
		x.Span = p.since(start)
		return x
	}
	only := p.accept(kwOnly)
	at := p.start()
	parens := only && p.acceptKind(kLParen)
	var name Name
	switch t := p.peek(); {
	case t.kind == kString:
		s := p.takeIdent()
		name = Name{Span: s.Span, Parts: p.idents.one(s)}
	case p.isFunctionName(t) && p.look(1).kind == kLParen:
		s := p.takeIdent()
		name = Name{Span: s.Span, Parts: p.idents.one(s)}
	default:
		name = p.name("a table")
		if p.at(kLParen) && len(name.Parts) == 1 {
			p.failHint("the end of the table", "a function can't be called "+p.text(t))
		}
	}
	if parens {
		p.expectKind(kRParen)
	}
	if p.at(kLParen) && name.Parts[0].Quote != SingleQuote && !only {
		return p.duckTableFunction(start, at, lateral, name, prefix)
	}
	if lateral {
		p.fail(`"("`)
	}
	x := p.tables.new()
	x.Name = name
	p.acceptKind(kStar)
	x.Alias = p.duckAlias(false)
	if p.is(kwAt) && p.look(1).kind == kLParen {
		x.Travel = p.duckTravel()
	}
	x.Sample = p.tableSample()
	if prefixed {
		p.setPrefix(&x.Source, prefix)
	}
	x.Span = p.since(start)
	return x
}

// joinBy parses BY (TYPE type) behind the word JOIN if it is there (2.0). The types that have words of their own make the same
// tree as those.
func (p *parser) joinBy(j *Join) bool {
	t := p.look(3)
	if !p.is(kwBy) || p.look(1).kind != kLParen || p.look(2).word != kwType || !p.isLabel(t) {
		return false
	}
	p.i += 3
	name := p.takeIdent()
	switch strings.TrimSuffix(strings.ToUpper(name.Text), "_JOIN") {
	case "INNER":
	case "LEFT":
		j.Kind = JoinLeft
	case "RIGHT":
		j.Kind = JoinRight
	case "FULL":
		j.Kind = JoinFull
	case "SEMI":
		j.Kind = JoinSemi
	case "ANTI":
		j.Kind = JoinAnti
	case "MARK":
		j.Kind = JoinMark
	case "SINGLE":
		j.Kind = JoinSingle
	case "RIGHT_SEMI":
		j.Kind = JoinRightSemi
	case "RIGHT_ANTI":
		j.Kind = JoinRightAnti
	default:
		p.failAt(t, "a type of join")
	}
	p.expectKind(kRParen)
	return true
}

// setPrefix gives an item the alias that stood in front of it.
func (p *parser) setPrefix(s *Source, prefix Ident) {
	if s.Alias.Present() {
		p.refuse(s.Alias.Start, "the item has an alias in front already", "")
	}
	s.Alias = Alias{Span: prefix.Span, Name: prefix}
}

func (p *parser) duckTableFunction(start, at int32, lateral bool, name Name, prefix Ident) FromItem {
	x := &TableFunction{}
	x.Lateral = lateral
	call, ok := p.callOf(at, nil, name).(*Call)
	if !ok {
		p.refuse(at, "a function in FROM is an ordinary call", "")
	}
	x.Call = call
	p.plainCall(call)
	if p.acceptAll(kwWith, kwOrdinality) {
		x.Ordinality = true
	}
	x.Alias = p.duckAlias(true)
	x.Sample = p.tableSample()
	if prefix.Present() {
		p.setPrefix(&x.Source, prefix)
	}
	x.Span = p.since(start)
	return x
}

// duckAlias parses [AS] name [(column, ...)] of DuckDB; typed says that it is the alias of a function, whose columns may
// have types, and which may have columns only.
func (p *parser) duckAlias(typed bool) Alias {
	a := Alias{}
	t := p.peek()
	start := t.start
	switch {
	case t.word == kwAs:
		p.next()
		if typed && p.at(kLParen) {
			a.Columns = p.aliasColumns(true)
			for i := range a.Columns {
				if a.Columns[i].Type == nil {
					p.refuse(a.Columns[i].Start, "a list of columns without a name needs their types", "")
				}
			}
			a.Span = p.since(start)
			return a
		}
		a.Name = p.identOrString("a name behind AS")
	case p.isName(t) && !p.startsNearest():
		a.Name = p.takeIdent()
	default:
		return a
	}
	if p.at(kLParen) {
		a.Columns = p.aliasColumns(typed)
	}
	a.Span = p.since(start)
	return a
}

// duckTravel parses AT (VERSION => e) or AT (TIMESTAMP => e).
func (p *parser) duckTravel() *TimeTravel {
	v := &TimeTravel{}
	start := p.start()
	p.i += 2
	switch {
	case p.accept(kwVersion):
	case p.accept(kwTimestamp):
		v.Kind = TravelTimestamp
	default:
		p.fail("VERSION or TIMESTAMP")
	}
	p.expectKind(kFatArrow)
	v.X = p.expr()
	p.expectKind(kRParen)
	v.Span = p.since(start)
	return v
}

// tableSample parses TABLESAMPLE .. of DuckDB if it is there.
func (p *parser) tableSample() *Sample {
	if !p.is(kwTablesample) {
		return nil
	}
	p.next()
	return p.duckSample()
}

// duckSample parses a sample of DuckDB behind TABLESAMPLE or USING SAMPLE.
func (p *parser) duckSample() *Sample {
	s := &Sample{}
	start := p.start()
	if p.isLabel(p.peek()) && p.look(1).kind == kLParen {
		s.Method = p.sampleMethod()
	}
	if p.acceptKind(kLParen) {
		p.sampleCount(s)
		p.expectKind(kRParen)
		if p.accept(kwRepeatable) {
			p.expectKind(kLParen)
			s.Seed = p.sampleNumber()
			p.expectKind(kRParen)
		}
	} else {
		p.sampleCount(s)
		if p.acceptKind(kLParen) {
			s.Method = p.sampleMethod()
			if p.acceptKind(kComma) {
				s.Seed = p.sampleNumber()
			}
			p.expectKind(kRParen)
		}
	}
	s.Span = p.since(start)
	return s
}

// sampleMethod parses the name of a method.
func (p *parser) sampleMethod() Ident {
	at := p.peek()
	m := p.label("a sampling method")
	if !equalFold(m.Text, "SYSTEM") && !equalFold(m.Text, "BERNOULLI") && !equalFold(m.Text, "RESERVOIR") {
		p.failAt(at, "SYSTEM, BERNOULLI or RESERVOIR")
	}
	return m
}

func (p *parser) sampleCount(s *Sample) {
	s.Count = p.sampleNumber()
	s.Unit = SampleUnspecified
	switch {
	case p.acceptKind(kPercent), p.accept(kwPercent):
		s.Unit = SamplePercent
	case p.accept(kwRows):
		s.Unit = SampleRows
	}
	p.checkSample(s)
}

func (p *parser) sampleNumber() Expr {
	switch {
	case p.at(kNumber):
		return p.number()
	case p.at(kParam):
		return p.primary()
	case p.at(kLParen):
		return p.primary()
	}
	p.fail("a number")
	return nil
}

// sparkSample parses TABLESAMPLE (..) [REPEATABLE (seed)] of Databricks.
func (p *parser) sparkSample() *Sample {
	s := &Sample{}
	start := p.start()
	p.next()
	if p.is(kwSystem) || p.is(kwBernoulli) {
		s.Method = p.takeIdent()
	}
	p.expectKind(kLParen)
	switch {
	case p.is(kwBucket) && p.look(1).kind == kNumber:
		p.next()
		s.Unit = SampleBucket
		s.Count = p.number()
		p.expectAll(kwOut, kwOf)
		s.OutOf = p.operand()
		if p.accept(kwOn) {
			s.On = p.operand()
		}
	case p.at(kWord) && p.look(1).kind == kRParen:
		s.Unit = SampleBytes
		s.Count = p.column()
	default:
		s.Count = p.binary(sparkCompare + 1)
		switch {
		case p.accept(kwPercent):
			s.Unit = SamplePercent
		case p.accept(kwRows):
		default:
			p.fail("PERCENT or ROWS")
		}
	}
	p.expectKind(kRParen)
	if p.accept(kwRepeatable) {
		p.expectKind(kLParen)
		s.Seed = p.operand()
		p.expectKind(kRParen)
	}
	s.Span = p.since(start)
	return s
}
