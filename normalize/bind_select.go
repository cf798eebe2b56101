package normalize

import (
	"hodor/grammar"
)

// selectBlock resolves one select block. given is the source of blocks that have none of their own (FROM .. SELECT .. SELECT).
func (a *analysis) selectBlock(s *grammar.Select, outer *env, ctes *cteScope, given *scope, u use) (*relation, *env) {
	e := a.mem.envs.of(env{scope: given, outer: outer, ctes: ctes, frozen: outerFrozen(outer), caseData: outer != nil && outer.caseData})
	if given == nil {
		e.scope = a.mem.scopes.new()
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
	after := a.mem.envs.of(*e)
	if !a.duck() {
		after.unseen = true
	}
	if s.Where != nil {
		decided(a.expr(s.Where, after))
	}
	after.unseen = e.unseen
	a.groupBy(s.GroupBy, rel, s.Items, after)
	if len(s.DistinctOn) > 0 {
		a.distinctOn(s, rel, after)
	}
	behind := after
	if s.Having != nil || s.Qualify != nil {
		behind = a.mem.envs.of(*after)
		behind.having = true
	}
	if s.Having != nil {
		decided(a.expr(s.Having, behind))
	}
	for i := range s.Windows {
		a.window(s.Windows[i].Window, after)
		a.foldIdent(&s.Windows[i].Name)
	}
	if s.Qualify != nil {
		decided(a.expr(s.Qualify, behind))
	}
	a.sample(s.Sample, after)
	if s.Quantifier == grammar.QuantDistinct {
		decided(rel.all())
	}
	return rel, after
}

// distinctOn resolves DISTINCT ON, which looks at the outputs first, as ORDER BY does.
func (a *analysis) distinctOn(s *grammar.Select, rel *relation, after *env) {
	outputs := *after
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
}

// selectItems resolves a select list. Afterwards e knows its aliases.
func (a *analysis) selectItems(items []grammar.SelectItem, e *env, u use) *relation {
	rel := a.mem.relations.of(relation{cols: a.mem.columns.list(len(items))})
	named := 0
	for i := range items {
		named += btoi(items[i].Alias.Present()) + len(items[i].Aliases)
	}
	e.aliases = a.mem.aliases.new()
	if named > 0 {
		e.aliases.list = a.mem.named.list(named)
		e.aliases.index.reserve(&a.mem, named)
	}
	for i := range items {
		if items[i].Alias.Present() {
			a.addAlias(e.aliases, &items[i].Alias)
		}
		for j := range items[i].Aliases {
			a.addAlias(e.aliases, &items[i].Aliases[j])
		}
	}
	e.inFrozen, e.inCaseData = nil, nil
	if a.duck() {
		rel.indexed = true
		rel.index.reserve(&a.mem, len(items))
	}
	for i := range items {
		from := len(rel.cols)
		a.alone = len(items) == 1
		a.selectItem(&items[i], rel, e, u)
		if !a.duck() {
			continue
		}
		for j := from; j < len(rel.cols); j++ {
			// DuckDB gives the second of two columns of one name another one (T61).
			if name := rel.cols[j].name; name != "" {
				if hash := nameHash(name); rel.index.find(name, hash) >= 0 {
					rel.cols[j].name = ""
					rel.partial = true
				} else {
					rel.index.add(&a.mem, name, hash, j)
				}
			}
		}
	}
	return rel
}

func (a *analysis) addAlias(list *aliases, x *grammar.Ident) {
	name := lower(x.Text)
	hash := nameHash(name)
	list.add(&a.mem, name, hash)
	a.aliasNames.add(hash)
}

// selectItem resolves one item and appends the columns that it makes.
func (a *analysis) selectItem(item *grammar.SelectItem, rel *relation, e *env, u use) {
	if star, ok := item.X.(*grammar.Star); ok && !item.Alias.Present() {
		if a.soleStar(star, e) {
			star.Qualifier = nil
		}
		a.starItem(star, rel, e)
		return
	}
	place := e
	if named := item.Alias.Present() || len(item.Aliases) > 0 || u.nameless; !named {
		_, isColumn := stripParens(item.X).(*grammar.Column)
		if a.duck() && !isColumn {
			place = a.asFrozen(e)
			a.frozen[item] = true
		} else {
			place = a.asCaseData(e)
		}
	}
	spread := a.spread
	v := a.expr(item.X, place)
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
			e.aliases.set(name, v)
		}
		return
	}
	if item.Alias.Present() {
		name := lower(item.Alias.Text)
		rel.cols = append(rel.cols, column{name: name, value: v})
		e.aliases.set(name, v)
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

// soleStar tells whether a qualified star is that of the only FROM item, so that it says what a bare star says.
func (a *analysis) soleStar(s *grammar.Star, e *env) bool {
	return len(s.Qualifier) == 1 && !e.frozen && !e.opaqueNames && e.scope != nil && len(e.scope.items) == 1 && len(e.scope.all) == 1 &&
		e.scope.items[0].name == lower(s.Qualifier[0].Text) && !e.scope.natural
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
	if len(s.Exclude)+len(s.Replace)+len(s.Rename) == 0 {
		a.plainStar(source, rel)
		return
	}
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
	source = a.bounded(source)
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
	rel.open = rel.open || source.open
	rel.partial = rel.partial || source.partial
	rel.rest = merge(rel.rest, source.rest)
	if source.partial {
		for name, v := range replaced {
			if _, ok := a.find(source, name); !ok {
				rel.cols = append(rel.cols, column{name: name, value: v})
				rel.rest = merge(rel.rest, v)
			}
		}
	}
}

// plainStar appends the columns of a source, as a star without modifiers makes them.
func (a *analysis) plainStar(source, rel *relation) {
	if !a.alone {
		source = a.bounded(source)
	}
	if len(rel.cols) == 0 {
		rel.cols = source.cols[:len(source.cols):len(source.cols)]
	} else {
		rel.cols = append(rel.cols, source.cols...)
	}
	rel.open = rel.open || source.open
	rel.partial = rel.partial || source.partial
	rel.rest = merge(rel.rest, source.rest)
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
	out := a.mem.relations.new()
	if e.scope == nil {
		return out
	}
	if len(e.scope.items) == 1 {
		return e.scope.items[0].rel
	}
	for _, it := range e.scope.items {
		rel := a.bounded(it.rel)
		out.cols = append(out.cols, rel.cols...)
		out.open = out.open || rel.open
		out.partial = out.partial || rel.partial
		out.rest = merge(out.rest, rel.rest)
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
				name := lower(x.Parts[0].Text)
				if v, ok := e.alias(name, nameHash(name)); ok {
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

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
