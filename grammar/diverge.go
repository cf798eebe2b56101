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
		return
	}
	if duckLevel(first) != duckOther {
		return
	}
	level := duck2Level(first)
	for _, o := range b.Rest {
		if o.Op == "!" || duck2Level(o.Op) != level {
			b.Diverges = true
		}
	}
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
		return duckLevel(op) < duckOther && op != "->" || duck2Level(op) >= duck2Compare
	}
	return false
}

// divergeOperand marks x, an operand of LIKE or BETWEEN, if it is an == without parentheses, which is weaker in 2.0.
func (p *parser) divergeOperand(x Expr) {
	if b, ok := x.(*Binary); ok && duckLevel(b.Rest[0].Op) == duckOther && duck2Level(b.Rest[0].Op) == duck2Compare {
		b.Diverges = true
	}
}

// divergeIn marks left if it is an IN without parentheses and a tighter operator follows: 2.0 gives it the list.
func divergeIn(left Expr, level int) {
	if in, ok := left.(*In); ok && in.Y != nil && level > duckPattern {
		in.Diverges = true
	}
}
