package grammar

func (x *Call) print(p *printer) {
	if x.Receiver != nil {
		p.primaryOnly(x.Receiver, true)
		p.s(".")
	}
	p.functionName(x)
	p.s("(")
	p.if_(x.Quantifier == QuantDistinct, "DISTINCT ")
	p.if_(x.Quantifier == QuantAll, "ALL ")
	p.exprs(x.Args)
	if len(x.OrderBy) > 0 {
		p.space()
		p.orderBy(x.OrderBy)
	}
	inside := x.NullsInside || p.d.In(DuckDB)
	if inside {
		p.nulls(x.Nulls)
	}
	p.s(")")
	if len(x.WithinGroup) > 0 {
		p.s(" WITHIN GROUP (")
		p.orderBy(x.WithinGroup)
		p.s(")")
	}
	if x.Filter != nil {
		p.s(" FILTER (WHERE ")
		x.Filter.print(p)
		p.s(")")
	}
	if !inside {
		p.nulls(x.Nulls)
	}
	p.if_(x.ExportState, " EXPORT_STATE")
	if x.Over != nil {
		p.s(" OVER ")
		x.Over.print(p)
	}
}

// functionName writes the name of a call: in quotes, unless the call is a syntax of its own.
func (p *printer) functionName(x *Call) {
	if len(x.Name.Parts) != 1 || x.Name.Parts[0].Quote != Unquoted || x.Receiver != nil {
		x.Name.print(p)
		return
	}
	n := &x.Name.Parts[0]
	if p.d.In(DuckDB) {
		k := wordOf(n.Text)
		if k.in(duckWord) && !k.in(classUnreserved|classFuncName) {
			p.s(n.Text)
			return
		}
	} else {
		// Spark's grammar has rules of their own for these; the plans differ from those of the function in quotes.
		switch wordOf(n.Text) {
		case kwStruct, kwFirst, kwLast, kwAnyValue:
			p.s(n.Text)
			return
		}
		for _, a := range x.Args {
			if _, ok := a.(*Unit); ok {
				p.s(n.Text)
				return
			}
		}
	}
	n.print(p)
}

// wordOf returns the keyword that text spells.
func wordOf(text string) keyword {
	if len(text) > keywordLongest {
		return noKeyword
	}
	h := uint32(0)
	for i := 0; i < len(text); i++ {
		h = h*31 + uint32(text[i]|0x20)
	}
	return lookup(text, h)
}

func (p *printer) nulls(n NullTreatment) {
	p.if_(n != NoNullTreatment && p.b[len(p.b)-1] != '(', " ")
	p.if_(n == IgnoreNulls, "IGNORE NULLS")
	p.if_(n == RespectNulls, "RESPECT NULLS")
}

func (x *SyntaxCall) print(p *printer) {
	p.word(&x.Name)
	p.s("(")
	position := len(x.Args) > 1 && x.Args[1].Word == "IN"
	for i := range x.Args {
		p.if_(i > 0 && x.Args[i].Word != ",", " ")
		if position && i == 0 {
			p.operand(x.Args[i].X, p.levelPosition(), 0)
			continue
		}
		x.Args[i].print(p)
	}
	p.s(")")
}

func (x *SyntaxArg) print(p *printer) {
	p.s(x.Word)
	if x.X == nil {
		return
	}
	p.if_(x.Word != "", " ")
	if x.Word == "IN" {
		p.operand(x.X, p.levelPosition(), 0)
		return
	}
	x.X.print(p)
}

// levelPosition is the level of the operands of POSITION(a IN b).
func (p *printer) levelPosition() int {
	if p.d.In(Databricks) {
		return sparkCompare
	}
	return duckPattern + 1
}

func (x *Unit) print(p *printer) {
	if x.Word.Quote == SingleQuote {
		p.literal(x.Word.Text)
		return
	}
	p.word(&x.Word)
}

func (x *TypeArg) print(p *printer) { x.Type.print(p) }

func (x *NamedArg) print(p *printer) {
	x.Name.print(p)
	p.s(" ")
	p.s(x.Op)
	p.s(" ")
	x.Value.print(p)
}

func (x *VariadicArg) print(p *printer) {
	p.s("VARIADIC ")
	x.X.print(p)
}

func (x *TableArg) print(p *printer) {
	switch {
	case x.Query != nil:
		p.s("TABLE(")
		x.Query.print(p)
		p.s(")")
	case x.Parens:
		p.s("TABLE(")
		x.Name.print(p)
		p.s(")")
	default:
		p.s("TABLE ")
		x.Name.print(p)
	}
	p.if_(x.Single, " WITH SINGLE PARTITION")
	if len(x.PartitionBy) > 0 {
		p.s(" PARTITION BY ")
		if x.PartitionParens {
			p.exprParens(x.PartitionBy)
		} else {
			p.exprs(x.PartitionBy)
		}
	}
	if len(x.OrderBy) > 0 {
		p.s(" ORDER BY ")
		p.if_(x.OrderParens, "(")
		p.sorts(x.OrderBy)
		p.if_(x.OrderParens, ")")
	}
}

func (x *Window) print(p *printer) {
	if !x.Parens {
		x.Name.print(p)
		return
	}
	p.s("(")
	if x.Name.Present() {
		x.Name.print(p)
	}
	if len(x.PartitionBy) > 0 {
		p.space()
		p.s("PARTITION BY ")
		p.exprs(x.PartitionBy)
	}
	if len(x.OrderBy) > 0 {
		p.space()
		p.orderBy(x.OrderBy)
	}
	if x.Frame != nil {
		p.space()
		x.Frame.print(p)
	}
	p.s(")")
}

var frameUnits = [...]string{FrameRows: "ROWS ", FrameRange: "RANGE ", FrameGroups: "GROUPS "}

var frameExcludes = [...]string{ExcludeUnwritten: "", ExcludeCurrentRow: " EXCLUDE CURRENT ROW", ExcludeGroup: " EXCLUDE GROUP",
	ExcludeTies: " EXCLUDE TIES", ExcludeNoOthers: " EXCLUDE NO OTHERS"}

func (x *Frame) print(p *printer) {
	p.s(frameUnits[x.Unit])
	p.if_(x.Between, "BETWEEN ")
	x.Low.print(p)
	if x.Between {
		p.s(" AND ")
		x.High.print(p)
	}
	p.s(frameExcludes[x.Exclude])
}

func (x *Bound) print(p *printer) {
	switch x.Kind {
	case BoundUnboundedPreceding:
		p.s("UNBOUNDED PRECEDING")
	case BoundUnboundedFollowing:
		p.s("UNBOUNDED FOLLOWING")
	case BoundCurrentRow:
		p.s("CURRENT ROW")
	case BoundPreceding, BoundFollowing:
		x.X.print(p)
		p.if_(x.Kind == BoundPreceding, " PRECEDING")
		p.if_(x.Kind == BoundFollowing, " FOLLOWING")
	}
}
