package grammar

import "slices"

// primary parses an expression without prefix and postfix operators.
func (p *parser) primary() Expr {
	t := p.peek()
	switch t.kind {
	case kWord:
		if t.word == noKeyword {
			return p.nameOrCall()
		}
		if p.d.In(Databricks) {
			return p.sparkWord(t)
		}
		return p.duckPrimaryWord(t)
	case kQuoted:
		return p.nameOrCall()
	case kNumber:
		return p.number()
	case kString:
		return p.stringLiteral()
	case kLParen:
		q, x := p.parenthesis()
		if q != nil {
			return p.subquery(q)
		}
		return x
	case kStar:
		return p.star(nil, t.start)
	case kParam:
		p.next()
		return &Param{Span: Span{t.start, t.end}, Text: p.text(t)}
	}
	return p.rarePrimary(t)
}

func (p *parser) rarePrimary(t *token) Expr {
	if p.d.In(Databricks) {
		if t.kind == kColon && p.isLabel(p.look(1)) {
			p.i += 2
			return &Param{Span: p.since(t.start), Text: ":" + p.text(&p.toks[p.i-1])}
		}
	} else {
		switch t.kind {
		case kLBracket:
			return p.list()
		case kLBrace:
			return p.structLiteral()
		case kHash:
			if p.look(1).kind == kNumber {
				p.next()
				n := p.number()
				if n.Kind != NumberInteger || n.Text == "0" {
					p.refuse(n.Start, "a position is a whole number from 1", "")
				}
				return &PositionalRef{Span: p.since(t.start), Text: n.Text}
			}
		}
	}
	p.failExpression()
	return nil
}

// failExpression ends the parse where an expression should start, with a guess at the cause.
func (p *parser) failExpression() {
	hint := ""
	if p.i > 0 && p.toks[p.i-1].kind == kComma && p.at(kWord) {
		hint = "a comma before " + p.text(p.peek()) + "?"
	}
	p.failHint("an expression", hint)
}

// sparkWord parses a primary that starts with a word of the keyword list (Databricks). Every word may be a name, so that
// each construct is recognized by what follows the word.
func (p *parser) sparkWord(t *token) Expr {
	next := p.look(1).kind
	switch t.word {
	case kwNull:
		p.next()
		return &Null{Span{t.start, t.end}}
	case kwTrue, kwFalse:
		p.next()
		return &Bool{Span: Span{t.start, t.end}, Value: t.word == kwTrue}
	case kwCase:
		if p.startsOperand(p.look(1)) || p.look(1).word == kwWhen && p.look(2).kind != kComma {
			return p.caseExpr()
		}
	case kwCast, kwTryCast:
		if next == kLParen {
			return p.cast()
		}
	case kwInterval:
		if p.startsInterval() {
			return p.sparkInterval()
		}
	case kwDate, kwTime, kwTimestamp, kwTimestampNtz, kwTimestampLtz:
		if next == kString && p.look(1).flags&flagDollar == 0 {
			return p.typedLiteral()
		}
	case kwX:
		if next == kString && p.look(1).flags&flagDollar == 0 {
			return p.hexLiteral()
		}
	case kwIdentifier:
		if next == kLParen {
			return p.nameOrCall()
		}
	case kwFrom, kwWhere, kwGroup, kwHaving, kwOrder, kwLimit, kwUnion, kwSelect, kwExcept, kwIntersect, kwJoin, kwOn,
		kwThen, kwElse, kwEnd, kwWhen, kwAs, kwUsing, kwSet, kwInto, kwDistinct:
		if !p.plainWord() {
			p.failExpression()
		}
	case kwAnd, kwOr, kwIn, kwIs, kwBetween, kwBy, kwWith:
		if !p.plainWord() && !p.startsItem() {
			p.failExpression()
		}
	case kwLike, kwIlike, kwRlike:
		if !p.plainWord() && !p.startsItem() && next != kLParen {
			p.failExpression()
		}
	}
	if next == kLParen {
		if x := p.sparkSpecial(t.word); x != nil {
			return x
		}
	}
	return p.nameOrCall()
}

// startsItem reports whether the cursor is at the start of a select list, where an operator word can only be a name.
func (p *parser) startsItem() bool {
	return p.i > 0 && p.toks[p.i-1].word == kwSelect && p.look(1).kind != kLParen
}

