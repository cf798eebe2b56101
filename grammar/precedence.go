package grammar

// Precedence climbing. Two ladders, since the dialects differ on almost every rung; a higher level binds tighter. SYNTAX
// 3.1 (Spark's grammar) and 3.2 (DuckDB 1.5's) are followed to the letter; where DuckDB 2.0 reads a text differently the
// node is marked (diverge.go).

// Levels of Databricks.
const (
	sparkOr = iota + 1
	sparkAnd
	sparkNot
	sparkPredicate // one per operand, no chaining
	sparkCompare
	sparkBitOr
	sparkBitXor
	sparkBitAnd
	sparkShift
	sparkAdd // + - ||
	sparkMultiply
	sparkUnary
)

// Levels of DuckDB.
const (
	duckArrow = iota + 1 // -> and, as the token ahead, ->>
	duckOr
	duckAnd
	duckNot
	duckIs
	duckCompare
	duckPattern // BETWEEN IN LIKE ..
	duckPostfix // x!
	duckOther   // every operator token without a level of its own, infix and prefix
	duckAdd
	duckMultiply
	duckPower
	duckZone
	duckCollate
	duckUnary
	duckCast
)

// lowest is the level that takes everything.
const lowest = 1

var sparkInfix = func() (t [kindCount]int8) {
	for _, k := range []kind{kEq, kEqEq, kNullSafe, kNe, kBangEq, kBangGt, kBangLt, kLt, kLe, kGt, kGe} {
		t[k] = sparkCompare
	}
	t[kBar], t[kCaret], t[kAmp] = sparkBitOr, sparkBitXor, sparkBitAnd
	t[kShiftLeft], t[kShiftRight], t[kShiftRightUnsigned] = sparkShift, sparkShift, sparkShift
	t[kPlus], t[kMinus], t[kConcat] = sparkAdd, sparkAdd, sparkAdd
	t[kStar], t[kSlash], t[kPercent] = sparkMultiply, sparkMultiply, sparkMultiply
	return t
}()

var duckInfix = func() (t [kindCount]int8) {
	t[kArrow], t[kArrowText] = duckArrow, duckArrow
	for _, k := range []kind{kEq, kNe, kBangEq, kLt, kLe, kGt, kGe} {
		t[k] = duckCompare
	}
	for _, k := range []kind{kOperator, kConcat, kAmp, kBar, kShiftLeft, kShiftRight, kEqEq, kTilde, kBang, kAt} {
		t[k] = duckOther
	}
	t[kPlus], t[kMinus] = duckAdd, duckAdd
	t[kStar], t[kSlash], t[kPercent], t[kIntDivide] = duckMultiply, duckMultiply, duckMultiply, duckMultiply
	t[kCaret], t[kPower] = duckPower, duckPower
	t[kDoubleColon] = duckCast
	return t
}()

// infix returns the level of the infix or postfix operator at the cursor, 0 if there is none.
func (p *parser) infix() int {
	t := p.peek()
	if p.d.In(Databricks) {
		if t.kind == kWord {
			return p.sparkWordLevel(t.word)
		}
		if t.kind == kBar && p.startsPipe() {
			return 0
		}
		return int(sparkInfix[t.kind])
	}
	if t.kind == kWord {
		return p.duckWordLevel(t.word)
	}
	if t.kind == kPercent && !p.startsOperand(p.look(1)) {
		return 0 // LIMIT 10%
	}
	return int(duckInfix[t.kind])
}

func (p *parser) sparkWordLevel(w keyword) int {
	switch w {
	case noKeyword:
		return 0
	case kwAnd:
		return sparkAnd
	case kwOr:
		return sparkOr
	case kwIs, kwIn, kwLike, kwIlike, kwRlike, kwRegexp, kwBetween:
		return sparkPredicate
	case kwNot:
		switch p.look(1).word {
		case kwIn, kwLike, kwIlike, kwRlike, kwRegexp, kwBetween:
			return sparkPredicate
		}
	case kwDiv:
		if p.startsOperand(p.look(1)) {
			return sparkMultiply
		}
	}
	return 0
}

