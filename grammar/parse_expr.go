package grammar

// operand parses a primary with its prefix and postfix operators.
func (p *parser) operand() Expr {
	t := p.peek()
	switch t.kind {
	case kMinus, kPlus, kTilde, kBang, kAt, kOperator, kAmp, kBar, kConcat, kShiftLeft, kShiftRight, kEqEq:
		if x := p.prefix(t); x != nil {
			return x
		}
	case kWord:
		if t.word == kwNot {
			return p.not()
		}
		if t.word == kwOperator && p.d.In(DuckDB) && p.look(1).kind == kLParen {
			return p.prefixOther()
		}
	}
	return p.postfix(p.primary())
}

// prefix parses a prefix operator and its operand; nil if t is none in the dialect.
func (p *parser) prefix(t *token) Expr {
	start := t.start
	if p.d.In(DuckDB) {
		if t.kind != kMinus && t.kind != kPlus {
			return p.prefixOther()
		}
		x := &Unary{Op: p.operator()}
		p.enter()
		x.X = p.binary(duckUnary)
		p.leave()
		x.Span = p.since(start)
		return x
	}
	switch t.kind {
	case kBang:
		p.next()
		return p.negation(start)
	case kMinus:
		if p.look(1).kind == kNumber {
			p.next()
			n := p.number()
			n.Negative, n.Start = true, start
			return p.postfix(n)
		}
	case kPlus, kTilde:
	default:
		return nil
	}
	x := &Unary{Op: p.operator()}
	p.enter()
	x.X = p.binary(sparkUnary)
	p.leave()
	x.Span = p.since(start)
	return x
}

// prefixOther parses a DuckDB prefix operator without a level of its own; its operand has that common level, exclusive.
func (p *parser) prefixOther() Expr {
	start := p.start()
	x := &Unary{Op: p.operator()}
	p.enter()
	x.X = p.binary(duckOther + 1)
	p.leave()
	x.Span = p.since(start)
	return x
}

func (p *parser) not() Expr {
	start := p.start()
	if p.d.In(Databricks) && !p.startsOperand(p.look(1)) && p.look(1).kind != kBang &&
		!(p.look(1).kind == kStar && !p.startsOperand(p.look(2))) {
		return p.postfix(p.primary())
	}
	p.next()
	return p.negation(start)
}

func (p *parser) negation(start int32) Expr {
	x := p.nots.new()
	p.enter()
	if p.d.In(Databricks) {
		x.X = p.binary(sparkNot + 1)
	} else {
		x.X = p.binary(duckNot + 1)
	}
	p.leave()
	x.Span = p.since(start)
	return x
}

// inOperand parses the operand of a DuckDB IN without parentheses: a primary without casts in 1.5, any operand in 2.0.
func (p *parser) inOperand() Expr {
	switch t := p.peek(); t.kind {
	case kMinus, kPlus, kTilde, kBang, kAt, kOperator:
		return p.operand()
	}
	return p.access(p.primary())
}

// postfix takes what may follow a primary: casts, fields, subscripts and, in Databricks, COLLATE and JSON paths.
func (p *parser) postfix(x Expr) Expr {
	switch x.(type) {
	case *Exists:
		if p.d.In(Databricks) {
			return x // a condition, no primary
		}
	case *Star:
		return x
	}
	for {
		switch p.peek().kind {
		case kDoubleColon:
			x = p.castTo(x)
			if p.d.In(DuckDB) {
				return p.castTail(x)
			}
		case kTryColon:
			x = p.castTo(x)
		case kDot, kLBracket:
			y := p.accessStep(x)
			if y == x {
				return x
			}
			x = y
		case kColon:
			if p.d.In(DuckDB) || !p.startsPath(p.look(1)) {
				return x
			}
			x = p.jsonPath(x)
		case kWord:
			if !p.is(kwCollate) || p.d.In(DuckDB) || !p.isName(p.look(1)) {
				return x
			}
			x = p.collate(x)
		default:
			return x
		}
	}
}

// access takes fields, method calls and subscripts.
func (p *parser) access(x Expr) Expr {
	for p.at(kDot) || p.at(kLBracket) {
		y := p.accessStep(x)
		if y == x {
			return x
		}
		x = y
	}
	return x
}

