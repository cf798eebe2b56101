package grammar

// Where DuckDB 1.5 and 2.0 read one text as two trees. The tree is the one of 1.5; the mark lets the normalizer keep such a
// text apart from everything else, also from its parenthesized forms.
//
// 2.0 has & | << >> on a level of their own above the other operators, == with the comparisons, ~ !~ ~~ and their kin with
// LIKE, and takes as left side of -> and ->> only what binds tighter. What stands behind IN without parentheses reaches
// further, and ! behind an operand is always postfix. Each was seen in the serialized trees of 1.5.6 and 2.0.1.

// Levels in 2.0 of the operators that share one level in 1.5.
const (
	duck2Other = iota
	duck2Bits
	duck2Compare
	duck2Pattern
)

func duck2Level(op string) int {
	switch op {
	case "&", "|", "<<", ">>":
		return duck2Bits
	case "==":
		return duck2Compare
	case "~", "!~", "~*", "!~*", "~~", "!~~", "~~*", "!~~*", "~~~":
		return duck2Pattern
	}
	return duck2Other
}

// duckLevel is the level in 1.5 of a binary operator as Binary keeps it.
func duckLevel(op string) int {
	switch op {
	case "->":
		return duckArrow
	case "OVERLAPS":
		return duckIs
	case "=", "<>", "!=", "<", "<=", ">", ">=":
		return duckCompare
	case "+", "-":
		return duckAdd
	case "*", "/", "%", "//":
		return duckMultiply
	case "^", "**":
		return duckPower
	}
	return duckOther
}

// diverge marks b if the two versions give its operators different operands.
func (p *parser) diverge(b *Binary) {
	first := b.Rest[0].Op
	if first == "->" || first == "->>" {
		b.Diverges = loose(b.First)
		for _, o := range b.Rest[:len(b.Rest)-1] {
			b.Diverges = b.Diverges || loose(o.X) || tested(o.X)
		}
		return
	}
	if tested(b.First) {
		b.Diverges = true // what follows a test groups from the right in 2.0
		return
	}
	level := duckLevel(first)
	if level > duckOther {
		for _, o := range b.Rest {
			b.Diverges = b.Diverges || prefixed(o.X)
		}
		return
	}
	if level < duckOther {
		return
	}
	class := duck2Level(first)
	b.Diverges = class == duck2Pattern && len(b.Rest) > 1
	for _, o := range b.Rest {
		if o.Op == "!" || duck2Level(o.Op) != class {
			b.Diverges = true
		}
	}
}

// tested reports whether x is an IS test without parentheses, or a cast of one.
func tested(x Expr) bool {
	c, ok := x.(*Cast)
	for ok && c.Colon {
		x = c.X
		c, ok = x.(*Cast)
	}
	_, ok = x.(*Is)
	return ok
}

// prefixed reports whether x starts with a prefix operator other than + and -, whose operand reaches further in 2.0.
func prefixed(x Expr) bool {
	u, ok := x.(*Unary)
	for ok {
		if u.Op != "-" && u.Op != "+" {
			return true
		}
		u, ok = u.X.(*Unary)
	}
	return false
}

// simple reports whether x is no operator without parentheses.
func simple(x Expr) bool {
	switch x.(type) {
	case *Binary, *Unary, *Not, *And, *Or, *Is, *In, *Like, *Between, *Postfix, *AtTimeZone, *Collate, *Cast:
		return false
	}
	return true
}

// loose reports whether x, without parentheses, ends in an operand that 2.0 would give to a following -> or ->>.
func loose(x Expr) bool {
	switch x := x.(type) {
	case *And, *Or, *Not, *Between, *Like:
		return true
	case *In:
		return x.Y != nil
	case *Is:
		return x.Y != nil
	case *Binary:
		op := x.Rest[0].Op
		if op == "->" {
			last := x.Rest[len(x.Rest)-1].X
			return loose(last) || tested(last)
		}
		return duckLevel(op) < duckOther || duck2Level(op) >= duck2Compare
	}
	return false
}

// divergeOperand marks x, an operand of LIKE, IN or BETWEEN, if it is without parentheses an == or a pattern operator, which
// are no tighter in 2.0.
func (p *parser) divergeOperand(x Expr) {
	switch x := x.(type) {
	case *Binary:
		op := x.Rest[0].Op
		x.Diverges = x.Diverges || duckLevel(op) == duckOther && duck2Level(op) >= duck2Compare
	case *Is:
		x.Diverges = true
	}
}

// divergeLeft marks left if 2.0 gives its last operand to the operator of the level that follows: the list of an IN to a
// tighter one, what stands behind ->> to & | << >>.
func (p *parser) divergeLeft(left Expr, level int) {
	switch x := left.(type) {
	case *In:
		x.Diverges = level >= duckPattern
	case *Binary:
		if x.Rest[0].Op == "->>" && level == duckOther && duck2Level(p.text(p.peek())) == duck2Bits {
			x.Diverges = true
		}
	}
}
