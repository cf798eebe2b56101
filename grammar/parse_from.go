package grammar

import "strings"

// fromClause parses FROM item, ... with what follows the list; the cursor is at FROM.
func (p *parser) fromClause(s *Select) {
	p.next()
	mark := p.from.mark()
	for {
		p.from.add(p.fromItem())
		if !p.acceptKind(kComma) {
			break
		}
		if p.d.In(DuckDB) && p.endsSelectList() {
			break
		}
	}
	s.From = p.from.take(mark)
	if p.d.In(DuckDB) {
		return
	}
	for p.are(kwLateral, kwView) {
		s.LateralViews = append(s.LateralViews, p.lateralView())
	}
	if p.is(kwPivot) && p.look(1).kind == kLParen {
		s.Pivot = p.pivot(nil)
	}
	if p.is(kwUnpivot) && p.clauseAhead() {
		s.Unpivot = p.unpivot(nil)
	}
}

// fromClauseFirst parses the FROM of a Databricks query that starts with it.
func (p *parser) fromClauseFirst() *Select {
	s := p.selects.new()
	s.Start = p.start()
	s.FromFirst = true
	p.fromClause(s)
	s.End = p.end()
	return s
}

// fromFirst parses what follows a leading FROM clause: nothing, a select block, or several (Databricks).
func (p *parser) fromFirst(s *Select) Body {
	if !p.startsBlock() {
		s.NoSelect = true
		return s
	}
	p.selectList(s)
	p.selectRest(s)
	if !p.startsBlock() {
		return s
	}
	m := &MultiSelect{From: s.From, LateralViews: s.LateralViews}
	first := &Query{Span: s.Span, Body: s}
	s.From, s.LateralViews = nil, nil
	s.FromFirst = false
	m.Branches = append(m.Branches, first)
	for p.startsBlock() {
		b := p.selects.new()
		b.Start = p.start()
		p.selectList(b)
		p.selectRest(b)
		m.Branches = append(m.Branches, &Query{Span: b.Span, Body: b})
	}
	m.Span = p.since(s.Start)
	return m
}

func (p *parser) startsBlock() bool {
	return p.is(kwSelect) || (p.is(kwMap) || p.is(kwReduce)) && p.look(1).kind != kEOF
}

// duckFromFirst parses FROM .. [SELECT ..] .. of DuckDB.
func (p *parser) duckFromFirst() Body {
	s := p.fromClauseFirst()
	if p.is(kwSelect) {
		p.selectList(s)
	} else {
		s.NoSelect = true
	}
	p.selectRest(s)
	return s
}

// fromItem parses one item of a FROM list with its joins.
func (p *parser) fromItem() FromItem {
	outer := p.measure()
	x := p.fromTail(p.fromBase())
	p.measured(outer)
	return x
}

// fromTail takes the joins and pivots that follow an item.
func (p *parser) fromTail(x FromItem) FromItem {
	for {
		t := p.peek()
		if t.word == noKeyword {
			return x
		}
		switch {
		case p.startsJoin():
			p.nested()
			j := p.joins.new()
			j.First = x
			mark := p.steps.mark()
			for p.startsJoin() {
				p.steps.add(p.join())
			}
			j.Rest = p.steps.take(mark)
			j.Span = p.since(x.Bounds().Start)
			x = j
		case t.word == kwPivot && p.look(1).kind == kLParen:
			p.nested()
			x = p.pivot(x)
		case t.word == kwUnpivot && (p.look(1).kind == kLParen || p.look(2).word == kwNulls):
			p.nested()
			x = p.unpivot(x)
		case t.word == kwMatchRecognize && p.look(1).kind == kLParen && p.d.In(Databricks):
			p.nested()
			x = p.matchRecognize(x)
		default:
			if joinWord(t.word) && (p.d.In(DuckDB) || t.word.in(classStrict)) {
				for joinWord(p.peek().word) || p.is(kwOuter) {
					p.next()
				}
				p.fail("JOIN")
			}
			return x
		}
	}
}

// joinWord reports whether w begins a join, and nothing else behind a table.
func joinWord(w keyword) bool {
	switch w {
	case kwNatural, kwLeft, kwRight, kwFull, kwInner, kwCross, kwAsof, kwPositional:
		return true
	}
	return false
}