func (p *parser) duckWordLevel(w keyword) int {
	switch w {
	case noKeyword:
		return 0
	case kwAnd:
		return duckAnd
	case kwOr:
		return duckOr
	case kwIs, kwIsnull, kwNotnull, kwOverlaps:
		return duckIs
	case kwIn, kwLike, kwIlike, kwGlob, kwBetween, kwSimilar:
		return duckPattern
	case kwNot:
		switch p.look(1).word {
		case kwIn, kwLike, kwIlike, kwGlob, kwBetween, kwSimilar:
			return duckPattern
		case kwNull:
			return duckIs
		}
	case kwCollate:
		return duckCollate
	case kwAt:
		if p.look(1).word == kwTime && p.look(2).word == kwZone {
			return duckZone
		}
	case kwOperator:
		if p.look(1).kind == kLParen {
			return duckOther
		}
	}
	return 0
}

// startsOperand reports whether t can start an expression; it decides between infix and postfix operators and whether a
// soft word is an operator.
func (p *parser) startsOperand(t *token) bool {
	switch t.kind {
	case kQuoted, kString, kNumber, kParam, kLParen, kMinus, kPlus, kTilde:
		return true
	case kWord:
		if p.d.In(Databricks) {
			return !endsExpression(t.word)
		}
		switch t.word {
		case kwIs, kwIsnull, kwNotnull, kwLike, kwIlike, kwSimilar, kwGlob, kwBetween, kwOverlaps, kwCollate:
			return false
		}
		return !t.word.in(classReserved) || startsReserved(t.word)
	case kLBracket, kLBrace, kOperator, kBang, kAt, kHash, kAmp, kBar, kConcat, kShiftLeft, kShiftRight, kEqEq:
		return p.d.In(DuckDB)
	case kBangEq:
		return false
	case kColon:
		return p.d.In(Databricks)
	}
	return false
}

// startsReserved has the reserved words of DuckDB that start an expression.
func startsReserved(w keyword) bool {
	switch w {
	case kwCase, kwCast, kwNot, kwNull, kwTrue, kwFalse, kwArray, kwDefault, kwLambda, kwAny, kwAll, kwSome:
		return true
	}
	return false
}

// endsExpression has the words that, in Databricks, are taken as what follows an expression rather than as a name.
func endsExpression(w keyword) bool {
	switch w {
	case kwFrom, kwWhere, kwGroup, kwHaving, kwOrder, kwLimit, kwUnion, kwAs, kwAnd, kwOr, kwThen, kwElse, kwEnd, kwWhen,
		kwOn, kwUsing, kwIs, kwIn, kwBetween, kwLike, kwRlike, kwIlike:
		return true
	}
	return false
}

// expr parses an expression of any level.
func (p *parser) expr() Expr { return p.binary(lowest) }

// binary parses an expression whose operators are of level min or tighter.
func (p *parser) binary(min int) Expr {
	if min > sparkPredicate && p.d.In(Databricks) && p.startsNot() {
		p.failHint("an operand", "put the condition into parentheses")
	}
	outer := p.measure()
	x := p.operand()
	if n, ok := x.(*Not); ok && min > duckNot && p.d.In(DuckDB) {
		n.Diverges = true
	}
	x = p.climb(x, min)
	p.measured(outer)
	return x
}

// startsNot reports whether NOT, ! or EXISTS (query) is at the cursor, which Databricks takes as a condition only.
func (p *parser) startsNot() bool {
	switch {
	case p.at(kBang):
		return true
	case p.is(kwNot):
		return p.startsOperand(p.look(1)) || p.look(1).kind == kBang
	case p.is(kwExists):
		return p.look(1).kind == kLParen && p.look(2).word == kwSelect
	}
	return false
}

// exprFrom goes on with an expression whose first primary has been parsed.
func (p *parser) exprFrom(primary Expr) Expr {
	return p.climb(p.postfix(primary), lowest)
}

