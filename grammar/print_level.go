package grammar

// Which parentheses a tree needs. Two numbers say how an expression without its own parentheses would be read inside
// another: what its left spine needs, and what its right end would swallow.

// closed is a level above all operators.
const closed = 100

// levelAdd is the level of operands that exclude comparisons and predicates.
func (p *printer) levelAdd() int {
	if p.d.In(Databricks) {
		return sparkCompare + 1
	}
	return duckCompare + 1
}

// operand writes x where the grammar takes an operand of level min or tighter and an operator of level follow comes next
// (0: none), in parentheses if needed.
func (p *printer) operand(x Expr, min, follow int) {
	if p.needs(x) < min || p.swallows(x) < follow {
		p.s("(")
		x.print(p)
		p.s(")")
		return
	}
	x.print(p)
}

// left writes x as the left operand of an operator of the level; chain says whether operators of the level may follow one
// another.
func (p *printer) left(x Expr, level int, chain bool) {
	if s := p.swallows(x); s < level || s == level && !chain {
		p.s("(")
		x.print(p)
		p.s(")")
		return
	}
	x.print(p)
}

// primaryOnly writes x where only a primary may stand: before a dot or a bracket.
func (p *printer) primaryOnly(x Expr, dot bool) {
	bare := false
	switch x := x.(type) {
	case *Call, *SyntaxCall, *Paren, *Subquery, *Case, *List, *Struct, *MapLiteral, *Index, *Slice, *Dot, *DotStar, *Columns,
		*Comprehension, *ArrayQuery, *Row, *PositionalRef:
		bare = true
	case *Cast:
		bare = !x.Colon || p.d.In(Databricks) || dot && endsBeforeDot(x.Type)
	case *Column:
		bare = !dot
	case *String, *Param, *Null, *Bool, *TypedLiteral, *Interval:
		bare = true
	case *Number:
		x.print(p)
		p.if_(dot && x.Kind == NumberInteger, " ") // 1.a would start with the number 1.
		return
	case *Collate:
		bare = p.d.In(Databricks)
	case *Exists:
		bare = p.d.In(DuckDB)
	case *DynamicName:
		bare = true
	}
	if bare {
		x.print(p)
		return
	}
	p.s("(")
	x.print(p)
	p.s(")")
}

// endsBeforeDot reports whether a dot behind the type is no part of its name (DuckDB).
func endsBeforeDot(t DataType) bool {
	n, ok := t.(*TypeName)
	return !ok || n.Parens || n.Zone != NoZone || len(n.Name.Parts) == 1 && takesNoModifier(n.Name.Parts[0].Text)
}

// postfixOf writes x as what a cast, a collation or a JSON path stands behind.
func (p *printer) postfixOf(x Expr) {
	switch x := x.(type) {
	case *Number:
		x.print(p)
		return
	case *Cast, *Collate, *JSONPath, *Column, *String, *Null, *Bool, *TypedLiteral, *Param, *Star, *Interval, *Default:
		x.print(p)
		return
	}
	p.primaryOnly(x, false)
}

// binaryLevel is the level of a Binary's operator.
func (p *printer) binaryLevel(op string) int {
	if p.d.In(DuckDB) {
		return duckLevel(op)
	}
	switch op {
	case "|":
		return sparkBitOr
	case "^":
		return sparkBitXor
	case "&":
		return sparkBitAnd
	case "<<", ">>", ">>>":
		return sparkShift
	case "+", "-", "||":
		return sparkAdd
	case "*", "/", "%", "DIV":
		return sparkMultiply
	}
	return sparkCompare
}

// spine is an expression, looked at from its left end or from its right.
type spine struct {
	x    Expr
	left bool
}

// farDown is how many operators of a spine are looked at again for each of those above.
const farDown = 8

// look returns what is known of a spine.
func (p *printer) look(x Expr, left bool) (int, bool) {
	if p.known == nil {
		return 0, false
	}
	n, ok := p.known[spine{x, left}]
	return n, ok
}

// note keeps what was found of a spine from far down.
func (p *printer) note(x Expr, left bool, n int) int {
	if p.height < farDown {
		return n
	}
	if p.known == nil {
		p.known = map[spine]int{}
	}
	p.known[spine{x, left}] = n
	return n
}

// needs is the loosest level that must be allowed where x starts, for all operators on its left spine to be taken.
func (p *printer) needs(x Expr) int {
	if n, ok := p.look(x, true); ok {
		return n
	}
	p.height++
	n := p.needed(x)
	p.height--
	return p.note(x, true, n)
}

