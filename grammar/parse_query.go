package grammar

import "strings"

// startsQuery reports whether a query starts at the cursor, where an expression could start too.
func (p *parser) startsQuery() bool { return p.startsQueryAt(0) }

func (p *parser) startsQueryAt(n int) bool {
	t := p.look(n)
	if t.kind != kWord {
		return false
	}
	next := p.look(n + 1)
	duck := p.d.In(DuckDB)
	switch t.word {
	case kwSelect:
		return duck || !p.endsName(next)
	case kwWith:
		return duck || next.kind == kWord && next.word != kwAs || next.kind == kQuoted
	case kwFrom:
		return duck || next.kind == kWord && !p.endsName(next) || next.kind == kQuoted || next.kind == kLParen
	case kwValues:
		return next.kind == kLParen || !duck && p.startsOperand(next) && next.kind != kMinus && next.kind != kPlus
	case kwTable:
		return duck || next.kind == kWord && !p.endsName(next) || next.kind == kQuoted
	case kwPivot, kwUnpivot, kwPivotWider, kwPivotLonger, kwDescribe, kwDesc, kwShow, kwSummarize:
		return duck
	case kwMap, kwReduce:
		return !duck && (next.kind == kWord && !p.endsName(next) || next.kind == kQuoted || next.kind == kString)
	}
	return false
}

// endsName reports whether t can only follow a name, so that the soft word before it is one.
func (p *parser) endsName(t *token) bool {
	switch t.kind {
	case kEOF, kComma, kDot, kRParen, kRBracket, kEq, kEqEq, kNe, kBangEq, kLt, kLe, kGt, kGe, kNullSafe, kSlash, kPercent,
		kConcat, kSemicolon, kLBracket, kDoubleColon, kAmp, kBar, kCaret, kArrow, kPipe:
		return true
	case kWord:
		switch t.word {
		case kwIs, kwAnd, kwOr, kwIn, kwBetween, kwLike, kwAs, kwThen, kwElse, kwEnd, kwWhere, kwGroup, kwHaving, kwUnion:
			return true
		}
	}
	return false
}

// startsStatementQuery reports whether the statement at the cursor is a query, or a WITH or FROM that may turn out to
// belong to another statement.
func (p *parser) startsStatementQuery() bool {
	switch p.peek().word {
	case kwSelect, kwWith, kwFrom, kwValues, kwTable:
		return true
	case kwMap, kwReduce:
		return p.d.In(Databricks)
	case kwPivot, kwUnpivot, kwPivotWider, kwPivotLonger:
		return p.d.In(DuckDB)
	}
	return p.at(kLParen)
}

// statementQuery parses a statement that starts like a query.
func (p *parser) statementQuery() Statement {
	start := p.start()
	if !p.is(kwWith) && !p.is(kwFrom) {
		return p.query()
	}
	p.enter()
	defer p.leave()
	var with *With
	if p.is(kwWith) {
		with = p.with()
		if p.startsDML() {
			return otherStatement(p, with)
		}
	}
	q := p.queries.new()
	q.Start, q.With = start, with
	scope := p.openWindows()
	defer func() { p.closeWindows(scope) }()
	if p.is(kwFrom) && p.d.In(Databricks) {
		s := p.fromClauseFirst()
		if p.startsInsert() && fromStatement != nil {
			return fromStatement(p, with, s)
		}
		p.queryRest(q, p.fromFirst(s))
		return q
	}
	p.queryRest(q, p.branch())
	return q
}

// startsDML reports whether a statement other than a query follows a WITH clause.
func (p *parser) startsDML() bool {
	switch p.peek().word {
	case kwInsert, kwUpdate, kwDelete, kwMerge:
		return otherStatement != nil
	}
	return false
}

func (p *parser) startsInsert() bool {
	return p.is(kwInsert) && (p.look(1).word == kwInto || p.look(1).word == kwOverwrite || p.look(1).word == kwWith)
}

// query parses a whole query.
func (p *parser) query() *Query {
	p.enter()
	q := p.queries.new()
	q.Start = p.start()
	scope := p.openWindows()
	if p.is(kwWith) && p.startsWith() {
		q.With = p.with()
	}
	p.queryRest(q, p.branch())
	p.closeWindows(scope)
	p.leave()
	return q
}

func (p *parser) startsWith() bool { return p.startsQuery() }

// queryFrom goes on with a query whose first branch has been parsed.
func (p *parser) queryFrom(first Body) *Query {
	q := p.queries.new()
	q.Start = first.Bounds().Start
	scope := p.openWindows()
	p.queryRest(q, first)
	p.closeWindows(scope)
	return q
}

