package simulation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// query is a SELECT of the small language that nodes are written in: arms joined by UNION ALL. Every relation has the columns id and v; sources
// have s (text) and f (double) besides, which carry passes on.
type query struct{ arms []arm }

type arm struct {
	from  ref
	star  bool // select *, the other fields but where are without effect
	expr  expr
	carry bool
	stamp string // "", "now" or "started": a column loaded_at
	where []cond
}

// expr makes the column v.
type expr struct {
	op string // v, add, mul, abs, half, ansi, own, random, rowid, started
	k  int
}

// cond is one condition.
type cond struct {
	op string // gt, in, notin, day, today, text, file, new
	k  int
	in ref
}

// ref names something to read. A compiled query has parts, or inner for an ephemeral model.
type ref struct {
	id    string // unique id, or "this"
	hard  string // written out in the SQL though no parent: the key
	parts [3]string
	inner *query
}

func (r ref) key() string { return strings.Join(r.parts[:], ".") }

// refs calls f for every ref of the query, those of conditions included.
func (q *query) refs(f func(*ref)) {
	for i := range q.arms {
		a := &q.arms[i]
		f(&a.from)
		for j := range a.where {
			if a.where[j].in != (ref{}) {
				f(&a.where[j].in)
			}
		}
	}
}

func (q query) clone() query {
	out := query{slices.Clone(q.arms)}
	for i := range out.arms {
		out.arms[i].where = slices.Clone(out.arms[i].where)
	}
	return out
}

// text says what the query means, however it is spelled.
func (q query) text() string {
	var b strings.Builder
	for _, a := range q.arms {
		if a.star {
			fmt.Fprintf(&b, "%s *", a.from.text())
		} else {
			fmt.Fprintf(&b, "%s %s carry %t stamp %s", a.from.text(), a.expr, a.carry, a.stamp)
		}
		for _, c := range a.where {
			switch c.op {
			case "gt":
				fmt.Fprintf(&b, " [gt %d]", c.k)
			default:
				fmt.Fprintf(&b, " [%s %s]", c.op, c.in.text())
			}
		}
		b.WriteString(";")
	}
	return b.String()
}

// String is what the expression means; only some have a number.
func (x expr) String() string {
	switch x.op {
	case "add", "mul":
		return fmt.Sprintf("{%s %d}", x.op, x.k)
	}
	return "{" + x.op + "}"
}

func (r ref) text() string {
	if r.inner != nil {
		return "(" + r.inner.text() + ")"
	}
	if r.parts == ([3]string{}) {
		return r.id + r.hard
	}
	return r.key()
}

// env is what a query's value depends on beside the tables.
type env struct {
	db      *database
	started string // run_started_at
	tick    *int   // another value for each call of a volatile function
	depth   int
	// bound: only columns are looked at, no rows, as when a view is made. shallow: of a view between, too, only its columns are (Databricks).
	bound, shallow bool
}

func (e env) next() value {
	*e.tick++
	return value(fmt.Sprintf("tick %d", *e.tick))
}

var errQuery = errors.New("the query fails")

// read returns the rows of what a ref names.
func (e env) read(r ref) (content, error) {
	if r.inner != nil {
		return e.eval(*r.inner)
	}
	rel := e.db.rels[r.key()]
	if rel == nil || e.depth > 20 {
		return content{}, errQuery
	}
	if !rel.isView && e.bound {
		return content{cols: rel.cols}, nil
	}
	if !rel.isView {
		limit, filtered := e.db.filters[rel.key()]
		if !filtered {
			return rel.content, nil
		}
		c := rel.content.clone()
		at := c.at("v")
		c.rows = slices.DeleteFunc(c.rows, func(row []value) bool { return at >= 0 && row[at].number() < float64(limit) })
		return c, nil
	}
	if e.shallow {
		return content{cols: rel.frozen}, nil
	}
	e.depth, e.started = e.depth+1, rel.started
	c, err := e.eval(rel.body)
	if err != nil || e.db.duckdb() {
		return c, err
	}
	out := content{cols: rel.frozen}
	for _, row := range c.rows {
		var cells []value
		for _, col := range rel.frozen {
			i := c.at(col.name)
			if i < 0 {
				return content{}, errQuery
			}
			cells = append(cells, row[i])
		}
		out.rows = append(out.rows, cells)
	}
	return out, nil
}

// eval returns the query's result.
func (e env) eval(q query) (content, error) {
	var out content
	for i, a := range q.arms {
		c, err := e.arm(a)
		if err != nil {
			return content{}, err
		}
		if i == 0 {
			out = c
			continue
		}
		if len(c.cols) != len(out.cols) {
			return content{}, errQuery
		}
		out.rows = append(out.rows, c.rows...)
	}
	return out, nil
}

