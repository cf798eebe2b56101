package grammar

// callOf parses a call from its opening parenthesis on.
func (p *parser) callOf(start int32, receiver Expr, name Name) Expr {
	c := p.calls.new()
	c.Start, c.Receiver, c.Name = start, receiver, name
	p.enter()
	p.expectKind(kLParen)
	return p.callArgs(c, nil)
}

// callArgs parses the arguments, of which the first may have been parsed already, and what follows the call.
func (p *parser) callArgs(c *Call, first Expr) Expr {
	mark := p.exprs.mark()
	if first == nil {
		switch {
		case p.is(kwDistinct) && !(p.d.In(Databricks) && p.plainWord()):
			p.next()
			c.Quantifier = QuantDistinct
		case p.is(kwAll) && p.startsOperand(p.look(1)) && p.look(1).kind != kLParen || p.are(kwAll) && p.d.In(DuckDB):
			p.next()
			c.Quantifier = QuantAll
		}
	}
	for first != nil || !p.at(kRParen) && !p.argumentTail() {
		x := first
		if first = nil; x == nil {
			x = p.argument(c)
		}
		p.exprs.add(x)
		if !p.comma(kRParen) {
			break
		}
		if p.at(kRParen) {
			p.fail("an argument")
		}
	}
	c.Args = p.exprs.take(mark)
	if c.Quantifier != NoQuantifier && c.Args == nil {
		p.fail("an argument")
	}
	if p.d.In(DuckDB) {
		if p.are(kwOrder, kwBy) {
			c.OrderBy = p.orderBy()
		}
		c.Nulls = p.nullTreatment()
	} else if c.Nulls = p.nullTreatment(); c.Nulls != NoNullTreatment {
		c.NullsInside = true
		if !c.takesNulls() {
			p.refuse(c.Start, "only FIRST, LAST and ANY_VALUE take IGNORE NULLS inside", "write it behind the parenthesis")
		}
	}
	p.expectKind(kRParen)
	p.leave()
	if c.Receiver == nil {
		p.callTail(c)
	}
	c.End = p.end()
	if p.d.In(DuckDB) {
		return p.duckCall(c)
	}
	return c
}

// argumentTail reports whether ORDER BY or a null treatment follows instead of an argument (DuckDB).
func (p *parser) argumentTail() bool {
	return p.d.In(DuckDB) && (p.are(kwOrder, kwBy) || p.are(kwIgnore, kwNulls) || p.are(kwRespect, kwNulls))
}

// takesNulls reports whether the call is FIRST, LAST or ANY_VALUE.
func (c *Call) takesNulls() bool {
	if len(c.Name.Parts) != 1 {
		return false
	}
	n := &c.Name.Parts[0]
	return n.Is("FIRST") || n.Is("LAST") || n.Is("ANY_VALUE")
}

// argument parses one argument of a call.
func (p *parser) argument(c *Call) Expr {
	t := p.peek()
	if t.kind == kWord || t.kind == kQuoted {
		if next := p.look(1).kind; (next == kFatArrow || next == kAssign) && (p.d.In(Databricks) || !t.word.in(classReserved)) {
			a := &NamedArg{Name: p.takeIdent(), Op: next.String()}
			p.next()
			a.Value = p.argumentValue()
			a.Span = p.since(t.start)
			return a
		}
		switch {
		case t.word == kwTable && p.d.In(Databricks) && p.startsTableArg():
			return p.tableArg()
		case t.word == kwVariadic && p.d.In(DuckDB):
			p.next()
			a := &VariadicArg{X: p.expr()}
			a.Span = p.since(t.start)
			return a
		}
	}
	x := p.expr()
	if p.d.In(Databricks) && len(c.Name.Parts) == 1 && c.Name.Parts[0].Is("STRUCT") {
		if p.is(kwAs) || p.isLabel(p.peek()) {
			return p.aliased(x)
		}
	}
	return x
}

func (p *parser) argumentValue() Expr {
	if p.is(kwTable) && p.d.In(Databricks) && p.startsTableArg() {
		return p.tableArg()
	}
	return p.expr()
}