// plainWord reports whether the clause word at the cursor is a name after all: what follows can only follow a name.
func (p *parser) plainWord() bool {
	switch t := p.look(1); t.kind {
	case kComma, kDot, kRParen, kEq, kEqEq, kNe, kBangEq, kLt, kLe, kGt, kGe, kNullSafe, kSlash, kPercent, kConcat,
		kRBracket, kLBracket, kDoubleColon, kAmp, kBar, kCaret, kArrow, kPipe:
		return true
	case kWord:
		switch t.word {
		case kwFrom, kwAs, kwIs, kwAnd, kwOr, kwIn, kwBetween, kwLike, kwWhere, kwGroup, kwOrder, kwHaving, kwThen, kwElse, kwEnd:
			return p.look(2).kind != kEOF && p.look(2).kind != kRParen
		}
	case kLParen:
		// if(..), left(..) and the like are calls; WHERE (..), ON (..), SELECT (..) are not.
		switch p.peek().word {
		case kwSet, kwDistinct:
			return false
		}
	}
	return false
}

// duckPrimaryWord parses a primary that starts with a word of the keyword list (DuckDB).
func (p *parser) duckPrimaryWord(t *token) Expr {
	next := p.look(1).kind
	switch t.word {
	case kwStruct, kwRow, kwMap, kwTuple, kwUnion:
		if next == kLParen && p.look(p.listSuffix(p.closing()+1)).kind == kString { // 2.0
			return p.typedValue(t.start, p.dataType())
		}
	}
	switch t.word {
	case kwNull:
		p.next()
		return &Null{Span{t.start, t.end}}
	case kwTrue, kwFalse:
		p.next()
		return &Bool{Span: Span{t.start, t.end}, Value: t.word == kwTrue}
	case kwDefault:
		p.next()
		return &Default{Span{t.start, t.end}}
	case kwCase:
		return p.caseExpr()
	case kwCast:
		return p.cast()
	case kwLambda:
		return p.lambdaKeyword()
	case kwArray:
		return p.arrayKeyword()
	case kwTryCast:
		if next == kLParen {
			return p.cast()
		}
	case kwExists:
		if next == kLParen {
			return p.exists()
		}
	case kwInterval:
		if next == kString || next == kNumber || next == kLParen {
			return p.duckInterval()
		}
		if n := p.listSuffix(p.intervalWords()); n > 1 && p.look(n).kind == kString { // 2.0
			return p.typedValue(t.start, p.dataType())
		}
	case kwMap:
		if next == kLBrace {
			return p.mapLiteral()
		}
	case kwRow:
		if next == kLParen {
			return p.rowKeyword()
		}
	case kwColumns:
		if next == kLParen {
			return p.columnsCall(nil, t.start)
		}
	}
	switch {
	case next == kLParen:
		if x := p.duckSpecial(t.word); x != nil {
			return x
		}
	case next == kString && nestedType(t.word):
		return p.typedLiteral()
	case t.word == kwCollation && p.look(1).word == kwFor && p.look(2).kind == kLParen:
		return p.collationFor()
	}
	if x := p.duckTypedLiteral(t); x != nil {
		return x
	}
	if !p.isName(t) && !p.isFunctionName(t) {
		p.failExpression()
	}
	return p.nameOrCall()
}

