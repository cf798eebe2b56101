package grammar

// dataType parses a type.
func (p *parser) dataType() DataType {
	p.enter()
	defer p.leave()
	if p.d.In(Databricks) {
		return p.sparkType()
	}
	return p.duckType()
}

// sparkType parses a type of Databricks.
func (p *parser) sparkType() DataType {
	start := p.start()
	t := p.peek()
	if p.look(1).kind == kLt || p.look(1).kind == kNe {
		switch t.word {
		case kwArray:
			p.next()
			x := &ArrayType{Elem: p.angled()}
			p.closeAngle()
			x.Span = p.since(start)
			return x
		case kwMap:
			p.next()
			x := &MapType{Key: p.angled()}
			p.expectKind(kComma)
			x.Value = p.dataType()
			p.closeAngle()
			x.Span = p.since(start)
			return x
		case kwStruct:
			return p.sparkStruct(start)
		}
	}
	switch t.word {
	case kwInterval:
		return p.sparkIntervalType(start)
	}
	if !p.isName(t) {
		p.fail("a type")
	}
	x := p.types.new()
	name := p.takeIdent()
	x.Name = Name{Span: name.Span, Parts: p.idents.one(name)}
	if p.at(kLParen) {
		p.typeArgs(x)
	}
	switch t.word {
	case kwTimestamp, kwTime:
		if p.are(kwWithout, kwTime) && p.look(2).word == kwZone {
			p.i += 3
			x.Zone = WithoutZone
		}
	case kwString:
		if p.accept(kwCollate) {
			x.Collate = p.label("a collation")
		}
	}
	x.Span = p.since(start)
	return x
}

// angled parses < and a type.
func (p *parser) angled() DataType {
	p.expectKind(kLt)
	return p.dataType()
}

// closeAngle takes one >. The lexer joins closing brackets to shift operators, which are parted here: the token is replaced
// by what is left of it, so that the number of tokens stays.
func (p *parser) closeAngle() {
	t := p.peek()
	switch t.kind {
	case kGt:
		p.i++
		return
	case kShiftRight:
		t.kind = kGt
	case kShiftRightUnsigned:
		t.kind = kShiftRight
	case kGe:
		t.kind = kEq
	default:
		p.fail(`">"`)
	}
	t.start++
	p.split = p.i + 1
}

// sparkStruct parses STRUCT<name[:] type [NOT NULL] [DEFAULT e] [COMMENT 's'], ...>.
func (p *parser) sparkStruct(start int32) DataType {
	x := &StructType{}
	p.next()
	if p.acceptKind(kNe) {
		x.Span = p.since(start)
		return x
	}
	p.expectKind(kLt)
	for !p.at(kGt) || len(x.Fields) > 0 {
		at := p.start()
		f := Field{Name: p.label("a field")}
		p.acceptKind(kColon)
		f.Type = p.dataType()
		if p.are(kwNot, kwNull) {
			p.i += 2
			f.NotNull = true
		}
		if p.accept(kwDefault) {
			f.Default = p.binary(sparkCompare + 1)
		}
		if p.accept(kwComment) {
			f.Comment = p.stringLiteral()
		}
		f.Span = p.since(at)
		x.Fields = append(x.Fields, f)
		if !p.acceptKind(kComma) {
			break
		}
	}
	p.closeAngle()
	x.Span = p.since(start)
	return x
}

// sparkIntervalType parses INTERVAL [unit [TO unit]].
func (p *parser) sparkIntervalType(start int32) DataType {
	x := &IntervalType{}
	p.next()
	switch p.peek().word {
	case kwYear, kwMonth, kwDay, kwHour, kwMinute, kwSecond:
		x.From = p.takeIdent()
		if p.is(kwTo) {
			p.next()
			switch p.peek().word {
			case kwMonth, kwHour, kwMinute, kwSecond:
				x.To = p.takeIdent()
			default:
				p.fail("a unit of the interval")
			}
		}
	}
	x.Span = p.since(start)
	return x
}