// startsJoin reports whether a join is at the cursor.
func (p *parser) startsJoin() bool {
	n := 0
	if p.look(n).word == kwNatural {
		n++
	} else if p.look(n).word == kwAsof && p.d.In(DuckDB) {
		n++
	}
	switch p.look(n).word {
	case kwJoin:
		if n == 0 && p.d.In(Databricks) {
			t := p.look(1)
			return t.kind == kWord || t.kind == kQuoted || t.kind == kLParen || t.kind == kEOF || t.kind == kString
		}
		return true
	case kwLeft:
		n++
		switch p.look(n).word {
		case kwOuter:
			n++
		case kwSemi, kwAnti:
			if p.d.In(Databricks) {
				n++
			}
		}
	case kwRight, kwFull:
		n++
		if p.look(n).word == kwOuter {
			n++
		}
	case kwInner, kwCross, kwSemi, kwAnti:
		n++
	case kwPositional:
		if p.d.In(Databricks) {
			return false
		}
		n++
	}
	return p.look(n).word == kwJoin
}

// join parses one join step.
func (p *parser) join() Join {
	j := Join{}
	j.Start = p.start()
	if p.accept(kwNatural) {
		j.Natural = true
	} else if p.is(kwAsof) && p.d.In(DuckDB) {
		p.next()
		j.Asof = true
	}
	if (j.Natural || j.Asof) && (p.is(kwCross) || p.is(kwPositional)) && p.d.In(DuckDB) {
		p.fail("a join that compares rows")
	}
	switch p.peek().word {
	case kwLeft:
		j.Kind = JoinLeft
		switch p.look(1).word {
		case kwSemi:
			j.Kind = JoinSemi
		case kwAnti:
			j.Kind = JoinAnti
		}
	case kwRight:
		j.Kind = JoinRight
	case kwFull:
		j.Kind = JoinFull
	case kwCross:
		j.Kind = JoinCross
	case kwSemi:
		j.Kind = JoinSemi
	case kwAnti:
		j.Kind = JoinAnti
	case kwPositional:
		j.Kind = JoinPositional
	}
	bare := p.is(kwJoin)
	for !p.is(kwJoin) {
		p.next()
	}
	p.next()
	by := bare && !j.Natural && !j.Asof && p.d.In(DuckDB) && p.joinBy(&j)
	j.Right = p.fromBase()
	if p.d.In(Databricks) {
		p.sparkJoinCondition(&j)
	} else {
		p.duckJoinCondition(&j)
	}
	if by && j.Nearest != nil {
		p.failBack(j.Nearest.Start, "ON or USING")
	}
	j.End = p.end()
	return j
}

func (p *parser) sparkJoinCondition(j *Join) {
	if j.Natural {
		return
	}
	if !p.joinCondition(j) {
		p.nearest(j)
	}
}

// duckJoinCondition parses the condition of a DuckDB join. Where one is needed and further joins stand before it, those
// belong to the right side.
func (p *parser) duckJoinCondition(j *Join) {
	if j.Natural || j.Kind == JoinCross || j.Kind == JoinPositional {
		return
	}
	if p.nearest(j) {
		return
	}
	p.enter()
	outer := p.measure()
	for !p.is(kwOn) && !p.is(kwUsing) {
		switch {
		case p.startsJoin():
			p.nested()
			x := p.joins.new()
			x.First = j.Right
			mark := p.steps.mark()
			for p.startsJoin() {
				p.steps.add(p.join())
			}
			x.Rest = p.steps.take(mark)
			x.Span = p.since(j.Right.Bounds().Start)
			j.Right = x
		case p.is(kwPivot), p.is(kwUnpivot):
			right := p.fromTail(j.Right)
			if right == j.Right {
				p.fail("ON or USING")
			}
			j.Right = right
		default:
			p.fail("ON or USING")
		}
	}
	p.measured(outer)
	p.leave()
	p.joinCondition(j)
}

// joinCondition parses ON expr or USING (name, ...).
func (p *parser) joinCondition(j *Join) bool {
	switch {
	case p.accept(kwOn):
		j.On = p.expr()
	case p.is(kwUsing) && !(p.look(1).word == kwSample && p.d.In(DuckDB)):
		p.next()
		j.Using = p.identList("a column")
	default:
		return false
	}
	return true
}

