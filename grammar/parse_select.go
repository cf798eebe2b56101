package grammar

// selectBlock parses SELECT .. up to the clauses that belong to the whole query.
func (p *parser) selectBlock() Body {
	s := p.selects.new()
	s.Start = p.start()
	p.selectList(s)
	if p.is(kwFrom) {
		p.fromClause(s)
	}
	p.selectRest(s)
	return s
}

// selectList parses SELECT, its hints, its quantifier and the items; or a TRANSFORM, MAP or REDUCE clause.
func (p *parser) selectList(s *Select) {
	duck := p.d.In(DuckDB)
	if !duck && (p.is(kwMap) || p.is(kwReduce)) {
		s.Transform = p.transform(nil)
		return
	}
	p.expect(kwSelect)
	for p.at(kHintOpen) {
		s.Hints = append(s.Hints, p.hints()...)
	}
	switch {
	case p.is(kwDistinct) && (duck || !p.plainWord() || p.look(1).word == kwFrom):
		p.next()
		s.Quantifier = QuantDistinct
		if duck && p.is(kwOn) {
			p.next()
			p.expectKind(kLParen)
			mark := p.exprs.mark()
			for {
				p.exprs.add(p.expr())
				if !p.comma(kRParen) {
					break
				}
			}
			p.expectKind(kRParen)
			s.DistinctOn = p.exprs.take(mark)
		}
	case p.is(kwAll) && (duck || p.startsOperand(p.look(1)) && p.look(1).kind != kLParen || p.look(1).kind == kStar):
		p.next()
		s.Quantifier = QuantAll
	}
	if duck && (p.is(kwFrom) || p.at(kEOF)) {
		p.failHint("an expression", "the select list is empty")
	}
	mark := p.items.mark()
	for {
		item := p.selectItem()
		if !duck && p.items.mark() == mark && s.Quantifier == NoQuantifier && p.isTransform(&item) {
			s.Transform = p.transform(item.X.(*Call))
			return
		}
		p.items.add(item)
		if !p.acceptKind(kComma) {
			break
		}
		if duck && p.endsSelectList() {
			break
		}
	}
	s.Items = p.items.take(mark)
}

// endsSelectList reports whether the list ends here, behind a trailing comma (DuckDB).
func (p *parser) endsSelectList() bool {
	t := p.peek()
	switch t.kind {
	case kEOF, kRParen, kSemicolon:
		return true
	case kWord:
		switch t.word {
		case kwFrom, kwWhere, kwGroup, kwHaving, kwWindow, kwQualify, kwOrder, kwLimit, kwOffset, kwUnion, kwExcept,
			kwIntersect, kwUsing, kwFetch, kwOn, kwReturning:
			return true
		}
	}
	return false
}

// selectItem parses one item of a select list.
func (p *parser) selectItem() SelectItem {
	item := SelectItem{}
	start := p.start()
	if p.d.In(DuckDB) {
		if p.look(1).kind == kColon && p.isName(p.peek()) {
			item.Alias = p.takeIdent()
			p.next()
			item.X = p.expr()
			item.Span = p.since(start)
			return item
		}
		item.X = p.expr()
		switch {
		case p.accept(kwAs):
			item.Alias = p.labelOrString("a name behind AS")
		case p.isBareAlias(p.peek()):
			item.Alias = p.takeIdent()
		}
		item.Span = p.since(start)
		return item
	}
	item.X = p.expr()
	switch {
	case p.is(kwAs):
		p.next()
		if p.at(kLParen) {
			item.Aliases = p.identList("a name")
			break
		}
		item.Alias = p.label("a name behind AS")
	case p.at(kLParen) && p.isLabel(p.look(1)):
		item.Aliases = p.identList("a name")
	case p.at(kQuoted):
		item.Alias = p.takeIdent()
	case p.at(kWord) && !p.clauseAhead():
		item.Alias = p.takeIdent()
	}
	item.Span = p.since(start)
	return item
}

// isBareAlias reports whether t can be an alias without AS in a DuckDB select list: in 1.5 only a word that is no keyword, in
// 2.0 also one that may be a column but for those that could go on with the expression.
func (p *parser) isBareAlias(t *token) bool {
	if t.kind == kQuoted {
		return true
	}
	if t.kind != kWord || t.word.in(duckWord) && !t.word.in(classUnreserved|classColumnName) || p.intervalUnit(t) {
		return false
	}
	switch t.word {
	case kwEscape, kwExclude, kwExportState, kwFilter, kwIgnore, kwOver, kwRename, kwReplace, kwRespect, kwVarying, kwWithin,
		kwWithout:
		return false
	}
	return true
}

