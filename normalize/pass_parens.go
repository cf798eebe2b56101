package normalize

import (
	"hodor/grammar"
)

// parens drops parentheses that make no other tree.
//
// Safe because the printer writes those that the tree needs, and because these are kept, since executed pairs differed or the versions of DuckDB
// read the text without them differently: around a literal after a minus (another type), around a name that a dot follows (DuckDB prints it, and (t).c is no
// column of table t), around a row of VALUES, around a comparison that would become a named argument, and around operators
// that DuckDB 1.5 and 2.0 give different levels.
type parens struct {
	duck bool
	keep map[*grammar.Paren]bool
}

// mark notes the parentheses that have to stay below n, a node that is visited before its children.
func (p *parens) mark(n grammar.Node) {
	switch n := n.(type) {
	case *grammar.Unary:
		p.keepInner(n.X, func(x grammar.Expr) bool { return n.Op == "-" && isLiteral(x) || p.duck && !primary(x) })
	case *grammar.Postfix:
		p.keepInner(n.X, func(x grammar.Expr) bool { return !primary(x) })
	case *grammar.Dot:
		p.keepInner(n.X, isColumn)
	case *grammar.DotStar:
		p.keepInner(n.X, func(grammar.Expr) bool { return true })
	case *grammar.Binary:
		p.binary(n)
	case *grammar.Between:
		for _, x := range []grammar.Expr{n.X, n.Low, n.High} {
			p.keepInner(x, func(x grammar.Expr) bool { return p.duck && !primary(x) && !arithmetic(x) })
		}
	case *grammar.In:
		for _, x := range []grammar.Expr{n.X, n.Y} {
			p.keepInner(x, func(x grammar.Expr) bool { return p.duck && !primary(x) && !arithmetic(x) })
		}
		if n.Y != nil {
			p.keepInner(n.Y, func(grammar.Expr) bool { return true })
		}
	case *grammar.Like:
		for _, x := range []grammar.Expr{n.X, n.Pattern, n.Escape} {
			p.keepInner(x, func(x grammar.Expr) bool { return p.duck && !primary(x) && !arithmetic(x) })
		}
	case *grammar.Is:
		p.keepInner(n.Y, func(x grammar.Expr) bool { return p.duck && !primary(x) && !arithmetic(x) })
	case *grammar.Collate:
		p.keepInner(n.X, func(x grammar.Expr) bool { return !primary(x) })
	case *grammar.AtTimeZone:
		p.keepInner(n.X, func(x grammar.Expr) bool { return !primary(x) })
		p.keepInner(n.Zone, func(x grammar.Expr) bool { return !primary(x) })
	case *grammar.Quantified:
		p.keepInner(n.X, func(grammar.Expr) bool { return true })
	case *grammar.Interval:
		for i := range n.Parts {
			p.keepInner(n.Parts[i].Value, func(grammar.Expr) bool { return true })
		}
	case *grammar.Call:
		p.keepInner(n.Receiver, func(grammar.Expr) bool { return true })
	case *grammar.TableFunction:
		for _, x := range n.Call.Args {
			p.keepInner(x, func(x grammar.Expr) bool { _, ok := x.(*grammar.Binary); return ok })
		}
	case *grammar.ParenOption:
		p.keepInner(n.Value, func(grammar.Expr) bool { return true }) // a list of one is a list
	case *grammar.Values:
		for _, x := range n.Rows {
			p.keepInner(x, func(grammar.Expr) bool { return true })
		}
	case *grammar.SyntaxCall:
		for i := range n.Args {
			p.keepInner(n.Args[i].X, func(x grammar.Expr) bool { return !primary(x) })
		}
	case *grammar.Paren:
		if _, ok := n.X.(*grammar.Aliased); ok {
			p.keep[n] = true
		}
	}
}

// binary keeps what the two versions of DuckDB, or a chain of one level, need.
func (p *parens) binary(n *grammar.Binary) {
	keep := func(x grammar.Expr) bool {
		if !p.duck {
			return false
		}
		if n.Diverges || !plainOperator(n) {
			return !primary(x)
		}
		return !primary(x) && !arithmetic(x)
	}
	if n.Diverges {
		keep = func(grammar.Expr) bool { return true }
	}
	p.keepInner(n.First, keep)
	for i := range n.Rest {
		p.keepInner(n.Rest[i].X, keep)
	}
}

// keepInner keeps the innermost of the parentheses around x if the test wants those around what they hold.
func (p *parens) keepInner(x grammar.Expr, test func(grammar.Expr) bool) {
	var last *grammar.Paren
	for {
		paren, ok := x.(*grammar.Paren)
		if !ok {
			break
		}
		last, x = paren, paren.X
	}
	if last != nil && test(x) {
		p.keep[last] = true
	}
}

// rewrite drops the parentheses that nobody wanted to keep.
func (p *parens) rewrite(x grammar.Expr) grammar.Expr {
	if paren, ok := x.(*grammar.Paren); ok && !p.keep[paren] {
		return paren.X
	}
	return x
}

func isLiteral(x grammar.Expr) bool {
	switch x := x.(type) {
	case *grammar.Number, *grammar.String, *grammar.TypedLiteral, *grammar.Interval:
		return true
	case *grammar.Unary:
		return isLiteral(stripParens(x.X))
	}
	return false
}

// primary tells whether an expression binds tighter than any operator.
func primary(x grammar.Expr) bool {
	switch x := x.(type) {
	case *grammar.Column, *grammar.String, *grammar.Null, *grammar.Bool, *grammar.Call, *grammar.SyntaxCall, *grammar.Case, *grammar.Subquery,
		*grammar.Exists, *grammar.Param, *grammar.List, *grammar.Struct, *grammar.MapLiteral, *grammar.Cast, *grammar.Index, *grammar.Slice, *grammar.Dot,
		*grammar.Row, *grammar.ArrayQuery, *grammar.TypedLiteral, *grammar.Comprehension, *grammar.Columns, *grammar.PositionalRef, *grammar.JSONPath:
		return true
	case *grammar.Number:
		return !x.Negative
	}
	return false
}

func isColumn(x grammar.Expr) bool {
	_, ok := x.(*grammar.Column)
	return ok
}

// arithmetic tells whether an expression is a chain of operators that both versions of DuckDB give the same place among the others: above
// LIKE, IN, BETWEEN and the comparisons.
func arithmetic(x grammar.Expr) bool {
	b, ok := x.(*grammar.Binary)
	if !ok || b.Diverges {
		return false
	}
	switch b.Rest[0].Op {
	case "+", "-", "*", "/", "//", "%", "^", "**":
		return true
	case "||":
		for i := range b.Rest {
			if b.Rest[i].Op != "||" {
				return false
			}
		}
		return true
	}
	return false
}

// plainOperator tells whether a chain is of arithmetic or of comparisons, whose levels no version changes.
func plainOperator(b *grammar.Binary) bool {
	if arithmetic(b) {
		return true
	}
	switch b.Rest[0].Op {
	case "=", "<>", "!=", "<", "<=", ">", ">=":
		return true
	}
	return false
}