// nameOrCall parses a dotted name, and what it may begin: a call, a star, a lambda, a typed literal.
func (p *parser) nameOrCall() Expr {
	start, first := p.start(), p.i
	if p.identifierClause() && !(p.look(2).kind == kString && p.look(3).kind == kRParen) {
		return p.dynamicPrimary(start)
	}
	t := p.peek()
	mark := p.idents.mark()
	p.idents.add(p.takeIdent())
	if p.at(kArrow) && p.d.In(Databricks) {
		return p.lambdaBody(start, p.idents.take(mark))
	}
	for p.at(kDot) {
		next := p.look(1)
		switch {
		case next.kind == kStar:
			p.i += 2
			return p.star(p.idents.take(mark), start)
		case next.word == kwColumns && p.look(2).kind == kLParen && p.d.In(DuckDB):
			p.next()
			return p.columnsCall(p.idents.take(mark), start)
		case !p.isLabel(next):
			p.next()
			p.fail("a name behind the dot")
		}
		p.next()
		p.idents.add(p.takeIdent())
	}
	switch p.peek().kind {
	case kLParen:
		if len(p.idents.stack)-mark == 1 && !p.isFunctionName(t) {
			p.failHint("an operator", "a function can't be called "+p.text(t))
		}
		parts := p.idents.take(mark)
		x := p.callOf(start, nil, Name{Span: p.since(start), Parts: parts})
		if p.d.In(DuckDB) && (len(parts) > 1 || p.isTypeName(t)) && readsAsType(x) {
			if p.i--; p.look(p.listSuffix(1)).kind == kString {
				p.i = first // foo(1) 'x': what looked like a call is a type
				return p.typedValue(start, p.dataType())
			}
			p.i++
		}
		return x
	case kLBracket, kWord:
		if p.d.In(DuckDB) && (p.at(kLBracket) || p.is(kwArray)) && (len(p.idents.stack)-mark > 1 || p.isTypeName(t)) {
			if p.i--; p.look(p.listSuffix(1)).kind == kString {
				p.idents.take(mark)
				p.i = first
				return p.typedValue(start, p.dataType())
			}
			p.i++
		}
	case kString:
		if p.d.In(DuckDB) && (len(p.idents.stack)-mark > 1 || p.isTypeName(t)) {
			parts := p.idents.take(mark)
			ty := p.types.new()
			ty.Name = Name{Span: p.since(start), Parts: parts}
			ty.Span = ty.Name.Span
			return p.typedValue(start, ty)
		}
	}
	if !p.isName(t) {
		p.failAt(t, "an expression")
	}
	x := p.columns.new()
	x.Parts = p.idents.take(mark)
	x.Span = p.since(start)
	return x
}

// readsAsType reports whether x is a call that reads like a type with modifiers: constants alone in its parentheses.
func readsAsType(x Expr) bool {
	c, ok := x.(*Call)
	if !ok || c.Quantifier != NoQuantifier || c.OrderBy != nil || c.Nulls != NoNullTreatment || c.WithinGroup != nil ||
		c.Filter != nil || c.ExportState || c.Over != nil {
		return false
	}
	for _, x := range c.Args {
		if !constant(x) {
			return false
		}
	}
	return true
}

// failAt ends the parse at an earlier token.
func (p *parser) failAt(t *token, expected string) {
	p.raise(&ParseError{Offset: int(t.start), Expected: expected, Found: clip(p.text(t))})
}

// dynamicPrimary parses IDENTIFIER(expr) as a column or function name.
func (p *parser) dynamicPrimary(start int32) Expr {
	n := p.dynamicName()
	if p.at(kLParen) {
		return p.callOf(start, nil, n)
	}
	if n.Dynamic == nil {
		x := p.columns.new()
		x.Span, x.Parts = n.Span, n.Parts
		return x
	}
	return &DynamicName{Span: n.Span, X: n.Dynamic}
}

// caseExpr parses CASE .. END.
func (p *parser) caseExpr() Expr {
	x := p.cases.new()
	start := p.start()
	p.enter()
	p.expect(kwCase)
	if !p.is(kwWhen) {
		x.Operand = p.expr()
	}
	mark := p.whens.mark()
	for p.is(kwWhen) {
		w := When{}
		at := p.start()
		p.next()
		w.Cond = p.expr()
		p.expect(kwThen)
		w.Then = p.expr()
		w.Span = p.since(at)
		p.whens.add(w)
	}
	if p.whens.mark() == mark {
		p.fail("WHEN")
	}
	x.Whens = p.whens.take(mark)
	if p.accept(kwElse) {
		x.Else = p.expr()
	}
	if !p.accept(kwEnd) {
		p.fail("WHEN, ELSE or END")
	}
	p.leave()
	x.Span = p.since(start)
	return x
}

// cast parses CAST(expr AS type) or TRY_CAST(..).
func (p *parser) cast() Expr {
	x := p.casts.new()
	start := p.start()
	x.Try = p.is(kwTryCast)
	p.next()
	p.enter()
	p.expectKind(kLParen)
	x.X = p.expr()
	p.expect(kwAs)
	x.Type = p.dataType()
	p.expectKind(kRParen)
	p.leave()
	x.Span = p.since(start)
	return x
}

// exists parses EXISTS (query).
func (p *parser) exists() Expr {
	start := p.start()
	p.next()
	p.enter()
	p.expectKind(kLParen)
	q, _ := p.content()
	p.leave()
	if q == nil {
		p.refuse(start, "EXISTS takes a query", "")
	}
	return &Exists{Span: p.since(start), Query: q}
}