// nearest parses [APPROX|EXACT] NEAREST [n] BY {DISTANCE|SIMILARITY} expr.
func (p *parser) nearest(j *Join) bool {
	if !p.startsNearest() {
		return false
	}
	n := &Nearest{}
	start := p.start()
	if !p.is(kwNearest) {
		n.Mode = p.peek().word.String()
		p.next()
	}
	p.next()
	if !p.is(kwBy) {
		n.Count = p.operand()
		if c, ok := n.Count.(*Number); ok && c.Kind != NumberInteger {
			p.refuse(c.Start, "NEAREST takes a whole number", "")
		} else if ok && strings.Trim(c.Text, "0_") == "" {
			p.refuse(c.Start, "NEAREST takes a number from 1", "")
		}
	}
	p.expect(kwBy)
	if !p.is(kwDistance) && !p.is(kwSimilarity) {
		p.fail("DISTANCE or SIMILARITY")
	}
	n.Measure = p.peek().word.String()
	p.next()
	n.X = p.expr()
	n.Span = p.since(start)
	if j.Kind != JoinInner && j.Kind != JoinLeft || j.Asof || j.Natural {
		p.refuse(start, "NEAREST goes with an inner or left join only", "")
	}
	j.Nearest = n
	return true
}

func (p *parser) startsNearest() bool {
	switch p.peek().word {
	case kwApprox, kwExact:
		return p.look(1).word == kwNearest
	case kwNearest:
		return p.d.In(DuckDB) && (p.look(1).kind == kNumber || p.look(1).word == kwBy || p.look(1).kind == kParam)
	}
	return false
}

// fromBase parses one item without joins.
func (p *parser) fromBase() FromItem {
	if p.d.In(DuckDB) {
		return p.duckBaseItem()
	}
	if p.is(kwLateral) && !p.endsName(p.look(1)) {
		at := p.start()
		p.next()
		x := p.sparkItem(true)
		switch x.(type) {
		case *Derived, *TableFunction:
		default:
			p.refuse(at, "LATERAL stands before a query or a function", "")
		}
		return x
	}
	return p.sparkItem(false)
}

// sparkItem parses one FROM item of Databricks without joins, behind LATERAL.
func (p *parser) sparkItem(lateral bool) FromItem {
	start := p.start()
	switch {
	case p.at(kLParen):
		return p.fromParen(lateral)
	case p.is(kwValues) && p.startsQuery():
		x := &InlineValues{Values: p.values(true)}
		x.Span, x.Lateral = p.since(start), lateral
		return x
	case p.is(kwStream) && (p.look(1).kind == kLParen || p.isLabel(p.look(1)) && p.streamName()):
		return p.stream(start, lateral)
	}
	return p.sparkNamed(start, lateral, false, false)
}

// streamName reports whether STREAM at the cursor is followed by the name of what is streamed, rather than by an alias of a
// table called stream.
func (p *parser) streamName() bool {
	t := p.look(1)
	if t.word == kwAs {
		return false
	}
	p.i++
	defer func() { p.i-- }()
	return !p.clauseAhead() && !t.word.in(classStrict)
}

// stream parses STREAM name, STREAM (name), STREAM f(..), STREAM (f(..)); the cursor is at STREAM.
func (p *parser) stream(start int32, lateral bool) FromItem {
	p.next()
	if !p.at(kLParen) {
		return p.sparkNamed(start, lateral, true, false)
	}
	p.next()
	inner := p.sparkNamed(p.start(), false, true, true)
	p.expectKind(kRParen)
	switch x := inner.(type) {
	case *Table:
		x.StreamName, x.Lateral = true, lateral
		p.tableSuffix(x)
		x.Span = p.since(start)
	case *TableFunction:
		x.StreamName, x.Lateral = true, lateral
		x.IdentifiedBy = p.identifiedBy()
		x.Watermark = p.watermark()
		x.Alias = p.alias()
		x.Span = p.since(start)
	}
	return inner
}

// alias parses [AS] name [(column, ...)] of Databricks.
func (p *parser) alias() Alias {
	a := Alias{}
	t := p.peek()
	start := t.start
	switch {
	case t.word == kwAs:
		if p.look(1).kind == kLParen { // the alias is called AS: Spark reads AS (a, b) so
			break
		}
		p.next()
		if p.peek().word.in(classStrict) || !p.isName(p.peek()) {
			p.fail("a name behind AS")
		}
	case t.kind == kQuoted:
	case t.kind == kWord && !t.word.in(classStrict) && !p.clauseAhead():
	default:
		return a
	}
	a.Name = p.takeIdent()
	if p.at(kLParen) {
		a.Columns = p.aliasColumns(false)
	}
	a.Span = p.since(start)
	return a
}

