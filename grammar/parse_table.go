package grammar

// sparkNamed parses a table or a table function of Databricks, with its suffixes unless it is bare.
func (p *parser) sparkNamed(start int32, lateral, stream, bare bool) FromItem {
	if p.at(kWord) && p.startsClauseWord() {
		p.fail("a table")
	}
	at := p.start()
	name := p.name("a table")
	if p.at(kLParen) {
		x := &TableFunction{Stream: stream}
		x.Lateral = lateral
		c := p.callOf(at, nil, name)
		call, ok := c.(*Call)
		if !ok {
			p.refuse(at, "a function in FROM is an ordinary call", "")
		}
		x.Call = call
		p.plainCall(call)
		if bare {
			x.Span = p.since(start)
			return x
		}
		x.Watermark = p.watermark()
		x.Alias = p.alias()
		x.Span = p.since(start)
		return x
	}
	x := p.tables.new()
	x.Name, x.Stream, x.Lateral = name, stream, lateral
	if !bare {
		p.tableSuffix(x)
	}
	x.Span = p.since(start)
	return x
}

// startsClauseWord reports whether a clause, and no table, stands where a table should (Databricks).
func (p *parser) startsClauseWord() bool {
	switch p.peek().word {
	case kwSelect, kwWhere, kwGroup, kwOrder, kwHaving, kwLimit, kwOn, kwUnion:
		return p.clauseAhead()
	}
	return false
}

// tableSuffix parses what follows a table's name: version, options, sample, watermark, alias (Databricks).
func (p *parser) tableSuffix(x *Table) {
	p.timeTravel(x)
	if p.are(kwChanges, kwFrom) || p.is(kwChanges) && x.Stream {
		x.Changes = p.changes()
	}
	if p.is(kwWith) && p.look(1).kind == kLParen {
		p.next()
		x.Options = p.options()
	}
	if x.Stream {
		x.IdentifiedBy = p.identifiedBy()
	}
	if p.startsSample() {
		x.Sample = p.sparkSample()
	}
	x.Watermark = p.watermark()
	x.Alias = p.alias()
}

// timeTravel parses a version behind a table's name (Databricks).
func (p *parser) timeTravel(x *Table) {
	start := p.start()
	if p.at(kAt) && p.glued(0) && p.glued(1) && (p.look(1).kind == kWord || p.look(1).kind == kNumber) {
		p.next()
		t := p.peek()
		text := p.text(t)
		if !travelText(text) {
			p.fail("v and a version, or 17 digits of a timestamp")
		}
		p.next()
		x.Travel = &TimeTravel{Span: p.since(start), Kind: TravelAt, At: text}
		return
	}
	n := 0
	if p.is(kwFor) {
		n = 1
	}
	kind := TravelVersion
	switch p.look(n).word {
	case kwVersion, kwSystemVersion:
	case kwTimestamp, kwSystemTime:
		kind = TravelTimestamp
	default:
		return
	}
	if p.look(n+1).word != kwAs || p.look(n+2).word != kwOf {
		return
	}
	p.i += n + 3
	v := &TimeTravel{Kind: kind}
	if kind == TravelVersion {
		switch {
		case p.at(kNumber), p.at(kString), p.at(kParam), p.at(kColon):
			v.X = p.primary()
		default:
			p.fail("a version")
		}
	} else {
		v.X = p.binary(sparkCompare + 1)
	}
	v.Span = p.since(start)
	x.Travel = v
}

// changes parses CHANGES FROM .. [TO ..]; the cursor is at CHANGES.
func (p *parser) changes() *Changes {
	x := &Changes{}
	start := p.start()
	p.next()
	if !p.accept(kwFrom) { // of a stream: all changes
		x.Span = p.since(start)
		return x
	}
	x.From, x.FromExclusive = p.changesBound(x)
	if p.accept(kwTo) {
		x.To, x.ToExclusive = p.changesBound(x)
	}
	x.Span = p.since(start)
	return x
}

