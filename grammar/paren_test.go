package grammar

import (
	"encoding/json"
	"os"
	"testing"
)

// parenthesized returns the text with the parentheses that its tree implies written out, and whether the two DuckDB versions
// read the text differently. An engine that gives both texts one tree confirms the precedence of the parser.
func parenthesized(f *File) (text string, diverges bool) {
	Rewrite(f, func(x Expr) Expr {
		switch y := x.(type) {
		case *Binary:
			diverges = diverges || y.Diverges
			if op := y.Rest[0].Op; op == "->" || op == "OVERLAPS" {
				return x
			}
			var left Expr = y.First
			for _, o := range y.Rest {
				left = &Paren{X: &Binary{First: left, Rest: []Operand{o}}}
			}
			return left
		case *In:
			diverges = diverges || y.Diverges
			if q, ok := y.Y.(*Paren); ok {
				y.Y = q.X // in parentheses it would be a list
			}
		case *Postfix:
			diverges = diverges || y.Diverges
		case *Like:
			if _, ok := y.X.(*Star); ok {
				return x
			}
		case *Cast:
			if !y.Colon {
				return x
			}
		case *Unary:
			switch y.X.(type) {
			case *Number, *String: // may be the count of an interval
				return x
			}
		case *Not:
			diverges = diverges || y.Diverges
		case *AtTimeZone:
			diverges = diverges || y.Diverges
		case *Is:
			diverges = diverges || y.Diverges
		case *And, *Or, *Between, *Collate:
		default:
			return x
		}
		return &Paren{X: x}
	})
	return Print(f, f.Dialect), diverges
}

// TestParenthesizedParses checks that written-out parentheses parse and that they are redundant: without them the text is
// what it was.
func TestParenthesizedParses(t *testing.T) {
	var out *os.File
	if name := os.Getenv("HODOR_PARENTHESIZED"); name != "" {
		out, _ = os.Create(name)
		defer out.Close()
	}
	everySharedText(t, func(id, sql string, d Dialect) {
		f, err := Parse(sql, d)
		if err != nil {
			return
		}
		before := Print(f, d)
		text, diverges := parenthesized(f)
		if _, err := Parse(text, d); err != nil {
			t.Errorf("%s: %v\n\t%s\n\t%s", id, err, text, before)
			return
		}
		if out != nil {
			if err := json.NewEncoder(out).Encode(map[string]any{"id": id, "dialect": d.String(), "sql": text, "from": sql, "diverges": diverges}); err != nil {
				t.Error(err)
			}
		}
	})
}