// typedLiteral parses DATE 'x' and its kin in Databricks, where strings are never joined; in DuckDB MAP 'x' and its kin.
func (p *parser) typedLiteral() Expr {
	start := p.start()
	ty := p.types.new()
	ty.Name = Name{Span: Span{start, p.peek().end}, Parts: p.idents.one(p.takeIdent())}
	ty.Span = ty.Name.Span
	return p.typedValue(start, ty)
}

// typedValue parses the string of a typed literal.
func (p *parser) typedValue(start int32, ty DataType) Expr {
	t := p.peek()
	v := p.strings.new()
	v.Span, v.Value = Span{t.start, t.end}, p.decode(t)
	p.next()
	return &TypedLiteral{Span: p.since(start), Type: ty, Value: v}
}

// hexLiteral parses X'1a' (Databricks).
func (p *parser) hexLiteral() Expr {
	start := p.start()
	p.next()
	v := p.stringLiteral()
	for i := 0; i < len(v.Value); i++ {
		if hexValue(v.Value[i]) < 0 {
			p.refuse(start, "a binary literal has hexadecimal digits only", "")
		}
	}
	v.Kind, v.Start = StringHex, start
	return v
}

// duckTypedLiteral parses a literal whose type has words of its own: TIMESTAMP WITH TIME ZONE 'x', DOUBLE PRECISION 'x',
// DECIMAL(4, 1) 'x'. It returns nil if no string follows the type.
func (p *parser) duckTypedLiteral(t *token) Expr {
	n := p.typeWords(t)
	if n == 0 || p.look(n).kind != kString {
		return nil
	}
	start := t.start
	ty := p.dataType()
	return p.typedValue(start, ty)
}

// typeWords returns the number of tokens of the built-in type at the cursor whose name is a keyword, modifiers included; 0
// if there is none.
func (p *parser) typeWords(t *token) int {
	n := p.builtinWords(t)
	if n == 0 {
		return 0
	}
	return p.listSuffix(p.typeModifiers(n))
}

// listSuffix returns the number of tokens up to behind the [], [n], ARRAY and ARRAY[n] that follow the first n.
func (p *parser) listSuffix(n int) int {
	for n > 0 {
		m := n
		if p.look(m).word == kwArray {
			m++
			n = m
		}
		if p.look(m).kind == kLBracket {
			if m++; p.look(m).kind == kNumber {
				m++
			}
			if p.look(m).kind == kRBracket {
				n = m + 1
				continue
			}
		}
		if p.look(n).word != kwArray {
			break
		}
	}
	return n
}

// closing returns how far behind the cursor the parenthesis ends that opens behind the word there; far behind the text's end if it
// doesn't. All pairs of a text are found at once, so that nested ones cost no more.
func (p *parser) closing() int {
	if len(p.pairs) == 0 {
		p.pairs = slices.Grow(p.pairs, len(p.toks))[:len(p.toks)]
		var open []int32
		for i := range p.toks {
			p.pairs[i] = int32(len(p.toks))
			switch p.toks[i].kind {
			case kLParen:
				open = append(open, int32(i))
			case kRParen:
				if len(open) > 0 {
					p.pairs[open[len(open)-1]] = int32(i)
					open = open[:len(open)-1]
				}
			}
		}
	}
	return int(p.pairs[p.i+1]) - p.i
}

// intervalWords returns the number of words of the type INTERVAL [unit [TO unit]] at the cursor.
func (p *parser) intervalWords() int {
	switch {
	case !p.intervalUnit(p.look(1)):
		return 1
	case p.look(2).word == kwTo && p.intervalUnit(p.look(3)):
		return 4
	}
	return 2
}

// typeModifiers returns the number of tokens of a built-in type with its modifiers, whose words are the first n; 0 if the
// parenthesis behind them has something else.
func (p *parser) typeModifiers(n int) int {
	if p.look(n).kind == kLParen {
		for n++; p.look(n).kind == kNumber || p.look(n).kind == kComma || p.look(n).kind == kString; n++ {
		}
		if p.look(n).kind != kRParen {
			return 0
		}
		n++
	}
	if w := p.look(n).word; (w == kwWith || w == kwWithout) && p.look(n+1).word == kwTime && p.look(n+2).word == kwZone {
		n += 3
	}
	return n
}

// builtinWords returns the number of words of the built-in type at the cursor whose name is a keyword, 0 if there is none.
func (p *parser) builtinWords(t *token) int {
	n := 1
	switch t.word {
	case kwBigint, kwBit, kwBoolean, kwInt, kwInteger, kwReal, kwSmallint, kwFloat, kwDec, kwDecimal, kwNumeric, kwVarchar,
		kwNchar, kwChar, kwCharacter, kwTime, kwTimestamp:
	case kwDouble:
		if p.look(1).word == kwPrecision {
			n = 2
		}
	case kwNational:
		n = 2
	default:
		return 0
	}
	if p.look(n).word == kwVarying {
		n++
	}
	return n
}

