package compare

import (
	"fmt"
	"sort"
	"strings"

	"hodor/grammar"
)

// kind is a kind of difference with what takes it out of a text. What is left need not mean the same: it is only compared.
type kind struct {
	Reason
	take func(*grammar.File)
	text func(string) string // on the printed text, if not nil
}

// each visits the nodes of one type.
func each[N grammar.Node](f *grammar.File, visit func(N)) {
	grammar.Walk(f, func(n grammar.Node) bool {
		if n, ok := n.(N); ok {
			visit(n)
		}
		return true
	})
}

// kinds are all kinds of difference that are known: what is least first, what takes the difference of another one with it behind that.
var kinds = []kind{
	{Reason: Reason{"the order of common table expressions", "nothing is reordered: each sees those before it", "T18"}, take: func(f *grammar.File) {
		each(f, func(w *grammar.With) {
			sort.SliceStable(w.CTEs, func(i, j int) bool {
				return grammar.Print(w.CTEs[i].Query, f.Dialect) < grammar.Print(w.CTEs[j].Query, f.Dialect)
			})
		})
	}},
	{Reason: Reason{"the case of names", "here it reaches the result, or the name may be a key of data", "T1, T2, T31"}, take: func(f *grammar.File) {
		each(f, func(x *grammar.Ident) { x.Text = strings.ToLower(x.Text) })
	}},
	{Reason: Reason{"qualifiers of columns", "with no schema known, another item or an alias may have the column too", "T15, T16, T27, T40"}, take: func(f *grammar.File) {
		each(f, func(c *grammar.Column) { c.Parts = c.Parts[len(c.Parts)-1:] })
	}},
	{Reason: Reason{"names of table aliases or common table expressions", "the name may be data here: printed into a column's name, a whole row, or hidden by another", "T1, T4, T20, T25, T28"},
		take: renameSources},
	{Reason: Reason{"the schema or catalog of a table", "it is not known which one the run would take", "T54"}, take: func(f *grammar.File) {
		each(f, func(t *grammar.Table) {
			if n := len(t.Name.Parts); n > 1 {
				t.Name.Parts = t.Name.Parts[n-1:]
			}
		})
	}},
	{Reason: Reason{"output names", "they are the columns of the result", "T2, T10"}, take: func(f *grammar.File) {
		each(f, func(s *grammar.Select) {
			for i := range s.Items {
				s.Items[i].Alias = grammar.Ident{}
			}
		})
	}},
	{Reason: Reason{"column lists of aliases or common table expressions", "they name columns by their place", "T26"}, take: func(f *grammar.File) {
		each(f, func(a *grammar.Alias) { a.Columns = nil })
		each(f, func(c *grammar.CTE) { c.Columns = nil })
	}},
	{Reason: Reason{"parentheses", "they make another tree, or one that another version of the engine reads differently", "T42"}, text: strings.NewReplacer("(", "", ")", "").Replace},
	{Reason: Reason{"spellings of numbers", "digits and scale make the type", "T43, T44"}, take: func(f *grammar.File) {
		each(f, func(n *grammar.Number) {
			if strings.Contains(n.Text, ".") && !strings.ContainsAny(n.Text, "eE") {
				n.Text = strings.TrimRight(strings.TrimRight(n.Text, "0"), ".")
			}
			n.Suffix = ""
		})
	}},
	{Reason: Reason{"blanks or case inside string literals", "a literal counts byte for byte", "T45"}, take: func(f *grammar.File) {
		each(f, func(s *grammar.String) { s.Value = strings.ToLower(strings.Join(strings.Fields(s.Value), "")) })
	}},
	{Reason: Reason{"types of casts", "another type, or one that is printed into a column's name", "T1"}, take: func(f *grammar.File) {
		each(f, func(t *grammar.TypeName) {
			t.Name.Parts, t.Args, t.Parens, t.Zone = []grammar.Ident{{Text: "type"}}, nil, false, grammar.NoZone
		})
	}},
	{Reason: Reason{"NULLS FIRST or LAST, ASC or DESC", "the order is another, or a setting decides", "T46"}, take: func(f *grammar.File) {
		each(f, func(s *grammar.Sort) { s.Nulls, s.Direction = grammar.NoNullsOrder, grammar.NoDirection })
	}},
	{Reason: Reason{"frames of windows", "without one it reaches to the last peer", "T47"}, take: func(f *grammar.File) { each(f, func(w *grammar.Window) { w.Frame = nil }) }},
	{Reason: Reason{"DISTINCT, ORDER BY, FILTER or NULLS of aggregates", "other rows, or another order of them", "T6, T48"}, take: func(f *grammar.File) {
		each(f, func(c *grammar.Call) {
			c.Quantifier, c.OrderBy, c.Filter, c.Nulls, c.WithinGroup = grammar.NoQuantifier, nil, nil, grammar.NoNullTreatment, nil
		})
	}},
	{Reason: Reason{"hints and MATERIALIZED", "they may change how often something is computed, and the files that are written", "T22, T60, T64"}, take: func(f *grammar.File) {
		each(f, func(s *grammar.Select) { s.Hints = nil })
		each(f, func(c *grammar.CTE) { c.Materialized = grammar.MaterializedDefault })
	}},
	{Reason: Reason{"SORT BY, DISTRIBUTE BY or CLUSTER BY", "they change the files that are written, and what a LIMIT takes", "T64"}, take: func(f *grammar.File) {
		each(f, func(q *grammar.Query) { q.SortBy, q.ClusterBy, q.DistributeBy = nil, nil, nil })
	}},
	{Reason: Reason{"time travel", "another version of the table", "T55"}, take: func(f *grammar.File) { each(f, func(t *grammar.Table) { t.Travel = nil }) }},
	{Reason: Reason{"USING and ON", "USING makes one column of two", "T8"}, take: joins(func(j *grammar.Join) { j.Using, j.On = nil, nil })},
	{Reason: Reason{"kinds of joins", "other rows", "T9, T38, T62"}, take: joins(func(j *grammar.Join) { j.Kind, j.Natural, j.Asof = grammar.JoinInner, false, false })},
	{Reason: Reason{"UNION and UNION ALL", "one drops repeated rows", "T49"}, take: func(f *grammar.File) {
		each(f, func(s *grammar.SetOp) {
			for i := range s.Rest {
				s.Rest[i].Quantifier, s.Rest[i].ByName = grammar.NoQuantifier, false
			}
		})
	}},
	{Reason: Reason{"DISTINCT", "it drops repeated rows", "T23"}, take: func(f *grammar.File) {
		each(f, func(s *grammar.Select) { s.Quantifier, s.DistinctOn = grammar.NoQuantifier, nil })
	}},
	{Reason: Reason{"EXCEPT, REPLACE or RENAME of a star", "other columns, or another order of them", "T37"}, take: func(f *grammar.File) {
		each(f, func(s *grammar.Star) { s.Exclude, s.Replace, s.Rename = nil, nil, nil })
	}},
	{Reason: Reason{"ORDER BY", "the order of rows, and what a LIMIT takes", "T13, T15"}, take: func(f *grammar.File) { each(f, func(q *grammar.Query) { q.OrderBy = nil }) }},
	{Reason: Reason{"LIMIT", "other rows", "T51"}, take: func(f *grammar.File) { each(f, func(q *grammar.Query) { q.Limit = nil }) }},
	{Reason: Reason{"the order of the select list", "the order of the columns is part of the result", "T7"}, take: func(f *grammar.File) {
		each(f, func(s *grammar.Select) {
			sort.SliceStable(s.Items, func(i, j int) bool { return itemText(&s.Items[i], f.Dialect) < itemText(&s.Items[j], f.Dialect) })
		})
	}},
	{Reason: Reason{"the order of conditions", "nothing is reordered: an engine may fail on one that another guards", ""}, take: func(f *grammar.File) {
		sortArgs := func(args []grammar.Expr) {
			sort.SliceStable(args, func(i, j int) bool { return grammar.Print(args[i], f.Dialect) < grammar.Print(args[j], f.Dialect) })
		}
		each(f, func(x *grammar.And) { sortArgs(x.Args) })
		each(f, func(x *grammar.Or) { sortArgs(x.Args) })
	}},
	{Reason: Reason{"literals", "another value", "T3, T45"}, take: func(f *grammar.File) {
		each(f, func(s *grammar.String) { s.Value = "" })
		each(f, func(n *grammar.Number) { n.Text, n.Suffix, n.Negative = "0", "", false })
	}},
}