// accessStep takes one field, method call or subscript; it returns x itself if there is none.
func (p *parser) accessStep(x Expr) Expr {
	start := x.Bounds().Start
	if p.at(kLBracket) {
		p.nested()
		return p.subscript(x)
	}
	switch t := p.look(1); {
	case t.kind == kStar && p.d.In(Databricks):
		p.i += 2
		p.nested()
		return &DotStar{Span: p.since(start), X: x}
	case !p.isLabel(t):
		p.next()
		p.fail("a name behind the dot")
	}
	p.next()
	p.nested()
	name := p.takeIdent()
	if p.at(kLParen) && p.d.In(DuckDB) {
		return p.callOf(start, x, Name{Span: name.Span, Parts: p.idents.one(name)})
	}
	return &Dot{Span: p.since(start), X: x, Name: name}
}

// subscript parses [i] or a DuckDB slice.
func (p *parser) subscript(x Expr) Expr {
	start := x.Bounds().Start
	p.expectKind(kLBracket)
	p.enter()
	defer p.leave()
	if p.d.In(Databricks) {
		i := p.binary(sparkCompare + 1)
		p.expectKind(kRBracket)
		return &Index{Span: p.since(start), X: x, I: i}
	}
	var low, high, step Expr
	if !p.at(kColon) {
		low = p.expr()
		if p.acceptKind(kRBracket) {
			return &Index{Span: p.since(start), X: x, I: low}
		}
	}
	s := &Slice{X: x, Low: low}
	p.expectKind(kColon)
	switch {
	case p.at(kMinus) && p.look(1).kind == kColon:
		p.next()
		s.Dash = true
	case !p.at(kRBracket) && !p.at(kColon):
		high = p.expr()
	}
	if p.acceptKind(kColon) {
		s.Stepped = true
		if !p.at(kRBracket) {
			step = p.expr()
		}
	} else if s.Dash {
		p.fail(`":" and a step`)
	}
	p.expectKind(kRBracket)
	s.High, s.Step = high, step
	s.Span = p.since(start)
	return s
}

// castTo parses ::type or ?::type behind x.
func (p *parser) castTo(x Expr) Expr {
	p.nested()
	c := p.casts.new()
	c.X, c.Colon, c.Try = x, true, p.at(kTryColon)
	p.next()
	c.Type = p.dataType()
	c.Span = p.since(x.Bounds().Start)
	return c
}

// castTail takes what may follow a cast in DuckDB: further casts and, in 2.0, fields and methods of what it gives.
func (p *parser) castTail(x Expr) Expr {
	for {
		switch c, cast := x.(*Cast); {
		case p.at(kDoubleColon):
			x = p.castTo(x)
		case p.at(kDot) && !(cast && c.Colon && !endsBeforeDot(c.Type)), p.at(kLBracket) && !(cast && c.Colon):
			x = p.accessStep(x)
		default:
			return x
		}
	}
}

// startsPath reports whether t, behind a colon, starts a JSON path.
func (p *parser) startsPath(t *token) bool {
	return t.kind == kWord || t.kind == kQuoted || t.kind == kLBracket
}

// jsonPath parses :path behind x (Databricks). It ends at the first token that does not fit.
func (p *parser) jsonPath(x Expr) Expr {
	p.nested()
	j := &JSONPath{X: x}
	p.expectKind(kColon)
	for {
		start := p.start()
		switch {
		case p.at(kLBracket):
			step, ok := p.pathIndex()
			if !ok {
				j.Span = p.since(x.Bounds().Start)
				return j
			}
			step.Span = p.since(start)
			j.Steps = append(j.Steps, step)
		case len(j.Steps) == 0 && p.isLabel(p.peek()):
			name := p.takeIdent()
			j.Steps = append(j.Steps, PathStep{Span: p.since(start), Name: name})
		case len(j.Steps) > 0 && p.at(kDot) && p.isLabel(p.look(1)):
			p.next()
			name := p.takeIdent()
			j.Steps = append(j.Steps, PathStep{Span: p.since(start), Name: name})
		default:
			j.Span = p.since(x.Bounds().Start)
			return j
		}
	}
}

