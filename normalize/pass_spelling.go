package normalize

import (
	"slices"
	"strings"

	"hodor/grammar"
)

// spelling gives the spellings of one token, operator or type one form:
//
//	!= <> ; == = ; !> <= ; !< >=          one operator each
//	x::t, CAST(x AS t)                    CAST
//	int4, integer, INT ..                 one name a type, unless DuckDB prints it into a column's name (frozen)
//	1_000, 1E5                            1000, 1e5 (DuckDB, not frozen)
//	COUNT(x), "count"(x)                  count(x): both dialects fold function names, also where they print them
//	INTERVAL 1 DAYS                       INTERVAL 1 day; in Databricks INTERVAL '1' day
//	1.5BD, a IS NOT DISTINCT FROM b       1.5, a <=> b (Databricks)
//	ASC, and in Databricks the default NULLS FIRST or LAST
//	DATE '..', count(), ROWS 1 PRECEDING  CAST('..' AS date), count(*), ROWS BETWEEN 1 PRECEDING AND CURRENT ROW (the first two DuckDB)
//	GROUP BY a WITH ROLLUP                GROUP BY ROLLUP (a) (Databricks)
//	NOT a = b, NOT a LIKE b, count(1)     a <> b, a NOT LIKE b, count(*) (Databricks)
//	OVER (w), t CROSS JOIN u              OVER w (Databricks); t, u (not frozen)
//
// Safe because the parsers of the dialect make one tree of each pair. Kept: the digits and the scale of a number, which make its type (T43), VARCHAR(n) in
// Databricks, NULLS FIRST and LAST in DuckDB (a setting), everything that two versions of DuckDB read differently (Diverges), calls against
// operators (a user's macro may hide a function, not an operator).
type spelling struct {
	dialect grammar.Dialect
	// frozen holds the nodes that DuckDB prints into a column's name.
	frozen map[grammar.Node]bool
	// units are the words in calls that Databricks prints into a column's name.
	units map[grammar.Node]bool
}

// rewrite gives one expression its form; its parts have theirs already.
func (s *spelling) rewrite(x grammar.Expr) grammar.Expr {
	switch x := x.(type) {
	case *grammar.Binary:
		return s.binary(x)
	case *grammar.Cast:
		x.Colon = false
	case *grammar.Number:
		s.number(x)
	case *grammar.Call:
		s.call(x)
	case *grammar.String:
		if x.Kind == grammar.StringHex && s.dialect == grammar.Databricks {
			x.Value = strings.ToUpper(x.Value)
		}
	case *grammar.And:
		x.Args = s.flatten(x.Args, func(arg grammar.Expr) []grammar.Expr {
			if inner, ok := arg.(*grammar.And); ok {
				return inner.Args
			}
			return nil
		})
	case *grammar.Or:
		x.Args = s.flatten(x.Args, func(arg grammar.Expr) []grammar.Expr {
			if inner, ok := arg.(*grammar.Or); ok {
				return inner.Args
			}
			return nil
		})
	case *grammar.Not:
		return s.not(x)
	case *grammar.TypedLiteral:
		if s.dialect == grammar.DuckDB && x.Value.Kind == grammar.StringText {
			return &grammar.Cast{Span: x.Span, X: x.Value, Type: x.Type}
		}
	case *grammar.Is:
		if s.dialect == grammar.Databricks && x.Test == grammar.IsDistinctFrom && x.Not && primary(x.X) && primary(x.Y) {
			return &grammar.Binary{Span: x.Span, First: x.X, Rest: []grammar.Operand{{Op: "<=>", X: x.Y}}}
		}
	case *grammar.Interval:
		s.interval(x)
	case *grammar.Row:
		if s.dialect == grammar.DuckDB && len(x.Items) > 1 {
			x.Keyword = false
		}
	case *grammar.Case:
		if _, ok := x.Else.(*grammar.Null); ok && s.dialect == grammar.DuckDB {
			x.Else = nil
		}
	}
	return x
}