func itemText(item *grammar.SelectItem, d grammar.Dialect) string {
	return grammar.Print(item.X, d) + " " + item.Alias.Text
}

func joins(change func(*grammar.Join)) func(*grammar.File) {
	return func(f *grammar.File) {
		each(f, func(j *grammar.Joins) {
			for i := range j.Rest {
				change(&j.Rest[i])
			}
		})
	}
}

// renameSources gives aliases and common table expressions names by their order, wherever the names are used.
func renameSources(f *grammar.File) {
	names := map[string]string{}
	give := func(x *grammar.Ident) {
		if !x.Present() {
			return
		}
		old := strings.ToLower(x.Text)
		if names[old] == "" {
			names[old] = fmt.Sprintf("source %d", len(names)+1)
		}
		x.Text = names[old]
	}
	each(f, func(c *grammar.CTE) { give(&c.Name) })
	each(f, func(a *grammar.Alias) { give(&a.Name) })
	each(f, func(v *grammar.LateralView) { give(&v.Alias) })
	follow := func(parts []grammar.Ident) {
		if len(parts) > 0 {
			if to := names[strings.ToLower(parts[0].Text)]; to != "" {
				parts[0].Text = to
			}
		}
	}
	each(f, func(t *grammar.Table) { follow(t.Name.Parts) })
	each(f, func(c *grammar.Column) { follow(c.Parts) })
	each(f, func(s *grammar.Star) { follow(s.Qualifier) })
}
