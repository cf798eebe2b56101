package normalize

import (
	"hodor/grammar"
)

// use says what becomes of a query's result.
type use struct {
	// final: it is the statement's, so that an ORDER BY without LIMIT decides nothing.
	final bool
	// nameless: nobody sees the names of its columns.
	nameless bool
}

// query resolves a query whose surroundings are outer (nil at the top), and returns its columns.
func (a *analysis) query(q *grammar.Query, outer *env, ctes *cteScope, u use) *relation {
	ctes = a.with(q.With, outer, ctes)
	limited := q.Limit != nil || !u.final
	u.final = u.final && !limited
	rel, inner := a.body(q.Body, outer, ctes, u)
	a.ending(q, rel, inner, outer, ctes, limited)
	return rel
}

// ending resolves the clauses behind a query's body. inner is the place of the body's own FROM clause, if it is a plain select.
func (a *analysis) ending(q *grammar.Query, rel *relation, inner, outer *env, ctes *cteScope, limited bool) {
	e := &env{outer: outer, ctes: ctes, outputs: rel}
	if inner != nil {
		copied := *inner
		e = &copied
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
	if e.aliasNames[folded] {
		return // an alias is found in any case
	}
	a.keep[name] = true
	for i := range rel.cols {
		if c := &rel.cols[i]; c.part != nil && c.name == folded {
			a.keep[c.part] = true
		}
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
	scope := &cteScope{parent: parent, byName: make(map[string]*cte, len(w.CTEs))}
	for _, node := range w.CTEs {
		c := &cte{node: node, name: lower(node.Name.Text), rel: &relation{}}
		c.asWritten = outerFrozen(outer)
		c.pinned = len(node.UsingKey) > 0 || node.Statement != nil || c.asWritten
		// The versions of DuckDB differ in which of two nested CTEs of one name a query means.
		if other := parent.find(c.name); other != nil && a.duck() {
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
			a.giveUp("a statement as a common table expression")
			if node.Statement != nil {
				a.statement(node.Statement, scope)
			}
			c.rel = &relation{open: true, partial: true, rest: value{row: true}}
		case w.Recursive:
			a.recursive(c, node, outer, scope)
		default:
			c.rel = rename(a.query(node.Query, outer, scope, use{}), identsOf(node.Columns))
		}
		if other := scope.byName[c.name]; other != nil && other != c {
			c.pinned, other.pinned = true, true // an error, which new names would hide
		}
		scope.byName[c.name] = c
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
		c.rel = rename(a.query(node.Query, outer, scope, use{}), names)
		return
	}
	if !a.duck() {
		// Spark knows the name in the anchor too.
		c.rel = &relation{partial: true, rest: value{row: true}}
		scope.byName[c.name] = c
	}
	if !ok || node.Query.With != nil {
		c.rel = &relation{partial: true, rest: value{row: true}}
		scope.byName[c.name] = c
		before := len(a.calls)
		c.rel = rename(a.query(node.Query, outer, scope, use{}), names)
		if len(c.refs) > 0 {
			for _, call := range a.calls[before:] {
				call.deciding = true
			}
		}
		return
	}
	first, _ := a.body(op.First, outer, scope, use{})
	c.rel = rename(first, names)
	scope.byName[c.name] = c
	c.recurring = a.duck()
	before := len(a.calls)
	rest := a.branches(first, op, outer, scope)
	for _, call := range a.calls[before:] {
		call.deciding = call.deciding || !call.latent
	}
	a.ending(node.Query, rest, nil, outer, scope, true)
	c.rel = rename(rest, names)
}

func identsOf(idents []grammar.Ident) []string {
	var names []string
	for i := range idents {
		names = append(names, lower(idents[i].Text))
	}
	return names
}

// rename gives the first columns of a relation the names of an alias list.
func rename(rel *relation, names []string) *relation {
	if len(names) == 0 {
		return rel
	}
	out := &relation{open: rel.open, partial: rel.partial, rest: rel.rest}
	if rel.open || len(names) > len(rel.cols) {
		// The columns of a star stand somewhere among the known ones: each name may be any of them.
		out.partial = true
		out.rest = rel.all()
		for _, name := range names {
			out.cols = append(out.cols, column{name: name, value: out.rest})
		}
		return out
	}
	out.cols = append(out.cols, rel.cols...)
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
		return a.branches(first, b, outer, ctes), nil
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
func (a *analysis) branches(first *relation, s *grammar.SetOp, outer *env, ctes *cteScope) *relation {
	rel := first
	named := false
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
	out := &relation{open: x.open || y.open}
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
	out.cols = make([]column, len(x.cols))
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

// selectBlock resolves one select block. given is the source of blocks that have none of their own (FROM .. SELECT .. SELECT).
func (a *analysis) selectBlock(s *grammar.Select, outer *env, ctes *cteScope, given *scope, u use) (*relation, *env) {
	e := &env{scope: given, outer: outer, ctes: ctes, frozen: outerFrozen(outer), caseData: outer != nil && outer.caseData}
	if given == nil {
		e.scope = &scope{}
		a.from(s.From, e)
	}
	a.lateralViews(s.LateralViews, e)
	for i := range s.Hints {
		a.hint(&s.Hints[i], e)
	}
	if s.Pivot != nil || s.Unpivot != nil {
		a.pivotBehind(s, e)
	}
	if s.Transform != nil {
		return a.transform(s.Transform, e), nil
	}
	rel := a.selectItems(s.Items, e, u)
	if s.NoSelect {
		rel = a.everything(e)
	}
	// All of the list's aliases are in view behind it: in DuckDB for every clause, in Databricks not for WHERE.
	after := *e
	if !a.duck() {
		after.aliases = nil
	}
	if s.Where != nil {
		decided(a.expr(s.Where, &after))
	}
	after.aliases = e.aliases
	a.groupBy(s.GroupBy, rel, s.Items, &after)
	// DISTINCT ON looks at the outputs first, as ORDER BY does.
	outputs := after
	outputs.outputs = rel
	for _, x := range s.DistinctOn {
		if n, ok := stripParens(x).(*grammar.Number); ok {
			a.position(n, rel)
			continue
		}
		if c, ok := stripParens(x).(*grammar.Column); ok && len(c.Parts) == 1 {
			a.keepSorted(&c.Parts[0], rel, &outputs)
		}
		decided(a.expr(x, &outputs))
	}
	if s.Having != nil {
		decided(a.expr(s.Having, &after))
	}
	for i := range s.Windows {
		a.window(s.Windows[i].Window, &after)
		a.foldIdent(&s.Windows[i].Name)
	}
	if s.Qualify != nil {
		decided(a.expr(s.Qualify, &after))
	}
	a.sample(s.Sample, &after)
	if s.Quantifier == grammar.QuantDistinct {
		decided(rel.all())
	}
	return rel, &after
}

// selectItems resolves a select list. Afterwards e knows its aliases.
func (a *analysis) selectItems(items []grammar.SelectItem, e *env, u use) *relation {
	rel := &relation{}
	e.aliasNames = map[string]bool{}
	for i := range items {
		if items[i].Alias.Present() {
			e.aliasNames[lower(items[i].Alias.Text)] = true
		}
		for j := range items[i].Aliases {
			e.aliasNames[lower(items[i].Aliases[j].Text)] = true
		}
	}
	e.aliases = make(map[string]value, len(e.aliasNames))
	seen := map[string]bool{}
	for i := range items {
		from := len(rel.cols)
		a.selectItem(&items[i], rel, e, u)
		if !a.duck() {
			continue
		}
		for j := from; j < len(rel.cols); j++ {
			// DuckDB gives the second of two columns of one name another one (T61).
			if name := rel.cols[j].name; name != "" {
				if seen[name] {
					rel.cols[j].name = ""
					rel.partial = true
				}
				seen[name] = true
			}
		}
	}
	return rel
}

// selectItem resolves one item and appends the columns that it makes.
func (a *analysis) selectItem(item *grammar.SelectItem, rel *relation, e *env, u use) {
	if star, ok := item.X.(*grammar.Star); ok && !item.Alias.Present() {
		a.starItem(star, rel, e)
		return
	}
	place := *e
	if named := item.Alias.Present() || len(item.Aliases) > 0 || u.nameless; !named {
		_, isColumn := stripParens(item.X).(*grammar.Column)
		if a.duck() && !isColumn {
			place.frozen = true
			a.frozen[item] = true
		} else {
			place.caseData = true
		}
	}
	spread := a.spread
	v := a.expr(item.X, &place)
	spread = a.spread - spread
	switch x := stripParens(item.X).(type) {
	case *grammar.Columns:
		rel.open = rel.open || v.open
		rel.partial = true
		rel.rest = merge(rel.rest, v)
		rel.cols = append(rel.cols, column{value: v})
		return
	case *grammar.Like:
		if _, ok := x.X.(*grammar.Star); ok {
			rel.open = rel.open || v.open
			rel.partial = true
			rel.rest = merge(rel.rest, v)
			return
		}
	}
	if isGenerator(a.dialect, item.X) {
		// Its value makes rows.
		decided(v)
		v.row = true
	}
	if len(item.Aliases) > 0 {
		for j := range item.Aliases {
			name := lower(item.Aliases[j].Text)
			rel.cols = append(rel.cols, column{name: name, value: v})
			e.aliases[name] = v
		}
		return
	}
	if item.Alias.Present() {
		name := lower(item.Alias.Text)
		rel.cols = append(rel.cols, column{name: name, value: v})
		if _, ok := e.aliases[name]; !ok {
			e.aliases[name] = v
		} else {
			e.aliases[name] = merge(e.aliases[name], v)
		}
		return
	}
	if part, ok := outputName(item.X); ok {
		rel.cols = append(rel.cols, column{name: lower(part.Text), part: part, value: v})
		return
	}
	rel.cols = append(rel.cols, column{value: v})
	rel.partial = true
	if spread > 0 || isGenerator(a.dialect, item.X) {
		// A struct is spread over columns, or the item stands for several.
		rel.rest = merge(rel.rest, v)
		rel.open = rel.open || v.open
	}
}

// outputName is the name of the column that an item without alias makes, where that is a column's own.
func outputName(x grammar.Expr) (*grammar.Ident, bool) {
	if c, ok := stripParens(x).(*grammar.Column); ok {
		return &c.Parts[len(c.Parts)-1], true
	}
	return nil, false
}

func stripParens(x grammar.Expr) grammar.Expr {
	for {
		p, ok := x.(*grammar.Paren)
		if !ok {
			return x
		}
		x = p.X
	}
}

// starItem resolves a star as a select item: the columns of the items in view, less EXCLUDE, with REPLACE and RENAME.
func (a *analysis) starItem(s *grammar.Star, rel *relation, e *env) {
	source := a.starSource(s, e)
	drop := map[string]bool{}
	for i := range s.Exclude {
		drop[lower(s.Exclude[i].Parts[len(s.Exclude[i].Parts)-1].Text)] = true
	}
	replaced := map[string]value{}
	for i := range s.Replace {
		place := *e
		replaced[lower(s.Replace[i].Alias.Text)] = a.expr(s.Replace[i].X, &place)
	}
	renamed := map[string]string{}
	for i := range s.Rename {
		old := s.Rename[i].Old.Parts
		renamed[lower(old[len(old)-1].Text)] = lower(s.Rename[i].New.Text)
	}
	if len(drop)+len(replaced)+len(renamed) == 0 && len(rel.cols) == 0 {
		rel.cols = source.cols[:len(source.cols):len(source.cols)]
	} else {
		for _, c := range source.cols {
			if drop[c.name] && c.name != "" {
				continue
			}
			if v, ok := replaced[c.name]; ok && c.name != "" {
				c.value = v
			}
			if name, ok := renamed[c.name]; ok && c.name != "" {
				c.name = name
			}
			rel.cols = append(rel.cols, c)
		}
	}
	rel.open = rel.open || source.open
	rel.partial = rel.partial || source.partial
	rel.rest = merge(rel.rest, source.rest)
	if source.partial {
		for name, v := range replaced {
			if _, ok := source.find(name); !ok {
				rel.cols = append(rel.cols, column{name: name, value: v})
				rel.rest = merge(rel.rest, v)
			}
		}
	}
}

// starSource returns the columns that a star stands for.
func (a *analysis) starSource(s *grammar.Star, e *env) *relation {
	for i := range s.Exclude {
		if len(s.Exclude[i].Parts) > 1 {
			a.bindQualifier(&s.Exclude[i].Parts, e, 1)
		} else if !e.frozen && !e.opaqueNames {
			a.folds = append(a.folds, &s.Exclude[i].Parts[0])
		}
	}
	for i := range s.Rename {
		if len(s.Rename[i].Old.Parts) > 1 {
			a.bindQualifier(&s.Rename[i].Old.Parts, e, 1)
		} else if !e.frozen && !e.opaqueNames {
			a.folds = append(a.folds, &s.Rename[i].Old.Parts[0])
		}
	}
	if len(s.Qualifier) > 0 {
		return a.qualifiedStar(&s.Qualifier, e)
	}
	return a.everything(e)
}

// qualifiedStar returns the columns of name.*; a name that is no item is a struct, whose fields come from wherever it does.
func (a *analysis) qualifiedStar(qualifier *[]grammar.Ident, e *env) *relation {
	if it, n := a.bindQualifier(qualifier, e, 0); it != nil {
		if n == len(*qualifier) {
			return it.rel
		}
		return &relation{open: true, partial: true, rest: it.rel.all()}
	}
	v := value{row: true}
	if e.scope != nil {
		for _, it := range e.scope.items {
			v = merge(v, it.rel.all())
		}
	}
	v.open = true
	return &relation{open: true, partial: true, rest: settle(v)}
}

// everything returns the columns of all items in view.
func (a *analysis) everything(e *env) *relation {
	out := &relation{}
	if e.scope == nil {
		return out
	}
	if len(e.scope.items) == 1 {
		return e.scope.items[0].rel
	}
	for _, it := range e.scope.items {
		out.cols = append(out.cols, it.rel.cols...)
		out.open = out.open || it.rel.open
		out.partial = out.partial || it.rel.partial
		out.rest = merge(out.rest, it.rel.rest)
	}
	return out
}

// groupBy resolves GROUP BY: what rows are grouped by decides.
func (a *analysis) groupBy(g *grammar.GroupBy, rel *relation, items []grammar.SelectItem, e *env) {
	if g == nil {
		return
	}
	var visit func(x grammar.Expr)
	visit = func(x grammar.Expr) {
		switch x := stripParens(x).(type) {
		case *grammar.All:
			a.groupByAll(rel, items)
			return
		case *grammar.Number:
			a.position(x, rel)
			return
		case *grammar.Row:
			for _, item := range x.Items {
				visit(item)
			}
			return
		case *grammar.Grouping:
			for _, item := range x.Items {
				visit(item)
			}
			return
		case *grammar.Aliased:
			decided(a.expr(x.X, e))
			return
		case *grammar.Column:
			// DuckDB and Databricks take the alias of an item too.
			if len(x.Parts) == 1 {
				if v, ok := e.aliases[lower(x.Parts[0].Text)]; ok {
					decided(v)
				}
			}
		}
		decided(a.expr(x, e))
	}
	for _, x := range g.Items {
		visit(x)
	}
	for _, x := range g.Sets {
		visit(x)
	}
}

// groupByAll decides every column whose item has no aggregate; where that is not plain, every column.
func (a *analysis) groupByAll(rel *relation, items []grammar.SelectItem) {
	decided(rel.rest)
	if len(items) != len(rel.cols) {
		decided(rel.all())
		return
	}
	for i := range items {
		decided(rel.cols[i].value)
	}
}