// flatten joins nested chains of AND or OR into one, as DuckDB's parser does. Spark's keeps the nesting, and prints it.
func (s *spelling) flatten(args []grammar.Expr, inner func(grammar.Expr) []grammar.Expr) []grammar.Expr {
	if s.dialect != grammar.DuckDB {
		return args
	}
	nested := false
	for _, arg := range args {
		nested = nested || inner(arg) != nil
	}
	if !nested {
		return args
	}
	// A chain that grows from the left keeps its slice, so that many levels take linear time.
	out := inner(args[0])
	if out != nil {
		args = args[1:]
	}
	for _, arg := range args {
		if more := inner(arg); more != nil {
			out = append(out, more...)
		} else {
			out = append(out, arg)
		}
	}
	return out
}

// not writes NOT (a IN ..) and NOT (a BETWEEN ..) as both parsers read a NOT IN .. and a NOT BETWEEN .., and as Spark's reads a NOT LIKE .. and a <> b.
func (s *spelling) not(x *grammar.Not) grammar.Expr {
	switch inner := x.X.(type) {
	case *grammar.In:
		if !inner.Not && !inner.Diverges {
			inner.Not = true
			return inner
		}
	case *grammar.Between:
		if !inner.Not {
			inner.Not = true
			return inner
		}
	case *grammar.Like:
		if s.dialect == grammar.Databricks && !inner.Not && inner.Quant == grammar.LikeOne {
			inner.Not = true
			return inner
		}
	case *grammar.Binary:
		if s.dialect == grammar.Databricks && len(inner.Rest) == 1 && inner.Rest[0].Op == "=" {
			inner.Rest[0].Op = "<>"
			return inner
		}
	}
	return x
}

// node gives a node that is no expression its form.
func (s *spelling) node(n grammar.Node) {
	switch n := n.(type) {
	case *grammar.ParenOption:
		for i := range n.List {
			s.frozen[&n.List[i]] = true // a list of one without ASC would be a value
		}
	case *grammar.Sort:
		s.sort(n)
	case *grammar.Frame:
		if !n.Between {
			n.Between, n.High = true, grammar.Bound{Kind: grammar.BoundCurrentRow}
		}
	case *grammar.Window:
		if s.dialect == grammar.Databricks && n.Name.Present() && len(n.PartitionBy)+len(n.OrderBy) == 0 && n.Frame == nil {
			n.Parens = false
		}
	case *grammar.Select:
		if !s.frozen[n] {
			crossJoins(n)
		}
	case *grammar.GroupBy:
		if (n.With == grammar.GroupRollup || n.With == grammar.GroupCube) && !slices.ContainsFunc(n.Items, manyInOne) {
			n.Items = []grammar.Expr{&grammar.Grouping{Kind: n.With, Items: n.Items}}
			n.With = grammar.NoGrouping
		}
	case *grammar.TypeName:
		if !s.frozen[n] {
			s.typeName(n)
		}
	case *grammar.IntervalPart:
		unit(&n.Unit)
	case *grammar.Interval:
		unit(&n.To)
	case *grammar.IntervalType:
		unit(&n.From)
		unit(&n.To)
	case *grammar.SyntaxCall:
		n.Name.Text = lower(n.Name.Text)
	case *grammar.Unit:
		if !s.frozen[n] && !s.units[n] {
			n.Word.Text = lower(n.Word.Text)
		}
	case *grammar.Hint:
		n.Name.Text = lower(n.Name.Text)
	case *grammar.Table:
		n.StreamName = n.StreamName && n.IdentifiedBy.Present()
		s.travel(n.Travel)
	case *grammar.TableFunction:
		n.StreamName = n.StreamName && n.IdentifiedBy.Present()
	}
}