func (p *parser) changesBound(x *Changes) (bound Expr, exclusive bool) {
	switch p.peek().word {
	case kwVersion, kwSystemVersion:
		p.next()
		switch {
		case p.at(kNumber), p.at(kString), p.at(kParam), p.at(kColon):
			bound = p.primary()
		default:
			p.fail("a version")
		}
	case kwTimestamp, kwSystemTime:
		p.next()
		x.Kind = TravelTimestamp
		bound = p.binary(sparkCompare + 1)
	default:
		p.fail("VERSION or TIMESTAMP")
	}
	exclusive = p.accept(kwExclusive)
	if !exclusive {
		p.accept(kwInclusive)
	}
	return bound, exclusive
}

// identifiedBy parses IDENTIFIED BY name, the name of a streaming source.
func (p *parser) identifiedBy() Ident {
	if !p.are(kwIdentified, kwBy) {
		return Ident{}
	}
	p.i += 2
	return p.ident("a name of the source")
}

// startsSample reports whether a sample of Databricks is at the cursor.
func (p *parser) startsSample() bool {
	return p.is(kwTablesample) && (p.look(1).kind == kLParen || p.look(1).kind == kWord && p.look(2).kind == kLParen)
}

// plainCall refuses what only a call in an expression can have.
func (p *parser) plainCall(c *Call) {
	if c.Over != nil || c.Filter != nil || c.WithinGroup != nil {
		p.refuse(c.Start, "a function in FROM has no OVER, FILTER or WITHIN GROUP", "")
	}
}

// travelText reports whether s is v123 or yyyyMMddHHmmssSSS.
func travelText(s string) bool {
	if s[0] == 'v' || s[0] == 'V' {
		s = s[1:]
	} else if len(s) != 17 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return len(s) > 0
}

// options parses (key [=] [value], ...).
func (p *parser) options() []Option {
	p.expectKind(kLParen)
	var out []Option
	for {
		o := Option{}
		start := p.start()
		if p.at(kString) {
			o.String = p.optionString()
		} else {
			o.Key = p.name("an option")
		}
		eq := p.acceptKind(kEq)
		if eq || !p.at(kComma) && !p.at(kRParen) {
			o.Value = p.binary(sparkCompare + 1)
		}
		o.Span = p.since(start)
		out = append(out, o)
		if !p.acceptKind(kComma) {
			break
		}
	}
	p.expectKind(kRParen)
	return out
}

// optionString parses the key of an option. Strings next to one another are one key before =; without it the second one is
// the value.
func (p *parser) optionString() *String {
	n := 1
	for p.look(n).kind == kString {
		n++
	}
	if n == 1 || p.look(n).kind == kEq {
		return p.stringLiteral()
	}
	t := p.peek()
	p.next()
	return &String{Span: Span{t.start, t.end}, Value: p.decode(t)}
}

// watermark parses WATERMARK expr DELAY OF interval (Databricks).
func (p *parser) watermark() *Watermark {
	if !p.is(kwWatermark) || !p.clauseAhead() {
		return nil
	}
	start := p.start()
	w := &Watermark{}
	p.next()
	at := p.start()
	w.X.X = p.expr()
	if p.accept(kwAs) {
		w.X.Alias = p.label("a name behind AS")
	} else if p.isLabel(p.peek()) && !p.is(kwDelay) {
		w.X.Alias = p.takeIdent()
	}
	w.X.Span = p.since(at)
	p.expectAll(kwDelay, kwOf)
	w.Delay = p.operand()
	w.Span = p.since(start)
	return w
}

// lateralView parses LATERAL VIEW [OUTER] f(..) alias [[AS] column, ...].
func (p *parser) lateralView() LateralView {
	v := LateralView{}
	start := p.start()
	p.i += 2
	if p.is(kwOuter) && p.look(1).kind != kLParen {
		p.next()
		v.Outer = true
	}
	at := p.start()
	name := p.name("a generator function")
	if !p.at(kLParen) {
		p.fail(`"("`)
	}
	call, ok := p.callOf(at, nil, name).(*Call)
	if !ok {
		p.refuse(at, "a generator is an ordinary call", "")
	}
	v.Call = call
	// In explode(a) AS x the alias of the table is called AS, since it is required.
	v.Alias = p.ident("a table alias of the lateral view")
	if p.accept(kwAs) || p.isLabel(p.peek()) && !p.clauseAhead() && !p.peek().word.in(classStrict) {
		for {
			v.Columns = append(v.Columns, p.ident("a column"))
			if !p.acceptKind(kComma) {
				break
			}
		}
	}
	v.Span = p.since(start)
	return v
}
