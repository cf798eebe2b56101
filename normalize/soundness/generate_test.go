package soundness

import (
	"fmt"
	"strings"
)

// source draws the decisions of one part of a query. Parts draw from sources of their own, so that one changed decision (a mutant) leaves the
// rest of the query as it was.
type source struct{ seed, n uint64 }

func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

func (s *source) next() uint64 {
	s.n++
	return mix(s.seed + s.n*0x9e3779b97f4a7c15)
}

// generator writes one query. What it means is drawn from sources that stem from one seed; how it is spelled from style.
type generator struct {
	style  source
	spark  bool // Databricks' dialect instead of DuckDB's
	spell  bool // respell at random
	mutate int  // the decision that is changed, counted over the whole query; 0: none
	drawn  int
	names  int // aliases made so far
	ctes   []*origin
}

// origin is a FROM item or CTE of the generated query.
type origin struct {
	name string // as this spelling calls it
	cols []col
	base bool
}

type col struct {
	name string
	kind kind
}

type kind byte

const (
	kInt kind = iota
	kStr
	kStruct // {a int, b varchar, Id int}
	kList   // int[]
	kMap    // varchar to int
	kDate
	kDec
	kFloat
	kJSON
	kStamp
	kList2 // struct(a int)[]
)

// place is what the generated text can see.
type place struct {
	items   []*origin
	outer   *place
	aliases []col
}

// tables are what the queries are written for; the databases vary them (schema_test.go).
var tables = []origin{
	{name: "t", base: true, cols: []col{{"id", kInt}, {"a", kInt}, {"b", kStr}, {"s", kStruct}, {"l", kList}, {"m", kMap}, {"x", kInt}, {"f", kFloat}, {"j", kJSON}}},
	{name: "u", base: true, cols: []col{{"id", kInt}, {"a", kInt}, {"c", kDec}, {"t", kInt}, {"Nm", kStr}, {"o", kList2}}},
	{name: "v", base: true, cols: []col{{"a", kInt}, {"b", kInt}, {"d", kDate}, {"k", kStr}, {"t1", kInt}, {"ts", kStamp}}},
	{name: "Odd", base: true, cols: []col{{"Select", kInt}, {"a b", kStr}, {"id", kInt}, {"v", kInt}, {"c1", kInt}}},
}

func (g *generator) pick(s *source, n int) int {
	g.drawn++
	k := int(s.next() % uint64(n))
	if g.drawn == g.mutate && n > 1 {
		k = (k + 1 + int(s.next()%uint64(n-1))) % n
	}
	return k
}

func (g *generator) chance(s *source, percent int) bool {
	g.drawn++
	yes := int(s.next()%100) < percent
	if g.drawn == g.mutate {
		yes = !yes
	}
	return yes
}

func sub(s *source) *source { return &source{seed: s.next()} }

// --- spelling ---

func (g *generator) free(n int) int {
	if !g.spell {
		return 0
	}
	return int(g.style.next() % uint64(n))
}

// w writes keywords.
func (g *generator) w(words string) string {
	switch g.free(4) {
	case 1:
		return strings.ToUpper(words)
	case 2:
		b := []byte(words)
		for i := range b {
			if g.free(2) == 1 {
				b[i] = strings.ToUpper(words[i : i+1])[0]
			}
		}
		return string(b)
	}
	return words
}

func (g *generator) blank() string {
	switch g.free(12) {
	case 1:
		return "\n"
	case 2:
		return " /* c */ "
	case 3:
		return "  "
	case 4:
		return " -- it's\n"
	}
	return " "
}

func (g *generator) anyCase(name string) string {
	switch g.free(5) {
	case 1:
		return strings.ToUpper(name)
	case 2:
		if name[0] < 0x80 {
			return strings.ToUpper(name[:1]) + name[1:]
		}
	}
	return name
}

