package normalize

import (
	"hodor/grammar"
)

// The constructs whose columns depend on names and data: PIVOT, UNPIVOT, MATCH_RECOGNIZE, pipes, TRANSFORM. Names inside them stay as written,
// and every volatile call in their input decides, since it is a group key, a name or a part of a match.

// inert is a place where names may mean anything: nothing is renamed, folded or qualified.
func inert(e *env) *env {
	copied := *e
	copied.opaqueNames = true
	return &copied
}

// pivotSource resolves the input of a PIVOT or UNPIVOT and returns it as one relation.
func (a *analysis) pivotSource(x grammar.FromItem, e *env) (*relation, *env) {
	inside := &env{scope: &scope{}, outer: e.outer, ctes: e.ctes, frozen: e.frozen}
	if a.duck() && e.scope != nil && len(e.scope.items) > 0 {
		inside.outer = e
	}
	if x != nil {
		a.fromItem(x, inside)
	}
	for _, it := range inside.scope.items {
		it.pinned = true
		decided(it.rel.all())
	}
	return a.everything(inside), inert(inside)
}

// pivot resolves item PIVOT (..).
func (a *analysis) pivot(p *grammar.Pivot, e *env) {
	source, inside := a.pivotSource(p.X, e)
	rel := a.pivotRest(p, source, inside)
	a.addItem(&item{alias: &p.Alias, rel: a.rename(rel, aliasColumns(&p.Alias)), pinned: true}, e)
}

func (a *analysis) pivotRest(p *grammar.Pivot, source *relation, inside *env) *relation {
	dynamic := false
	for i := range p.Aggregates {
		decided(a.expr(p.Aggregates[i].X, inside))
	}
	for i := range p.For {
		f := &p.For[i]
		decided(a.expr(f.Column, inside))
		for j := range f.Values {
			decided(a.expr(f.Values[j].X, &env{ctes: inside.ctes, opaqueNames: true}))
		}
		if f.Query != nil {
			decided(a.query(f.Query, inside, inside.ctes, use{}).all())
			dynamic = true
		}
		dynamic = dynamic || f.Enum != nil
	}
	a.groupBy(p.GroupBy, &relation{partial: true}, nil, inside)
	return &relation{open: source.open || dynamic, partial: true, rest: value{row: true}}
}

// unpivot resolves item UNPIVOT (..).
func (a *analysis) unpivot(u *grammar.Unpivot, e *env) {
	source, inside := a.pivotSource(u.X, e)
	rel := a.unpivotRest(u, source, inside)
	a.addItem(&item{alias: &u.Alias, rel: a.rename(rel, aliasColumns(&u.Alias)), pinned: true}, e)
}

func (a *analysis) unpivotRest(u *grammar.Unpivot, source *relation, inside *env) *relation {
	open := source.open
	for i := range u.In {
		before := a.spread
		a.foldUnpivot(u.In[i].X, inside)
		v := a.expr(u.In[i].X, inside)
		decided(v)
		open = open || a.spread > before && v.open
	}
	return &relation{open: open, partial: true, rest: value{row: true}}
}

// foldUnpivot notes that the case of a column to unpivot is free: the name that becomes data is the column's own (DuckDB).
func (a *analysis) foldUnpivot(x grammar.Expr, e *env) {
	if c, ok := x.(*grammar.Column); ok && a.duck() && len(c.Parts) == 1 && !e.frozen {
		a.folds = append(a.folds, &c.Parts[0])
	}
}

// pivotBehind resolves a PIVOT or UNPIVOT that stands behind LATERAL VIEW and takes all of the FROM clause as its input.
func (a *analysis) pivotBehind(s *grammar.Select, e *env) {
	for _, it := range e.scope.items {
		it.pinned = true
		decided(it.rel.all())
	}
	inside := inert(e)
	rel := a.everything(e)
	if s.Pivot != nil {
		rel = a.pivotRest(s.Pivot, rel, inside)
	}
	if s.Unpivot != nil {
		rel = a.unpivotRest(s.Unpivot, rel, inside)
	}
	e.scope = &scope{}
	a.add(e.scope, &item{rel: rel, pinned: true})
}