// clauseAhead reports whether the word at the cursor, which could be an alias, starts the next clause instead (Databricks,
// where nothing is reserved): the clause is taken first.
func (p *parser) clauseAhead() bool {
	t := p.peek()
	if t.word == noKeyword {
		return false
	}
	if p.stop != noKeyword && t.word == p.stop {
		return true
	}
	next := p.look(1)
	switch t.word {
	case kwFrom:
		if next.word == kwFrom {
			// In count(*) FROM from t the first FROM is the alias; in FROM from WHERE .. the second is the table.
			t := p.look(2)
			return !(p.isLabel(t) && !endsExpression(t.word) || t.kind == kLParen)
		}
		return next.kind != kComma
	case kwWhere, kwHaving:
		return next.kind != kComma
	case kwQualify, kwLimit, kwOffset, kwOn, kwUsing:
		return next.kind != kEOF && next.kind != kComma && next.kind != kRParen && next.kind != kSemicolon
	case kwGroup, kwOrder, kwCluster, kwDistribute, kwSort, kwPartition:
		return next.word == kwBy
	case kwUnion, kwExcept, kwIntersect, kwMinus:
		return p.setOperator()
	case kwWindow:
		return (next.kind == kWord || next.kind == kQuoted) && p.look(2).word == kwAs || next.word == kwIdentifier && p.look(2).kind == kLParen
	case kwLateral:
		return next.word == kwView || next.kind == kLParen || next.kind == kWord
	case kwJoin, kwNatural, kwInner, kwCross, kwLeft, kwRight, kwFull, kwSemi, kwAnti:
		return p.startsJoin()
	case kwPivot, kwUnpivot, kwTablesample, kwMatchRecognize:
		return next.kind == kLParen || next.word == kwInclude || next.word == kwExclude
	case kwApprox, kwExact:
		return next.word == kwNearest
	case kwInsert:
		return next.word == kwInto || next.word == kwOverwrite
	case kwSelect:
		return next.kind != kEOF && next.kind != kComma && next.kind != kRParen
	case kwAs:
		return true
	case kwChanges:
		return next.word == kwFrom
	case kwIdentified:
		return next.word == kwBy
	case kwWatermark:
		return next.kind == kWord || next.kind == kQuoted
	case kwRow:
		return next.word == kwFormat
	case kwRecordwriter, kwRecordreader:
		return next.kind == kString
	case kwSet, kwWhen, kwThen, kwValues:
		return next.kind == kWord || next.kind == kQuoted || next.kind == kLParen
	case kwWith:
		return next.kind == kLParen
	case kwVersion, kwTimestamp, kwSystemVersion, kwSystemTime:
		return next.word == kwAs && p.look(2).word == kwOf
	case kwFor:
		return next.word == kwVersion || next.word == kwTimestamp || next.word == kwSystemVersion || next.word == kwSystemTime
	}
	return false
}

// hints parses /*+ hint [,] hint .. */ (Databricks). The cursor is at the opening.
func (p *parser) hints() []Hint {
	p.next()
	var out []Hint
	for !p.at(kHintEnd) {
		h := Hint{}
		start := p.start()
		if p.identifierClause() {
			p.next()
			p.fail("a hint")
		}
		h.Name = p.label("a hint")
		if p.acceptKind(kLParen) {
			h.Parens = true
			p.enter()
			for {
				h.Args = append(h.Args, p.operand())
				if !p.acceptKind(kComma) {
					break
				}
			}
			p.expectKind(kRParen)
			p.leave()
		}
		h.Span = p.since(start)
		out = append(out, h)
		p.acceptKind(kComma)
	}
	if len(out) == 0 {
		p.fail("a hint")
	}
	p.next()
	return out
}

// selectRest parses WHERE and the clauses after it.
func (p *parser) selectRest(s *Select) {
	for p.d.In(Databricks) && p.are(kwLateral, kwView) && len(s.From) == 0 { // the source stands before an INSERT
		s.LateralViews = append(s.LateralViews, p.lateralView())
	}
	if p.accept(kwWhere) {
		s.Where = p.expr()
	}
	if p.are(kwGroup, kwBy) {
		s.GroupBy = p.groupBy()
	}
	if p.accept(kwHaving) {
		s.Having = p.expr()
	}
	if p.d.In(DuckDB) {
		if p.is(kwWindow) {
			s.Windows = p.namedWindows()
		}
		if p.accept(kwQualify) {
			s.Qualify = p.expr()
		}
		if p.acceptAll(kwUsing, kwSample) {
			s.Sample = p.duckSample()
		}
	} else {
		for {
			switch {
			case p.is(kwQualify) && s.Qualify == nil && p.clauseAhead():
				p.next()
				s.Qualify = p.expr()
				continue
			case p.is(kwWindow) && s.Windows == nil && p.clauseAhead():
				s.Windows = p.namedWindows()
				continue
			}
			break
		}
	}
	s.End = p.end()
}