func plainName(name string) bool {
	for i, c := range name {
		if !(c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return !strings.EqualFold(name, "select")
}

// ref writes a name where it refers to something: its case is free.
func (g *generator) ref(name string) string { return g.def(g.anyCase(name)) }

// def writes a name where it is given: its case is data.
func (g *generator) def(name string) string {
	if !plainName(name) || g.free(4) == 1 {
		if g.spark {
			return "`" + name + "`"
		}
		return `"` + name + `"`
	}
	return name
}

func (g *generator) as() string {
	if g.free(2) == 1 {
		return g.blank()
	}
	return " " + g.w("as") + " "
}

func (g *generator) paren(x string) string {
	if g.free(6) == 1 {
		return "(" + x + ")"
	}
	return x
}

// fresh makes an alias: in other spellings it has another name.
func (g *generator) fresh(s *source) string {
	names := []string{"a", "b", "t", "u", "x", "t1", "T2", "c1", "_t1", "q", "main", "Odd", "k"}
	name := names[g.pick(s, len(names))]
	g.names++
	if g.free(3) == 1 {
		name = fmt.Sprintf("z%d", g.names)
	}
	return name
}

// --- queries ---

// query writes a query and returns its columns, in order.
func (g *generator) query(s *source, outer *place, depth int) (string, []col) {
	mark := len(g.ctes)
	defer func() { g.ctes = g.ctes[:mark] }()
	var b strings.Builder
	if depth > 0 && g.chance(s, 35) {
		n := 1 + g.pick(s, 2)
		for i := 0; i < n; i++ {
			body := sub(s)
			name := g.fresh(body)
			if i == 0 {
				b.WriteString(g.w("with "))
			} else {
				b.WriteString(", ")
			}
			text, cols := g.query(body, nil, depth-1)
			if n == 1 && g.chance(body, 10) {
				rec := g.def(name)
				b.Reset()
				b.WriteString(g.w("with recursive ") + rec)
				op := []string{" union all select ", " union select "}[g.pick(body, 2)]
				text = g.w("select ") + "1" + g.w(" as ") + "n" + g.w(op) + g.ref(name) + ".N + 1" + g.w(" from ") + g.ref(name) + g.w(" where ") + "n < 3"
				cols = []col{{"n", kInt}}
			} else {
				b.WriteString(g.def(name))
			}
			if g.chance(body, 20) {
				list := make([]string, len(cols))
				renamed := append([]col(nil), cols...)
				for j := range cols {
					renamed[j].name = fmt.Sprintf("n%d", j)
					list[j] = renamed[j].name
				}
				cols = renamed
				b.WriteString("(" + strings.Join(list, ", ") + ")")
			}
			if g.spark && g.free(4) == 1 {
				b.WriteString(" (" + text + ")")
			} else {
				hint := ""
				if !g.spark && g.chance(body, 8) {
					hint = []string{"materialized ", "not materialized "}[g.pick(body, 2)]
				}
				b.WriteString(g.w(" as "+hint) + "(" + text + ")")
			}
			g.ctes = append(g.ctes, &origin{name: name, cols: cols})
		}
		b.WriteString(g.blank())
	}
	first := sub(s)
	text, cols := g.block(first, outer, depth)
	b.WriteString(text)
	if depth > 0 && g.chance(s, 25) {
		op := []string{"union all", "union", "except", "intersect", "union all by name", "except all", "intersect all", "union by name"}[g.pick(s, 8)]
		if g.spark {
			op = strings.TrimSuffix(op, " by name")
		}
		if g.spark && op == "except" && g.free(2) == 1 {
			op = "minus"
		}
		if g.free(3) == 1 && op == "union" {
			op = "union distinct"
		}
		other, more := g.block(sub(s), outer, depth-1)
		if len(more) == len(cols) {
			if g.chance(s, 30) {
				third, most := g.block(sub(s), outer, depth-1)
				if len(most) == len(cols) {
					inner := []string{"union all", "intersect", "except"}[g.pick(s, 3)]
					other = "(" + other + g.blank() + g.w(inner) + g.blank() + third + ")"
				}
			}
			b.WriteString(g.blank() + g.w(op) + g.blank() + other)
			if g.chance(s, 30) {
				b.WriteString(g.w(" order by ") + "1")
			}
			return b.String(), cols
		}
	}
	if len(cols) > 0 && g.chance(s, 20) {
		b.WriteString(g.ending(s, cols))
	}
	return b.String(), cols
}

// ending writes ORDER BY and LIMIT.
func (g *generator) ending(s *source, cols []col) string {
	var b strings.Builder
	if !g.spark && g.chance(s, 10) {
		b.WriteString(g.w(" order by all"))
	} else {
		c := cols[g.pick(s, len(cols))]
		b.WriteString(g.w(" order by "))
		if c.name == "" || g.chance(s, 30) {
			b.WriteString("1")
		} else {
			b.WriteString(g.ref(c.name))
			if c.kind == kInt && g.chance(s, 15) {
				b.WriteString(" + 0")
			}
		}
		b.WriteString(g.direction(s))
	}
	if g.chance(s, 60) {
		b.WriteString(g.w(" limit ") + fmt.Sprint(1+g.pick(s, 4)))
		if !g.spark && g.chance(s, 10) {
			b.WriteString("0%")
		}
		if g.chance(s, 20) {
			b.WriteString(g.w(" offset ") + fmt.Sprint(1+g.pick(s, 2)))
		}
	}
	return b.String()
}

// direction writes what may follow a sort key.
func (g *generator) direction(s *source) string {
	text := ""
	if g.chance(s, 40) {
		text = g.w(" desc")
	} else if g.free(2) == 1 {
		text = g.w(" asc")
	}
	if g.chance(s, 25) {
		text += g.w([]string{" nulls first", " nulls last"}[g.pick(s, 2)])
	}
	return text
}

// block writes one select block.
func (g *generator) block(s *source, outer *place, depth int) (string, []col) {
	p := &place{outer: outer}
	from := ""
	if g.chance(s, 95) {
		from = g.from(sub(s), p, depth)
	}
	if from != "" && g.chance(s, 4) {
		return g.w("from") + g.blank() + from, flatten(p.items)
	}
	var b strings.Builder
	b.WriteString(g.w("select"))
	b.WriteString(g.blank())
	switch {
	case g.chance(s, 8):
		b.WriteString(g.w("distinct "))
	case from != "" && !g.spark && g.chance(s, 4):
		b.WriteString(g.w("distinct on ") + "(" + g.integer(sub(s), p, 0) + ") ")
	}
	grouped := from != "" && g.chance(s, 22)
	var cols []col
	n := 1 + g.pick(s, 3)
	keys := []string{}
	for i := 0; i < n; i++ {
		if i > 0 {
			b.WriteString("," + g.blank())
		}
		item := sub(s)
		if grouped && i < n-1 {
			x, k := g.anyExpr(item, p, depth)
			name := fmt.Sprintf("k%d", i)
			b.WriteString(x + g.as() + name)
			cols = append(cols, col{name, k})
			keys = append(keys, fmt.Sprint(i+1))
			continue
		}
		text, more := g.item(item, p, depth, grouped, i)
		b.WriteString(text)
		cols = append(cols, more...)
	}
	if g.free(12) == 1 && !g.spark {
		b.WriteString(",")
	}
	if from != "" {
		b.WriteString(g.blank() + g.w("from") + g.blank() + from)
		if g.chance(s, 35) {
			b.WriteString(g.blank() + g.w("where") + g.blank() + g.paren(g.boolean(sub(s), p, depth)))
		}
	}
	if grouped {
		switch {
		case len(keys) == 0:
		case g.chance(s, 30):
			b.WriteString(g.w(" group by all"))
		default:
			list := strings.Join(keys, ", ")
			switch {
			case g.chance(s, 25):
				list = g.w([]string{"rollup ", "cube "}[g.pick(s, 2)]) + "(" + list + ")"
			case g.chance(s, 8):
				list = g.w("grouping sets ") + "((" + list + "), ())"
			case g.chance(s, 15):
				list = "(" + list + ")"
			case g.chance(s, 30):
				list = g.ref("k0")
			}
			b.WriteString(g.w(" group by ") + list)
		}
		if g.chance(s, 20) {
			b.WriteString(g.w(" having ") + "count(*) " + []string{">", "<", ">="}[g.pick(s, 3)] + " 1")
		}
	}
	if from != "" && !grouped && g.chance(s, 8) {
		if g.chance(s, 50) {
			b.WriteString(g.w(" window ") + g.ref("w") + g.w(" as ") + "(" + g.w("partition by ") + g.integer(sub(s), p, 0) + g.w(" order by ") + g.integer(sub(s), p, 0) + ")")
			b.WriteString(g.w(" qualify ") + "row_number()" + g.w(" over ") + g.ref("W") + " < 3")
		} else {
			b.WriteString(g.w(" qualify ") + "row_number()" + g.w(" over ") + "(" + g.w("order by ") + g.integer(sub(s), p, 0) + ") < 3")
		}
	}
	return b.String(), cols
}

func flatten(items []*origin) []col {
	var out []col
	for _, it := range items {
		out = append(out, it.cols...)
	}
	return out
}

// item writes one element of a select list.
func (g *generator) item(s *source, p *place, depth int, grouped bool, i int) (string, []col) {
	if grouped {
		name := fmt.Sprintf("g%d", i)
		agg := g.aggregate(s, p)
		if g.chance(s, 70) {
			return g.anyFunction(agg) + g.as() + name, []col{{name, kInt}}
		}
		return agg, []col{{"", kInt}}
	}
	switch g.pick(s, 12) {
	case 0, 8:
		if len(p.items) > 0 {
			return g.star(s, p)
		}
	case 1, 2, 3:
		// A plain column.
		if c, text, ok := g.column(s, p, -1); ok {
			return text, []col{c}
		}
	case 4, 5:
		// No alias: the text is the name.
		x, k := g.anyExpr(s, p, depth)
		return x, []col{{"", k}}
	case 7:
		if len(p.items) > 0 && !g.spark && g.chance(s, 30) {
			return g.rare(s, p)
		}
	case 6:
		// A whole row, if nothing else is called so.
		if len(p.items) > 0 && g.chance(s, 40) && !g.spark {
			it := p.items[g.pick(s, len(p.items))]
			if it.name != "" {
				return g.ref(it.name) + g.as() + "row" + fmt.Sprint(i), []col{{"row" + fmt.Sprint(i), kDate}}
			}
		}
	}
	x, k := g.anyExpr(s, p, depth)
	names := []string{"a", "id", "k", "x", "K2", "s", "t", "v", "É"}
	name := names[g.pick(s, len(names))]
	p.aliases = append(p.aliases, col{name, k})
	if g.free(8) == 1 && !g.spark {
		return g.def(name) + ": " + x, []col{{name, k}}
	}
	return g.paren(x) + " " + g.w("as") + " " + g.def(name), []col{{name, k}}
}

func (g *generator) anyFunction(call string) string {
	if g.free(4) == 1 {
		if i := strings.IndexByte(call, '('); i > 0 {
			return strings.ToUpper(call[:i]) + call[i:]
		}
	}
	return call
}

func (g *generator) star(s *source, p *place) (string, []col) {
	it := p.items[g.pick(s, len(p.items))]
	switch k := g.pick(s, 6); {
	case k == 0 && it.name != "":
		return g.ref(it.name) + ".*", it.cols
	case k == 1 && len(it.cols) > 1 && it.name != "":
		c := it.cols[0]
		if c.name != "" {
			word := "exclude"
			if g.spark {
				word = "except"
			}
			return g.ref(it.name) + ".* " + g.w(word) + " (" + g.ref(c.name) + ")", it.cols[1:]
		}
	case k == 2 && len(it.cols) > 0 && it.cols[0].name != "" && it.cols[0].kind == kInt && len(p.items) == 1 && !g.spark:
		c := it.cols[0]
		return "* " + g.w("replace") + " (" + g.ref(c.name) + " + 1 " + g.w("as") + " " + g.def(c.name) + ")", it.cols
	case k == 3 && len(p.items) == 1 && !g.spark:
		return "min(columns(*))", it.cols
	case k == 4 && !g.spark && len(it.cols) > 0 && it.cols[0].name != "" && len(p.items) == 1 && g.chance(s, 50):
		return "* " + g.w("rename") + " (" + g.ref(it.cols[0].name) + g.w(" as ") + "ren)", it.cols
	case k == 5 && len(p.items) == 1 && !g.spark && g.chance(s, 30):
		return g.w("columns") + "('^[a-j].*')", it.cols
	}
	return "*", flatten(p.items)
}

// from writes a FROM list and fills the place with its items.
func (g *generator) from(s *source, p *place, depth int) string {
	var b strings.Builder
	n := 1
	if g.chance(s, 40) {
		n = 2
	}
	for i := 0; i < n; i++ {
		if i == 0 {
			b.WriteString(g.fromItem(sub(s), p, depth))
			continue
		}
		switch kind := g.pick(s, 9); kind {
		case 8:
			right := g.fromItem(sub(s), p, depth)
			left, last := p.items[0], p.items[len(p.items)-1]
			if g.spark || len(p.items) != 2 || left.name == "" || last.name == "" || !g.chance(s, 30) {
				b.WriteString(g.blank() + g.w("right join") + g.blank() + right + g.w(" on ") + g.boolean(sub(s), p, 0))
				continue
			}
			b.WriteString(g.blank() + g.w("asof join") + g.blank() + right + g.w(" on ") + g.ref(left.name) + "." + g.firstInt(left) +
				[]string{" >= ", " > "}[g.pick(s, 2)] + g.ref(last.name) + "." + g.firstInt(last))
		case 7:
			word := []string{"natural join", "natural left join", "positional join"}[g.pick(s, 3)]
			if g.spark && word == "positional join" {
				word = "natural full join"
			}
			b.WriteString(g.blank() + g.w(word) + g.blank() + g.fromItem(sub(s), p, depth))
		case 0:
			b.WriteString(", " + g.fromItem(sub(s), p, depth))
		case 1:
			b.WriteString(g.blank() + g.w("cross join") + g.blank() + g.fromItem(sub(s), p, depth))
		case 2, 3, 4:
			words := []string{"join", "left join", "full join"}[kind-2]
			if g.free(2) == 1 {
				words = []string{"inner join", "left outer join", "full outer join"}[kind-2]
			}
			right := g.fromItem(sub(s), p, depth)
			b.WriteString(g.blank() + g.w(words) + g.blank() + right)
			if using := shared(p.items); using != "" && g.chance(s, 40) {
				b.WriteString(g.w(" using ") + "(" + g.ref(using) + ")")
			} else {
				b.WriteString(g.w(" on ") + g.boolean(sub(s), p, 0))
			}
		default:
			right := g.fromItem(sub(s), p, depth)
			words := "semi join"
			if kind == 6 {
				words = "anti join"
			}
			if g.spark && g.free(2) == 1 {
				words = "left " + words
			}
			b.WriteString(g.blank() + g.w(words) + g.blank() + right)
			b.WriteString(g.w(" on ") + g.boolean(sub(s), p, 0))
			p.items = p.items[:len(p.items)-1]
		}
	}
	return b.String()
}

func shared(items []*origin) string {
	if len(items) != 2 {
		return ""
	}
	for _, c := range items[0].cols {
		for _, d := range items[1].cols {
			if c.name != "" && strings.EqualFold(c.name, d.name) && c.kind == d.kind {
				return c.name
			}
		}
	}
	return ""
}

func (g *generator) fromItem(s *source, p *place, depth int) string {
	it := &origin{}
	text := ""
	needAlias := false
	switch k := g.pick(s, 10); {
	case k < 3 && len(g.ctes) > 0:
		c := g.ctes[g.pick(s, len(g.ctes))]
		it.cols, it.name = c.cols, c.name
		text = g.ref(c.name)
	case k < 5 && depth > 0:
		inside := p
		if !g.chance(s, 50) || len(p.items) == 0 {
			inside = p.outer
		}
		inner, cols := g.query(sub(s), inside, depth-1)
		it.cols = cols
		text = "(" + inner + ")"
		if g.spark && inside == p {
			text = g.w("lateral ") + text
		}
	case k == 5:
		text = g.w("(values ") + []string{"(1, 'x'), (2, 'Y'))", "(1, 'x'), (1, 'x'))", "(2, 'Y'), (1, 'x'))"}[g.pick(s, 3)]
		it.cols = []col{{"col0", kInt}, {"col1", kStr}}
		if g.spark {
			it.cols = []col{{"col1", kInt}, {"col2", kStr}}
		}
	case k == 6 && g.chance(s, 30):
		text = "range(3)"
		it.cols, it.name = []col{{"range", kInt}}, "range"
		if g.spark {
			it.cols, it.name = []col{{"id", kInt}}, ""
		}
	case k == 7 && !g.spark && depth > 0 && g.chance(s, 30):
		inner, cols := g.query(sub(s), nil, depth-1)
		if len(cols) > 1 && cols[0].name != "" && cols[1].name != "" && cols[0].kind == kInt {
			if g.chance(s, 50) {
				text = "(" + inner + ")" + g.blank() + g.w("pivot ") + "(" + g.w("sum") + "(" + g.ref(cols[0].name) + ")" + g.w(" for ") + g.ref(cols[1].name) + g.w(" in ") + "(1, 2, 'x'))"
				it.cols = nil
			} else {
				text = "(" + inner + ")" + g.blank() + g.w("unpivot ") + "(val" + g.w(" for ") + "nam" + g.w(" in ") + "(" + g.ref(cols[0].name) + "))"
				it.cols = []col{{"nam", kStr}, {"val", kInt}}
			}
		} else {
			it.cols = cols
			text = "(" + inner + ")"
		}
	default:
		base := tables[g.pick(s, len(tables))]
		it.cols, it.name, it.base = base.cols, base.name, true
		text = g.ref(base.name)
		if g.chance(s, 15) && !g.spark {
			text = g.ref("main") + "." + text
		}
	}
	if needAlias || g.chance(s, 60) {
		it.name = g.fresh(s)
		alias := g.def(it.name)
		if g.free(8) == 1 && !g.spark {
			text = alias + ": " + text
		} else if g.free(2) == 1 && plainName(it.name) {
			text += " " + alias
		} else {
			text += " " + g.w("as") + " " + alias
		}
		if len(it.cols) > 0 && g.chance(s, 10) && !g.spark && it.cols[0].name != "" && !strings.Contains(text, ": ") {
			cols := append([]col(nil), it.cols...)
			cols[0].name = "r0"
			it.cols = cols
			text += "(r0)"
		}
	} else if it.base && g.free(5) == 1 {
		text += " " + g.w("as") + " " + g.def(it.name)
	}
	p.items = append(p.items, it)
	return text
}