// queryRest parses what follows the first branch.
func (p *parser) queryRest(q *Query, first Body) {
	outer := p.measure()
	q.Body = p.body(first)
	p.measured(outer)
	p.organization(q)
	q.End = p.end()
	if p.d.In(DuckDB) && (q.OrderBy != nil || q.Limit != nil || q.With != nil) && shows(q.Body) {
		p.refuse(q.Start, "DESCRIBE, SHOW and SUMMARIZE have no WITH, ORDER BY or LIMIT", "select from it in parentheses")
	}
}

// shows reports whether the body is a ShowQuery, also in parentheses.
func shows(body Body) bool {
	for {
		switch x := body.(type) {
		case *ShowQuery:
			return true
		case *ParenQuery:
			body = x.Query.Body
		default:
			return false
		}
	}
}

// continuesQuery reports whether what follows a query in parentheses makes it a branch of a larger query.
func (p *parser) continuesQuery() bool {
	return p.setOperator() || p.startsPipe() || p.startsOrganization()
}

func (p *parser) startsPipe() bool {
	if p.d.In(DuckDB) {
		return false
	}
	return p.at(kPipe) || p.at(kBar) && p.barIsPipe()
}

// setOperator reports whether a set operator is at the cursor.
func (p *parser) setOperator() bool {
	switch p.peek().word {
	case kwUnion, kwExcept, kwIntersect:
		if p.d.In(DuckDB) {
			return true
		}
	case kwMinus:
		if p.d.In(DuckDB) {
			return false
		}
	default:
		return false
	}
	switch t := p.look(1); t.word {
	case kwAll, kwDistinct, kwSelect, kwFrom, kwValues, kwTable, kwMap, kwReduce:
		return true
	default:
		return t.kind == kLParen
	}
}

// body parses the set operations and pipes that follow the first branch.
func (p *parser) body(left Body) Body {
	left = p.intersections(left)
	for {
		switch {
		case p.setOperator():
			if p.is(kwIntersect) {
				left = p.intersections(left)
				continue
			}
			p.nested()
			s := &SetOp{First: left}
			mark := p.branches.mark()
			for p.setOperator() && !p.is(kwIntersect) {
				b := p.setBranch()
				b.Body = p.intersections(p.branch())
				b.End = p.end()
				p.branches.add(b)
			}
			s.Rest = p.branches.take(mark)
			s.Span = p.since(left.Bounds().Start)
			left = s
		case p.startsPipe():
			p.nested()
			left = p.pipe(left)
		default:
			return left
		}
	}
}

// intersections parses the INTERSECT chain behind left.
func (p *parser) intersections(left Body) Body {
	if !p.is(kwIntersect) || !p.setOperator() {
		return left
	}
	p.nested()
	s := &SetOp{First: left}
	mark := p.branches.mark()
	for p.is(kwIntersect) && p.setOperator() {
		b := p.setBranch()
		b.Body = p.branch()
		b.End = p.end()
		p.branches.add(b)
	}
	s.Rest = p.branches.take(mark)
	s.Span = p.since(left.Bounds().Start)
	return s
}

// setBranch parses a set operator with its words.
func (p *parser) setBranch() SetBranch {
	b := SetBranch{}
	b.Start = p.start()
	switch p.peek().word {
	case kwExcept, kwMinus:
		b.Op = SetExcept
	case kwIntersect:
		b.Op = SetIntersect
	}
	p.next()
	switch {
	case p.accept(kwAll):
		b.Quantifier = QuantAll
	case p.accept(kwDistinct):
		b.Quantifier = QuantDistinct
	}
	if p.d.In(DuckDB) && b.Op == SetUnion && p.are(kwBy, kwName) {
		p.i += 2
		b.ByName = true
	}
	return b
}

// branch parses one branch of a query.
func (p *parser) branch() Body {
	switch p.peek().word {
	case kwSelect:
		return p.selectBlock()
	case kwFrom:
		if p.d.In(Databricks) {
			return p.fromFirst(p.fromClauseFirst())
		}
		return p.duckFromFirst()
	case kwValues:
		return p.values(p.d.In(Databricks))
	case kwTable:
		x := &TableQuery{}
		start := p.start()
		p.next()
		x.Name = p.name("a table")
		x.Span = p.since(start)
		return x
	case kwMap, kwReduce:
		if p.d.In(Databricks) {
			return p.selectBlock()
		}
	}
	if p.at(kLParen) {
		start := p.start()
		p.enter()
		p.next()
		q := p.query()
		p.expectKind(kRParen)
		p.leave()
		return &ParenQuery{Span: p.since(start), Query: q}
	}
	if p.d.In(DuckDB) {
		if x := p.duckBranch(); x != nil {
			return x
		}
	}
	p.fail("a query")
	return nil
}

