package normalize

import (
	"slices"

	"hodor/grammar"
)

// use says what becomes of a query's result.
type use struct {
	// final: it is the statement's, so that an ORDER BY without LIMIT decides nothing.
	final bool
	// nameless: nobody sees the names of its columns.
	nameless bool
	// ordered: an ORDER BY may name the columns of every branch (DuckDB).
	ordered bool
}

// query resolves a query whose surroundings are outer (nil at the top), and returns its columns.
func (a *analysis) query(q *grammar.Query, outer *env, ctes *cteScope, u use) *relation {
	ctes = a.with(q.With, outer, ctes)
	limited := q.Limit != nil || !u.final
	u.final = u.final && !limited
	u.ordered = len(q.OrderBy) > 0
	rel, inner := a.body(q.Body, outer, ctes, u)
	a.ending(q, rel, inner, outer, ctes, limited)
	if q.With != nil {
		a.leave(ctes)
	}
	return rel
}

// ending resolves the clauses behind a query's body. inner is the place of the body's own FROM clause, if it is a plain select.
func (a *analysis) ending(q *grammar.Query, rel *relation, inner, outer *env, ctes *cteScope, limited bool) {
	if len(q.OrderBy)+len(q.SortBy)+len(q.ClusterBy)+len(q.DistributeBy)+len(q.Windows) == 0 && q.Limit == nil {
		return
	}
	e := a.mem.envs.of(env{outer: outer, ctes: ctes, outputs: rel})
	if inner != nil {
		*e = *inner
		e.outputs = rel
	} else if outer != nil {
		e.frozen = outer.frozen
	}
	for i := range q.OrderBy {
		a.sort(&q.OrderBy[i], rel, e, limited)
	}
	for i := range q.SortBy {
		a.sort(&q.SortBy[i], rel, e, true)
	}
	for _, list := range [][]grammar.Expr{q.ClusterBy, q.DistributeBy} {
		for _, x := range list {
			decided(a.expr(x, e))
		}
	}
	for i := range q.Windows {
		a.window(q.Windows[i].Window, e)
		a.foldIdent(&q.Windows[i].Name)
	}
	if q.Limit != nil {
		place := &env{outer: outer, ctes: ctes, frozen: e.frozen}
		for _, x := range []grammar.Expr{q.Limit.Count, q.Limit.Offset} {
			if x != nil {
				decided(a.expr(x, place))
			}
		}
	}
}

func outerFrozen(outer *env) bool { return outer != nil && outer.frozen }

// sort resolves one element of ORDER BY. What it sorts by decides if a LIMIT cuts the order, here or further out.
func (a *analysis) sort(s *grammar.Sort, rel *relation, e *env, limited bool) {
	switch x := stripParens(s.X).(type) {
	case *grammar.All:
		if limited {
			decided(rel.all())
		}
		return
	case *grammar.Number:
		if limited {
			a.position(x, rel)
		}
		return
	case *grammar.Column:
		if len(x.Parts) == 1 {
			a.keepSorted(&x.Parts[0], rel, e)
			before := len(a.calls)
			v := a.expr(s.X, e)
			if limited || len(a.calls) > before {
				decided(v)
			}
			return
		}
	}
	v := a.expr(s.X, e)
	if v.taint != nil {
		decided(v)
	}
}

// keepSorted keeps the case of a name in ORDER BY or DISTINCT ON, and of the output column that it names, where other items may have such a
// column: DuckDB 1.5 then finds the output only in the very spelling of the item or the table, and fails otherwise.
func (a *analysis) keepSorted(name *grammar.Ident, rel *relation, e *env) {
	if !a.duck() || e.scope == nil || len(e.scope.items) < 2 {
		return
	}
	folded := lower(name.Text)
	if e.aliases.find(folded, nameHash(folded)) != nil {
		return // an alias is found in any case
	}
	a.keep[name] = true
	if c, ok := a.find(rel, folded); ok && c.part != nil {
		a.keep[c.part] = true
	}
}

// position decides the column that a number in ORDER BY or GROUP BY names, or all of them where their places are not known.
func (a *analysis) position(x *grammar.Number, rel *relation) {
	n := 0
	for _, c := range x.Text {
		if c < '0' || c > '9' || n > 1<<20 {
			decided(rel.all())
			return
		}
		n = n*10 + int(c-'0')
	}
	if rel.open || rel.rest.taint != nil || n < 1 || n > len(rel.cols) {
		decided(rel.all())
		return
	}
	decided(rel.cols[n-1].value)
}

