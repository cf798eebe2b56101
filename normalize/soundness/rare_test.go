package soundness

import "fmt"

// aggregate writes an aggregate with what may stand in and behind its parentheses.
func (g *generator) aggregate(s *source, p *place) string {
	x := g.integer(sub(s), p, 0)
	if g.spark {
		return []string{"count(*)", "sum(" + x + ")", "max(" + x + ")", "count(" + g.w("distinct ") + x + ")", "count(" + x + ")"}[g.pick(s, 5)]
	}
	filter := ""
	if g.chance(s, 12) {
		filter = g.w(" filter ") + "(" + g.w("where ") + g.boolean(sub(s), p, 0) + ")"
	}
	switch g.pick(s, 9) {
	case 0:
		return "count(*)" + filter
	case 1:
		return "sum(" + x + ")" + filter
	case 2:
		return "max(" + x + ")" + filter
	case 3:
		return "count(" + g.w("distinct ") + x + ")" + filter
	case 4:
		return "string_agg(" + g.text(sub(s), p, 0) + ", ','" + g.w(" order by ") + x + g.direction(s) + ")" + filter
	case 5:
		return "list(" + x + g.w(" order by ") + g.integer(sub(s), p, 0) + g.direction(s) + ")" + filter
	case 6:
		return "first(" + x + g.w(" order by ") + g.text(sub(s), p, 0) + g.direction(s) + ")" + filter
	case 7:
		return "sum(" + g.w("distinct ") + x + ")" + filter
	}
	return "count(" + x + ")" + filter
}

// overWindow writes a window function with its partition, order and frame.
func (g *generator) overWindow(s *source, p *place) string {
	call := "sum(" + g.integer(sub(s), p, 0) + ")"
	if !g.spark {
		switch g.pick(s, 5) {
		case 0:
			call = "last_value(" + g.integer(sub(s), p, 0)
			if g.chance(s, 70) {
				call += g.w(" ignore nulls")
			}
			call += ")"
		case 1:
			call = "row_number()"
		case 2:
			call = "list(" + g.integer(sub(s), p, 0) + ")"
		}
	}
	b := call + g.w(" over ") + "("
	if g.chance(s, 70) {
		b += g.w("partition by ") + g.integer(sub(s), p, 0) + " "
	}
	b += g.w("order by ") + g.integer(sub(s), p, 0) + g.direction(s)
	if g.chance(s, 30) {
		frames := []string{" rows between 1 preceding and current row", " range between unbounded preceding and current row", " rows unbounded preceding",
			" groups between unbounded preceding and current row"}
		if g.spark {
			frames[3] = " rows between current row and unbounded following"
		}
		b += g.w(frames[g.pick(s, 4)])
		if !g.spark && g.chance(s, 25) {
			b += g.w(" exclude current row")
		}
	}
	return b + ")"
}

