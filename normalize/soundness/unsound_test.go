package soundness

import (
	"strings"

	g "hodor/grammar"
)

// unsound is a pass that a careful author might write and that breaks the law. It works on the tree of a text, before or behind the real passes.
type unsound struct {
	name   string
	before bool
	pass   func(*g.File)
}

// selects visits the select blocks of a text.
func selects(f *g.File, visit func(*g.Select)) { nodes(f, visit) }

// nodes visits the nodes of one kind.
func nodes[N g.Node](f *g.File, visit func(N)) {
	g.Walk(f, func(n g.Node) bool {
		if n, ok := n.(N); ok {
			visit(n)
		}
		return true
	})
}

// exprs replaces the expressions of one kind.
func exprs[X g.Expr](f *g.File, change func(X) g.Expr) {
	g.Rewrite(f, func(x g.Expr) g.Expr {
		if x, ok := x.(X); ok {
			return change(x)
		}
		return x
	})
}

func swapOps(from, to string) func(*g.File) {
	return func(f *g.File) {
		nodes(f, func(b *g.Binary) {
			for i := range b.Rest {
				if b.Rest[i].Op == from {
					b.Rest[i].Op = to
				}
			}
		})
	}
}

func joinsOf(change func(*g.Join)) func(*g.File) {
	return func(f *g.File) {
		nodes(f, func(j *g.Joins) {
			for i := range j.Rest {
				change(&j.Rest[i])
			}
		})
	}
}

func branchesOf(change func(*g.SetBranch)) func(*g.File) {
	return func(f *g.File) {
		nodes(f, func(s *g.SetOp) {
			for i := range s.Rest {
				change(&s.Rest[i])
			}
		})
	}
}

func numbers(change func(string) string) func(*g.File) {
	return func(f *g.File) { nodes(f, func(n *g.Number) { n.Text = change(n.Text) }) }
}

func texts(change func(string) string) func(*g.File) {
	return func(f *g.File) { nodes(f, func(s *g.String) { s.Value = change(s.Value) }) }
}

// renameAll gives every FROM item with an alias a new one, and all dotted names that start with the old one follow; bare ones too, if so wanted.
func renameAll(f *g.File, bare bool) {
	names := map[string]string{}
	rename := func(x *g.Ident) {
		if x.Present() {
			old := strings.ToLower(x.Text)
			if names[old] == "" {
				names[old] = "renamed_" + old
			}
			x.Text, x.Quote = names[old], g.Unquoted
		}
	}
	nodes(f, func(t *g.Table) { rename(&t.Alias.Name) })
	nodes(f, func(d *g.Derived) { rename(&d.Alias.Name) })
	nodes(f, func(v *g.InlineValues) { rename(&v.Alias.Name) })
	nodes(f, func(c *g.Column) {
		if to := names[strings.ToLower(c.Parts[0].Text)]; to != "" && (bare || len(c.Parts) > 1) {
			c.Parts[0].Text = to
		}
	})
	nodes(f, func(s *g.Star) {
		if len(s.Qualifier) == 1 && names[strings.ToLower(s.Qualifier[0].Text)] != "" {
			s.Qualifier[0].Text = names[strings.ToLower(s.Qualifier[0].Text)]
		}
	})
}

// aliasExprs are the expressions of a select list by alias.
func aliasExprs(s *g.Select) map[string]g.Expr {
	m := map[string]g.Expr{}
	for i := range s.Items {
		if s.Items[i].Alias.Present() {
			m[strings.ToLower(s.Items[i].Alias.Text)] = s.Items[i].X
		}
	}
	return m
}

func bareName(x g.Expr) string {
	if c, ok := x.(*g.Column); ok && len(c.Parts) == 1 {
		return strings.ToLower(c.Parts[0].Text)
	}
	return ""
}

// firstName is the name of the first FROM item of a block, if it is plain.
func firstName(from []g.FromItem) string {
	if len(from) == 0 {
		return ""
	}
	switch x := from[0].(type) {
	case *g.Table:
		if x.Alias.Name.Present() {
			return x.Alias.Name.Text
		}
		return x.Name.Parts[len(x.Name.Parts)-1].Text
	case *g.Derived:
		return x.Alias.Name.Text
	case *g.Joins:
		return firstName([]g.FromItem{x.First})
	}
	return ""
}