// pivotQuery resolves the statement form of PIVOT. Without a list of values its columns depend on the data.
func (a *analysis) pivotQuery(p *grammar.PivotQuery, outer *env, ctes *cteScope) *relation {
	e := &env{scope: &scope{}, outer: outer, ctes: ctes, frozen: outerFrozen(outer)}
	source, inside := a.pivotSource(p.Source, e)
	dynamic := false
	for i := range p.On {
		on := &p.On[i]
		decided(a.expr(on.X, inside))
		for j := range on.Values {
			decided(a.expr(on.Values[j].X, &env{ctes: ctes, opaqueNames: true}))
		}
		if on.Query != nil {
			decided(a.query(on.Query, inside, ctes, use{}).all())
		}
		dynamic = dynamic || !on.HasIn || on.Query != nil || on.Enum != nil
	}
	for i := range p.Using {
		decided(a.expr(p.Using[i].X, inside))
	}
	a.groupBy(p.GroupBy, &relation{partial: true}, nil, inside)
	return &relation{open: source.open || dynamic, partial: true, rest: value{row: true}}
}

// unpivotQuery resolves the statement form of UNPIVOT.
func (a *analysis) unpivotQuery(u *grammar.UnpivotQuery, outer *env, ctes *cteScope) *relation {
	e := &env{scope: &scope{}, outer: outer, ctes: ctes, frozen: outerFrozen(outer)}
	source, inside := a.pivotSource(u.Source, e)
	open := source.open
	for i := range u.On {
		a.foldUnpivot(u.On[i].X, inside)
		v := a.expr(u.On[i].X, inside)
		decided(v)
		open = open || v.open
	}
	return &relation{open: open, partial: true, rest: value{row: true}}
}

// showWords are the words behind SHOW that are no table.
var showWords = set("databases", "tables", "schemas", "variables")

// show resolves DESCRIBE, SHOW and SUMMARIZE as a query: its rows tell about the columns of what it names.
func (a *analysis) show(s *grammar.ShowQuery, outer *env, ctes *cteScope) *relation {
	e := &env{scope: &scope{}, outer: outer, ctes: ctes, frozen: outerFrozen(outer)}
	about := s.Name
	lists := len(s.Words) > 0
	if about != nil && len(about.Parts) == 1 && showWords[lower(about.Parts[0].Text)] {
		lists = true
		a.foldIdent(&about.Parts[0])
	}
	if lists && (len(s.Words) > 0 || about.Parts[0].Quote == grammar.Unquoted) {
		about = nil // a schema, or what the statement lists
	}
	if about != nil {
		a.tableItem(about, nil, s.Start, e)
	}
	if s.Query != nil {
		decided(a.query(s.Query, outer, ctes, use{}).all())
	}
	if lists || about == nil && s.Query == nil {
		a.opaque = append(a.opaque, textAt{"show", s.Start})
	}
	return a.unknownRelation()
}

// transform resolves a script transform: its columns are those of its own list.
func (a *analysis) transform(t *grammar.Transform, e *env) *relation {
	for _, x := range t.Args {
		decided(a.expr(x, inert(e)))
	}
	for _, it := range e.scope.items {
		it.pinned = true
	}
	a.opaque = append(a.opaque, textAt{"transform", t.Start})
	rel := &relation{rest: value{row: true}}
	for i := range t.Columns {
		rel.cols = append(rel.cols, column{name: lower(t.Columns[i].Name.Text), value: value{row: true}})
	}
	rel.partial = len(rel.cols) == 0
	return rel
}

// matchRecognize resolves item MATCH_RECOGNIZE (..).
func (a *analysis) matchRecognize(m *grammar.MatchRecognize, e *env) {
	source, inside := a.pivotSource(m.X, e)
	for _, x := range m.PartitionBy {
		decided(a.expr(x, inside))
	}
	for i := range m.OrderBy {
		decided(a.expr(m.OrderBy[i].X, inside))
	}
	for _, list := range [][]grammar.SelectItem{m.Measures, m.Define} {
		for i := range list {
			decided(a.expr(list[i].X, inside))
		}
	}
	rel := &relation{open: source.open, partial: true, rest: value{row: true}}
	a.addItem(&item{alias: &m.Alias, rel: a.rename(rel, aliasColumns(&m.Alias)), pinned: true}, e)
}