// crossJoins writes t CROSS JOIN u at the start of a FROM clause as t, u: the parsers make one tree of both. Behind a comma it makes another.
func crossJoins(s *grammar.Select) {
	if len(s.From) == 0 {
		return
	}
	j, ok := s.From[0].(*grammar.Joins)
	if !ok || slices.ContainsFunc(j.Rest, func(x grammar.Join) bool { return x.Kind != grammar.JoinCross || x.Natural || x.Asof || x.On != nil }) {
		return
	}
	from := make([]grammar.FromItem, 0, len(j.Rest)+len(s.From))
	from = append(from, j.First)
	for i := range j.Rest {
		from = append(from, bareItem(j.Rest[i].Right))
	}
	s.From = append(from, s.From[1:]...)
}

// manyInOne tells whether an element of GROUP BY .. WITH ROLLUP would be several columns inside ROLLUP (..): in the old form a row is one value.
func manyInOne(x grammar.Expr) bool {
	switch stripParens(x).(type) {
	case *grammar.Row, *grammar.Grouping, *grammar.Aliased, *grammar.All:
		return true
	}
	return false
}

// likeOperators are DuckDB's operators for the patterns, one tree with the words in both versions.
var likeOperators = map[string]grammar.Like{
	"~~": {Op: grammar.OpLike}, "!~~": {Op: grammar.OpLike, Not: true}, "~~*": {Op: grammar.OpILike}, "!~~*": {Op: grammar.OpILike, Not: true},
	"~~~": {Op: grammar.OpGlob},
}

func (s *spelling) binary(b *grammar.Binary) grammar.Expr {
	if b.Diverges {
		return b
	}
	for i := range b.Rest {
		switch b.Rest[i].Op {
		case "!=":
			b.Rest[i].Op = "<>"
		case "==":
			b.Rest[i].Op = "="
		case "!>":
			b.Rest[i].Op = "<="
		case "!<":
			b.Rest[i].Op = ">="
		}
	}
	// (a + b) + c is a + b + c.
	for {
		inner, ok := b.First.(*grammar.Binary)
		if !ok || inner.Diverges || s.level(inner) == 0 || s.level(inner) != s.level(b) {
			break
		}
		b.First = inner.First
		b.Rest = append(inner.Rest, b.Rest...)
	}
	if op := b.Rest[0].Op; s.dialect == grammar.DuckDB && len(b.Rest) == 1 && (strings.HasPrefix(op, "~") || strings.HasPrefix(op, "!")) {
		return likeOperator(b)
	}
	return b
}

// likeOperator writes a ~~ b as a LIKE b.
func likeOperator(b *grammar.Binary) grammar.Expr {
	like, ok := likeOperators[b.Rest[0].Op]
	if !ok || !primary(b.First) || !primary(b.Rest[0].X) {
		return b
	}
	like.X, like.Pattern = b.First, b.Rest[0].X
	return &like
}

// level numbers the levels whose chains are read from left to right; 0: none. All operators of a chain have one level, but for DuckDB's
// common level, of which only chains of || are taken.
func (s *spelling) level(b *grammar.Binary) int {
	level := s.operatorLevel(b.Rest[0].Op)
	if b.Rest[0].Op == "||" {
		for i := range b.Rest {
			if s.operatorLevel(b.Rest[i].Op) != level {
				return 0
			}
		}
	}
	return level
}

func (s *spelling) operatorLevel(op string) int {
	duck := s.dialect == grammar.DuckDB
	switch op {
	case "*", "/", "%":
		return 1
	case "//":
		if duck {
			return 1
		}
	case "DIV":
		if !duck {
			return 1
		}
	case "+", "-":
		return 2
	case "||":
		if duck {
			return 3
		}
		return 2
	case "<<", ">>", ">>>":
		if !duck {
			return 4
		}
	case "&":
		if !duck {
			return 5
		}
	case "^":
		return 6
	case "**":
		return 6
	case "|":
		if !duck {
			return 7
		}
	case "=", "<>", "<", "<=", ">", ">=", "<=>":
		if !duck {
			return 8
		}
	}
	return 0
}

