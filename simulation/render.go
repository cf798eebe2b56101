package simulation

import (
	"fmt"
	"strings"
)

// quoted is a name as dbt prints it.
func (d *database) quoted(parts [3]string) string {
	q := "`"
	if d.duckdb() {
		q = `"`
	}
	return q + strings.Join(parts[:], q+"."+q) + q
}

// spelling says how a query is written; no two spellings of one query mean different things.
type spelling struct {
	upper, comment, alias, cte, as bool
}

func spell(n int) spelling {
	return spelling{n&1 != 0, n&2 != 0, n&4 != 0, n&8 != 0, n&16 != 0}
}

// sql writes a compiled query. Inner queries of ephemeral models become the CTEs that dbt makes of them.
func (d *database) sql(q query, s spelling, started string) string {
	var ctes []string
	var text func(q query) string
	name := func(r ref) string {
		if r.inner == nil {
			return d.quoted(r.parts)
		}
		cte := "__dbt__cte__" + strings.ReplaceAll(r.id, ".", "_")
		body := text(*r.inner)
		for _, c := range ctes {
			if strings.HasPrefix(c, cte+" as ") {
				return cte
			}
		}
		ctes = append(ctes, cte+" as (\n"+body+"\n)")
		return cte
	}
	text = func(q query) string {
		var arms []string
		for _, a := range q.arms {
			arms = append(arms, d.arm(a, s, started, name))
		}
		return strings.Join(arms, "\nunion all\n")
	}
	body := text(q)
	if len(q.arms) == 1 && !q.arms[0].star && q.arms[0].expr.op == "add" {
		cte := map[bool]string{true: "wrapped", false: "inner_rows"}[s.cte]
		ctes = append(ctes, cte+" as ("+body+")")
		body = "select " + strings.Join(d.names(q.arms[0]), ", ") + " from " + cte
	}
	if len(ctes) > 0 {
		body = "with " + strings.Join(ctes, ", ") + "\n" + body
	}
	if s.comment {
		body = "-- a comment\n" + body + "  /* more */\n"
	}
	return body
}

func (d *database) names(a arm) []string {
	names := []string{"id", "v"}
	if a.carry {
		names = append(names, "s", "f")
	}
	if a.stamp != "" {
		names = append(names, "loaded_at")
	}
	return names
}

func (d *database) arm(a arm, s spelling, started string, name func(ref) string) string {
	word := strings.ToLower
	if s.upper {
		word = strings.ToUpper
	}
	dot, from := "", name(a.from)
	if a.expr.op == "mul" || a.expr.op == "v" {
		// Whether a column is written with its table is no spelling: without a schema it can't always be proven to be that table's.
		alias := map[bool]string{true: "x", false: "y"}[s.alias]
		dot = alias + "."
		if s.as {
			from += " as " + alias
		} else {
			from += " " + alias
		}
	}
	var b strings.Builder
	b.WriteString(word("select "))
	if a.star {
		b.WriteString("*")
	} else {
		fmt.Fprintf(&b, "%sid, %s as v", dot, d.expr(a.expr, dot, started))
		if a.carry {
			fmt.Fprintf(&b, ", %ss, %sf", dot, dot)
		}
		switch a.stamp {
		case "now":
			b.WriteString(", current_timestamp" + d.call() + " as loaded_at")
		case "started":
			b.WriteString(", '" + started + "' as loaded_at")
		}
	}
	b.WriteString("\n" + word("from ") + from)
	for i, c := range a.where {
		if i == 0 {
			b.WriteString(word(" where "))
		} else {
			b.WriteString(word(" and "))
		}
		b.WriteString(d.cond(c, dot, name))
	}
	return b.String()
}

// call is how a function without arguments is called.
func (d *database) call() string {
	if d.duckdb() {
		return ""
	}
	return "()"
}

func (d *database) expr(x expr, dot, started string) string {
	v := dot + "v"
	switch x.op {
	case "add":
		return fmt.Sprintf("%s + %d", v, x.k)
	case "mul":
		return fmt.Sprintf("(%s * %d)", v, x.k)
	case "abs":
		return "abs(" + v + ")"
	case "half":
		return v + " / 2"
	case "ansi":
		return "coalesce(cast('x' as int), " + v + ")"
	case "own":
		return "own_function(" + v + ")"
	case "rowid":
		return v + " + rowid"
	case "random":
		if d.duckdb() {
			return "concat(" + v + ", random())"
		}
		return "concat(" + v + ", rand())"
	case "started":
		return "concat(" + v + ", '" + started + "')"
	}
	return v
}

func (d *database) cond(c cond, dot string, name func(ref) string) string {
	v, id := dot+"v", dot+"id"
	switch c.op {
	case "gt":
		return fmt.Sprintf("%s > %d", v, c.k)
	case "in":
		return id + " in (select id from " + name(c.in) + ")"
	case "notin":
		return id + " not in (select id from " + name(c.in) + ")"
	case "new":
		return v + " > (select coalesce(max(v), 0) from " + name(c.in) + ")"
	case "day":
		return "(" + v + " + day(current_date" + d.call() + ")) % 2 = 0"
	case "today":
		return "(" + v + " + day(cast('today' as date))) % 2 = 0"
	case "text":
		return dot + "s = 'a'"
	case "file":
		if d.duckdb() {
			return v + " > (select max(n) from read_csv('numbers.csv'))"
		}
		return v + " > (select max(n) from read_files('/numbers.csv'))"
	}
	return "true"
}