// multiSelect resolves FROM .. SELECT .. SELECT: UNION ALL of the blocks over one source (Databricks).
func (a *analysis) multiSelect(m *grammar.MultiSelect, outer *env, ctes *cteScope) *relation {
	e := &env{scope: &scope{}, outer: outer, ctes: ctes, frozen: outerFrozen(outer)}
	a.from(m.From, e)
	a.lateralViews(m.LateralViews, e)
	for _, it := range e.scope.items {
		it.pinned = true
	}
	var rel *relation
	for _, q := range m.Branches {
		var next *relation
		if s, ok := q.Body.(*grammar.Select); ok && len(s.From) == 0 && q.With == nil {
			var inner *env
			next, inner = a.selectBlock(s, outer, ctes, e.scope, use{})
			a.ending(q, next, inner, outer, ctes, true)
		} else {
			next = a.query(q, e, ctes, use{})
		}
		if rel == nil {
			rel = next
		} else {
			rel = a.stack(rel, next, false)
		}
	}
	if rel == nil {
		return a.unknownRelation()
	}
	return rel
}

// pipe resolves body |> operator ...: each operator sees what the one before it leaves (Databricks). Names of items stay as written, since where
// they end depends on the operators.
func (a *analysis) pipe(p *grammar.Pipe, outer *env, ctes *cteScope) *relation {
	var rel *relation
	var e *env
	input := p.Input
	if s, ok := input.(*grammar.Select); ok && isBareFrom(s) {
		e = &env{scope: &scope{}, outer: outer, ctes: ctes, frozen: outerFrozen(outer)}
		a.from(s.From, e)
		a.lateralViews(s.LateralViews, e)
		rel = a.everything(e)
	} else {
		rel, _ = a.body(input, outer, ctes, use{})
		e = a.pipeScope(rel, "", outer, ctes)
	}
	for _, it := range e.scope.items {
		it.pinned = true
	}
	joined, pinned := false, 0 // the columns behind a join are made when they are asked for
	for i, op := range p.Ops {
		before := e.scope
		switch op := op.(type) {
		case *grammar.PipeJoin:
			a.join(&op.Join, e)
			joined = true
		case *grammar.PipeWhere:
			decided(a.expr(op.X, e))
		default:
			if joined {
				rel, joined = a.everything(e), false
			}
			rel, e = a.pipeOp(op, rel, e, outer, ctes, i == len(p.Ops)-1)
		}
		if e.scope != before {
			pinned = 0
		}
		for ; pinned < len(e.scope.items); pinned++ {
			e.scope.items[pinned].pinned = true
		}
	}
	if joined {
		return a.everything(e)
	}
	return rel
}

// isBareFrom tells whether a block is FROM .. alone, whose items stay in view of the pipe.
func isBareFrom(s *grammar.Select) bool {
	if s.NoSelect {
		return s.Where == nil && s.GroupBy == nil && s.Having == nil && s.Qualify == nil
	}
	if len(s.Items) != 1 || s.Items[0].Alias.Present() || s.Where != nil || s.GroupBy != nil || s.Quantifier == grammar.QuantDistinct || s.Transform != nil {
		return false
	}
	star, ok := s.Items[0].X.(*grammar.Star)
	return ok && len(star.Qualifier)+len(star.Exclude) == 0 && s.Having == nil && s.Qualify == nil
}

func (a *analysis) pipeScope(rel *relation, name string, outer *env, ctes *cteScope) *env {
	e := &env{scope: &scope{}, outer: outer, ctes: ctes, frozen: outerFrozen(outer)}
	a.add(e.scope, &item{rel: rel, name: name, written: name, pinned: true})
	return e
}