// aliasColumns parses (name, ...); typed says that types may stand behind the names.
func (p *parser) aliasColumns(typed bool) []AliasColumn {
	p.expectKind(kLParen)
	var out []AliasColumn
	for {
		c := AliasColumn{}
		start := p.start()
		c.Name = p.identOrString("a column")
		if typed && !p.at(kComma) && !p.at(kRParen) {
			p.acceptKind(kColon)
			c.Type = p.dataType()
		}
		c.Span = p.since(start)
		out = append(out, c)
		if !p.comma(kRParen) {
			break
		}
	}
	p.expectKind(kRParen)
	for i := range out {
		if (out[i].Type == nil) != (out[0].Type == nil) {
			p.refuse(out[i].Start, "either all columns of an alias have types or none", "")
		}
	}
	return out
}

// fromParen parses a parenthesis in FROM: a query, or an item with its joins.
func (p *parser) fromParen(lateral bool) FromItem {
	start := p.start()
	q, x := p.fromContent()
	return p.closeParenItem(start, lateral, q, x)
}

// fromContent parses a parenthesis in FROM up to the closing one, which it takes. What it is, is decided by what follows its
// first part, so nothing is parsed twice.
func (p *parser) fromContent() (*Query, FromItem) {
	p.enter()
	p.expectKind(kLParen)
	var q *Query
	var x FromItem
	start := p.start()
	switch {
	case p.at(kLParen):
		outer := p.measure()
		inner, item := p.fromContent()
		switch span := p.since(start); {
		case inner == nil:
			x = p.fromTail(p.closeParenItem(start, false, nil, item))
		case p.continuesQuery():
			q = p.queryFrom(&ParenQuery{Span: span, Query: inner})
		case p.at(kRParen):
			q = p.queries.new()
			q.Span, q.Body = span, &ParenQuery{Span: span, Query: inner}
		default:
			x = p.fromTail(p.closeParenItem(start, false, inner, nil))
		}
		p.measured(outer)
	case p.startsQuery() && !(p.is(kwValues) && p.d.In(Databricks)):
		q = p.query()
	case p.is(kwValues) && p.startsQuery():
		q, x = p.valuesContent(start)
	default:
		x = p.fromItem()
	}
	if x != nil && p.d.In(DuckDB) && !joined(x) {
		p.fail("a join")
	}
	p.expectKind(kRParen)
	p.leave()
	return q, x
}

// valuesContent parses VALUES in a Databricks parenthesis: a query, or the first item of a join.
func (p *parser) valuesContent(start int32) (*Query, FromItem) {
	v := p.values(true)
	if !p.startsJoin() {
		return p.queryFrom(v), nil
	}
	x := &InlineValues{Values: v}
	x.Span = p.since(start)
	return nil, p.fromTail(x)
}

// joined reports whether x may stand in parentheses in DuckDB: a join, also in further parentheses, whose content has been
// checked when they were read.
func joined(x FromItem) bool {
	switch x.(type) {
	case *Joins, *ParenFrom:
		return true
	}
	return false
}

// closeParenItem makes the item of a parenthesis with what follows it.
func (p *parser) closeParenItem(start int32, lateral bool, q *Query, x FromItem) FromItem {
	if q != nil {
		d := p.derived.new()
		d.Query, d.Lateral = q, lateral
		p.itemSuffix(&d.Source)
		d.Span = p.since(start)
		return d
	}
	f := &ParenFrom{X: x}
	f.Lateral = lateral
	p.itemSuffix(&f.Source)
	f.Span = p.since(start)
	return f
}

// itemSuffix parses sample, watermark and alias in the dialect's order.
func (p *parser) itemSuffix(s *Source) {
	if p.d.In(DuckDB) {
		s.Alias = p.duckAlias(false)
		s.Sample = p.tableSample()
		return
	}
	if p.startsSample() {
		s.Sample = p.sparkSample()
	}
	s.Watermark = p.watermark()
	s.Alias = p.alias()
}