// startsInterval reports whether the word INTERVAL at the cursor starts a literal (Databricks).
func (p *parser) startsInterval() bool {
	n := 1
	if k := p.look(n).kind; k == kMinus || k == kPlus {
		n++
		return p.look(n).kind == kNumber && p.look(n+1).kind == kWord || p.look(n).kind == kString
	}
	k := p.look(n).kind
	return k == kNumber || k == kString && p.look(n).flags&flagDollar == 0
}

// intervalUnit reports whether t is a unit of the dialect's interval literals, singular or plural.
func (p *parser) intervalUnit(t *token) bool {
	switch t.word {
	case kwYear, kwYears, kwMonth, kwMonths, kwWeek, kwWeeks, kwDay, kwDays, kwHour, kwHours, kwMinute, kwMinutes,
		kwSecond, kwSeconds, kwMillisecond, kwMilliseconds, kwMicrosecond, kwMicroseconds:
		return true
	case kwNanosecond, kwNanoseconds:
		return p.d.In(Databricks)
	case kwQuarter, kwQuarters, kwDecade, kwDecades, kwCentury, kwCenturies, kwMillennium, kwMillennia:
		return p.d.In(DuckDB)
	}
	return false
}

// sparkInterval parses an interval literal of Databricks.
func (p *parser) sparkInterval() Expr {
	x := &Interval{}
	start := p.start()
	p.next()
	for {
		part := IntervalPart{}
		at := p.start()
		n := 0
		if p.at(kMinus) || p.at(kPlus) {
			n = 1
		}
		value := p.look(n).kind
		if value != kNumber && value != kString || value == kNumber && !p.intervalUnit(p.look(n+1)) && len(x.Parts) > 0 {
			break
		}
		var sign *Unary
		negative := n == 1 && p.at(kMinus) && value == kNumber
		switch {
		case negative:
			p.next()
		case n == 1:
			sign = &Unary{Op: p.operator()}
		}
		if p.at(kNumber) {
			num := p.number()
			if negative {
				num.Negative, num.Start = true, at
			}
			part.Value = num
		} else {
			part.Value = p.intervalString()
		}
		if sign != nil {
			sign.X, sign.Span = part.Value, p.since(at)
			part.Value = sign
		}
		bare := !p.intervalUnit(p.peek())
		if bare && (value == kNumber || len(x.Parts) > 0) {
			p.fail("a unit of the interval")
		}
		if !bare {
			part.Unit = p.takeIdent()
		}
		part.Span = p.since(at)
		x.Parts = append(x.Parts, part)
		if bare {
			break
		}
		if len(x.Parts) == 1 && p.is(kwTo) && p.intervalUnit(p.look(1)) && value == kString {
			p.next()
			x.To = p.takeIdent()
			break
		}
		if k := p.look(0).kind; k != kNumber && k != kString {
			if (k != kMinus && k != kPlus) || p.look(1).kind != kNumber || !p.intervalUnit(p.look(2)) {
				break
			}
		}
	}
	x.Span = p.since(start)
	return x
}

// intervalString parses one string token; strings of an interval are never joined.
func (p *parser) intervalString() Expr {
	t := p.peek()
	s := p.strings.new()
	s.Span, s.Value = Span{t.start, t.end}, p.decode(t)
	p.next()
	return s
}

// duckInterval parses an interval literal of DuckDB.
func (p *parser) duckInterval() Expr {
	x := &Interval{}
	start := p.start()
	p.next()
	at := p.start()
	part := IntervalPart{}
	switch p.peek().kind {
	case kNumber:
		part.Value = p.number()
	case kString:
		part.Value = p.stringLiteral()
	default:
		part.Value = p.primary()
		switch part.Value.(type) {
		case *Paren:
		default:
			p.refuse(at, "an interval takes one number, string or expression in parentheses", "")
		}
	}
	if p.intervalUnit(p.peek()) {
		part.Unit = p.takeIdent()
		if p.is(kwTo) {
			p.fail("the end of the interval, which has one unit")
		}
	}
	part.Span = p.since(at)
	x.Parts = []IntervalPart{part}
	x.Span = p.since(start)
	return x
}
