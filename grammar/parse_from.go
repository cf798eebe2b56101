package grammar

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
	for !p.is(kwJoin) {
		p.next()
	}
	p.next()
	j.Right = p.fromBase()
	if p.d.In(Databricks) {
		p.sparkJoinCondition(&j)
	} else {
		p.duckJoinCondition(&j)
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
	lateral := false
	if p.is(kwLateral) && !p.endsName(p.look(1)) {
		p.next()
		lateral = true
	}
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
			o.String = p.stringLiteral()
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

// joined reports whether x may stand in parentheses in DuckDB: a join, also in further parentheses, or a pivot.
func joined(x FromItem) bool {
	switch x := x.(type) {
	case *Joins:
		return true
	case *ParenFrom:
		return joined(x.X)
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
