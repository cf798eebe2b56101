package grammar

func (x *Column) print(p *printer) {
	if len(x.Parts) == 1 && x.Parts[0].Is("CURRENT_PATH") && p.d.In(Databricks) {
		p.s(x.Parts[0].Text) // a call in Spark's grammar, unlike CURRENT_DATE and its kin
		return
	}
	p.parts(x.Parts)
}

func (x *DynamicName) print(p *printer) {
	p.s("IDENTIFIER(")
	x.X.print(p)
	p.s(")")
}

func (x *Star) print(p *printer) {
	for i := range x.Qualifier {
		x.Qualifier[i].print(p)
		p.s(".")
	}
	p.s("*")
	if len(x.Exclude) > 0 {
		p.s(" EXCLUDE (")
		if p.d.In(Databricks) {
			p.b = append(p.b[:len(p.b)-len("EXCLUDE (")], "EXCEPT ("...)
		}
		for i := range x.Exclude {
			p.if_(i > 0, ", ")
			x.Exclude[i].print(p)
		}
		p.s(")")
	}
	if len(x.Replace) > 0 {
		p.s(" REPLACE (")
		for i := range x.Replace {
			p.if_(i > 0, ", ")
			r := &x.Replace[i]
			r.X.print(p)
			p.s(" AS ")
			r.Alias.print(p)
			for j := range r.Aliases {
				p.s(".")
				r.Aliases[j].print(p)
			}
		}
		p.s(")")
	}
	if len(x.Rename) > 0 {
		p.s(" RENAME (")
		for i := range x.Rename {
			p.if_(i > 0, ", ")
			x.Rename[i].print(p)
		}
		p.s(")")
	}
}

func (x *StarRename) print(p *printer) {
	x.Old.print(p)
	p.s(" AS ")
	x.New.print(p)
}

func (x *Columns) print(p *printer) {
	p.if_(x.Unpack, "*")
	for i := range x.Qualifier {
		x.Qualifier[i].print(p)
		p.s(".")
	}
	p.s("COLUMNS(")
	x.Arg.print(p)
	p.s(")")
}

func (x *PositionalRef) print(p *printer) {
	p.s("#")
	p.s(x.Text)
}

func (x *Number) print(p *printer) {
	p.if_(x.Negative, "-")
	p.s(x.Text)
	p.s(x.Suffix)
}

func (x *Null) print(p *printer) { p.s("NULL") }

func (x *Bool) print(p *printer) {
	if x.Value {
		p.s("TRUE")
	} else {
		p.s("FALSE")
	}
}

func (x *Default) print(p *printer) { p.s("DEFAULT") }

func (x *TypedLiteral) print(p *printer) {
	x.Type.print(p)
	p.s(" ")
	x.Value.print(p)
}

func (x *Interval) print(p *printer) {
	p.s("INTERVAL")
	for i := range x.Parts {
		p.s(" ")
		x.Parts[i].print(p)
	}
	if x.To.Present() {
		p.s(" TO ")
		p.word(&x.To)
	}
}

func (x *IntervalPart) print(p *printer) {
	switch v := x.Value.(type) {
	case *Number, *String, *Param, *Paren:
		v.print(p)
	case *Unary:
		v.print(p)
	default:
		p.s("(")
		x.Value.print(p)
		p.s(")")
	}
	if x.Unit.Present() {
		p.s(" ")
		p.word(&x.Unit)
	}
}

func (x *Param) print(p *printer) { p.s(x.Text) }

func (x *Unary) print(p *printer) {
	p.s(x.Op)
	at := len(p.b)
	switch {
	case p.d.In(Databricks):
		if x.Op == "-" && leadingNumber(x.X) {
			p.s("(")
			x.X.print(p)
			p.s(")")
			return
		}
		p.operand(x.X, sparkUnary, 0)
	case x.Op == "-" || x.Op == "+":
		p.operand(x.X, duckUnary, 0)
	default:
		p.operand(x.X, duckOther+1, 0)
	}
	// Operator characters in a row would become another token, two minus signs a comment.
	if at < len(p.b) && p.b[at] != '`' && (operatorByte[p.b[at]] || p.b[at] == '?') {
		p.b = append(p.b, 0)
		copy(p.b[at+1:], p.b[at:])
		p.b[at] = ' '
	}
}