func (p *parser) startsTableArg() bool {
	t := p.look(1)
	return t.kind == kLParen || p.isLabel(t)
}

// tableArg parses a table as an argument (Databricks).
func (p *parser) tableArg() Expr {
	x := &TableArg{}
	start := p.start()
	p.next()
	if p.at(kLParen) {
		p.enter()
		p.next()
		if p.startsQuery() || p.at(kLParen) {
			x.Query = p.query()
		} else {
			x.Parens = true
			x.Name = p.name("a table or a query")
		}
		p.expectKind(kRParen)
		p.leave()
	} else {
		x.Name = p.name("a table")
	}
	switch {
	case p.is(kwWith) && (p.look(1).word == kwSingle):
		p.next()
		p.expectAll(kwSingle, kwPartition)
		x.Single = true
	case (p.is(kwPartition) || p.is(kwDistribute)) && p.look(1).word == kwBy:
		p.i += 2
		x.PartitionBy, x.PartitionParens = p.partitionList()
	}
	if (p.is(kwOrder) || p.is(kwSort)) && p.look(1).word == kwBy {
		p.i += 2
		if x.OrderParens = p.acceptKind(kLParen); x.OrderParens {
			x.OrderBy = p.sortList()
			p.expectKind(kRParen)
		} else {
			x.OrderBy = p.sorts.one(p.sort())
		}
	}
	x.Span = p.since(start)
	return x
}

// partitionList parses (e, ...) or one expression.
func (p *parser) partitionList() (list []Expr, parens bool) {
	if !p.at(kLParen) {
		return p.exprs.one(p.expr()), false
	}
	p.next()
	mark := p.exprs.mark()
	for {
		p.exprs.add(p.expr())
		if !p.acceptKind(kComma) {
			break
		}
	}
	p.expectKind(kRParen)
	return p.exprs.take(mark), true
}

func (p *parser) nullTreatment() NullTreatment {
	switch {
	case p.acceptAll(kwIgnore, kwNulls):
		return IgnoreNulls
	case p.acceptAll(kwRespect, kwNulls):
		return RespectNulls
	}
	return NoNullTreatment
}

// callTail parses what may follow the parenthesis of a call.
func (p *parser) callTail(c *Call) {
	if p.peek().word == noKeyword {
		return
	}
	if p.is(kwWithin) && p.look(1).word == kwGroup {
		p.i += 2
		p.expectKind(kLParen)
		if !p.are(kwOrder, kwBy) {
			p.fail("ORDER BY")
		}
		c.WithinGroup = p.orderBy()
		p.expectKind(kRParen)
	}
	if p.is(kwFilter) && p.look(1).kind == kLParen && (p.d.In(DuckDB) || p.look(2).word == kwWhere) {
		p.i += 2
		p.accept(kwWhere)
		c.Filter = p.expr()
		p.expectKind(kRParen)
	}
	if p.d.In(Databricks) {
		if n := p.nullTreatment(); n != NoNullTreatment {
			if c.NullsInside {
				p.refuse(c.Start, "two null treatments in one call", "")
			}
			c.Nulls = n
		}
	} else if p.accept(kwExportState) {
		c.ExportState = true
	}
	if p.is(kwOver) && (p.look(1).kind == kLParen || p.isName(p.look(1)) && !endsExpression(p.look(1).word)) {
		p.next()
		c.Over = p.window()
	}
}

// window parses what stands behind OVER, or a named window's definition.
func (p *parser) window() *Window {
	w := p.windows.new()
	start := p.start()
	if !p.at(kLParen) {
		w.Name = p.ident("a window")
		w.Span = p.since(start)
		p.referWindow(w)
		return w
	}
	w.Parens = true
	p.enter()
	p.next()
	p.windowSpec(w)
	p.expectKind(kRParen)
	p.leave()
	w.Span = p.since(start)
	if p.d.In(DuckDB) {
		p.checkWindow(w)
	}
	return w
}