func inParens(x g.Expr) g.Expr {
	if p, ok := x.(*g.Paren); ok {
		return inParens(p.X)
	}
	return x
}

func ident(text string) g.Ident { return g.Ident{Text: text} }

// unsoundPasses is what the generator has to catch.
var unsoundPasses = []unsound{
	// Names that are data.
	{name: "fold the case of output names", pass: func(f *g.File) {
		selects(f, func(s *g.Select) {
			for i := range s.Items {
				s.Items[i].Alias.Text = strings.ToLower(s.Items[i].Alias.Text)
			}
		})
	}},
	{name: "fold beyond ASCII", pass: func(f *g.File) {
		nodes(f, func(x *g.Ident) {
			if strings.ToUpper(x.Text) != x.Text || strings.ToLower(x.Text) != x.Text {
				x.Text = strings.ReplaceAll(x.Text, "É", "é")
			}
		})
	}},
	{name: "fold the case of items without alias", pass: func(f *g.File) {
		selects(f, func(s *g.Select) {
			for i := range s.Items {
				if _, ok := s.Items[i].X.(*g.Column); !ok && !s.Items[i].Alias.Present() {
					g.Walk(s.Items[i].X, func(n g.Node) bool {
						if c, ok := n.(*g.Column); ok {
							for j := range c.Parts {
								c.Parts[j].Text = strings.ToLower(c.Parts[j].Text)
							}
						}
						return true
					})
				}
			}
		})
	}, before: true},
	{name: "rename table aliases that are printed", before: true, pass: func(f *g.File) { renameAll(f, false) }},
	{name: "rename whole-row references", before: true, pass: func(f *g.File) { renameAll(f, true) }},
	{name: "fold struct keys", pass: func(f *g.File) {
		nodes(f, func(x *g.Struct) {
			for i := range x.Fields {
				x.Fields[i].Name.Text = strings.ToLower(x.Fields[i].Name.Text)
			}
		})
	}},
	{name: "fold map and JSON keys", pass: func(f *g.File) {
		nodes(f, func(x *g.Index) {
			if s, ok := x.I.(*g.String); ok {
				s.Value = strings.ToLower(s.Value)
			}
		})
	}},
	{name: "fold JSON paths", pass: func(f *g.File) {
		nodes(f, func(s *g.String) {
			if strings.HasPrefix(s.Value, "$.") {
				s.Value = strings.ToLower(s.Value)
			}
		})
	}},
	{name: "write spaces of literals once", pass: texts(strings.TrimSpace)},
	{name: "fold literals", pass: texts(strings.ToLower)},
	{name: "join doubled quotes", pass: texts(func(s string) string { return strings.ReplaceAll(s, "'", "") })},
	{name: "read escapes in plain literals", pass: texts(func(s string) string { return strings.ReplaceAll(s, `\n`, "\n") })},
	{name: "drop column lists of aliases", pass: func(f *g.File) { nodes(f, func(a *g.Alias) { a.Columns = nil }) }},
	{name: "drop column lists of CTEs", pass: func(f *g.File) { nodes(f, func(c *g.CTE) { c.Columns = nil }) }},
	{name: "add the column's name as alias", pass: func(f *g.File) {
		selects(f, func(s *g.Select) {
			for i := range s.Items {
				if c, ok := s.Items[i].X.(*g.Call); ok && !s.Items[i].Alias.Present() {
					s.Items[i].Alias = c.Name.Parts[0]
				}
			}
		})
	}},

	// Scopes.
	{name: "bind bare names to the first item", pass: func(f *g.File) {
		selects(f, func(s *g.Select) {
			name := firstName(s.From)
			if name == "" {
				return
			}
			for i := range s.Items {
				if c, ok := s.Items[i].X.(*g.Column); ok && len(c.Parts) == 1 {
					c.Parts = []g.Ident{ident(name), c.Parts[0]}
				}
			}
		})
	}},
	{name: "drop qualifiers", pass: func(f *g.File) {
		nodes(f, func(c *g.Column) { c.Parts = c.Parts[len(c.Parts)-1:] })
	}},
	{name: "call CTEs like tables", pass: func(f *g.File) {
		names := map[string]bool{}
		nodes(f, func(c *g.CTE) { names[c.Name.Text] = true; c.Name.Text = "t" })
		nodes(f, func(t *g.Table) {
			if len(t.Name.Parts) == 1 && names[t.Name.Parts[0].Text] {
				t.Name.Parts[0].Text = "t"
			}
		})
	}},
	{name: "read the table behind a CTE of its name", before: true, pass: func(f *g.File) {
		nodes(f, func(t *g.Table) {
			if len(t.Name.Parts) == 1 {
				t.Name.Parts = []g.Ident{ident("main"), t.Name.Parts[0]}
			}
		})
	}},
	{name: "read CTEs for qualified tables", before: true, pass: func(f *g.File) {
		nodes(f, func(t *g.Table) { t.Name.Parts = t.Name.Parts[len(t.Name.Parts)-1:] })
	}},
	{name: "rename lambda parameters onto columns", pass: func(f *g.File) {
		nodes(f, func(l *g.Lambda) {
			if len(l.Params) != 1 {
				return
			}
			old := l.Params[0].Text
			l.Params[0].Text = "id"
			g.Walk(l.Body, func(n g.Node) bool {
				if c, ok := n.(*g.Column); ok && strings.EqualFold(c.Parts[0].Text, old) {
					c.Parts[0].Text = "id"
				}
				return true
			})
		})
	}},
	{name: "put the alias for the column in the list", before: true, pass: func(f *g.File) {
		selects(f, func(s *g.Select) {
			m := map[string]g.Expr{}
			for i := range s.Items {
				if x := m[bareName(s.Items[i].X)]; x != nil && s.Items[i].Alias.Present() {
					s.Items[i].X = x
				}
				if s.Items[i].Alias.Present() {
					m[strings.ToLower(s.Items[i].Alias.Text)] = s.Items[i].X
				}
			}
		})
	}},
	{name: "put the alias for the column in WHERE", before: true, pass: func(f *g.File) {
		selects(f, func(s *g.Select) {
			m := aliasExprs(s)
			if s.Where == nil {
				return
			}
			holder := &g.Paren{X: s.Where}
			g.Rewrite(holder, func(x g.Expr) g.Expr {
				if y := m[bareName(x)]; y != nil {
					return &g.Paren{X: y}
				}
				return x
			})
			s.Where = holder.X
		})
	}},
	{name: "put the column for the alias in ORDER BY", pass: func(f *g.File) {
		nodes(f, func(q *g.Query) {
			s, ok := q.Body.(*g.Select)
			if !ok || q.Limit == nil || firstName(s.From) == "" {
				return
			}
			for i := range q.OrderBy {
				if c, ok := q.OrderBy[i].X.(*g.Column); ok && len(c.Parts) == 1 {
					c.Parts = []g.Ident{ident(firstName(s.From)), c.Parts[0]}
				}
			}
		})
	}},

	// Clauses.
	{name: "drop DISTINCT", pass: func(f *g.File) { selects(f, func(s *g.Select) { s.Quantifier = g.NoQuantifier }) }},
	{name: "drop DISTINCT ON", pass: func(f *g.File) { selects(f, func(s *g.Select) { s.DistinctOn = nil }) }},
	{name: "drop DISTINCT of aggregates", pass: func(f *g.File) { nodes(f, func(c *g.Call) { c.Quantifier = g.NoQuantifier }) }},
	{name: "drop FILTER", pass: func(f *g.File) { nodes(f, func(c *g.Call) { c.Filter = nil }) }},
	{name: "drop ORDER BY of aggregates", pass: func(f *g.File) { nodes(f, func(c *g.Call) { c.OrderBy = nil }) }},
	{name: "drop IGNORE NULLS", pass: func(f *g.File) { nodes(f, func(c *g.Call) { c.Nulls = g.NoNullTreatment }) }},
	{name: "drop NULLS FIRST", pass: func(f *g.File) { nodes(f, func(s *g.Sort) { s.Nulls = g.NoNullsOrder }) }},
	{name: "drop DESC", pass: func(f *g.File) { nodes(f, func(s *g.Sort) { s.Direction = g.NoDirection }) }},
	{name: "drop LIMIT", pass: func(f *g.File) { nodes(f, func(q *g.Query) { q.Limit = nil }) }},
	{name: "drop OFFSET", pass: func(f *g.File) { nodes(f, func(l *g.Limit) { l.Offset = nil }) }},
	{name: "drop the percent of LIMIT", pass: func(f *g.File) { nodes(f, func(l *g.Limit) { l.Percent = false }) }},
	{name: "drop ORDER BY", pass: func(f *g.File) { nodes(f, func(q *g.Query) { q.OrderBy = nil }) }},
	{name: "drop HAVING", pass: func(f *g.File) { selects(f, func(s *g.Select) { s.Having = nil }) }},
	{name: "drop QUALIFY", pass: func(f *g.File) { selects(f, func(s *g.Select) { s.Qualify = nil }) }},
	{name: "drop ROLLUP and CUBE", pass: func(f *g.File) {
		nodes(f, func(b *g.GroupBy) {
			if len(b.Items) == 1 {
				if x, ok := b.Items[0].(*g.Grouping); ok && x.Kind != g.GroupSets {
					b.Items = x.Items
				}
			}
		})
	}},
	{name: "merge ROLLUP and CUBE", pass: func(f *g.File) {
		nodes(f, func(x *g.Grouping) {
			if x.Kind == g.GroupCube {
				x.Kind = g.GroupRollup
			}
		})
	}},
	{name: "drop frames", pass: func(f *g.File) { nodes(f, func(w *g.Window) { w.Frame = nil }) }},
	{name: "merge ROWS and RANGE", pass: func(f *g.File) { nodes(f, func(x *g.Frame) { x.Unit = g.FrameRange }) }},
	{name: "drop EXCLUDE of frames", pass: func(f *g.File) { nodes(f, func(x *g.Frame) { x.Exclude = g.ExcludeUnwritten }) }},
	{name: "drop PARTITION BY", pass: func(f *g.File) { nodes(f, func(w *g.Window) { w.PartitionBy = nil }) }},
	{name: "drop ORDER BY of windows", pass: func(f *g.File) { nodes(f, func(w *g.Window) { w.OrderBy, w.Frame = nil, nil }) }},

	// Stars and the order of columns.
	{name: "sort the select list", pass: func(f *g.File) {
		selects(f, func(s *g.Select) {
			for i := 1; i < len(s.Items); i++ {
				if s.Items[i].Alias.Present() && s.Items[i-1].Alias.Present() && s.Items[i].Alias.Text < s.Items[i-1].Alias.Text {
					s.Items[i], s.Items[i-1] = s.Items[i-1], s.Items[i]
				}
			}
		})
	}},
	{name: "drop EXCLUDE of stars", pass: func(f *g.File) { nodes(f, func(s *g.Star) { s.Exclude = nil }) }},
	{name: "drop REPLACE of stars", pass: func(f *g.File) { nodes(f, func(s *g.Star) { s.Replace = nil }) }},
	{name: "drop RENAME of stars", pass: func(f *g.File) { nodes(f, func(s *g.Star) { s.Rename = nil }) }},
	{name: "drop the qualifier of stars", pass: func(f *g.File) { nodes(f, func(s *g.Star) { s.Qualifier = nil }) }},
	{name: "expand stars from the tables as known", before: true, pass: func(f *g.File) {
		selects(f, func(s *g.Select) {
			star, ok := g.Expr(nil), false
			if len(s.Items) == 1 {
				star, ok = s.Items[0].X, true
			}
			x, isStar := star.(*g.Star)
			if !ok || !isStar || len(x.Qualifier)+len(x.Exclude)+len(x.Replace)+len(x.Rename) > 0 || len(s.From) != 1 {
				return
			}
			t, isTable := s.From[0].(*g.Table)
			if !isTable || len(t.Name.Parts) != 1 || len(t.Alias.Columns) > 0 {
				return
			}
			for _, known := range tables {
				if strings.EqualFold(known.name, t.Name.Parts[0].Text) {
					s.Items = nil
					for _, c := range known.cols {
						s.Items = append(s.Items, g.SelectItem{X: &g.Column{Parts: []g.Ident{ident(c.name)}}})
					}
				}
			}
		})
	}},
	{name: "count(x) is count(*)", pass: func(f *g.File) {
		nodes(f, func(c *g.Call) {
			if len(c.Name.Parts) == 1 && c.Name.Parts[0].Text == "count" && c.Quantifier == g.NoQuantifier {
				c.Args = []g.Expr{&g.Star{}}
			}
		})
	}},

	// Joins and set operations.
	{name: "reorder joins", pass: func(f *g.File) {
		nodes(f, func(j *g.Joins) {
			if len(j.Rest) == 1 && (j.Rest[0].Kind == g.JoinInner || j.Rest[0].Kind == g.JoinCross) {
				j.First, j.Rest[0].Right = j.Rest[0].Right, j.First
			}
		})
	}},
	{name: "reorder the FROM list", pass: func(f *g.File) {
		selects(f, func(s *g.Select) {
			if len(s.From) == 2 {
				s.From[0], s.From[1] = s.From[1], s.From[0]
			}
		})
	}},
	{name: "USING into ON", pass: joinsOf(func(j *g.Join) {
		if len(j.Using) == 1 {
			right := firstName([]g.FromItem{j.Right})
			name := j.Using[0]
			if right == "" {
				return
			}
			j.Using = nil
			j.On = &g.Binary{First: &g.Column{Parts: []g.Ident{ident("t1"), name}}, Rest: []g.Operand{{Op: "=", X: &g.Column{Parts: []g.Ident{ident(right), name}}}}}
		}
	})},
	{name: "NATURAL is CROSS", pass: joinsOf(func(j *g.Join) {
		if j.Natural {
			j.Natural, j.Kind = false, g.JoinCross
		}
	})},
	{name: "POSITIONAL is CROSS", pass: joinsOf(func(j *g.Join) {
		if j.Kind == g.JoinPositional {
			j.Kind = g.JoinCross
		}
	})},
	{name: "merge outer and inner joins", pass: joinsOf(func(j *g.Join) {
		if j.Kind == g.JoinLeft || j.Kind == g.JoinRight || j.Kind == g.JoinFull {
			j.Kind = g.JoinInner
		}
	})},
	{name: "merge LEFT and RIGHT", pass: joinsOf(func(j *g.Join) {
		if j.Kind == g.JoinRight {
			j.Kind = g.JoinLeft
		}
	})},
	{name: "merge SEMI and ANTI", pass: joinsOf(func(j *g.Join) {
		if j.Kind == g.JoinAnti {
			j.Kind = g.JoinSemi
		}
	})},
	{name: "drop ASOF", pass: joinsOf(func(j *g.Join) { j.Asof = false })},
	{name: "ON of outer joins into WHERE", pass: func(f *g.File) {
		selects(f, func(s *g.Select) {
			if len(s.From) != 1 {
				return
			}
			if j, ok := s.From[0].(*g.Joins); ok && len(j.Rest) == 1 && j.Rest[0].On != nil && j.Rest[0].Kind == g.JoinLeft && s.Where == nil {
				s.Where, j.Rest[0].On = j.Rest[0].On, &g.Bool{Value: true}
			}
		})
	}},
	{name: "UNION is UNION ALL", pass: branchesOf(func(b *g.SetBranch) {
		if b.Op == g.SetUnion {
			b.Quantifier = g.QuantAll
		}
	})},
	{name: "EXCEPT ALL is EXCEPT", pass: branchesOf(func(b *g.SetBranch) {
		if b.Op != g.SetUnion {
			b.Quantifier = g.NoQuantifier
		}
	})},
	{name: "drop BY NAME", pass: branchesOf(func(b *g.SetBranch) { b.ByName = false })},
	{name: "EXCEPT is symmetric", pass: func(f *g.File) {
		nodes(f, func(s *g.SetOp) {
			if len(s.Rest) == 1 && s.Rest[0].Op == g.SetExcept {
				s.First, s.Rest[0].Body = s.Rest[0].Body, s.First
			}
		})
	}},
	{name: "flatten set operations", pass: func(f *g.File) {
		nodes(f, func(s *g.SetOp) {
			for i := range s.Rest {
				if p, ok := s.Rest[i].Body.(*g.ParenQuery); ok {
					if inner, ok := p.Query.Body.(*g.SetOp); ok && p.Query.With == nil && p.Query.Limit == nil {
						s.Rest[i].Body = inner.First
						s.Rest = append(s.Rest, inner.Rest...)
					}
				}
			}
		})
	}},
	{name: "drop the ORDER BY and LIMIT of branches", pass: func(f *g.File) {
		nodes(f, func(p *g.ParenQuery) { p.Query.OrderBy, p.Query.Limit = nil, nil })
		nodes(f, func(d *g.Derived) { d.Query.OrderBy, d.Query.Limit = nil, nil })
	}},
	{name: "drop repeated rows of VALUES", pass: func(f *g.File) {
		nodes(f, func(v *g.Values) {
			if len(v.Rows) == 2 && g.Print(v.Rows[0], g.DuckDB) == g.Print(v.Rows[1], g.DuckDB) {
				v.Rows = v.Rows[:1]
			}
		})
	}},

	// Operators, literals and types.
	{name: "merge / and //", pass: swapOps("/", "//")},
	{name: "merge < and <=", pass: swapOps("<=", "<")},
	{name: "operands of - in any order", pass: func(f *g.File) {
		nodes(f, func(b *g.Binary) {
			if len(b.Rest) == 1 && b.Rest[0].Op == "-" && g.Print(b.Rest[0].X, g.DuckDB) < g.Print(b.First, g.DuckDB) {
				b.First, b.Rest[0].X = b.Rest[0].X, b.First
			}
		})
	}},
	{name: "drop parentheses", pass: func(f *g.File) {
		exprs(f, func(b *g.Binary) g.Expr {
			for i := range b.Rest {
				if inner, ok := inParens(b.Rest[i].X).(*g.Binary); ok && (inner.Rest[0].Op == "-" || inner.Rest[0].Op == "+") {
					b.Rest[i].X = inner.First
					b.Rest = append(b.Rest, inner.Rest...)
				}
			}
			return b
		})
	}},
	{name: "AND before OR whatever is written", pass: func(f *g.File) {
		exprs(f, func(x *g.And) g.Expr {
			if or, ok := inParens(x.Args[0]).(*g.Or); ok && len(x.Args) == 2 {
				return &g.Or{Args: []g.Expr{or.Args[0], &g.And{Args: []g.Expr{or.Args[1], x.Args[1]}}}}
			}
			return x
		})
	}},
	{name: "drop NOT", pass: func(f *g.File) { exprs(f, func(x *g.Not) g.Expr { return x.X }) }},
	{name: "drop NOT of IN", pass: func(f *g.File) { nodes(f, func(x *g.In) { x.Not = false }) }},
	{name: "drop NULL from IN lists", pass: func(f *g.File) {
		nodes(f, func(x *g.In) {
			var list []g.Expr
			for _, item := range x.List {
				if _, ok := item.(*g.Null); !ok {
					list = append(list, item)
				}
			}
			x.List = list
		})
	}},
	{name: "NOT IN is NOT EXISTS", pass: func(f *g.File) {
		exprs(f, func(x *g.In) g.Expr {
			if !x.Not || x.Query == nil {
				return x
			}
			return &g.Not{X: &g.Exists{Query: x.Query}}
		})
	}},
	{name: "IS DISTINCT FROM is <>", pass: func(f *g.File) {
		exprs(f, func(x *g.Is) g.Expr {
			if x.Test != g.IsDistinctFrom {
				return x
			}
			op := "<>"
			if x.Not {
				op = "="
			}
			return &g.Binary{First: x.X, Rest: []g.Operand{{Op: op, X: x.Y}}}
		})
	}},
	{name: "merge IS TRUE and IS NOT NULL", pass: func(f *g.File) {
		nodes(f, func(x *g.Is) {
			if x.Test == g.IsTrue {
				x.Test, x.Not = g.IsNull, !x.Not
			}
		})
	}},
	{name: "merge LIKE and ILIKE", pass: func(f *g.File) {
		nodes(f, func(x *g.Like) {
			if x.Op == g.OpILike {
				x.Op = g.OpLike
			}
		})
	}},
	{name: "drop ESCAPE", pass: func(f *g.File) { nodes(f, func(x *g.Like) { x.Escape = nil }) }},
	{name: "merge ANY and ALL", pass: func(f *g.File) { nodes(f, func(x *g.Quantified) { x.All = false }) }},
	{name: "drop ELSE", pass: func(f *g.File) { nodes(f, func(x *g.Case) { x.Else = nil }) }},
	{name: "drop COLLATE", pass: func(f *g.File) { exprs(f, func(x *g.Collate) g.Expr { return x.X }) }},
	{name: "integers and decimals are one", pass: numbers(func(s string) string { return strings.TrimSuffix(strings.TrimSuffix(s, "0"), ".0") })},
	{name: "scales are one", pass: numbers(func(s string) string {
		if strings.Contains(s, ".") && strings.HasSuffix(s, "00") {
			return strings.TrimSuffix(s, "0")
		}
		return s
	})},
	{name: "exponents are decimals", pass: func(f *g.File) {
		nodes(f, func(n *g.Number) {
			if strings.HasSuffix(n.Text, "e0") {
				n.Text, n.Kind = strings.TrimSuffix(n.Text, "e0"), g.NumberInteger
			}
		})
	}},
	{name: "24 hours are a day", pass: func(f *g.File) {
		nodes(f, func(p *g.IntervalPart) {
			if n, ok := p.Value.(*g.Number); ok && n.Text == "24" {
				n.Text, p.Unit.Text = "1", "day"
			}
		})
	}},
	{name: "drop CAST", pass: func(f *g.File) { exprs(f, func(x *g.Cast) g.Expr { return &g.Paren{X: x.X} }) }},
	{name: "merge TRY_CAST and CAST", pass: func(f *g.File) { nodes(f, func(x *g.Cast) { x.Try = false }) }},
	{name: "merge the integer types", pass: func(f *g.File) {
		nodes(f, func(x *g.TypeName) {
			if x.Name.Parts[0].Text == "bigint" || x.Name.Parts[0].Text == "hugeint" {
				x.Name.Parts[0].Text = "integer"
			}
		})
	}},
	{name: "drop precision", pass: func(f *g.File) {
		nodes(f, func(x *g.TypeName) {
			if x.Name.Parts[0].Text == "decimal" {
				x.Args, x.Parens = nil, false
			}
		})
	}},
	{name: "merge DATE and TIMESTAMP", pass: func(f *g.File) {
		nodes(f, func(x *g.TypeName) {
			if x.Name.Parts[0].Text == "date" {
				x.Name.Parts[0].Text = "timestamp"
			}
		})
	}},
	{name: "drop the step of slices", pass: func(f *g.File) { nodes(f, func(x *g.Slice) { x.Step, x.Stepped, x.Dash = nil, false, false }) }},
	{name: "arguments in any order", pass: func(f *g.File) {
		nodes(f, func(c *g.Call) {
			if len(c.Args) == 2 && c.Name.Parts[len(c.Name.Parts)-1].Text == "coalesce" && g.Print(c.Args[1], g.DuckDB) < g.Print(c.Args[0], g.DuckDB) {
				c.Args[0], c.Args[1] = c.Args[1], c.Args[0]
			}
		})
	}},
	{name: "fold constants", pass: func(f *g.File) {
		exprs(f, func(b *g.Binary) g.Expr {
			x, ok := b.First.(*g.Number)
			if y, also := b.Rest[0].X.(*g.Number); ok && also && len(b.Rest) == 1 && b.Rest[0].Op == "+" && len(x.Text) == 1 && len(y.Text) == 1 {
				return &g.Number{Text: string('0' + (x.Text[0]-'0'+y.Text[0]-'0')%10)}
			}
			return b
		})
	}},
}