func (e env) arm(a arm) (content, error) {
	in, err := e.read(a.from)
	if err != nil {
		return content{}, err
	}
	keep, err := e.where(a.where, in)
	if err != nil {
		return content{}, err
	}
	if a.star {
		out := content{cols: in.cols}
		for i, row := range in.rows {
			if keep[i] {
				out.rows = append(out.rows, row)
			}
		}
		return out, nil
	}
	id, v := in.at("id"), in.at("v")
	if rel := e.db.rels[a.from.key()]; a.expr.op == "rowid" && (a.from.inner != nil || rel == nil || rel.isView) {
		return content{}, errQuery // only a table has it
	}
	if id < 0 || v < 0 || a.expr.op == "own" && e.db.functions["own_function"] == 0 && !e.shallow {
		return content{}, errQuery
	}
	out := content{cols: []column{in.cols[id], {name: "v", typ: e.typeOf(a.expr, in.cols[v].typ)}}}
	var more []int
	if a.carry {
		for _, name := range []string{"s", "f"} {
			i := in.at(name)
			if i < 0 {
				return content{}, errQuery
			}
			more = append(more, i)
			out.cols = append(out.cols, in.cols[i])
		}
	}
	stamp := null
	switch a.stamp {
	case "now":
		stamp = e.next()
	case "started":
		stamp = value(e.started)
	}
	if a.stamp != "" {
		out.cols = append(out.cols, column{name: "loaded_at", typ: "TIMESTAMP"})
	}
	for i, row := range in.rows {
		if !keep[i] {
			continue
		}
		cell, err := e.apply(a.expr, row[v], i)
		if err != nil {
			return content{}, err
		}
		cells := []value{row[id], cell}
		for _, m := range more {
			cells = append(cells, row[m])
		}
		if a.stamp != "" {
			cells = append(cells, stamp)
		}
		out.rows = append(out.rows, cells)
	}
	return out, nil
}

func (e env) typeOf(x expr, of string) string {
	switch {
	case x.op == "half" && e.db.setting["integer_division"] != "true":
		return "DOUBLE"
	case x.op == "random" || x.op == "started":
		return "VARCHAR"
	case x.op == "own" || x.op == "abs" && e.db.functions["abs"] != 0:
		return "INTEGER"
	}
	return of
}

func (e env) apply(x expr, v value, place int) (value, error) {
	if v == null {
		return null, nil
	}
	n := v.number()
	switch x.op {
	case "add":
		n += float64(x.k)
	case "mul":
		n *= float64(x.k)
	case "abs":
		if k := e.db.functions["abs"]; k != 0 {
			n += float64(k)
		} else {
			n = max(n, -n)
		}
	case "half":
		n /= 2
		if e.db.setting["integer_division"] == "true" {
			n = float64(int(n))
		}
	case "ansi":
		if e.db.setting["ansi"] == "true" {
			return null, errQuery
		}
	case "own":
		n += float64(e.db.functions["own_function"])
	case "rowid":
		n += float64(place)
	case "random":
		return v + e.next(), nil
	case "started":
		return v + value(e.started), nil
	}
	return number(n), nil
}

// where says which rows of in stay.
func (e env) where(list []cond, in content) ([]bool, error) {
	keep := make([]bool, len(in.rows))
	for i := range keep {
		keep[i] = true
	}
	id, v, s := in.at("id"), in.at("v"), in.at("s")
	for _, c := range list {
		if v < 0 || id < 0 {
			return nil, errQuery
		}
		others := map[value]bool{}
		most := 0.0
		if c.in != (ref{}) {
			other, err := e.read(c.in)
			if err != nil {
				return nil, err
			}
			at, w := other.at("id"), other.at("v")
			if at < 0 || w < 0 {
				return nil, errQuery
			}
			for _, row := range other.rows {
				others[row[at]] = true
				most = max(most, row[w].number())
			}
		}
		for i, row := range in.rows {
			n := row[v].number()
			ok := false
			switch c.op {
			case "gt":
				ok = n > float64(c.k)
			case "in":
				ok = others[row[id]]
			case "notin":
				ok = !others[row[id]]
			case "new":
				ok = n > most
			case "day", "today":
				ok = (int(n)+e.db.today().Day())%2 == 0 // other rows on each day
			case "file":
				ok = n > float64(e.db.file)
			case "text":
				if s < 0 {
					return nil, errQuery
				}
				ok = row[s] == "a" || in.cols[s].collate && strings.EqualFold(string(row[s]), "a")
			}
			keep[i] = keep[i] && ok
		}
	}
	return keep, nil
}