func (p *parser) windowSpec(w *Window) {
	duck := p.d.In(DuckDB)
	if p.isName(p.peek()) && !p.startsWindowClause() {
		w.Name = p.takeIdent()
		if !duck {
			return
		}
	}
	if p.startsWindowClause() && (p.is(kwPartition) || p.is(kwOrder)) && p.look(1).word != kwBy {
		p.next()
		p.fail("BY")
	}
	switch {
	case p.are(kwPartition, kwBy), !duck && (p.are(kwDistribute, kwBy) || p.are(kwCluster, kwBy)):
		cluster := p.is(kwCluster)
		p.i += 2
		w.PartitionBy = p.partitions()
		if cluster {
			break
		}
		fallthrough
	default:
		switch {
		case p.are(kwOrder, kwBy):
			w.OrderBy = p.orderBy()
		case !duck && p.are(kwSort, kwBy):
			p.i += 2
			w.OrderBy = p.sortList()
		}
	}
	switch {
	case p.is(kwRows):
		w.Frame = p.frame(FrameRows)
	case p.is(kwRange):
		w.Frame = p.frame(FrameRange)
	case p.is(kwGroups) && duck:
		w.Frame = p.frame(FrameGroups)
	}
}

// startsWindowClause reports whether the word at the cursor begins a clause of a window rather than naming one.
func (p *parser) startsWindowClause() bool {
	switch p.peek().word {
	case kwPartition, kwOrder, kwDistribute, kwCluster, kwSort:
		return p.look(1).word == kwBy || p.look(1).kind != kRParen
	case kwRows, kwRange, kwGroups:
		return p.look(1).kind != kRParen
	}
	return false
}

func (p *parser) frame(unit FrameUnit) *Frame {
	f := &Frame{Unit: unit}
	start := p.start()
	p.next()
	if p.accept(kwBetween) {
		f.Between = true
		f.Low = p.bound()
		p.expect(kwAnd)
		f.High = p.bound()
	} else {
		f.Low = p.bound()
	}
	if p.is(kwExclude) && p.d.In(DuckDB) {
		p.next()
		switch {
		case p.acceptAll(kwCurrent, kwRow):
			f.Exclude = ExcludeCurrentRow
		case p.accept(kwGroup):
			f.Exclude = ExcludeGroup
		case p.accept(kwTies):
			f.Exclude = ExcludeTies
		case p.acceptAll(kwNo, kwOthers):
			f.Exclude = ExcludeNoOthers
		default:
			p.fail("CURRENT ROW, GROUP, TIES or NO OTHERS")
		}
	}
	f.Span = p.since(start)
	return f
}

func (p *parser) bound() Bound {
	b := Bound{}
	start := p.start()
	switch {
	case p.acceptAll(kwUnbounded, kwPreceding):
		b.Kind = BoundUnboundedPreceding
	case p.acceptAll(kwUnbounded, kwFollowing):
		b.Kind = BoundUnboundedFollowing
	case p.acceptAll(kwCurrent, kwRow):
		b.Kind = BoundCurrentRow
	default:
		b.X = p.expr()
		switch {
		case p.accept(kwPreceding):
			b.Kind = BoundPreceding
		case p.accept(kwFollowing):
			b.Kind = BoundFollowing
		default:
			p.fail("PRECEDING or FOLLOWING")
		}
	}
	b.Span = p.since(start)
	return b
}

// partitions parses the list of PARTITION BY, where DuckDB 2.0 allows a comma at the end.
func (p *parser) partitions() []Expr {
	mark := p.exprs.mark()
	p.exprs.add(p.expr())
	for p.acceptKind(kComma) {
		if p.d.In(DuckDB) && (p.at(kRParen) || p.startsWindowClause()) {
			break
		}
		p.exprs.add(p.expr())
	}
	return p.exprs.take(mark)
}

// exprList parses e, ... without parentheses or a trailing comma.
func (p *parser) exprList() []Expr {
	mark := p.exprs.mark()
	p.exprs.add(p.expr())
	for p.acceptKind(kComma) {
		p.exprs.add(p.expr())
	}
	return p.exprs.take(mark)
}