func (x *Postfix) print(p *printer) {
	p.left(x.X, duckOther, true)
	p.s(" ")
	p.s(x.Op)
}

func (x *Binary) print(p *printer) {
	op := x.Rest[0].Op
	level := p.binaryLevel(op)
	chain := p.d.In(Databricks) || level != duckCompare
	if op == "->" || op == "->>" {
		p.left(x.First, duckArrow, true)
	} else {
		p.left(x.First, level, chain)
	}
	for i := range x.Rest {
		o := &x.Rest[i]
		follow := 0
		if i+1 < len(x.Rest) {
			follow = level
		}
		p.s(" ")
		p.s(o.Op)
		p.s(" ")
		p.operand(o.X, level+1, follow)
	}
}

func (x *Operand) print(p *printer) {
	p.s(x.Op)
	p.s(" ")
	p.operand(x.X, p.binaryLevel(x.Op)+1, 0)
}

func (x *Quantified) print(p *printer) {
	if x.All {
		p.s("ALL (")
	} else {
		p.s("ANY (")
	}
	if x.Query != nil {
		x.Query.print(p)
	} else {
		x.X.print(p)
	}
	p.s(")")
}

// logic writes operands of one level with a word between.
func (p *printer) logic(args []Expr, word string, level int) {
	for i, x := range args {
		if i == 0 {
			p.left(x, level, true)
			continue
		}
		follow := 0
		if i+1 < len(args) {
			follow = level
		}
		p.s(word)
		p.operand(x, level+1, follow)
	}
}

func (x *And) print(p *printer) {
	if p.d.In(Databricks) {
		p.logic(x.Args, " AND ", sparkAnd)
	} else {
		p.logic(x.Args, " AND ", duckAnd)
	}
}

func (x *Or) print(p *printer) {
	if p.d.In(Databricks) {
		p.logic(x.Args, " OR ", sparkOr)
	} else {
		p.logic(x.Args, " OR ", duckOr)
	}
}

func (x *Not) print(p *printer) {
	if p.d.In(Databricks) && leadingStar(x.X) {
		p.s("! ")
	} else {
		p.s("NOT ")
	}
	if p.d.In(Databricks) {
		if n, ok := x.X.(*Not); ok {
			n.print(p)
			return
		}
		if e, ok := x.X.(*Exists); ok {
			e.print(p)
			return
		}
		p.operand(x.X, sparkNot+1, 0)
		return
	}
	p.operand(x.X, duckNot+1, 0)
}

// predicateX writes the left operand of a predicate.
func (p *printer) predicateX(x Expr, not bool, spark, duck int) {
	if p.d.In(Databricks) {
		p.left(x, spark, false)
	} else {
		p.left(x, duck, duck == duckIs)
	}
	p.if_(not, " NOT")
}

// bound writes an operand of a predicate other than the first.
func (p *printer) bound(x Expr, follow int) {
	if p.d.In(Databricks) {
		p.operand(x, sparkCompare, follow)
	} else {
		p.operand(x, duckPattern+1, follow)
	}
}

var isTests = [...]string{IsNull: "NULL", IsTrue: "TRUE", IsFalse: "FALSE", IsUnknown: "UNKNOWN", IsDistinctFrom: "DISTINCT FROM "}

func (x *Is) print(p *printer) {
	p.predicateX(x.X, false, sparkPredicate, duckIs)
	p.s(" IS ")
	p.if_(x.Not, "NOT ")
	p.s(isTests[x.Test])
	if x.Y != nil {
		if p.d.In(Databricks) {
			p.operand(x.Y, sparkCompare, 0)
		} else {
			p.operand(x.Y, duckIs+1, 0)
		}
	}
}

