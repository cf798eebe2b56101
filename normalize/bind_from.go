package normalize

import (
	"strings"

	"hodor/grammar"
)

// pathFormats are the first parts of Databricks names that stand for files: delta.`/path`.
var pathFormats = set("delta", "parquet", "csv", "json", "orc", "avro", "text", "binaryfile", "xml", "iceberg", "hudi", "jdbc")

// unknownRelation is a relation of which nothing is known but that it has rows.
func (a *analysis) unknownRelation() *relation {
	return a.mem.relations.of(relation{open: true, partial: true, rest: value{row: true}})
}

// from puts the items of a FROM list in view, from left to right.
func (a *analysis) from(items []grammar.FromItem, e *env) {
	for _, x := range items {
		a.fromItem(x, e)
	}
}

// fromItem resolves one FROM item and puts what it brings in view of e.
func (a *analysis) fromItem(x grammar.FromItem, e *env) {
	switch x := x.(type) {
	case *grammar.Table:
		a.table(x, e)
	case *grammar.Derived:
		a.derived(x, e)
	case *grammar.TableFunction:
		a.tableFunction(x, e)
	case *grammar.InlineValues:
		rel := a.values(x.Values, a.insideFrom(e, x.Lateral))
		alias := &x.Values.Alias
		if !alias.Present() {
			alias = &x.Alias
		}
		a.addItem(&item{alias: alias, rel: a.rename(rel, aliasColumns(alias))}, e)
		a.source(&x.Source, e)
	case *grammar.ParenFrom:
		a.parenFrom(x, e)
	case *grammar.Joins:
		a.joins(x, e)
	case *grammar.Pivot:
		a.pivot(x, e)
	case *grammar.Unpivot:
		a.unpivot(x, e)
	case *grammar.MatchRecognize:
		a.matchRecognize(x, e)
	default:
		a.giveUp("a FROM item that is not known here")
		a.add(e.scope, &item{rel: a.unknownRelation(), pinned: true})
	}
}

// insideFrom is the place inside a subquery or function call of a FROM clause. DuckDB lets it see the items before it; Databricks only with the
// word LATERAL.
func (a *analysis) insideFrom(e *env, lateral bool) *env {
	if a.duck() || lateral {
		return a.mem.envs.of(env{scope: e.scope, outer: e.outer, ctes: e.ctes, frozen: e.frozen, caseData: e.caseData, opaqueNames: e.opaqueNames})
	}
	return a.mem.envs.of(env{outer: e.outer, ctes: e.ctes, frozen: e.frozen, caseData: e.caseData, opaqueNames: e.opaqueNames})
}

func aliasColumns(alias *grammar.Alias) []string {
	var names []string
	for i := range alias.Columns {
		names = append(names, lower(alias.Columns[i].Name.Text))
	}
	return names
}

// addItem completes an item by its alias and puts it in view.
func (a *analysis) addItem(it *item, e *env) {
	if it.alias != nil {
		if it.alias.Name.Present() {
			it.written = it.alias.Name.Text
			it.name = lower(it.written)
			it.parts = nil
		}
	}
	// Inside a frozen text, and where names may mean anything, everything stays as written.
	it.pinned = it.pinned || e.frozen || e.opaqueNames
	it.asWritten = it.asWritten || e.frozen
	a.items = append(a.items, it)
	a.add(e.scope, it)
}

// source resolves what the base items have in common beside the alias.
func (a *analysis) source(s *grammar.Source, e *env) {
	a.sample(s.Sample, e)
	if s.Watermark != nil {
		decided(a.expr(s.Watermark.X.X, e))
		if s.Watermark.Delay != nil {
			decided(a.expr(s.Watermark.Delay, e))
		}
	}
}

// table resolves a named relation: a common table expression, a file, or a table.
func (a *analysis) table(t *grammar.Table, e *env) {
	it := a.tableItem(&t.Name, t, t.Start, e)
	it.alias = &t.Alias
	it.rel = a.rename(it.rel, aliasColumns(&t.Alias))
	a.addItem(it, e)
	if t.Travel != nil {
		a.moment(t.Travel.X, e)
	}
	if t.Changes != nil {
		a.moment(t.Changes.From, e)
		a.moment(t.Changes.To, e)
	}
	for i := range t.Options {
		if t.Options[i].Value != nil {
			decided(a.expr(t.Options[i].Value, &env{ctes: e.ctes, opaqueNames: true}))
		}
	}
	a.source(&t.Source, e)
}