// groupBy parses GROUP BY ..; the cursor is at GROUP.
func (p *parser) groupBy() *GroupBy { return p.groupByAliased(false) }

// groupByAliased parses GROUP BY .., in pipes with aliases of the elements.
func (p *parser) groupByAliased(aliases bool) *GroupBy {
	g := &GroupBy{}
	start := p.start()
	p.i += 2
	if p.is(kwAll) && !p.plainGroupAll() {
		at := p.start()
		p.next()
		g.Items = p.exprs.one(&All{p.since(at)})
		g.Span = p.since(start)
		return g
	}
	mark := p.exprs.mark()
	for {
		x := p.groupItem()
		if aliases && (p.is(kwAs) || p.isLabel(p.peek()) && !p.clauseAhead()) {
			x = p.aliased(x)
		}
		p.exprs.add(x)
		if !p.acceptKind(kComma) {
			break
		}
		if p.d.In(DuckDB) && p.endsSelectList() {
			break
		}
	}
	g.Items = p.exprs.take(mark)
	if p.d.In(DuckDB) {
		p.checkGrouping(g)
	} else {
		switch {
		case p.are(kwWith, kwRollup):
			p.i += 2
			g.With = GroupRollup
		case p.are(kwWith, kwCube):
			p.i += 2
			g.With = GroupCube
		case p.are(kwGrouping, kwSets) && p.look(2).kind == kLParen:
			x := p.grouping(GroupSets, 2)
			g.With, g.Sets = GroupSets, x.Items
		}
	}
	g.Span = p.since(start)
	return g
}

// plainGroupAll reports whether ALL is the start of an expression of its own (Databricks: a column, a function).
func (p *parser) plainGroupAll() bool {
	if p.d.In(DuckDB) {
		return false
	}
	switch p.look(1).kind {
	case kDot, kComma, kLParen, kLBracket, kPlus, kMinus, kStar, kSlash, kPercent, kConcat, kEq:
		return true
	}
	return false
}

func (p *parser) groupItem() Expr {
	switch {
	case p.at(kLParen) && p.look(1).kind == kRParen:
		start := p.start()
		p.i += 2
		return &Row{Span: p.since(start)}
	case p.is(kwRollup) && p.look(1).kind == kLParen:
		return p.grouping(GroupRollup, 1)
	case p.is(kwCube) && p.look(1).kind == kLParen:
		return p.grouping(GroupCube, 1)
	case p.are(kwGrouping, kwSets) && p.look(2).kind == kLParen:
		return p.grouping(GroupSets, 2)
	}
	return p.expr()
}

// grouping parses ROLLUP, CUBE or GROUPING SETS, of so many words, and its list.
func (p *parser) grouping(kind GroupingKind, words int) *Grouping {
	g := &Grouping{Kind: kind}
	start := p.start()
	p.i += words
	p.enter()
	p.expectKind(kLParen)
	mark := p.exprs.mark()
	for !(p.at(kRParen) && kind != GroupSets && p.d.In(Databricks)) { // ROLLUP () is the total alone
		p.exprs.add(p.groupItem())
		if !p.comma(kRParen) {
			break
		}
	}
	p.expectKind(kRParen)
	p.leave()
	g.Items = p.exprs.take(mark)
	g.Span = p.since(start)
	return g
}

// namedWindows parses WINDOW name AS (spec), ...
func (p *parser) namedWindows() []NamedWindow {
	p.next()
	var out []NamedWindow
	for {
		w := NamedWindow{}
		start := p.start()
		w.Name = p.ident("a name of the window")
		p.expect(kwAs)
		if p.d.In(DuckDB) && !p.at(kLParen) {
			p.fail(`"("`)
		}
		w.Window = p.window()
		w.Span = p.since(start)
		out = append(out, w)
		if !p.acceptKind(kComma) || p.d.In(DuckDB) && p.look(1).word != kwAs {
			p.defineWindows(out)
			return out
		}
	}
}

// startsOrganization reports whether a clause that ends a query is at the cursor.
func (p *parser) startsOrganization() bool {
	switch p.peek().word {
	case kwOrder:
		return p.look(1).word == kwBy
	case kwLimit, kwOffset:
		return p.d.In(DuckDB) || p.clauseAhead()
	case kwFetch:
		return p.d.In(DuckDB)
	case kwCluster, kwDistribute, kwSort:
		return p.look(1).word == kwBy && p.d.In(Databricks)
	}
	return false
}

