package grammar

// Functions with words between their arguments. Each starts like an ordinary call, so the first argument is parsed before
// it is known which one it is.

// sparkSpecial parses a call of Databricks with a syntax of its own; nil if the word names an ordinary function. The cursor
// is at the word, and a parenthesis follows.
func (p *parser) sparkSpecial(w keyword) Expr {
	switch w {
	case kwExists:
		return p.existsOrCall()
	case kwExtract:
		return p.extract()
	case kwTrim:
		return p.trim()
	case kwSubstring, kwSubstr:
		return p.substring()
	case kwOverlay:
		return p.overlay()
	case kwPosition:
		return p.position()
	case kwTimestampadd, kwDateadd, kwDateAdd, kwTimestampdiff, kwDatediff, kwDateDiff, kwTimediff:
		if isDateUnit(p.look(2).word) && p.look(3).kind == kComma {
			return p.unitCall()
		}
	case kwFinal, kwRunning:
	}
	return nil
}

// duckSpecial parses a call of DuckDB whose name is a keyword with a syntax of its own; nil if there is none.
func (p *parser) duckSpecial(w keyword) Expr {
	switch w {
	case kwExtract:
		return p.extract()
	case kwTrim:
		return p.trim()
	case kwSubstring:
		return p.substring()
	case kwOverlay:
		return p.overlay()
	case kwPosition:
		return p.position()
	case kwTreat:
		return p.treat()
	case kwCoalesce, kwNullif, kwGrouping, kwGroupingId, kwUnpack:
		return p.keywordCall()
	}
	return nil
}

// keywordCall parses a call whose name is a keyword that is no function name otherwise.
func (p *parser) keywordCall() Expr {
	start := p.start()
	name := p.takeIdent()
	list := name.Is("COALESCE")
	c := p.calls.new()
	c.Start, c.Name = start, Name{Span: name.Span, Parts: p.idents.one(name)}
	p.enter()
	p.expectKind(kLParen)
	if !list {
		if p.at(kRParen) && !name.Is("UNPACK") {
			p.fail("an argument")
		}
		return p.callArgs(c, nil)
	}
	mark := p.exprs.mark()
	for {
		p.exprs.add(p.expr())
		if !p.comma(kRParen) {
			break
		}
	}
	p.expectKind(kRParen)
	p.leave()
	c.Args, c.End = p.exprs.take(mark), p.end()
	return c
}

// syntaxCall opens a call with words; open takes its name and parenthesis.
type syntaxCall struct {
	p    *parser
	call *Call
	args []SyntaxArg
}

func (p *parser) openSyntax() *syntaxCall {
	c := p.calls.new()
	c.Start = p.start()
	name := p.takeIdent()
	c.Name = Name{Span: name.Span, Parts: p.idents.one(name)}
	p.enter()
	p.expectKind(kLParen)
	return &syntaxCall{p: p, call: c}
}

func (s *syntaxCall) add(start int32, word string, x Expr) {
	s.args = append(s.args, SyntaxArg{Span: s.p.since(start), Word: word, X: x})
}

// word parses the argument behind the word if it is next.
func (s *syntaxCall) word(w keyword) bool {
	p := s.p
	start := p.start()
	if !p.accept(w) {
		return false
	}
	s.add(start, w.String(), p.expr())
	return true
}

func (s *syntaxCall) close() Expr {
	p := s.p
	p.expectKind(kRParen)
	p.leave()
	return &SyntaxCall{Span: p.since(s.call.Start), Name: s.call.Name.Parts[0], Args: s.args}
}

// existsOrCall parses EXISTS (query), or the function of that name.
func (p *parser) existsOrCall() Expr {
	start := p.start()
	if n := p.look(2); n.word == kwSelect || n.word == kwWith || n.word == kwFrom || n.word == kwValues || n.word == kwTable ||
		n.kind == kLParen || n.word == kwMap || n.word == kwReduce {
		i := p.i
		p.next()
		p.enter()
		p.expectKind(kLParen)
		q, items := p.content()
		p.leave()
		if q != nil {
			return &Exists{Span: p.since(start), Query: q}
		}
		c := p.calls.new()
		name := p.identOf(&p.toks[i])
		c.Span, c.Name, c.Args = p.since(start), Name{Span: name.Span, Parts: p.idents.one(name)}, items
		return c
	}
	return nil
}

// extract parses EXTRACT(field FROM e).
func (p *parser) extract() Expr {
	if p.look(3).word != kwFrom || !(p.isLabel(p.look(2)) || p.look(2).kind == kString && p.d.In(DuckDB)) {
		if p.d.In(Databricks) {
			return nil
		}
		p.i += 2
		if p.isLabel(p.peek()) || p.at(kString) {
			p.next()
			p.fail("FROM")
		}
		p.fail("a field to extract")
	}
	s := p.openSyntax()
	start := p.start()
	s.add(start, "", &Unit{Span: Span{start, p.peek().end}, Word: p.takeIdent()})
	s.args[0].End = p.end()
	s.word(kwFrom)
	return s.close()
}

