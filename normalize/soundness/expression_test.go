package soundness

import (
	"fmt"
)

// column writes a reference to a column of the wanted kind (-1: any) that is in view.
func (g *generator) column(s *source, p *place, want int) (col, string, bool) {
	type found struct {
		it    *origin
		c     col
		level int
	}
	var all []found
	level := 0
	for at := p; at != nil; at = at.outer {
		for _, it := range at.items {
			for _, c := range it.cols {
				if c.name != "" && (want < 0 || int(c.kind) == want) {
					all = append(all, found{it, c, level})
				}
			}
		}
		level++
		if level > 1 {
			break
		}
	}
	if len(all) == 0 {
		return col{}, "", false
	}
	// Columns of this level are likelier.
	f := all[g.pick(s, len(all))]
	if f.level > 0 && g.chance(s, 50) {
		f = all[g.pick(s, len(all))]
	}
	text := g.ref(f.c.name)
	if f.it.name != "" && (len(p.items) > 1 || f.level > 0 || g.chance(s, 40)) && !g.chance(s, 20) {
		text = g.ref(f.it.name) + "." + text
	}
	return f.c, text, true
}

func (g *generator) anyExpr(s *source, p *place, depth int) (string, kind) {
	switch g.pick(s, 12) {
	case 0, 1, 2, 3:
		return g.integer(s, p, depth), kInt
	case 4, 5:
		return g.text(s, p, depth), kStr
	case 8, 9:
		if !g.spark {
			return g.scalar(s, p)
		}
	case 6:
		return g.boolean(s, p, depth), kDate
	case 7:
		return g.nested(s, p, depth)
	}
	if c, text, ok := g.column(s, p, -1); ok {
		return text, c.kind
	}
	return g.integer(s, p, depth), kInt
}

// integer writes an expression of type INTEGER or near it.
func (g *generator) integer(s *source, p *place, depth int) string {
	k := g.pick(s, 20)
	switch {
	case k < 7:
		if _, text, ok := g.column(s, p, int(kInt)); ok {
			return g.paren(text)
		}
	case k == 7:
		return fmt.Sprint(g.pick(s, 4))
	case k == 8 && len(p.aliases) > 0:
		a := p.aliases[g.pick(s, len(p.aliases))]
		if a.kind == kInt {
			return g.ref(a.name)
		}
	case k == 9 || k == 10:
		op := []string{"+", "-", "*", "%", "//"}[g.pick(s, 5)]
		if g.spark && op == "//" {
			op = "div"
		}
		right := g.integer(sub(s), p, depth)
		if g.chance(s, 40) {
			right = "(" + right + " " + []string{"-", "+"}[g.pick(s, 2)] + " " + g.integer(sub(s), p, 0) + ")"
		}
		return g.paren(g.integer(sub(s), p, depth) + " " + op + " " + right)
	case k == 11:
		x := g.integer(sub(s), p, depth)
		ty := []string{"int", "bigint", "varchar"}[g.pick(s, 3)]
		spelled := map[string][]string{"int": {"int", "integer", "int4", "INT"}, "bigint": {"bigint", "int8", "long"}, "varchar": {"varchar", "text", "string"}}[ty]
		if g.spark {
			spelled = map[string][]string{"int": {"int", "integer", "INT"}, "bigint": {"bigint", "long"}, "varchar": {"string", "STRING"}}[ty]
		}
		name := spelled[g.free(len(spelled))]
		if ty == "varchar" {
			return "length(" + g.cast(x, name) + ")"
		}
		return g.cast(x, name)
	case k == 12:
		if g.chance(s, 25) {
			return g.w("case ") + g.integer(sub(s), p, 0) + g.w(" when ") + "1" + g.w(" then ") + g.integer(sub(s), p, 0) + g.w(" end")
		}
		return g.w("case when ") + g.boolean(sub(s), p, 0) + g.w(" then ") + g.integer(sub(s), p, 0) + g.w(" else ") + g.integer(sub(s), p, 0) + g.w(" end")
	case k == 13:
		return g.anyFunction("coalesce(" + g.integer(sub(s), p, 0) + ", " + g.integer(sub(s), p, 0) + ")")
	case k == 14 && depth > 0:
		inner, cols := g.query(sub(s), p, 0)
		if len(cols) == 1 && cols[0].kind == kInt {
			return "(" + g.w("select ") + "max(q." + g.scalarName(cols[0]) + ") " + g.w("from") + " (" + inner + ") q)"
		}
		return "(" + g.w("select ") + "count(*) " + g.w("from") + " (" + inner + ") q)"
	case k == 15:
		if c, text, ok := g.column(s, p, int(kStruct)); ok && c.name != "" {
			field := []string{"a", "Id"}[g.pick(s, 2)]
			return []string{text + "." + field, "(" + text + ")." + field, text + "['" + field + "']"}[g.pick(s, 3)]
		}
	case k == 16:
		if _, text, ok := g.column(s, p, int(kMap)); ok {
			return text + "['" + []string{"a", "A"}[g.pick(s, 2)] + "']"
		}
	case k == 17:
		x := g.paren(g.integer(sub(s), p, 0))
		if x[0] == '-' {
			x = " " + x // no comment
		}
		return "-" + x
	case k == 18:
		return g.overWindow(s, p)
	}
	return fmt.Sprint(1 + g.pick(s, 9))
}