// interval writes INTERVAL 1 DAY as INTERVAL '1' DAY: Spark's parser takes the digits as they stand (T58).
func (s *spelling) interval(x *grammar.Interval) {
	if s.dialect != grammar.Databricks || x.To.Present() {
		return
	}
	for i := range x.Parts {
		if n, ok := x.Parts[i].Value.(*grammar.Number); ok && n.Suffix == "" && !n.Negative {
			x.Parts[i].Value = &grammar.String{Span: n.Span, Value: n.Text}
		}
	}
}

func (s *spelling) number(n *grammar.Number) {
	if s.frozen[n] {
		return
	}
	if n.Suffix == "BD" && n.Kind == grammar.NumberDecimal {
		n.Suffix = "" // a number with a point is of that type anyway
	}
	n.Text = strings.ReplaceAll(n.Text, "E", "e")
	if s.dialect == grammar.DuckDB {
		n.Text = strings.ReplaceAll(n.Text, "_", "")
	}
}

// unitCalls are the functions of Databricks that are one if their first argument is a unit (T57).
var unitCalls = map[string]string{
	"timestampadd": "dateadd", "date_add": "dateadd", "dateadd": "dateadd",
	"timestampdiff": "datediff", "date_diff": "datediff", "timediff": "datediff", "datediff": "datediff",
}

func (s *spelling) call(c *grammar.Call) {
	for i := range c.Name.Parts {
		p := &c.Name.Parts[i]
		if p.Quote == grammar.ClauseQuote {
			continue
		}
		if i == len(c.Name.Parts)-1 || !s.frozen[c] {
			p.Text = lower(p.Text)
		}
	}
	if s.dialect == grammar.DuckDB && len(c.Name.Parts) == 1 && c.Name.Parts[0].Text == "count" && len(c.Args) == 0 && c.Receiver == nil {
		c.Args = []grammar.Expr{&grammar.Star{}}
	}
	if s.dialect != grammar.Databricks || len(c.Name.Parts) != 1 || len(c.Args) == 0 {
		return
	}
	if n, ok := c.Args[0].(*grammar.Number); ok && len(c.Args) == 1 && c.Name.Parts[0].Text == "count" && n.Text == "1" && n.Suffix == "" && !n.Negative &&
		c.Quantifier == grammar.NoQuantifier {
		c.Args[0] = &grammar.Star{Span: n.Span} // Spark's parser makes count(1) of count(*)
	}
	if _, ok := c.Args[0].(*grammar.Unit); ok {
		if name, ok := unitCalls[c.Name.Parts[0].Text]; ok {
			c.Name.Parts[0].Text = name
		}
	}
}

func (s *spelling) sort(o *grammar.Sort) {
	if s.frozen[o] {
		return
	}
	if s.dialect == grammar.Databricks {
		if o.Direction != grammar.SortDesc && o.Nulls == grammar.SortNullsFirst || o.Direction == grammar.SortDesc && o.Nulls == grammar.SortNullsLast {
			o.Nulls = grammar.NoNullsOrder
		}
	}
	if o.Direction == grammar.SortAsc {
		o.Direction = grammar.NoDirection
	}
}

// travel writes t@v12 as VERSION AS OF 12 (T55).
func (s *spelling) travel(t *grammar.TimeTravel) {
	if t == nil || t.Kind != grammar.TravelAt || len(t.At) < 2 || t.At[0]|0x20 != 'v' {
		return
	}
	digits := t.At[1:]
	if len(digits) > 1 && digits[0] == '0' || strings.Trim(digits, "0123456789") != "" {
		return
	}
	t.Kind, t.X, t.At = grammar.TravelVersion, &grammar.Number{Text: digits}, ""
}

// unit folds the unit of an interval: lower case, without the plural s.
func unit(x *grammar.Ident) {
	x.Text = lower(x.Text)
	switch x.Text {
	case "years", "quarters", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds", "decades":
		x.Text = x.Text[:len(x.Text)-1]
	case "centuries":
		x.Text = "century"
	case "millennia":
		x.Text = "millennium"
	}
}