// moment resolves the time or version at which a table is read.
func (a *analysis) moment(x grammar.Expr, e *env) {
	if x != nil {
		decided(activate(a.expr(x, &env{ctes: e.ctes, frozen: e.frozen})))
	}
}

// tableItem resolves the name of a relation and notes for the facts what is read. t is nil where no alias can stand.
func (a *analysis) tableItem(name *grammar.Name, t *grammar.Table, start int32, e *env) *item {
	if name.Dynamic != nil {
		a.opaque = append(a.opaque, textAt{"identifier", start})
		decided(a.expr(name.Dynamic, &env{ctes: e.ctes, frozen: e.frozen}))
		e.ctes.pin() // the name may be that of any of them
		return &item{rel: a.unknownRelation(), pinned: true}
	}
	parts := nameParts(name, a.mem.texts.list(len(name.Parts)))
	last := name.Parts[len(name.Parts)-1]
	it := a.mem.fromItems.of(item{rel: a.unknownRelation(), written: last.Text, name: parts[len(parts)-1]})
	clause := clauseQuoted(name)
	if clause && len(parts) == 1 {
		if c := a.cte(e.ctes, parts[0]); c != nil {
			c.pinned = true
		}
	}
	if len(name.Parts) == 1 && !clause && (t == nil || t.Travel == nil) {
		if c := a.cte(e.ctes, parts[0]); c != nil {
			c.refs = append(c.refs, &name.Parts[0])
			c.pinned = c.pinned || e.frozen
			it.rel, it.cte = c.rel, c
			if !e.frozen {
				a.folds = append(a.folds, &name.Parts[0])
			}
			return it
		}
	}
	if a.duck() && len(parts) == 2 && parts[0] == "recurring" {
		if c := a.cte(e.ctes, parts[1]); c != nil && c.recurring {
			c.pinned, it.pinned = true, true
			it.rel, it.cte = c.rel, c
			return it
		}
	}
	if a.duck() && len(name.Parts) == 1 && name.Parts[0].Quote == grammar.SingleQuote {
		a.paths = append(a.paths, textAt{"'" + strings.ReplaceAll(last.Text, "'", "''") + "'", start})
		it.pinned = t == nil || !t.Alias.Name.Present() // it is called after the file
		return it
	}
	if !a.duck() && len(name.Parts) == 2 && pathFormats[parts[0]] && !clause && isPath(last.Text) {
		a.paths = append(a.paths, textAt{parts[0] + ".`" + strings.ReplaceAll(last.Text, "`", "``") + "`", start})
		a.folds = append(a.folds, &name.Parts[0])
		it.parts = parts
		return it
	}
	a.tables = append(a.tables, tableRead{parts: parts, start: start})
	it.parts = parts
	a.foldTable(name, e)
	if !e.frozen {
		a.names = append(a.names, name)
	}
	if a.duck() && len(parts) == 1 && strings.ContainsAny(last.Text, "./:*") && (t == nil || !t.Alias.Name.Present()) {
		it.pinned = true // may be a file in double quotes, which is called after the file
	}
	if t == nil {
		it.pinned = true
	}
	return it
}

// foldTable notes that the case of a table's name is free; a file in double quotes keeps its own.
func (a *analysis) foldTable(name *grammar.Name, e *env) {
	if e.frozen {
		return
	}
	for i := range name.Parts {
		p := &name.Parts[i]
		if p.Quote == grammar.ClauseQuote || a.duck() && len(name.Parts) == 1 && strings.ContainsAny(p.Text, "./:*\\") {
			continue
		}
		a.folds = append(a.folds, p)
	}
}

// nameParts appends the folded parts of a table's name to parts. IDENTIFIER('a.b') brings the parts of its string.
func nameParts(name *grammar.Name, parts []string) []string {
	for i := range name.Parts {
		p := &name.Parts[i]
		if p.Quote == grammar.ClauseQuote {
			parts = append(parts, splitClause(p.Text)...)
			continue
		}
		parts = append(parts, lower(p.Text))
	}
	if len(parts) == 0 {
		parts = append(parts, "")
	}
	return parts
}

func clauseQuoted(name *grammar.Name) bool {
	for i := range name.Parts {
		if name.Parts[i].Quote == grammar.ClauseQuote {
			return true
		}
	}
	return false
}