func (p *printer) needed(x Expr) int {
	spark := p.d.In(Databricks)
	level := func(s, d int) int {
		if spark {
			return s
		}
		return d
	}
	switch x := x.(type) {
	case *Or:
		return level(sparkOr, duckOr)
	case *And:
		return level(sparkAnd, duckAnd)
	case *Not:
		return level(sparkNot, closed)
	case *Exists:
		return level(sparkNot, closed)
	case *In:
		return min(level(sparkPredicate, duckPattern), p.needs(x.X))
	case *Like:
		return min(level(sparkPredicate, duckPattern), p.needs(x.X))
	case *Between:
		return min(level(sparkPredicate, duckPattern), p.needs(x.X))
	case *Is:
		return min(level(sparkPredicate, duckIs), p.needs(x.X))
	case *Binary:
		op := x.Rest[0].Op
		if op == "->>" {
			return min(duckArrow, p.needs(x.First))
		}
		return min(p.binaryLevel(op), p.needs(x.First))
	case *Postfix:
		return min(duckPostfix, p.needs(x.X))
	case *Collate:
		return min(level(closed, duckCollate), p.needs(x.X))
	case *AtTimeZone:
		return min(duckZone, p.needs(x.X))
	case *Cast:
		if x.Colon && !spark {
			if n := p.needs(x.X); n < closed {
				return min(duckCast, n)
			}
		}
	case *Aliased:
		return 0
	}
	return closed
}

// swallows is the level of the loosest operator at the right end of x: one that is tighter, behind x, would be taken into x.
func (p *printer) swallows(x Expr) int {
	if n, ok := p.look(x, false); ok {
		return n
	}
	p.height++
	n := p.swallowed(x)
	p.height--
	return p.note(x, false, n)
}

func (p *printer) swallowed(x Expr) int {
	spark := p.d.In(Databricks)
	switch x := x.(type) {
	case *Or:
		if spark {
			return sparkOr
		}
		return duckOr
	case *And:
		if spark {
			return sparkAnd
		}
		return duckAnd
	case *Not:
		if spark {
			return sparkNot
		}
		return min(duckNot, p.swallows(x.X))
	case *Exists:
		if spark {
			return sparkNot
		}
	case *In:
		if spark {
			return sparkPredicate
		}
		if x.Y != nil {
			return p.swallows(x.Y)
		}
	case *Like:
		if spark {
			return sparkPredicate
		}
		last := x.Pattern
		if x.Escape != nil {
			last = x.Escape
		}
		return min(duckPattern, p.swallows(last))
	case *Between:
		if spark {
			return sparkPredicate
		}
		return min(duckPattern, p.swallows(x.High))
	case *Is:
		if spark {
			return sparkPredicate
		}
		if x.Y != nil {
			return min(duckIs, p.swallows(x.Y))
		}
	case *Unary:
		if spark {
			return min(sparkUnary, p.swallows(x.X))
		}
		if x.Op == "-" || x.Op == "+" {
			return min(duckUnary-1, p.swallows(x.X))
		}
		return min(duckOther, p.swallows(x.X))
	case *Binary:
		op, last := x.Rest[0].Op, x.Rest[len(x.Rest)-1].X
		if _, ok := last.(*Quantified); ok {
			return closed
		}
		return min(p.binaryLevel(op), p.swallows(last))
	case *AtTimeZone:
		return min(duckZone, p.swallows(x.Zone))
	case *Lambda:
		return 0
	case *Aliased:
		return 0
	}
	return closed
}

// leadingStar reports whether x, without parentheses, starts with a plain star: behind the word NOT, Databricks would take it
// for a product with a column of that name.
func leadingStar(x Expr) bool {
	for {
		switch y := x.(type) {
		case *Star:
			return y.Qualifier == nil
		case *Binary:
			x = y.First
		case *In:
			x = y.X
		case *Like:
			x = y.X
		case *Between:
			x = y.X
		case *Is:
			x = y.X
		default:
			return false
		}
	}
}

// leadingNumber reports whether x, without parentheses, starts with a number that has no sign: in Databricks a minus before
// it would become part of the literal.
func leadingNumber(x Expr) bool {
	for {
		switch y := x.(type) {
		case *Number:
			return !y.Negative
		case *Cast:
			if !y.Colon {
				return false
			}
			x = y.X
		case *Collate:
			x = y.X
		case *JSONPath:
			x = y.X
		case *Index:
			x = y.X
		case *Binary:
			x = y.First
		default:
			return false
		}
	}
}