// climb takes the operators of level min or tighter that follow left. Operators of one level make one flat node.
func (p *parser) climb(left Expr, min int) Expr {
	if p.d.In(Databricks) {
		return p.climbSpark(left, min)
	}
	return p.climbDuck(left, min)
}

func (p *parser) climbSpark(left Expr, min int) Expr {
	for {
		level := p.infix()
		if level == 0 || level < min {
			return left
		}
		if _, ok := left.(*Exists); ok && level > sparkAnd {
			p.failHint("the end of the condition", "put EXISTS (..) into parentheses")
		}
		switch level {
		case sparkOr:
			left = p.orChain(left, sparkOr)
		case sparkAnd:
			left = p.andChain(left, sparkAnd)
		case sparkPredicate:
			left = p.predicate(left, sparkCompare)
			if p.infix() >= sparkPredicate {
				p.failHint("the end of the predicate", "put the predicate into parentheses")
			}
		default:
			left = p.chain(left, level)
		}
	}
}

func (p *parser) climbDuck(left Expr, min int) Expr {
	ceiling := 0 // a level that may not follow, of a non-associative operator
	for {
		level := p.infix()
		if level == 0 || level < min {
			return left
		}
		if level == ceiling {
			p.failHint("the end of the predicate", "put the predicate into parentheses")
		}
		ceiling = 0
		p.divergeLeft(left, level)
		switch level {
		case duckOr:
			left = p.orChain(left, duckOr)
		case duckAnd:
			left = p.andChain(left, duckAnd)
		case duckIs:
			left = p.duckIs(left)
		case duckPattern:
			open := false
			left, open = p.pattern(left)
			if open {
				ceiling = duckPattern
			}
		case duckCompare:
			left = p.compare(left)
			ceiling = duckCompare
		case duckCast:
			left = p.castTo(left)
		case duckArrow:
			left = p.arrows(left)
		case duckCollate:
			left = p.collate(left)
		case duckZone:
			left = p.zone(left)
		case duckOther:
			next := p.duckOthers(left, min)
			if next == nil {
				return left
			}
			left = next
		default:
			left = p.chain(left, level)
		}
	}
}

// chain parses op operand, op operand .. of one left-associative level into one Binary.
func (p *parser) chain(left Expr, level int) Expr {
	mark := p.operands.mark()
	for p.infix() == level {
		start := p.start()
		op := p.operator()
		x := p.operandOf(op, level+1)
		p.operands.add(Operand{Span: p.since(start), Op: op, X: x})
	}
	return p.makeBinary(left, mark)
}

func (p *parser) makeBinary(left Expr, mark int) Expr {
	b := p.arena.binary.new()
	b.First, b.Rest = left, p.operands.take(mark)
	b.Span = Span{left.Bounds().Start, b.Rest[len(b.Rest)-1].End}
	if p.d.In(DuckDB) {
		p.diverge(b)
	}
	return b
}

// compare parses one comparison of DuckDB; they don't chain.
func (p *parser) compare(left Expr) Expr {
	start := p.start()
	op := p.operator()
	x := p.operandOf(op, duckCompare+1)
	mark := p.operands.mark()
	p.operands.add(Operand{Span: p.since(start), Op: op, X: x})
	return p.makeBinary(left, mark)
}

// operandOf parses the right side of op, which in DuckDB may be quantified.
func (p *parser) operandOf(op string, min int) Expr {
	if p.d.In(DuckDB) && (p.is(kwAny) || p.is(kwAll) || p.is(kwSome)) && (p.look(1).kind == kLParen || p.look(1).kind == kLBracket) {
		if !comparison(op) {
			p.failHint("an expression", "ANY, SOME and ALL follow a comparison")
		}
		return p.quantified(op)
	}
	return p.binary(min)
}

