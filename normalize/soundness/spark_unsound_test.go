//go:build spark

package soundness

import (
	"strings"

	g "hodor/grammar"
)

// sparkUnsound are passes that break the law in Databricks' dialect: those of the other list that its texts show, and some of its own.
var sparkUnsound = append(pick("fold the case of output names", "fold the case of items without alias", "fold struct keys", "fold map and JSON keys", "fold literals",
	"join doubled quotes", "drop column lists of CTEs", "bind bare names to the first item", "drop qualifiers", "call CTEs like tables",
	"put the column for the alias in ORDER BY", "drop DISTINCT", "drop DISTINCT of aggregates", "drop NULLS FIRST", "drop DESC", "drop LIMIT", "drop OFFSET",
	"drop HAVING", "drop QUALIFY", "drop ROLLUP and CUBE", "drop PARTITION BY", "sort the select list", "drop EXCLUDE of stars", "drop the qualifier of stars",
	"expand stars from the tables as known", "count(x) is count(*)", "reorder joins", "reorder the FROM list", "NATURAL is CROSS", "merge outer and inner joins",
	"merge LEFT and RIGHT", "merge SEMI and ANTI", "UNION is UNION ALL", "EXCEPT is symmetric", "drop NOT", "merge < and <=", "operands of - in any order", "drop ELSE",
	"arguments in any order", "merge the integer types"),
	unsound{name: "merge / and DIV", pass: func(f *g.File) {
		nodes(f, func(b *g.Binary) {
			for i := range b.Rest {
				if b.Rest[i].Op == "DIV" {
					b.Rest[i].Op = "/"
				}
			}
		})
	}},
	unsound{name: "rename lambda parameters onto a column", pass: func(f *g.File) {
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
	unsound{name: "RLIKE is LIKE", pass: func(f *g.File) {
		nodes(f, func(x *g.Like) {
			if x.Op == g.OpRLike {
				x.Op = g.OpLike
			}
		})
	}},
	unsound{name: "drop LATERAL", pass: func(f *g.File) { nodes(f, func(d *g.Derived) { d.Lateral = false }) }},
	unsound{name: "fold plain columns", pass: func(f *g.File) {
		nodes(f, func(s *g.Select) {
			for i := range s.Items {
				if c, ok := s.Items[i].X.(*g.Column); ok {
					for j := range c.Parts {
						c.Parts[j].Text = strings.ToUpper(c.Parts[j].Text)
					}
				}
			}
		})
	}},
)

// pick takes passes by their names.
func pick(names ...string) []unsound {
	var out []unsound
	for _, name := range names {
		found := false
		for _, u := range unsoundPasses {
			if u.name == name {
				out, found = append(out, u), true
			}
		}
		if !found {
			panic("no pass " + name)
		}
	}
	return out
}