// with resolves the common table expressions of a WITH and returns the scope in which they are known.
func (a *analysis) with(w *grammar.With, outer *env, parent *cteScope) *cteScope {
	if w == nil {
		return parent
	}
	scope := a.mem.withs.of(cteScope{parent: parent, pinned: -1})
	scope.byName.reserve(&a.mem, len(w.CTEs))
	for _, node := range w.CTEs {
		c := a.mem.tables.of(cte{node: node, name: lower(node.Name.Text), rel: a.mem.relations.new()})
		c.asWritten = outerFrozen(outer)
		c.pinned = len(node.UsingKey) > 0 || node.Statement != nil || c.asWritten
		// The versions of DuckDB differ in which of two nested CTEs of one name a query means.
		if other := a.cte(parent, c.name); other != nil && a.duck() {
			c.pinned, other.pinned = true, true
		}
		a.ctes = append(a.ctes, c)
		for _, x := range node.UsingKey {
			decided(a.expr(x, &env{outer: outer, ctes: scope, opaqueNames: true}))
		}
		if node.MaxRecursion != nil {
			decided(a.expr(node.MaxRecursion, &env{ctes: parent}))
		}
		switch {
		case node.Query == nil:
			// It writes whenever it is run, and gives rows of its target.
			a.opaque = append(a.opaque, textAt{"statement", node.Start})
			if node.Statement != nil {
				a.statement(node.Statement, scope)
			}
			c.rel = &relation{open: true, partial: true, rest: value{row: true}}
		case w.Recursive:
			a.recursive(c, node, outer, scope)
		default:
			c.rel = a.rename(a.query(node.Query, outer, scope, use{}), identsOf(node.Columns))
		}
		if keepsAggregates(node) {
			decided(c.rel.all())
		}
		if other := scope.named(c.name, nameHash(c.name)); other != nil && other != c {
			c.pinned, other.pinned = true, true // an error, which new names would hide
		}
		a.define(scope, c)
	}
	return scope
}

// recursive resolves a CTE that may read itself: its columns are first those of the anchor, the first branch. A call that only a later branch
// brings in may meet itself in the next round, so it decides.
func (a *analysis) recursive(c *cte, node *grammar.CTE, outer *env, scope *cteScope) {
	names := identsOf(node.Columns)
	op, ok := node.Query.Body.(*grammar.SetOp)
	if a.duck() && (!ok || op.Rest[len(op.Rest)-1].Op != grammar.SetUnion) {
		// DuckDB takes nothing but a UNION for a recursion.
		c.rel = a.rename(a.query(node.Query, outer, scope, use{}), names)
		return
	}
	if !a.duck() {
		// Spark knows the name in the anchor too.
		c.rel = &relation{partial: true, rest: value{row: true}}
		a.define(scope, c)
	}
	if !ok || node.Query.With != nil {
		c.rel = &relation{partial: true, rest: value{row: true}}
		a.define(scope, c)
		before := len(a.calls)
		c.rel = a.rename(a.query(node.Query, outer, scope, use{}), names)
		if len(c.refs) > 0 {
			for _, call := range a.calls[before:] {
				call.deciding = true
			}
		}
		return
	}
	first, _ := a.body(op.First, outer, scope, use{})
	c.rel = a.rename(first, names)
	a.define(scope, c)
	c.recurring = a.duck()
	before := len(a.calls)
	rest := a.branches(first, op, outer, scope, len(node.Query.OrderBy) > 0)
	for _, call := range a.calls[before:] {
		call.deciding = call.deciding || !call.latent
	}
	a.ending(node.Query, rest, nil, outer, scope, true)
	c.rel = a.rename(rest, names)
}

// keepsAggregates tells whether USING KEY has more than columns: what its aggregates keep is no output of the query alone.
func keepsAggregates(c *grammar.CTE) bool {
	return slices.ContainsFunc(c.UsingKey, func(x grammar.Expr) bool {
		_, column := x.(*grammar.Column)
		return !column
	})
}

func identsOf(idents []grammar.Ident) []string {
	var names []string
	for i := range idents {
		names = append(names, lower(idents[i].Text))
	}
	return names
}

// rename gives the first columns of a relation the names of an alias list.
func (a *analysis) rename(rel *relation, names []string) *relation {
	if len(names) == 0 {
		return rel
	}
	out := a.mem.relations.of(relation{open: rel.open, partial: rel.partial, rest: rel.rest})
	if rel.open || len(names) > len(rel.cols) {
		// The columns of a star stand somewhere among the known ones: each name may be any of them.
		out.partial = true
		out.rest = rel.all()
		for _, name := range names {
			out.cols = append(out.cols, column{name: name, value: out.rest})
		}
		return out
	}
	out.cols = append(a.mem.columns.list(len(rel.cols)), rel.cols...)
	for i, name := range names {
		out.cols[i].name = name
	}
	if len(names) == len(rel.cols) {
		out.partial = false
	}
	return out
}