// quantified parses {ANY | SOME | ALL} (query or list); DuckDB 2.0 also takes a row, and a list without parentheses. The cursor
// is behind op.
func (p *parser) quantified(op string) Expr {
	x := &Quantified{All: p.is(kwAll)}
	start := p.start()
	p.next()
	if p.at(kLBracket) {
		x.X = p.list()
		x.Span = p.since(start)
		return x
	}
	open := p.start()
	p.enter()
	p.next()
	q, items := p.content()
	p.leave()
	x.Query = q
	switch {
	case q != nil && duckLevel(op) != duckCompare && op != "==":
		p.refuse(open, "ANY, SOME and ALL behind "+op+" take a list", "")
	case q != nil:
	case len(items) == 1:
		x.X = items[0]
	case len(items) == 0:
		p.refuse(open, "ANY, SOME and ALL take a query or a list", "")
	default:
		x.X = &Row{Span: p.since(open), Items: items}
	}
	x.Span = p.since(start)
	return x
}

// operator takes the operator at the cursor and returns its text; words are in upper case.
func (p *parser) operator() string {
	t := p.peek()
	switch t.kind {
	case kWord:
		if t.word == kwOperator {
			return p.namedOperator()
		}
		p.i++
		return t.word.String()
	case kOperator:
		p.i++
		return p.src[t.start:t.end]
	}
	p.i++
	return t.kind.String()
}

// namedOperator takes OPERATOR([schema.]op) and returns it without blanks.
func (p *parser) namedOperator() string {
	p.i += 2
	text := "OPERATOR("
	for p.isLabel(p.peek()) && p.look(1).kind == kDot {
		text += p.text(p.peek()) + "."
		p.i += 2
	}
	t := p.peek()
	if duckInfix[t.kind] < duckCompare {
		p.fail("an operator")
	}
	text += p.text(t) + ")"
	p.i++
	p.expectKind(kRParen)
	return text
}

func (p *parser) orChain(left Expr, level int) Expr {
	mark := p.exprs.mark()
	p.exprs.add(left)
	for p.accept(kwOr) {
		p.exprs.add(p.binary(level + 1))
	}
	args := p.exprs.take(mark)
	return &Or{Span: Span{left.Bounds().Start, args[len(args)-1].Bounds().End}, Args: args}
}

func (p *parser) andChain(left Expr, level int) Expr {
	mark := p.exprs.mark()
	p.exprs.add(left)
	for p.accept(kwAnd) {
		p.exprs.add(p.binary(level + 1))
	}
	x := p.ands.new()
	x.Args = p.exprs.take(mark)
	x.Span = Span{left.Bounds().Start, x.Args[len(x.Args)-1].Bounds().End}
	return x
}

// predicate parses one [NOT] IN, LIKE, BETWEEN or IS of Databricks; its operands are of level min.
func (p *parser) predicate(left Expr, min int) Expr {
	start := left.Bounds().Start
	if p.is(kwIs) {
		return p.isTest(left, min)
	}
	not := p.accept(kwNot)
	switch {
	case p.accept(kwIn):
		return p.inList(left, not)
	case p.accept(kwBetween):
		x := &Between{X: left, Not: not}
		x.Low = p.binary(min)
		p.expect(kwAnd)
		x.High = p.binary(min)
		x.Span = p.since(start)
		return x
	}
	x := p.likes.new()
	x.X, x.Not = left, not
	switch p.peek().word {
	case kwIlike:
		x.Op = OpILike
	case kwRlike, kwRegexp:
		x.Op = OpRLike
	}
	p.next()
	if x.Op != OpRLike && p.look(1).kind == kLParen && (p.is(kwAny) || p.is(kwSome) || p.is(kwAll)) {
		x.Quant = LikeAny
		if p.is(kwAll) {
			x.Quant = LikeAll
		}
		p.i += 2
		p.enter()
		mark := p.exprs.mark()
		for p.exprs.mark() > mark || !p.at(kRParen) {
			p.exprs.add(p.expr())
			if !p.acceptKind(kComma) {
				break
			}
		}
		p.expectKind(kRParen)
		p.leave()
		x.Patterns = p.exprs.take(mark)
	} else {
		x.Pattern = p.binary(min)
		if x.Op != OpRLike && p.is(kwEscape) && p.look(1).kind == kString {
			p.i++
			x.Escape = p.stringLiteral()
		}
	}
	x.Span = p.since(start)
	return x
}