// trim parses TRIM([side] [chars] FROM s) or an ordinary call.
func (p *parser) trim() Expr {
	s := p.openSyntax()
	start := p.start()
	word := ""
	if t := p.peek(); t.word == kwBoth || t.word == kwLeading || t.word == kwTrailing {
		if n := p.look(1); p.d.In(DuckDB) || n.word == kwFrom || p.startsOperand(n) {
			p.next()
			word = t.word.String()
		}
	}
	var x Expr
	switch {
	case p.is(kwFrom) && !(p.d.In(Databricks) && p.plainWord() && word == ""):
	case p.at(kRParen) && word == "" && p.d.In(Databricks):
		return p.callArgs(s.call, nil)
	default:
		x = p.expr()
	}
	if !p.is(kwFrom) {
		switch {
		case word == "":
			return p.callArgs(s.call, x)
		case p.d.In(Databricks):
			p.fail("FROM")
		}
	}
	if word != "" || x != nil {
		s.add(start, word, x)
	}
	if s.word(kwFrom) || word != "" {
		s.list()
	}
	return s.close()
}

// list takes further arguments behind commas (DuckDB).
func (s *syntaxCall) list() {
	p := s.p
	for p.at(kComma) && p.d.In(DuckDB) {
		start := p.start()
		p.next()
		s.add(start, ",", p.expr())
	}
}

// substring parses SUBSTRING(s FROM p [FOR n]) or an ordinary call; DuckDB takes the words in either order.
func (p *parser) substring() Expr {
	s := p.openSyntax()
	start := p.start()
	if p.at(kRParen) {
		return p.callArgs(s.call, nil)
	}
	x := p.argument(s.call)
	if !p.is(kwFrom) && !(p.is(kwFor) && p.d.In(DuckDB)) {
		return p.callArgs(s.call, x)
	}
	s.add(start, "", x)
	if s.word(kwFrom) {
		s.word(kwFor)
	} else {
		s.word(kwFor)
		s.word(kwFrom)
	}
	return s.close()
}

// overlay parses OVERLAY(s PLACING r FROM p [FOR n]) or an ordinary call.
func (p *parser) overlay() Expr {
	s := p.openSyntax()
	start := p.start()
	if p.at(kRParen) {
		return p.callArgs(s.call, nil)
	}
	x := p.argument(s.call)
	if !p.is(kwPlacing) {
		return p.callArgs(s.call, x)
	}
	s.add(start, "", x)
	s.word(kwPlacing)
	if !s.word(kwFrom) {
		p.fail("FROM")
	}
	s.word(kwFor)
	return s.close()
}

// position parses POSITION(a IN b), or in Databricks an ordinary call.
func (p *parser) position() Expr {
	s := p.openSyntax()
	start := p.start()
	if p.at(kRParen) && p.d.In(Databricks) {
		return p.callArgs(s.call, nil)
	}
	level := sparkCompare
	if p.d.In(DuckDB) {
		level = duckPattern + 1
	}
	x := p.binary(level)
	at := p.start()
	if !p.accept(kwIn) {
		if p.d.In(DuckDB) {
			p.fail("IN")
		}
		return p.callArgs(s.call, p.climb(x, lowest))
	}
	s.add(start, "", x)
	s.args[0].End = x.Bounds().End
	s.add(at, "IN", p.binary(level))
	return s.close()
}

// collationFor parses COLLATION FOR (e) (DuckDB 1.5).
func (p *parser) collationFor() Expr {
	start := p.start()
	p.i += 2
	name := Ident{Span: p.since(start), Text: "COLLATION FOR"}
	p.enter()
	p.expectKind(kLParen)
	at := p.start()
	x := p.expr()
	arg := SyntaxArg{Span: p.since(at), X: x}
	p.expectKind(kRParen)
	p.leave()
	return &SyntaxCall{Span: p.since(start), Name: name, Args: []SyntaxArg{arg}}
}

// treat parses TREAT(e AS type) (DuckDB).
func (p *parser) treat() Expr {
	s := p.openSyntax()
	start := p.start()
	s.add(start, "", p.expr())
	at := p.start()
	p.expect(kwAs)
	c := p.casts.new()
	c.Type = p.dataType()
	c.Span = p.since(at)
	s.add(at, "AS", &TypeArg{Span: c.Type.Bounds(), Type: c.Type})
	return s.close()
}

// isDateUnit reports whether w is a unit of DATEADD and its kin.
func isDateUnit(w keyword) bool {
	switch w {
	case kwYear, kwQuarter, kwMonth, kwWeek, kwDay, kwDayofyear, kwHour, kwMinute, kwSecond, kwMillisecond, kwMicrosecond:
		return true
	}
	return false
}

// unitCall parses DATEADD(unit, n, ts). With another number of arguments the word is a column after all.
func (p *parser) unitCall() Expr {
	s := p.openSyntax()
	start := p.start()
	u := &Unit{Span: Span{start, p.peek().end}, Word: p.takeIdent()}
	x := p.callArgs(s.call, u)
	if c := x.(*Call); len(c.Args) != 3 {
		c.Args[0] = &Column{Span: u.Span, Parts: p.idents.one(u.Word)}
	}
	return x
}