// pathIndex parses ['x'], [n], [*] or [name]; ok is false if the bracket holds something else and is a subscript.
func (p *parser) pathIndex() (step PathStep, ok bool) {
	if p.look(2).kind != kRBracket {
		return step, false
	}
	t := p.look(1)
	switch t.kind {
	case kString, kNumber, kWord, kQuoted, kStar:
	default:
		return step, false
	}
	p.next()
	switch t.kind {
	case kString:
		step.Index = p.stringLiteral()
	case kNumber:
		step.Index = p.number()
	case kStar:
		step.Star = true
		p.next()
	default:
		step.Index = p.column()
	}
	p.expectKind(kRBracket)
	return step, true
}

// column parses a name of one part as a Column.
func (p *parser) column() *Column {
	x := p.columns.new()
	x.Parts = p.idents.one(p.takeIdent())
	x.Span = x.Parts[0].Span
	return x
}

// content parses what stands behind an opening parenthesis, and the closing one: a query, or expressions. It decides at the
// end, by what follows, so that nothing is parsed twice.
func (p *parser) content() (*Query, []Expr) {
	if p.startsQuery() {
		q := p.query()
		p.expectKind(kRParen)
		return q, nil
	}
	mark := p.exprs.mark()
	first := true
	for {
		var x Expr
		if first && p.at(kRParen) && p.d.In(DuckDB) {
			break // an empty row in 2.0; where none may stand the caller refuses it
		}
		if first && p.at(kLParen) {
			q, y := p.parenthesis()
			if q != nil {
				if p.continuesQuery() {
					outer := p.queryFrom(q)
					p.expectKind(kRParen)
					return outer, nil
				}
				if p.at(kRParen) {
					outer := p.queries.new()
					outer.Body, outer.Span = q, q.Span
					p.next()
					return outer, nil
				}
				y = p.subquery(q)
			}
			x = p.exprFrom(y)
		} else {
			x = p.expr()
		}
		first = false
		if p.d.In(Databricks) && p.is(kwAs) {
			x = p.aliased(x)
		}
		p.exprs.add(x)
		if !p.comma(kRParen) {
			break
		}
	}
	p.expectKind(kRParen)
	return nil, p.exprs.take(mark)
}

// aliased parses AS name or AS (name, ...) behind x inside an expression (Databricks).
func (p *parser) aliased(x Expr) Expr {
	a := &Aliased{X: x}
	p.accept(kwAs)
	if p.at(kLParen) {
		a.Aliases = p.identList("a name")
	} else {
		a.Alias = p.label("a name behind AS")
	}
	a.Span = p.since(x.Bounds().Start)
	return a
}

// parenthesis parses a parenthesized query, or a parenthesized expression or row. The cursor is at the opening one.
func (p *parser) parenthesis() (*ParenQuery, Expr) {
	start := p.start()
	p.enter()
	p.expectKind(kLParen)
	outer := p.measure()
	q, items := p.content()
	p.measured(outer)
	p.leave()
	span := p.since(start)
	if q != nil {
		return &ParenQuery{Span: span, Query: q}, nil
	}
	if len(items) == 1 {
		if p.toks[p.i-2].kind == kComma { // ROW(x), as DuckDB 2.0 reads it
			return nil, &Row{Span: span, Keyword: true, Items: items}
		}
		x := p.parens.new()
		x.Span, x.X = span, items[0]
		return nil, x
	}
	if p.at(kArrow) && p.d.In(Databricks) {
		if params := p.lambdaParams(items); params != nil {
			return nil, p.lambdaBody(start, params)
		}
	}
	return nil, &Row{Span: span, Items: items}
}

func (p *parser) subquery(q *ParenQuery) *Subquery { return &Subquery{Span: q.Span, Query: q.Query} }

// lambdaParams returns the names that a row of plain names has, nil for any other.
func (p *parser) lambdaParams(items []Expr) []Ident {
	var names []Ident
	for _, x := range items {
		c, ok := x.(*Column)
		if !ok || len(c.Parts) != 1 {
			return nil
		}
		names = append(names, c.Parts[0])
	}
	return names
}

// lambdaBody parses -> body (Databricks).
func (p *parser) lambdaBody(start int32, params []Ident) Expr {
	p.expectKind(kArrow)
	x := &Lambda{Params: params}
	p.enter()
	x.Body = p.expr()
	p.leave()
	x.Span = p.since(start)
	return x
}