// scalarName is a name for the first column of an inner query.
func (g *generator) scalarName(c col) string {
	if c.name == "" {
		if g.spark {
			return "`?`"
		}
		return `"?"` // fails, and the query is skipped
	}
	return g.ref(c.name)
}

// firstInt is an integer column of an item, or a name that it lacks.
func (g *generator) firstInt(it *origin) string {
	for _, c := range it.cols {
		if c.kind == kInt && c.name != "" {
			return g.ref(c.name)
		}
	}
	return "nothing"
}

func (g *generator) cast(x, ty string) string {
	if g.free(2) == 1 {
		return "(" + x + ")::" + ty
	}
	return g.w("cast") + "(" + x + g.w(" as ") + ty + ")"
}

func (g *generator) text(s *source, p *place, depth int) string {
	switch k := g.pick(s, 9); {
	case k < 3:
		if _, text, ok := g.column(s, p, int(kStr)); ok {
			return text
		}
	case k == 3:
		return g.paren(g.text(sub(s), p, depth) + " || " + g.text(sub(s), p, depth))
	case k == 4:
		return g.anyFunction("upper(" + g.text(sub(s), p, 0) + ")")
	case k == 5:
		if g.spark {
			return g.cast(g.integer(sub(s), p, 0), "string")
		}
		return g.cast(g.integer(sub(s), p, 0), "varchar")
	case k >= 7 && !g.spark:
		switch g.pick(s, 3) {
		case 0:
			if _, text, ok := g.column(s, p, int(kJSON)); ok {
				return "(" + text + " ->> '$." + []string{"a", "A"}[g.pick(s, 2)] + "')"
			}
		case 1:
			return g.w([]string{"substring", "trim"}[0]) + "(" + g.text(sub(s), p, 0) + g.w(" from ") + fmt.Sprint(1+g.pick(s, 2)) + g.w(" for ") + "1)"
		default:
			return g.w("e") + "'a\\nb'"
		}
	}
	value := []string{"x", "Y", "it's", "a\\nb", "--", "t.id", "X", "ü", "its", " x"}[g.pick(s, 10)]
	if g.spark && g.free(3) == 1 {
		return `"` + value + `"`
	}
	if g.free(5) == 1 && !g.spark {
		return "$$" + value + "$$"
	}
	quoted := ""
	for _, c := range value {
		if c == '\'' {
			quoted += "'"
		}
		quoted += string(c)
	}
	return "'" + quoted + "'"
}