func (x *Between) print(p *printer) {
	p.predicateX(x.X, x.Not, sparkPredicate, duckPattern)
	p.s(" BETWEEN ")
	if p.d.In(Databricks) {
		p.bound(x.Low, 0)
	} else if b, ok := x.Low.(*Binary); ok && duckLevel(b.Rest[0].Op) == duckCompare {
		p.operand(x.Low, duckCompare, 0) // a comparison may stand there: 1 BETWEEN 1 = 2 AND 3
	} else {
		p.bound(x.Low, 0)
	}
	p.s(" AND ")
	p.bound(x.High, 0)
}

func (x *In) print(p *printer) {
	p.predicateX(x.X, x.Not, sparkPredicate, duckPattern)
	p.s(" IN ")
	switch {
	case x.Query != nil:
		p.s("(")
		x.Query.print(p)
		p.s(")")
	case x.Y != nil:
		switch x.Y.(type) {
		case *Paren, *Subquery, *Row:
			// without a second pair this would be a list
			p.s("(")
			x.Y.print(p)
			p.s(")")
		case *Unary, *Column, *List, *Param, *String, *Number, *Null, *Bool, *TypedLiteral, *Interval, *Cast:
			x.Y.print(p)
		default:
			p.primaryOnly(x.Y, false)
		}
	default:
		p.exprParens(x.List)
	}
}

var likeOps = [...]string{OpLike: " LIKE ", OpILike: " ILIKE ", OpRLike: " RLIKE ", OpGlob: " GLOB ", OpSimilar: " SIMILAR TO "}

func (x *Like) print(p *printer) {
	p.predicateX(x.X, x.Not, sparkPredicate, duckPattern)
	p.s(likeOps[x.Op])
	switch x.Quant {
	case LikeAny:
		p.s("ANY ")
		p.exprParens(x.Patterns)
	case LikeAll:
		p.s("ALL ")
		p.exprParens(x.Patterns)
	default:
		p.bound(x.Pattern, 0)
	}
	if x.Escape != nil {
		p.s(" ESCAPE ")
		p.bound(x.Escape, 0)
	}
}

func (x *Exists) print(p *printer) {
	p.s("EXISTS (")
	x.Query.print(p)
	p.s(")")
}

func (x *Subquery) print(p *printer) {
	p.s("(")
	x.Query.print(p)
	p.s(")")
}

func (x *Cast) print(p *printer) {
	if !x.Colon {
		p.if_(x.Try, "TRY_")
		p.s("CAST(")
		x.X.print(p)
		p.s(" AS ")
		x.Type.print(p)
		p.s(")")
		return
	}
	switch y := x.X.(type) {
	case *In, *Is, *Like, *Between, *Postfix:
		p.left(y, duckCast, true)
	default:
		p.postfixOf(x.X)
	}
	p.if_(x.Try, "?")
	p.s("::")
	x.Type.print(p)
}

func (x *Collate) print(p *printer) {
	if p.d.In(DuckDB) {
		p.left(x.X, duckCollate, true)
	} else {
		p.postfixOf(x.X)
	}
	p.s(" COLLATE ")
	x.Name.print(p)
}

func (x *AtTimeZone) print(p *printer) {
	p.left(x.X, duckZone, true)
	p.s(" AT TIME ZONE ")
	p.operand(x.Zone, duckZone+1, 0)
}

func (x *Dot) print(p *printer) {
	p.primaryOnly(x.X, true)
	p.s(".")
	x.Name.print(p)
}

func (x *DotStar) print(p *printer) {
	p.primaryOnly(x.X, true)
	p.s(".*")
}

func (x *Index) print(p *printer) {
	if j, ok := x.X.(*JSONPath); ok && !pathIndex(x.I) {
		j.print(p)
	} else {
		p.primaryOnly(x.X, false)
	}
	p.s("[")
	if p.d.In(Databricks) {
		p.operand(x.I, sparkCompare+1, 0)
	} else {
		x.I.print(p)
	}
	p.s("]")
}