// scalar writes values whose type hangs on their spelling.
func (g *generator) scalar(s *source, p *place) (string, kind) {
	switch g.pick(s, 12) {
	case 0:
		return []string{"1", "1.0", "1.00", "1e0", "10", "100.5"}[g.pick(s, 6)], kDec
	case 1:
		return "interval " + []string{"1 day", "24 hours", "'1' day"}[g.pick(s, 3)], kDate
	case 2:
		return g.integer(sub(s), p, 0) + []string{" / ", " // ", " - ", " % ", " ** "}[g.pick(s, 5)] + "2", kDec
	case 3:
		x := g.text(sub(s), p, 0)
		return g.w([]string{"try_cast", "cast"}[g.pick(s, 2)]) + "(" + x + g.w(" as ") + []string{"int", "double", "varchar"}[g.pick(s, 3)] + ")", kDec
	case 4:
		if _, text, ok := g.column(s, p, int(kStamp)); ok {
			return text + []string{"", "::date", "::timestamptz", " - interval 1 hour"}[g.pick(s, 4)], kStamp
		}
	case 5:
		if _, text, ok := g.column(s, p, int(kFloat)); ok {
			return []string{text, text + "::float", "-" + text, text + " = 'nan'::double"}[g.pick(s, 4)], kFloat
		}
	case 6:
		if _, text, ok := g.column(s, p, int(kList)); ok {
			return text + []string{"[1]", "[1:2]", "[2:]", "[-1]", "[:-:1]"}[g.pick(s, 5)], kDec
		}
	case 7:
		if _, text, ok := g.column(s, p, int(kList2)); ok {
			name := []string{"a", "x", "o"}[g.pick(s, 3)]
			return "list_transform(" + text + ", " + g.w("lambda ") + name + ": " + name + "." + []string{"a", "A"}[g.pick(s, 2)] + ")", kList
		}
	case 8:
		return g.w([]string{"current_user", "current_schema", "user"}[g.pick(s, 3)]), kStr
	case 9:
		return g.integer(sub(s), p, 0) + "::" + []string{"bigint", "int", "smallint", "hugeint", "varchar", "decimal(9, 2)", "decimal(9, 3)"}[g.pick(s, 7)], kDec
	case 10:
		// Twice the parameter of a lambda, in a body that also uses a column.
		name := []string{"x", "id", "a"}[g.pick(s, 3)]
		return "list_transform([1, 2], " + g.w("lambda ") + name + ": " + name + " * 10 + coalesce(" + g.integer(sub(s), p, 0) + ", 0))", kList
	}
	return g.w("date ") + "'2020-0" + fmt.Sprint(1+g.pick(s, 3)) + "-01'", kDate
}

// condition writes conditions that differ from others by a word.
func (g *generator) condition(s *source, p *place) string {
	x, y := g.integer(sub(s), p, 0), g.integer(sub(s), p, 0)
	switch g.pick(s, 8) {
	case 0:
		return "(" + x + ") " + g.w([]string{"is distinct from", "is not distinct from"}[g.pick(s, 2)]) + " (" + y + ")"
	case 1:
		return g.text(sub(s), p, 0) + g.w([]string{" ilike ", " not ilike ", " like "}[g.pick(s, 3)]) + []string{"'X%'", "'#_' escape '#'", "'_'"}[g.pick(s, 3)]
	case 2:
		return "(" + x + " > 1)" + g.w([]string{" is true", " is not true", " is null", " is unknown"}[g.pick(s, 4)])
	case 3:
		return x + g.w([]string{" not between ", " between "}[g.pick(s, 2)]) + "0" + g.w(" and ") + "2"
	case 4:
		return x + g.w([]string{" in ", " not in "}[g.pick(s, 2)]) + "(1, null, 3)"
	case 5:
		return x + []string{" = ", " > "}[g.pick(s, 2)] + g.w([]string{"any ", "all "}[g.pick(s, 2)]) + "(" + g.w("select ") + "id" + g.w(" from ") + "u)"
	case 6:
		return "(" + g.text(sub(s), p, 0) + ")" + g.w(" collate nocase") + " = 'X'"
	}
	return "(" + g.boolean(sub(s), p, 0) + g.w(" or ") + g.boolean(sub(s), p, 0) + ")" + g.w(" and ") + "(" + x + " = " + y + ")"
}

// rare writes items of DuckDB that make several columns or rows, or whose names are data.
func (g *generator) rare(s *source, p *place) (string, []col) {
	switch g.pick(s, 5) {
	case 0:
		if _, text, ok := g.column(s, p, int(kList)); ok {
			return "unnest(" + text + ")" + g.as() + "un", []col{{"un", kInt}}
		}
	case 1:
		if it := p.items[0]; it.name != "" {
			return "count(" + g.ref(it.name) + ")" + g.w(" over ()"), []col{{"", kInt}}
		}
	case 2:
		if _, text, ok := g.column(s, p, int(kStruct)); ok {
			return "(" + text + ").*", []col{{"a", kInt}, {"b", kStr}, {"Id", kInt}}
		}
	case 3:
		return "#1", []col{{"", kInt}}
	}
	return "hash(" + g.integer(sub(s), p, 0) + ") is null", []col{{"", kDate}}
}