// typeArgs parses (arg, ...) of a type: numbers, parameters, ANY; in DuckDB also other constants and types.
func (p *parser) typeArgs(x *TypeName) {
	p.expectKind(kLParen)
	x.Parens = true
	mark := p.exprs.mark()
	for !p.at(kRParen) || p.d.In(Databricks) {
		p.exprs.add(p.typeArg())
		if !p.acceptKind(kComma) {
			break
		}
	}
	p.expectKind(kRParen)
	x.Args = p.exprs.take(mark)
	if n := &x.Name.Parts[0]; p.d.In(DuckDB) && len(x.Name.Parts) == 1 && (n.Is("TIMESTAMP") || n.Is("TIME")) {
		for _, a := range x.Args {
			if _, ok := a.(*Number); !ok {
				p.refuse(a.Bounds().Start, "the precision is a whole number", "")
			}
		}
		if len(x.Args) > 1 {
			p.refuse(x.Args[1].Bounds().Start, "the precision is one number", "")
		}
	}
}

// constant reports whether x is a literal, perhaps signed and in parentheses.
func constant(x Expr) bool {
	switch x := x.(type) {
	case *Number, *String, *Null, *Bool, *TypedLiteral, *Param:
		return true
	case *Paren:
		return constant(x.X)
	case *Unary:
		return constant(x.X)
	}
	return false
}

func (p *parser) typeArg() Expr {
	if p.d.In(DuckDB) {
		x := p.expr()
		if !constant(x) {
			p.refuse(x.Bounds().Start, "a modifier of a type is a constant", "")
		}
		return x
	}
	switch {
	case p.at(kNumber), p.at(kParam), p.at(kColon), p.at(kMinus) && p.look(1).kind == kNumber:
		return p.operand()
	case p.is(kwAny):
		return p.column()
	}
	p.fail("a number")
	return nil
}

// duckType parses a type of DuckDB with its list suffixes.
func (p *parser) duckType() DataType {
	start := p.start()
	outer := p.measure()
	if p.is(kwSetof) {
		p.next()
	}
	var x DataType = p.duckBase(start)
	for {
		switch {
		case p.at(kLBracket):
			p.nested()
			p.next()
			a := &ArrayType{Elem: x}
			if !p.at(kRBracket) {
				a.Size = p.arraySize()
			}
			p.expectKind(kRBracket)
			a.Span = p.since(start)
			x = a
			continue
		case p.is(kwArray):
			p.nested()
			p.next()
			a := &ArrayType{Elem: x}
			if p.acceptKind(kLBracket) {
				a.Size = p.arraySize()
				p.expectKind(kRBracket)
			}
			a.Span = p.since(start)
			x = a
			continue
		}
		p.measured(outer)
		return x
	}
}

func (p *parser) arraySize() Expr {
	if !p.at(kNumber) {
		p.fail("a number of elements")
	}
	n := p.number()
	if n.Kind != NumberInteger {
		p.refuse(n.Start, "an array has a whole number of elements", "")
	}
	return n
}

func (p *parser) duckBase(start int32) DataType {
	t := p.peek()
	switch next := p.look(1).kind; {
	case t.word == kwInterval:
		return p.duckIntervalType(start)
	case next != kLParen:
	case t.word == kwStruct || t.word == kwRow || t.word == kwUnion,
		t.word == kwTuple && p.look(2).kind != kNumber && p.look(2).kind != kString && p.look(2).kind != kRParen:
		return p.duckStruct(start)
	case t.word == kwMap:
		p.i += 2
		x := &MapType{Key: p.dataType()}
		p.expectKind(kComma)
		x.Value = p.dataType()
		p.expectKind(kRParen)
		x.Span = p.since(start)
		return x
	case t.word == kwEnum:
		return p.enumType(start)
	}
	x := p.types.new()
	if p.builtinWords(t) > 0 {
		p.builtinType(x)
	} else {
		if !p.isTypeName(t) && !(p.isLabel(t) && p.look(1).kind == kDot && p.isName(t)) && !nestedType(t.word) {
			p.fail("a type")
		}
		mark := p.idents.mark()
		p.idents.add(p.takeIdent())
		for p.acceptKind(kDot) {
			p.idents.add(p.label("a name behind the dot"))
		}
		x.Name = Name{Span: p.since(start), Parts: p.idents.take(mark)}
		if len(x.Name.Parts) > 3 {
			p.refuse(start, "a type has a catalog, a schema and a name at most", "")
		}
		if p.at(kLParen) {
			p.typeArgs(x)
		}
	}
	p.zoneSuffix(x)
	x.Span = p.since(start)
	return x
}

