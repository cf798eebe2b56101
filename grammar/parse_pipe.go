package grammar

// barIsPipe reports whether the single | at the cursor is a pipe token rather than the operator: a pipe operator's word and
// what must follow it come next.
func (p *parser) barIsPipe() bool {
	next := p.look(2)
	switch p.look(1).word {
	case kwOrder, kwSort, kwCluster, kwDistribute:
		return next.word == kwBy
	case kwJoin, kwLeft, kwRight, kwFull, kwInner, kwCross, kwNatural, kwSemi, kwAnti:
		p.i++
		defer func() { p.i-- }()
		return p.startsJoin()
	case kwUnion, kwExcept, kwMinus, kwIntersect:
		p.i++
		defer func() { p.i-- }()
		return p.setOperator()
	case kwTablesample, kwPivot, kwUnpivot:
		return next.kind == kLParen
	case kwSelect, kwExtend, kwSet, kwDrop, kwAs, kwWhere, kwAggregate, kwLimit, kwOffset:
		return !p.endsName(next) && !endsExpression(next.word)
	}
	return false
}

// pipe parses |> operator .. behind a body (Databricks).
func (p *parser) pipe(input Body) Body {
	x := &Pipe{Input: input}
	for p.startsPipe() {
		p.next()
		x.Ops = append(x.Ops, p.pipeOp())
	}
	x.Span = p.since(input.Bounds().Start)
	return x
}

func (p *parser) pipeOp() PipeOp {
	start := p.start()
	switch p.peek().word {
	case kwSelect:
		s := p.selects.new()
		s.Start = start
		p.selectList(s)
		if p.are(kwGroup, kwBy) {
			s.GroupBy = p.groupBy()
		}
		if p.is(kwWindow) && p.clauseAhead() {
			s.Windows = p.namedWindows()
		}
		s.End = p.end()
		return &PipeSelect{p.since(start), s}
	case kwExtend:
		p.next()
		x := &PipeExtend{}
		x.Items = p.pipeItems()
		x.Span = p.since(start)
		return x
	case kwSet:
		return p.pipeSet(start)
	case kwDrop:
		p.next()
		x := &PipeDrop{}
		for {
			x.Columns = append(x.Columns, *p.dottedColumn())
			if !p.acceptKind(kComma) {
				break
			}
		}
		x.Span = p.since(start)
		return x
	case kwAs:
		p.next()
		a := p.ident("a name behind AS")
		return &PipeAs{p.since(start), a}
	case kwWhere:
		p.next()
		e := p.expr()
		return &PipeWhere{p.since(start), e}
	case kwAggregate:
		return p.pipeAggregate(start)
	case kwTablesample:
		s := p.sparkSample()
		return &PipeSample{p.since(start), s}
	case kwPivot:
		v := p.pivot(nil)
		return &PipePivot{p.since(start), v}
	case kwUnpivot:
		v := p.unpivot(nil)
		v.Alias = p.alias()
		v.End = p.end()
		return &PipeUnpivot{p.since(start), v}
	case kwUnion, kwExcept, kwMinus, kwIntersect:
		b := p.setBranch()
		b.Body = p.branch()
		b.End = p.end()
		return &PipeUnion{p.since(start), b}
	}
	if p.startsJoin() {
		j := p.join()
		return &PipeJoin{p.since(start), j}
	}
	if p.startsOrganization() {
		q := p.queries.new()
		q.Start = start
		p.organization(q)
		q.End = p.end()
		return &PipeOrder{q.Span, q}
	}
	p.fail("a pipe operator")
	return nil
}

func (p *parser) pipeItems() []SelectItem {
	mark := p.items.mark()
	for {
		p.items.add(p.selectItem())
		if !p.acceptKind(kComma) {
			return p.items.take(mark)
		}
	}
}

func (p *parser) pipeSet(start int32) PipeOp {
	p.next()
	x := &PipeSet{}
	for {
		a := Assign{}
		at := p.start()
		a.Target = p.dottedColumn()
		p.expectKind(kEq)
		a.Value = p.expr()
		a.Span = p.since(at)
		x.Assigns = append(x.Assigns, a)
		if !p.acceptKind(kComma) {
			break
		}
	}
	x.Span = p.since(start)
	return x
}