// splitClause splits the dotted name in the string of IDENTIFIER('..'), which may have back quotes.
func splitClause(text string) []string {
	var parts []string
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '`' && quoted && i+1 < len(text) && text[i+1] == '`':
			b.WriteByte('`')
			i++
		case c == '`':
			quoted = !quoted
		case c == '.' && !quoted:
			parts = append(parts, lower(strings.TrimSpace(b.String())))
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	return append(parts, lower(strings.TrimSpace(b.String())))
}

// isPath tells whether the second part of format.`path` looks like a path rather than a table's name.
func isPath(text string) bool {
	return strings.ContainsAny(text, "/:*@.") || text == ""
}

// derived resolves a subquery in FROM.
func (a *analysis) derived(d *grammar.Derived, e *env) {
	inside := a.insideFrom(e, d.Lateral)
	var rel *relation
	if inside.scope == nil || len(inside.scope.items) == 0 {
		rel = a.query(d.Query, inside.outerOrSelf(), e.ctes, use{})
	} else {
		rel = a.query(d.Query, inside, e.ctes, use{})
	}
	it := a.mem.fromItems.of(item{alias: &d.Alias, rel: a.rename(rel, aliasColumns(&d.Alias))})
	// DuckDB names subqueries without alias unnamed_subquery, unnamed_subquery2 ...; if the text says so, it may mean any of them.
	it.pinned = a.duck() && !d.Alias.Name.Present() && a.unnamed
	a.addItem(it, e)
	a.source(&d.Source, e)
}

// outerOrSelf drops a place that brings nothing in view, but keeps what it says about names.
func (e *env) outerOrSelf() *env {
	if e.frozen || e.opaqueNames || e.caseData {
		return e
	}
	return e.outer
}

// capture keeps the names of the common table expressions that a user's function may read: DuckDB puts a macro's body in the place of its call,
// so that a table that it names may be one of the query's own, and query() and query_table() look there too.
func (a *analysis) capture(e *env) {
	if a.duck() {
		e.ctes.pin()
	}
}

// tableFunction resolves a function call in FROM. All but the pure generators are opaque (S8).
func (a *analysis) tableFunction(t *grammar.TableFunction, e *env) {
	inside := a.insideFrom(e, t.Lateral)
	it := &item{rel: &relation{partial: true, rest: value{row: true}}, alias: &t.Alias}
	name := joinFolded(t.Call.Name.Parts)
	f, ok := builtin(a.dialect, name)
	if !ok || f.form != generator || len(t.Call.Name.Parts) != 1 {
		it.rel.open = true
		if t.Call.Name.Dynamic != nil {
			name = "identifier"
			decided(a.expr(t.Call.Name.Dynamic, inside))
		}
		a.opaque = append(a.opaque, textAt{name, t.Call.Start})
		a.capture(e)
	}
	for _, x := range t.Call.Args {
		a.tableArgument(x, inside)
	}
	it.rel = a.rename(it.rel, aliasColumns(&t.Alias))
	if a.duck() {
		// Without alias it is called after the function; in 2.0 the alias names its column, case and all.
		it.pinned, it.asWritten = true, true
		if n := len(t.Call.Name.Parts); n > 0 {
			it.written = t.Call.Name.Parts[n-1].Text
			it.name = lower(it.written)
		}
	}
	a.addItem(it, e)
	a.source(&t.Source, e)
}

// tableArgument resolves an argument of a table function. In DuckDB `name = value` is a named argument, which parses as a comparison.
func (a *analysis) tableArgument(x grammar.Expr, e *env) {
	if b, ok := x.(*grammar.Binary); ok && a.duck() && len(b.Rest) == 1 && b.Rest[0].Op == "=" {
		if c, ok := b.First.(*grammar.Column); ok && len(c.Parts) == 1 {
			decided(activate(a.expr(b.Rest[0].X, e)))
			return
		}
	}
	decided(activate(a.expr(x, e)))
}

// parenFrom resolves an item in parentheses. With an alias, the items inside are in view only there.
func (a *analysis) parenFrom(p *grammar.ParenFrom, e *env) {
	if !p.Alias.Present() {
		a.fromItem(p.X, e)
		a.source(&p.Source, e)
		return
	}
	inner := &env{scope: &scope{}, outer: e.outer, ctes: e.ctes, frozen: e.frozen, opaqueNames: e.opaqueNames}
	if a.duck() && len(e.scope.items) > 0 {
		inner.outer = e
	}
	a.fromItem(p.X, inner)
	a.addItem(&item{alias: &p.Alias, rel: a.rename(a.everything(inner), aliasColumns(&p.Alias))}, e)
	a.source(&p.Source, e)
}