// isTest parses IS [NOT] test; the operand of DISTINCT FROM is of level min.
func (p *parser) isTest(left Expr, min int) Expr {
	p.expect(kwIs)
	x := p.arena.is.new()
	x.X = left
	x.Not = p.accept(kwNot)
	switch {
	case p.accept(kwNull):
	case p.accept(kwTrue):
		x.Test = IsTrue
	case p.accept(kwFalse):
		x.Test = IsFalse
	case p.accept(kwUnknown):
		x.Test = IsUnknown
	case p.accept(kwDistinct):
		p.expect(kwFrom)
		x.Test = IsDistinctFrom
		x.Y = p.binary(min)
	default:
		p.fail("NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM")
	}
	x.Span = p.since(left.Bounds().Start)
	return x
}

// duckIs parses an IS test, ISNULL, NOTNULL, NOT NULL or OVERLAPS; these chain.
func (p *parser) duckIs(left Expr) Expr {
	start := left.Bounds().Start
	p.nested()
	switch {
	case p.is(kwIs):
		if x, ok := left.(*Is); ok && x.Y != nil && (p.look(1).word == kwDistinct || p.look(2).word == kwDistinct) {
			p.failHint("the end of the predicate", "put the predicate into parentheses")
		}
		return p.isTest(left, duckIs+1)
	case p.is(kwOverlaps):
		return p.overlaps(left)
	}
	x := p.arena.is.new()
	x.X = left
	switch {
	case p.accept(kwIsnull):
	case p.accept(kwNotnull):
		x.Not = true
	default:
		p.expectAll(kwNot, kwNull)
		x.Not = true
	}
	x.Span = p.since(start)
	return x
}

// overlaps parses (a, b) OVERLAPS (c, d).
func (p *parser) overlaps(left Expr) Expr {
	if r, ok := left.(*Row); !ok || len(r.Items) != 2 {
		p.fail("a row of two values before OVERLAPS")
	}
	start := p.start()
	p.next()
	if !p.at(kLParen) && !p.is(kwRow) {
		p.fail("a row of two values")
	}
	right := p.operand()
	if r, ok := right.(*Row); !ok || len(r.Items) != 2 {
		p.refuse(right.Bounds().Start, "OVERLAPS takes a row of two values on each side", "")
	}
	mark := p.operands.mark()
	p.operands.add(Operand{Span: p.since(start), Op: "OVERLAPS", X: right})
	return p.makeBinary(left, mark)
}

// pattern parses one [NOT] BETWEEN, IN, LIKE, ILIKE, GLOB or SIMILAR TO of DuckDB. open says that it ends in an operand, so
// that another one may not follow directly.
func (p *parser) pattern(left Expr) (x Expr, open bool) {
	const operand = duckPattern + 1
	start := left.Bounds().Start
	not := p.accept(kwNot)
	switch {
	case p.accept(kwIn):
		p.divergeOperand(left)
		if p.at(kLParen) {
			return p.inList(left, not), false
		}
		x := p.ins.new()
		x.X, x.Not = left, not
		x.Y = p.inOperand()
		x.Span = p.since(start)
		return x, false
	case p.accept(kwBetween):
		x := &Between{X: left, Not: not}
		p.accept(kwAsymmetric)
		x.Low = p.betweenLow()
		p.expect(kwAnd)
		x.High = p.binary(operand)
		x.Span = p.since(start)
		p.divergeOperand(left)
		p.divergeOperand(x.High)
		return x, true
	}
	l := p.likes.new()
	l.X, l.Not = left, not
	switch p.peek().word {
	case kwIlike:
		l.Op = OpILike
	case kwGlob:
		l.Op = OpGlob
	case kwSimilar:
		l.Op = OpSimilar
		p.next()
		if !p.is(kwTo) {
			p.fail("TO")
		}
	}
	p.next()
	l.Pattern = p.binary(operand)
	if p.is(kwEscape) {
		if l.Op == OpSimilar {
			p.failHint("the end of the pattern", "SIMILAR TO has no ESCAPE")
		}
		p.next()
		l.Escape = p.binary(operand)
	}
	l.Span = p.since(start)
	p.divergeOperand(left)
	p.divergeOperand(l.Pattern)
	return l, true
}