// pathIndex reports whether an index behind a JSON path would be read as a step of it.
func pathIndex(i Expr) bool {
	switch i := i.(type) {
	case *String, *Star:
		return true
	case *Number:
		return !i.Negative
	case *Column:
		return len(i.Parts) == 1
	}
	return false
}

func (x *Slice) print(p *printer) {
	p.primaryOnly(x.X, false)
	p.s("[")
	if x.Low != nil {
		x.Low.print(p)
	}
	p.s(":")
	if x.High != nil {
		x.High.print(p)
	}
	p.if_(x.Dash, "-")
	if x.Stepped || x.Step != nil {
		p.if_(x.High == nil && !x.Dash, " ") // two colons in a row would be a cast
		p.s(":")
	}
	if x.Step != nil {
		x.Step.print(p)
	}
	p.s("]")
}

func (x *JSONPath) print(p *printer) {
	p.postfixOf(x.X)
	p.s(":")
	for i := range x.Steps {
		s := &x.Steps[i]
		p.if_(i > 0 && s.Name.Present(), ".")
		s.print(p)
	}
}

func (x *PathStep) print(p *printer) {
	switch {
	case x.Star:
		p.s("[*]")
	case x.Index != nil:
		p.s("[")
		x.Index.print(p)
		p.s("]")
	default:
		x.Name.print(p)
	}
}

func (x *Case) print(p *printer) {
	p.s("CASE")
	if x.Operand != nil {
		p.s(" ")
		x.Operand.print(p)
	}
	for i := range x.Whens {
		p.s(" ")
		x.Whens[i].print(p)
	}
	p.clause("ELSE", x.Else)
	p.s(" END")
}

func (x *When) print(p *printer) {
	p.s("WHEN ")
	x.Cond.print(p)
	p.s(" THEN ")
	x.Then.print(p)
}

func (x *Paren) print(p *printer) {
	p.s("(")
	x.X.print(p)
	p.s(")")
}

func (x *Row) print(p *printer) {
	p.if_(x.Keyword || len(x.Items) == 1 && p.d.In(DuckDB), "ROW")
	p.exprParens(x.Items)
}

func (x *Aliased) print(p *printer) {
	x.X.print(p)
	p.s(" AS ")
	if x.Alias.Present() {
		x.Alias.print(p)
	}
	p.identParens(x.Aliases)
}

func (x *List) print(p *printer) {
	p.if_(x.Keyword, "ARRAY")
	p.s("[")
	p.exprs(x.Items)
	p.s("]")
}

func (x *ArrayQuery) print(p *printer) {
	p.s("ARRAY(")
	x.Query.print(p)
	p.s(")")
}

func (x *Struct) print(p *printer) {
	p.s("{")
	for i := range x.Fields {
		p.if_(i > 0, ", ")
		x.Fields[i].print(p)
	}
	p.s("}")
}

func (x *StructItem) print(p *printer) {
	if x.Key != nil {
		x.Key.print(p)
	} else {
		x.Name.print(p)
	}
	p.s(": ")
	x.Value.print(p)
}

func (x *MapLiteral) print(p *printer) {
	p.s("MAP {")
	for i := range x.Items {
		p.if_(i > 0, ", ")
		x.Items[i].print(p)
	}
	p.s("}")
}

func (x *Comprehension) print(p *printer) {
	p.s("[")
	x.X.print(p)
	p.s(" FOR ")
	p.idents(x.Vars)
	p.s(" IN ")
	x.In.print(p)
	p.clause("IF", x.If)
	p.s("]")
}

func (x *Lambda) print(p *printer) {
	switch {
	case x.Keyword:
		p.s("LAMBDA ")
		p.idents(x.Params)
		p.s(": ")
	case len(x.Params) == 1:
		x.Params[0].print(p)
		p.s(" -> ")
	default:
		p.identParens(x.Params)
		p.s(" -> ")
	}
	x.Body.print(p)
}