func (g *generator) boolean(s *source, p *place, depth int) string {
	switch k := g.pick(s, 21); {
	case k == 14:
		x := g.text(sub(s), p, 0)
		if g.spark {
			return x + g.w(" rlike ") + "'x'"
		}
		if g.free(2) == 1 {
			return "(" + x + ")" + " ~~ '%x%'"
		}
		return "(" + x + ")" + g.w(" like ") + "'%x%'"
	case k == 15 && depth > 0 && len(p.items) > 0 && p.items[0].name != "":
		// Correlated, with an alias of its own.
		inner := tables[g.pick(s, len(tables))]
		alias := g.fresh(s)
		return g.w("exists") + " (" + g.w("select ") + "1" + g.w(" from ") + g.ref(inner.name) + g.w(" as ") + g.def(alias) + g.w(" where ") + g.ref(alias) + "." + g.ref(inner.cols[0].name) +
			" = " + g.ref(p.items[0].name) + "." + g.firstInt(p.items[0]) + ")"
	case k >= 16 && !g.spark:
		return g.condition(s, p)
	case k < 5:
		op := []string{"=", "<", ">", "<>", "<=", ">="}[g.pick(s, 6)]
		if op == "<>" && g.free(2) == 1 {
			op = "!="
		}
		if op == "=" && g.free(4) == 1 {
			return g.paren("(" + g.integer(sub(s), p, depth) + ") == (" + g.integer(sub(s), p, depth) + ")")
		}
		return g.paren(g.integer(sub(s), p, depth) + " " + op + " " + g.integer(sub(s), p, depth))
	case k == 5:
		return g.paren(g.boolean(sub(s), p, depth)) + g.w(" and ") + g.paren(g.boolean(sub(s), p, depth))
	case k == 6:
		return "(" + g.boolean(sub(s), p, depth) + g.w(" or ") + g.boolean(sub(s), p, depth) + ")"
	case k == 7:
		return g.w("not ") + "(" + g.boolean(sub(s), p, depth) + ")"
	case k == 8:
		x := g.integer(sub(s), p, 0)
		if g.free(2) == 1 {
			return x + g.w(" is not null")
		}
		if g.spark {
			return x + g.w(" is not NULL")
		}
		return x + g.w(" notnull")
	case k == 9:
		not := ""
		if g.chance(s, 30) {
			not = g.w(" not")
		}
		return g.integer(sub(s), p, 0) + not + g.w(" in ") + "(" + g.integer(sub(s), p, 0) + ", 2)"
	case k == 10 && depth > 0:
		inner, _ := g.query(sub(s), p, 0)
		not := ""
		if g.chance(s, 30) {
			not = g.w("not ")
		}
		return not + g.w("exists") + "(" + inner + ")"
	case k == 11 && depth > 0:
		inner, cols := g.query(sub(s), p, 0)
		if len(cols) == 1 && cols[0].kind == kInt {
			return g.integer(sub(s), p, 0) + g.w([]string{" in ", " not in "}[g.pick(s, 2)]) + "(" + inner + ")"
		}
	case k == 12:
		return g.text(sub(s), p, 0) + g.w(" like ") + "'%x%'"
	}
	return g.integer(sub(s), p, 0) + g.w(" between ") + "0" + g.w(" and ") + g.integer(sub(s), p, 0)
}

// nested writes lists, structs, maps and lambdas.
func (g *generator) nested(s *source, p *place, depth int) (string, kind) {
	if g.spark {
		return g.nestedSpark(s, p)
	}
	switch g.pick(s, 6) {
	case 0:
		names := []string{"x", "y", "a"}
		name := names[g.pick(s, 3)]
		shown := name
		if g.free(3) == 1 {
			shown = "lam"
		}
		list := "[1, 2]"
		if _, text, ok := g.column(s, p, int(kList)); ok {
			list = text
		}
		body := g.ref(shown) + " + " + g.integer(sub(s), p, 0)
		return "list_transform(" + list + ", " + g.w("lambda ") + shown + ": " + body + ")", kList
	case 1:
		return "{'a': " + g.integer(sub(s), p, 0) + ", 'b': " + g.text(sub(s), p, 0) + ", 'Id': 1}", kStruct
	case 2:
		if _, text, ok := g.column(s, p, -1); ok {
			return "struct_pack(" + text + ")", kDate
		}
	case 3:
		if g.chance(s, 30) {
			name := []string{"x", "i", "a"}[g.pick(s, 3)]
			return "[" + g.ref(name) + " * 2 + " + g.integer(sub(s), p, 0) + g.w(" for ") + name + g.w(" in ") + "[1, 2]]", kList
		}
		return "[" + g.integer(sub(s), p, 0) + ", " + g.integer(sub(s), p, 0) + "]", kList
	case 4:
		return "map {'a': " + g.integer(sub(s), p, 0) + "}", kMap
	}
	return "date '2020-01-01' + " + g.integer(sub(s), p, 0), kDate
}

// nestedSpark is nested in Databricks' dialect.
func (g *generator) nestedSpark(s *source, p *place) (string, kind) {
	switch g.pick(s, 6) {
	case 0:
		name := []string{"x", "y", "a"}[g.pick(s, 3)]
		list := "array(1, 2)"
		if _, text, ok := g.column(s, p, int(kList)); ok {
			list = text
		}
		return g.anyFunction("transform(" + list + ", " + g.anyCase(name) + " -> " + g.ref(name) + " + " + g.integer(sub(s), p, 0) + ")"), kList
	case 1:
		return "named_struct('a', " + g.integer(sub(s), p, 0) + ", 'b', " + g.text(sub(s), p, 0) + ", 'Id', 1)", kStruct
	case 2:
		if _, text, ok := g.column(s, p, -1); ok {
			return "struct(" + text + ")", kDate
		}
	case 3:
		return "array(" + g.integer(sub(s), p, 0) + ", " + g.integer(sub(s), p, 0) + ")", kList
	case 4:
		return "map('a', " + g.integer(sub(s), p, 0) + ")", kMap
	}
	return "date_add(date '2020-01-01', " + g.integer(sub(s), p, 0) + ")", kDate
}