func (a *analysis) pipeOp(op grammar.PipeOp, rel *relation, e, outer *env, ctes *cteScope, last bool) (*relation, *env) {
	switch op.(type) {
	case *grammar.PipeExtend, *grammar.PipeSet, *grammar.PipeDrop:
		rel = a.bounded(rel)
	}
	switch op := op.(type) {
	case *grammar.PipeSelect:
		out, _ := a.selectBlock(op.Select, outer, ctes, e.scope, use{})
		return out, a.pipeScope(out, "", outer, ctes)
	case *grammar.PipeExtend:
		added := a.selectItems(op.Items, e, use{})
		out := &relation{open: rel.open || added.open, partial: rel.partial || added.partial, rest: merge(rel.rest, added.rest)}
		out.cols = append(append(out.cols, rel.cols...), added.cols...)
		e.aliases = nil
		a.add(e.scope, &item{rel: added, pinned: true})
		return out, e
	case *grammar.PipeSet:
		out := &relation{open: rel.open, partial: rel.partial, rest: rel.rest}
		out.cols = append(out.cols, rel.cols...)
		for i := range op.Assigns {
			v := a.expr(op.Assigns[i].Value, e)
			name := ""
			if c, ok := op.Assigns[i].Target.(*grammar.Column); ok {
				name = lower(c.Parts[len(c.Parts)-1].Text)
			}
			found := false
			for j := range out.cols {
				if out.cols[j].name == name && name != "" {
					out.cols[j].value, found = v, true
				}
			}
			if !found {
				out.rest = merge(out.rest, v)
			}
		}
		return out, a.pipeScope(out, "", outer, ctes)
	case *grammar.PipeDrop:
		drop := map[string]bool{}
		for i := range op.Columns {
			drop[lower(op.Columns[i].Parts[len(op.Columns[i].Parts)-1].Text)] = true
		}
		out := &relation{open: rel.open, partial: rel.partial, rest: rel.rest}
		for _, c := range rel.cols {
			if c.name == "" || !drop[c.name] {
				out.cols = append(out.cols, c)
			}
		}
		return out, a.pipeScope(out, "", outer, ctes)
	case *grammar.PipeAs:
		return rel, a.pipeScope(rel, lower(op.Alias.Text), outer, ctes)
	case *grammar.PipeAggregate:
		return a.pipeAggregate(op, e, outer, ctes)
	case *grammar.PipeUnion:
		next, _ := a.body(op.Branch.Body, outer, ctes, use{})
		out := a.stack(rel, next, op.Branch.ByName)
		if op.Branch.Op != grammar.SetUnion || op.Branch.Quantifier != grammar.QuantAll {
			decided(out.all())
		}
		return out, a.pipeScope(out, "", outer, ctes)
	case *grammar.PipeOrder:
		a.ending(op.Query, rel, e, outer, ctes, op.Query.Limit != nil || !last)
		return rel, e
	case *grammar.PipeSample:
		a.sample(op.Sample, e)
		return rel, e
	case *grammar.PipePivot:
		decided(rel.all())
		out := a.pivotRest(op.Pivot, rel, inert(e))
		return out, a.pipeScope(out, "", outer, ctes)
	case *grammar.PipeUnpivot:
		decided(rel.all())
		out := a.unpivotRest(op.Unpivot, rel, inert(e))
		return out, a.pipeScope(out, "", outer, ctes)
	}
	a.giveUp("a pipe operator that is not known here")
	return a.unknownRelation(), a.pipeScope(a.unknownRelation(), "", outer, ctes)
}

// pipeAggregate resolves AGGREGATE: the result has the grouping columns first, then the aggregates.
func (a *analysis) pipeAggregate(op *grammar.PipeAggregate, e, outer *env, ctes *cteScope) (*relation, *env) {
	out := &relation{}
	if op.GroupBy != nil {
		for _, x := range op.GroupBy.Items {
			name, known := "", false
			inner := x
			if aliased, ok := x.(*grammar.Aliased); ok {
				name, known = lower(aliased.Alias.Text), true
				inner = aliased.X
			} else {
				if part, ok := outputName(x); ok {
					name, known = lower(part.Text), true
				}
			}
			v := a.expr(inner, e)
			decided(v)
			out.cols = append(out.cols, column{name: name, value: v})
			out.partial = out.partial || !known
		}
		for _, x := range op.GroupBy.Sets {
			decided(a.expr(x, e))
		}
	}
	items := a.selectItems(op.Items, e, use{})
	e.aliases = nil
	out.cols = append(out.cols, items.cols...)
	out.open, out.partial, out.rest = items.open, out.partial || items.partial, items.rest
	return out, a.pipeScope(out, "", outer, ctes)
}