// betweenLow parses the lower bound of a DuckDB BETWEEN, an expression without AND, OR, NOT, IN, LIKE and BETWEEN.
func (p *parser) betweenLow() Expr {
	x := p.binary(duckPattern + 1)
	if duckInfix[p.peek().kind] == duckCompare {
		x = p.compare(x)
	}
	return x
}

// arrows parses -> and ->> behind left, which is everything to their left down to OR.
func (p *parser) arrows(left Expr) Expr {
	for {
		switch {
		case p.at(kArrow):
			mark := p.operands.mark()
			for p.at(kArrow) {
				start := p.start()
				p.i++
				x := p.binary(duckArrow + 1)
				p.operands.add(Operand{Span: p.since(start), Op: "->", X: x})
			}
			left = p.makeBinary(left, mark)
		case p.at(kArrowText):
			mark := p.operands.mark()
			for p.at(kArrowText) {
				start := p.start()
				p.i++
				x := p.binary(duckOther + 1)
				p.operands.add(Operand{Span: p.since(start), Op: "->>", X: x})
			}
			left = p.makeBinary(left, mark)
			return left // operators of any level may follow
		default:
			return left
		}
		p.nested()
	}
}

// duckOthers parses a chain of operator tokens without a level of their own, or a postfix operator, which is weaker. It
// returns nil if the operator is a postfix one and too weak for min.
func (p *parser) duckOthers(left Expr, min int) Expr {
	mark := p.operands.mark()
	for p.infix() == duckOther {
		if n := p.look(1); !p.is(kwOperator) && (!p.startsOperand(n) || n.word == kwNot) {
			if p.operands.mark() > mark {
				left = p.makeBinary(left, mark)
				mark = p.operands.mark()
			}
			if min > duckPostfix {
				return left
			}
			x := &Postfix{X: left, Op: p.operator()}
			x.Diverges = !simple(left)
			x.Span = p.since(left.Bounds().Start)
			p.nested()
			left = x
			continue
		}
		start := p.start()
		op := p.operator()
		x := p.operandOf(op, duckOther+1)
		p.operands.add(Operand{Span: p.since(start), Op: op, X: x})
	}
	if p.operands.mark() > mark {
		return p.makeBinary(left, mark)
	}
	return left
}

// collate parses COLLATE name behind left.
func (p *parser) collate(left Expr) Expr {
	p.next()
	p.nested()
	x := &Collate{X: left, Name: p.name("a collation")}
	x.Span = p.since(left.Bounds().Start)
	return x
}

// zone parses AT TIME ZONE behind left.
func (p *parser) zone(left Expr) Expr {
	p.i += 3
	p.nested()
	x := &AtTimeZone{X: left}
	x.Zone = p.binary(duckZone + 1)
	_, x.Diverges = x.Zone.(*Collate)
	x.Span = p.since(left.Bounds().Start)
	return x
}

// inList parses what follows IN: a list or a query in parentheses.
func (p *parser) inList(left Expr, not bool) Expr {
	if !p.at(kLParen) {
		p.fail(`"("`)
	}
	x := p.ins.new()
	x.X, x.Not = left, not
	p.enter()
	p.next()
	if p.at(kRParen) {
		p.failExpression()
	}
	x.Query, x.List = p.content()
	p.leave()
	if x.Query != nil && p.d.In(Databricks) {
		// IN ((SELECT ..)) is a list of one scalar subquery.
		if inner, ok := x.Query.Body.(*ParenQuery); ok && x.Query.Span == inner.Span {
			x.List, x.Query = p.exprs.one(&Subquery{Span: inner.Span, Query: inner.Query}), nil
		}
	}
	x.Span = p.since(left.Bounds().Start)
	return x
}