// nestedType reports whether w, without its parentheses, is a type in DuckDB 2.0.
func nestedType(w keyword) bool { return w == kwStruct || w == kwRow || w == kwMap }

func (p *parser) zoneSuffix(x *TypeName) {
	switch {
	case len(x.Name.Parts) != 1 || !(x.Name.Parts[0].Is("TIME") || x.Name.Parts[0].Is("TIMESTAMP")):
	case p.acceptAll(kwWith, kwTime, kwZone):
		x.Zone = WithZone
	case p.acceptAll(kwWithout, kwTime, kwZone):
		x.Zone = WithoutZone
	}
}

// builtinType parses a type whose name is one or several keywords; several make one part with single blanks.
func (p *parser) builtinType(x *TypeName) {
	start := p.start()
	name := p.takeIdent()
	for {
		switch p.peek().word {
		case kwPrecision, kwVarying:
		case kwChar, kwCharacter:
			if !name.Is("NATIONAL") {
				p.fail("the end of the type")
			}
		default:
			x.Name = Name{Span: p.since(start), Parts: p.idents.one(name)}
			if p.at(kLParen) {
				if takesNoModifier(name.Text) {
					p.fail("the end of the type")
				}
				p.typeArgs(x)
			}
			return
		}
		name.Text += " " + p.text(p.peek())
		name.End = p.peek().end
		p.next()
	}
}

// takesNoModifier reports whether the type has no modifiers in DuckDB's grammar.
func takesNoModifier(name string) bool {
	for _, t := range [...]string{"INT", "INTEGER", "BIGINT", "SMALLINT", "REAL", "BOOLEAN"} {
		if equalFold(name, t) {
			return true
		}
	}
	return false
}

// duckStruct parses STRUCT(name type, ...), ROW(..), UNION(..) or, with types alone, TUPLE(..) of DuckDB 2.0.
func (p *parser) duckStruct(start int32) DataType {
	x := &StructType{Union: p.is(kwUnion), Tuple: p.is(kwTuple)}
	p.i += 2
	for {
		f := Field{}
		f.Start = p.start()
		if !x.Tuple {
			f.Name = p.identOrString("a field")
		}
		f.Type = p.dataType()
		f.End = p.end()
		x.Fields = append(x.Fields, f)
		if !p.comma(kRParen) {
			break
		}
	}
	p.expectKind(kRParen)
	x.Span = p.since(start)
	return x
}

func (p *parser) enumType(start int32) DataType {
	x := &EnumType{}
	p.next()
	p.expectKind(kLParen)
	x.Query, x.Values = p.enumContent()
	x.Span = p.since(start)
	return x
}

func (p *parser) enumContent() (*Query, []Expr) {
	if p.acceptKind(kRParen) {
		return nil, nil
	}
	return p.content()
}

// duckIntervalType parses INTERVAL [unit] or INTERVAL(precision).
func (p *parser) duckIntervalType(start int32) DataType {
	x := &IntervalType{}
	p.next()
	if p.acceptKind(kLParen) {
		if !p.at(kNumber) {
			p.fail("a precision")
		}
		x.Precision = p.number()
		p.expectKind(kRParen)
		x.Span = p.since(start)
		return x
	}
	if p.intervalUnit(p.peek()) {
		x.From = p.takeIdent()
		if p.is(kwTo) && p.intervalUnit(p.look(1)) {
			p.next()
			x.To = p.takeIdent()
		}
	}
	x.Span = p.since(start)
	return x
}