func (p *parser) pipeAggregate(start int32) PipeOp {
	p.next()
	x := &PipeAggregate{}
	if !p.are(kwGroup, kwBy) {
		x.Items = p.pipeItems()
	}
	if p.are(kwGroup, kwBy) {
		at := p.look(2)
		x.GroupBy = p.groupByAliased(true)
		if row, ok := x.GroupBy.Items[0].(*Row); ok && len(row.Items) == 0 {
			p.refuse(at.start, "a pipe groups by values", "")
		}
	}
	if x.GroupBy == nil && len(x.Items) == 0 {
		p.fail("an aggregate or GROUP BY")
	}
	x.Span = p.since(start)
	return x
}

// isTransform reports whether the first item of a select list is a TRANSFORM clause (Databricks).
func (p *parser) isTransform(item *SelectItem) bool {
	if !(p.is(kwUsing) || p.are(kwRow, kwFormat) || p.is(kwRecordwriter)) || item.Alias.Present() {
		return false
	}
	c, ok := item.X.(*Call)
	return ok && len(c.Name.Parts) == 1 && c.Name.Parts[0].Is("TRANSFORM") && c.Over == nil && c.Filter == nil
}

// transform parses the rest of a TRANSFORM clause, or a MAP or REDUCE clause from its start.
func (p *parser) transform(call *Call) *Transform {
	x := &Transform{}
	start := p.start()
	if call != nil {
		start = call.Start
		x.Verb, x.Args, x.Quantifier = "TRANSFORM", call.Args, call.Quantifier
	} else {
		x.Verb = p.peek().word.String()
		p.next()
		if p.is(kwDistinct) {
			p.next()
			x.Quantifier = QuantDistinct
		} else if p.is(kwAll) && p.startsOperand(p.look(1)) {
			p.next()
			x.Quantifier = QuantAll
		}
		x.Args = p.exprList()
	}
	x.In = p.rowFormat()
	if p.accept(kwRecordwriter) {
		x.Writer = p.stringLiteral()
	}
	p.expect(kwUsing)
	x.Using = p.stringLiteral()
	if p.accept(kwAs) {
		if x.Parens = p.at(kLParen); x.Parens {
			x.Columns = p.aliasColumns(true)
		} else {
			x.Columns = p.bareColumns()
		}
	}
	x.Out = p.rowFormat()
	if p.accept(kwRecordreader) {
		x.Reader = p.stringLiteral()
	}
	x.Span = p.since(start)
	return x
}

// bareColumns parses name [type], ... without parentheses.
func (p *parser) bareColumns() []AliasColumn {
	var out []AliasColumn
	for {
		c := AliasColumn{}
		start := p.start()
		c.Name = p.ident("a column")
		if p.isName(p.peek()) && !p.clauseAhead() {
			c.Type = p.dataType()
		}
		c.Span = p.since(start)
		out = append(out, c)
		if !p.acceptKind(kComma) {
			return out
		}
	}
}

// rowFormat parses ROW FORMAT .. if it is there.
func (p *parser) rowFormat() *RowFormat {
	if !p.are(kwRow, kwFormat) {
		return nil
	}
	x := &RowFormat{}
	start := p.start()
	p.i += 2
	if p.accept(kwSerde) {
		x.Serde = p.stringLiteral()
		if p.is(kwWith) && p.look(1).word == kwSerdeproperties {
			p.i += 2
			x.Properties = p.options()
		}
		x.Span = p.since(start)
		return x
	}
	p.expect(kwDelimited)
	for {
		switch {
		case p.acceptAll(kwFields, kwTerminated):
			p.expect(kwBy)
			x.Fields = p.stringLiteral()
		case p.acceptAll(kwEscaped, kwBy):
			x.Escaped = p.stringLiteral()
		case p.acceptAll(kwCollection, kwItems):
			p.expectAll(kwTerminated, kwBy)
			x.Collection = p.stringLiteral()
		case p.acceptAll(kwMap, kwKeys):
			p.expectAll(kwTerminated, kwBy)
			x.MapKeys = p.stringLiteral()
		case p.acceptAll(kwLines, kwTerminated):
			p.expect(kwBy)
			x.Lines = p.stringLiteral()
		case p.acceptAll(kwNull, kwDefined):
			p.expect(kwAs)
			x.Null = p.stringLiteral()
		default:
			x.Span = p.since(start)
			return x
		}
	}
}