// joins resolves a chain of joins.
func (a *analysis) joins(j *grammar.Joins, e *env) {
	a.fromItem(j.First, e)
	for i := range j.Rest {
		a.join(&j.Rest[i], e)
	}
}

// join resolves one step of a join. Everything that it compares decides.
func (a *analysis) join(j *grammar.Join, e *env) {
	before := len(e.scope.items)
	a.fromItem(j.Right, e)
	if j.Natural {
		e.scope.natural = true
		for _, it := range e.scope.items[e.scope.compared:] {
			decided(it.rel.all())
		}
		e.scope.compared = len(e.scope.items)
	}
	for i := range j.Using {
		name := lower(j.Using[i].Text)
		if a.duck() && !e.frozen && !e.opaqueNames {
			a.folds = append(a.folds, &j.Using[i]) // the output column is called as the tables have it
		}
		if e.scope.using == nil {
			e.scope.using = map[string]bool{}
		}
		e.scope.using[name] = true
		e.scope.compare(name)
	}
	if j.On != nil {
		decided(a.expr(j.On, e))
	}
	if j.Nearest != nil {
		for _, x := range []grammar.Expr{j.Nearest.Count, j.Nearest.X} {
			if x != nil {
				decided(a.expr(x, e))
			}
		}
	}
	switch j.Kind {
	case grammar.JoinSemi, grammar.JoinAnti:
		e.scope.hide(before)
	case grammar.JoinMark, grammar.JoinSingle, grammar.JoinRightSemi, grammar.JoinRightAnti:
		// DuckDB has these for its own tests and may mean something else by them in any release: one hides the left side, one adds a column.
		a.opaque = append(a.opaque, textAt{"join by", j.Start})
		for _, it := range e.scope.items {
			it.pinned = true
		}
		a.add(e.scope, &item{rel: a.unknownRelation(), pinned: true})
	}
}

// lateralViews puts generators behind LATERAL VIEW in view.
func (a *analysis) lateralViews(views []grammar.LateralView, e *env) {
	for i := range views {
		v := &views[i]
		name := joinFolded(v.Call.Name.Parts)
		rel := &relation{partial: true, rest: value{row: true}}
		if f, ok := builtin(a.dialect, name); !ok || f.form != generator {
			rel.open = true
			a.opaque = append(a.opaque, textAt{name, v.Call.Start})
		}
		for _, x := range v.Call.Args {
			decided(activate(a.expr(x, e)))
		}
		if len(v.Columns) > 0 {
			names := identsOf(v.Columns)
			rel.cols = nil
			for _, name := range names {
				rel.cols = append(rel.cols, column{name: name, value: value{row: true}})
			}
			rel.partial = false
		}
		it := &item{rel: rel, view: &v.Alias, written: v.Alias.Text, name: lower(v.Alias.Text)}
		it.pinned = e.frozen || e.opaqueNames
		a.items = append(a.items, it)
		a.add(e.scope, it)
	}
}

// sample resolves a sample clause. One without a seed is another sample each time (S26).
func (a *analysis) sample(s *grammar.Sample, e *env) {
	if s == nil {
		return
	}
	if s.Seed == nil && s.Unit != grammar.SampleBucket {
		decided(a.call("tablesample", kindAlways, s.Start))
	}
	place := &env{ctes: e.ctes, frozen: e.frozen}
	for _, x := range []grammar.Expr{s.Count, s.OutOf, s.Seed} {
		if x != nil {
			decided(a.expr(x, place))
		}
	}
	if s.On != nil {
		v := a.expr(s.On, e)
		decided(v)
	} else if s.Unit == grammar.SampleBucket {
		decided(a.call("tablesample", kindAlways, s.Start))
	}
}

// hint resolves the arguments of a hint, which name FROM items.
func (a *analysis) hint(h *grammar.Hint, e *env) {
	for _, x := range h.Args {
		c, ok := x.(*grammar.Column)
		if !ok {
			continue
		}
		parts := make([]string, len(c.Parts))
		for i := range c.Parts {
			parts[i] = lower(c.Parts[i].Text)
		}
		found, n, maybe := e.scope.named(parts, 0)
		switch {
		case len(found) == 1 && !maybe && n == len(parts):
			a.refs = append(a.refs, reference{parts: &c.Parts, item: found[0], qualifier: n})
		default:
			for _, it := range found {
				it.pinned = true
			}
		}
	}
}