// organization parses the clauses that end a query.
func (p *parser) organization(q *Query) {
	if p.peek().word == noKeyword {
		return
	}
	if p.are(kwOrder, kwBy) {
		q.OrderBy = p.orderBy()
	}
	if p.d.In(DuckDB) {
		p.duckLimit(q)
		return
	}
	at := p.start()
	if p.acceptAll(kwCluster, kwBy) {
		q.ClusterBy = p.exprList()
	}
	if p.acceptAll(kwDistribute, kwBy) {
		q.DistributeBy = p.exprList()
	}
	if p.acceptAll(kwSort, kwBy) {
		q.SortBy = p.sortList()
	}
	if (q.OrderBy != nil || q.SortBy != nil || q.DistributeBy != nil) && q.ClusterBy != nil ||
		q.OrderBy != nil && (q.SortBy != nil || q.DistributeBy != nil) {
		p.refuse(at, "ORDER BY, CLUSTER BY and SORT BY or DISTRIBUTE BY can't be combined", "")
	}
	if p.is(kwWindow) && p.clauseAhead() {
		q.Windows = p.namedWindows()
	}
	start := p.start()
	l := Limit{}
	if p.accept(kwLimit) {
		if p.is(kwAll) && !p.startsOperand(p.look(1)) || p.is(kwAll) && p.look(1).word == kwOffset {
			p.next()
			l.All = true
		} else {
			l.Count = p.expr()
		}
	}
	if p.accept(kwOffset) {
		l.Offset = p.expr()
	}
	if l.All || l.Count != nil || l.Offset != nil {
		l.Span = p.since(start)
		q.Limit = &l
	}
}

// duckLimit parses LIMIT, OFFSET and FETCH in any order.
func (p *parser) duckLimit(q *Query) {
	start := p.start()
	l := Limit{}
	count := false
	for {
		switch {
		case p.is(kwLimit) && !count:
			p.next()
			count = true
			if p.accept(kwAll) {
				l.All = true
				break
			}
			l.Count = p.limitCount(&l)
		case p.is(kwOffset) && l.Offset == nil:
			p.next()
			l.Offset = p.expr()
			if !p.accept(kwRow) {
				p.accept(kwRows)
			}
		case p.is(kwFetch) && !count:
			p.next()
			count, l.Fetch = true, true
			if !p.accept(kwFirst) && !p.accept(kwNext) {
				p.fail("FIRST or NEXT")
			}
			if !p.is(kwRow) && !p.is(kwRows) {
				l.Count = p.operand()
			}
			if !p.accept(kwRow) && !p.accept(kwRows) {
				p.fail("ROW or ROWS")
			}
			p.expect(kwOnly)
		default:
			if count || l.Offset != nil {
				l.Span = p.since(start)
				q.Limit = &l
			}
			return
		}
	}
}

// limitCount parses the count of a DuckDB LIMIT with its percent sign.
func (p *parser) limitCount(l *Limit) Expr {
	x := p.expr()
	if p.at(kPercent) || p.is(kwPercent) {
		p.next()
		l.Percent = true
	}
	return x
}

// orderBy parses ORDER BY ..; the cursor is at ORDER.
func (p *parser) orderBy() []Sort {
	p.i += 2
	return p.sortList()
}

func (p *parser) sortList() []Sort {
	mark := p.sorts.mark()
	for {
		all := p.is(kwAll) && !p.plainGroupAll()
		p.sorts.add(p.sort())
		if all || !p.acceptKind(kComma) || p.d.In(DuckDB) && p.endsSortList() {
			return p.sorts.take(mark)
		}
	}
}

// endsSortList reports whether the list ends here, behind the trailing comma that DuckDB 2.0 allows.
func (p *parser) endsSortList() bool {
	switch p.peek().word {
	case kwRows, kwRange, kwGroups, kwIgnore, kwRespect:
		return p.look(1).kind == kWord
	}
	return p.endsSelectList()
}

// sort parses expr [ASC|DESC] [NULLS FIRST|LAST].
func (p *parser) sort() Sort {
	s := Sort{}
	start := p.start()
	if p.is(kwAll) && !p.plainGroupAll() {
		p.next()
		s.X = &All{p.since(start)}
	} else {
		s.X = p.expr()
	}
	switch {
	case p.accept(kwAsc):
		s.Direction = SortAsc
	case p.accept(kwDesc):
		s.Direction = SortDesc
	}
	if p.is(kwNulls) {
		p.next()
		switch {
		case p.accept(kwFirst):
			s.Nulls = SortNullsFirst
		case p.accept(kwLast):
			s.Nulls = SortNullsLast
		default:
			p.fail("FIRST or LAST")
		}
	}
	s.Span = p.since(start)
	return s
}