// body resolves the body of a query. The place is that of its FROM clause, where ORDER BY may look too; nil unless it is a plain select.
func (a *analysis) body(b grammar.Body, outer *env, ctes *cteScope, u use) (*relation, *env) {
	switch b := b.(type) {
	case *grammar.Select:
		return a.selectBlock(b, outer, ctes, nil, u)
	case *grammar.SetOp:
		first, _ := a.body(b.First, outer, ctes, use{final: u.final && unionAll(b), nameless: u.nameless})
		return a.branches(first, b, outer, ctes, u.ordered), nil
	case *grammar.ParenQuery:
		return a.query(b.Query, outer, ctes, u), nil
	case *grammar.Values:
		return a.values(b, &env{outer: outer, ctes: ctes, frozen: outerFrozen(outer)}), nil
	case *grammar.TableQuery:
		it := a.tableItem(&b.Name, nil, b.Start, &env{outer: outer, ctes: ctes, frozen: outerFrozen(outer)})
		it.pinned = true
		return it.rel, nil
	case *grammar.Pipe:
		return a.pipe(b, outer, ctes), nil
	case *grammar.MultiSelect:
		return a.multiSelect(b, outer, ctes), nil
	case *grammar.PivotQuery:
		return a.pivotQuery(b, outer, ctes), nil
	case *grammar.UnpivotQuery:
		return a.unpivotQuery(b, outer, ctes), nil
	case *grammar.ShowQuery:
		return a.show(b, outer, ctes), nil
	}
	a.giveUp("a kind of query that is not known here")
	return &relation{open: true, partial: true, rest: value{row: true}}, nil
}

func unionAll(s *grammar.SetOp) bool {
	for i := range s.Rest {
		if s.Rest[i].Op != grammar.SetUnion || s.Rest[i].Quantifier != grammar.QuantAll {
			return false
		}
	}
	return true
}

// branches joins the branches of a set operation. All but UNION ALL compare rows, so every call in their columns decides.
func (a *analysis) branches(first *relation, s *grammar.SetOp, outer *env, ctes *cteScope, ordered bool) *relation {
	rel := first
	named := ordered && a.duck()
	for i := range s.Rest {
		named = named || s.Rest[i].ByName
	}
	for i := range s.Rest {
		branch := &s.Rest[i]
		// The first branch names the columns, unless branches match by name.
		next, _ := a.body(branch.Body, outer, ctes, use{nameless: !named})
		rel = a.stack(rel, next, branch.ByName)
		if branch.Op != grammar.SetUnion || branch.Quantifier != grammar.QuantAll {
			decided(rel.all())
		}
	}
	return rel
}

// stack is the relation of two branches: columns match by position, or by name.
func (a *analysis) stack(x, y *relation, byName bool) *relation {
	out := a.mem.relations.of(relation{open: x.open || y.open})
	if byName || x.open || y.open || len(x.cols) != len(y.cols) {
		// Which columns meet is not known, or no matter: each may be any of the other branch.
		rest := coerce(merge(x.all(), y.all()))
		out.rest = rest
		out.partial = true
		for i := range x.cols {
			out.cols = append(out.cols, column{name: x.cols[i].name, value: rest})
		}
		return out
	}
	out.partial = x.partial
	out.cols = a.mem.columns.take(len(x.cols))
	for i := range x.cols {
		out.cols[i] = column{name: x.cols[i].name, value: coerce(merge(x.cols[i].value, y.cols[i].value))}
	}
	return out
}

// coerce is the value of branches that take one common type: beside row data a literal may become a date (S25).
func coerce(v value) value {
	if v.latent != nil && v.row {
		return activate(v)
	}
	return v
}

// values resolves VALUES rows.
func (a *analysis) values(v *grammar.Values, e *env) *relation {
	rel := &relation{}
	for r, row := range v.Rows {
		items := []grammar.Expr{row}
		if tuple, ok := row.(*grammar.Row); ok {
			items = tuple.Items
		} else if paren, ok := row.(*grammar.Paren); ok {
			items = []grammar.Expr{paren.X}
		}
		for i, x := range items {
			val := a.expr(x, e)
			if r == 0 || i >= len(rel.cols) {
				name := "col" + decimal(i)
				if !a.duck() {
					name = "col" + decimal(i+1)
				}
				rel.cols = append(rel.cols, column{name: name, value: val})
				continue
			}
			rel.cols[i].value = coerce(merge(rel.cols[i].value, val))
		}
	}
	return rel
}

func decimal(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return decimal(n/10) + decimal(n%10)
}