// with parses WITH [RECURSIVE] cte, ...
func (p *parser) with() *With {
	w := &With{}
	start := p.start()
	p.expect(kwWith)
	if p.is(kwRecursive) && (p.isLabel(p.look(1)) || p.look(1).kind == kString) && p.look(1).word != kwAs {
		p.next()
		w.Recursive = true
	}
	mark := p.arena.with.mark()
	for {
		p.arena.with.add(p.cte())
		if !p.acceptKind(kComma) || p.d.In(DuckDB) && p.startsMain() {
			break
		}
	}
	w.CTEs = p.arena.with.take(mark)
	p.checkNames(w)
	if w.Recursive && p.d.In(DuckDB) {
		p.checkRecursive(w)
	}
	w.Span = p.since(start)
	return w
}

// checkNames refuses a second common table expression of the same name.
func (p *parser) checkNames(w *With) {
	if len(w.CTEs) <= 16 { // cheaper than a map
		for i, c := range w.CTEs {
			for _, before := range w.CTEs[:i] {
				if strings.EqualFold(before.Name.Text, c.Name.Text) {
					p.refuse(c.Name.Start, "two common table expressions are called "+clip(c.Name.Text), "")
				}
			}
		}
		return
	}
	seen := make(map[string]bool, len(w.CTEs))
	for _, c := range w.CTEs {
		name := strings.ToLower(c.Name.Text)
		if seen[name] {
			p.refuse(c.Name.Start, "two common table expressions are called "+clip(c.Name.Text), "")
		}
		seen[name] = true
	}
}

// startsMain reports whether the cursor is at what WITH stands before, so that a comma was the last of its list (DuckDB 2.0).
func (p *parser) startsMain() bool {
	switch p.peek().word {
	case kwSelect, kwFrom, kwTable, kwPivot, kwUnpivot:
		return true
	}
	return p.at(kLParen)
}

// cte parses one common table expression.
func (p *parser) cte() *CTE {
	c := p.ctes.new()
	c.Start = p.start()
	c.Name = p.identOrString("a name of the common table expression")
	if p.at(kLParen) && !(p.d.In(Databricks) && p.startsQueryAt(1)) {
		c.Columns = p.identList("a column")
	}
	if p.d.In(Databricks) {
		if p.are(kwMax, kwRecursion, kwLevel) {
			p.i += 3
			c.MaxRecursion = p.operand()
		}
		p.accept(kwAs)
	} else {
		if p.are(kwUsing, kwKey) {
			p.i += 2
			c.UsingKey = p.usingKey()
		}
		p.expect(kwAs)
		switch {
		case p.accept(kwMaterialized):
			c.Materialized = MaterializedYes
		case p.acceptAll(kwNot, kwMaterialized):
			c.Materialized = MaterializedNo
		}
	}
	p.enter()
	p.expectKind(kLParen)
	level := p.windowLevel
	p.windowLevel = 0 // a CTE does not see the windows of the query around
	if p.d.In(DuckDB) {
		p.duckCTE(c)
	} else {
		c.Query = p.query()
	}
	p.windowLevel = level
	p.expectKind(kRParen)
	p.leave()
	c.End = p.end()
	return c
}

// values parses VALUES row, ...; alias says whether an alias may follow.
func (p *parser) values(alias bool) *Values {
	v := &Values{}
	start := p.start()
	p.next()
	mark := p.exprs.mark()
	for {
		if p.d.In(DuckDB) {
			p.exprs.add(p.valuesRow())
		} else {
			p.exprs.add(p.expr())
		}
		if next := p.look(2).kind; p.d.In(Databricks) && p.look(1).word == kwValues && (next == kNumber || next == kString) {
			break // the comma parts two items of FROM
		}
		if !p.acceptKind(kComma) {
			break
		}
		if p.d.In(DuckDB) && !p.at(kLParen) {
			break
		}
	}
	v.Rows = p.exprs.take(mark)
	if p.d.In(DuckDB) {
		p.checkValues(v)
	}
	if alias {
		v.Alias = p.alias()
	}
	v.Span = p.since(start)
	return v
}

// valuesRow parses (e, ...) of DuckDB, where a single value is a row too.
func (p *parser) valuesRow() Expr {
	start := p.start()
	p.enter()
	p.expectKind(kLParen)
	mark := p.exprs.mark()
	for {
		p.exprs.add(p.expr())
		if !p.comma(kRParen) {
			break
		}
	}
	p.expectKind(kRParen)
	p.leave()
	return &Row{Span: p.since(start), Items: p.exprs.take(mark)}
}
