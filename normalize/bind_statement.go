package normalize

import (
	"hodor/grammar"
)

// file resolves all statements of a text.
func (a *analysis) file(f *grammar.File) {
	for _, s := range f.Statements {
		a.statement(s, nil)
	}
}

// statement resolves one statement. The star of a statement is that of its query (CREATE .. AS, INSERT). Its target is not read, unless a FROM
// or USING names it too. What stands outside of queries stays as written: which columns the names mean hangs on the target.
func (a *analysis) statement(s grammar.Statement, ctes *cteScope) {
	switch s := s.(type) {
	case *grammar.Query:
		a.result(a.query(s, a.beside, ctes, use{final: true}))
		return
	case *grammar.MultiInsert:
		a.multiInsert(s)
		return
	case *grammar.Script, *grammar.CreateFunction, *grammar.CreateMacro:
		// A bare name may be a variable or a parameter anywhere inside.
		before := a.beside
		a.beside = &env{scope: &scope{}}
		a.add(a.beside.scope, &item{rel: a.unknownRelation(), pinned: true})
		defer func() { a.beside = before }()
	default:
		if word := readsUnseen(s); word != "" {
			a.opaque = append(a.opaque, textAt{word, s.Bounds().Start})
		}
	}
	grammar.Objects(s, func(role grammar.Role, name *grammar.Name) {
		if role == grammar.RoleRead && name.Dynamic == nil {
			a.tables = append(a.tables, tableRead{parts: nameParts(name, nil), start: name.Start})
		} else if name.Dynamic != nil {
			a.opaque = append(a.opaque, textAt{"identifier", name.Start})
		}
	})
	a.parts(s, ctes)
}

// result notes the columns of a statement's own query.
func (a *analysis) result(rel *relation) {
	a.star = a.star || rel.all().open
}

// parts resolves what a statement is made of: queries, FROM items, expressions, other statements.
func (a *analysis) parts(s grammar.Statement, ctes *cteScope) {
	e := &env{scope: &scope{}, outer: a.beside, ctes: ctes, opaqueNames: true}
	a.add(e.scope, &item{rel: a.unknownRelation(), pinned: true}) // the columns of the target
	grammar.Walk(s, func(n grammar.Node) bool {
		switch n := n.(type) {
		case *grammar.With:
			e.ctes = a.with(n, a.beside, e.ctes)
			return false
		case *grammar.Query:
			a.result(a.query(n, a.beside, e.ctes, use{final: true}))
			return false
		case *grammar.Target:
			a.target(n, e)
			return false
		case *grammar.Name:
			return false
		case grammar.FromItem:
			a.fromItem(n, e)
			return false
		case grammar.Expr:
			decided(a.expr(n, e))
			return false
		case grammar.Statement:
			if n == s {
				return true
			}
			a.statement(n, e.ctes)
			return false
		}
		return true
	})
}

// target puts the table that UPDATE, DELETE or MERGE changes in view, without reading it.
func (a *analysis) target(t *grammar.Target, e *env) {
	parts := nameParts(&t.Name, nil)
	it := &item{rel: a.unknownRelation(), pinned: true, name: parts[len(parts)-1], parts: parts, alias: &t.Alias}
	a.addItem(it, e)
}

// multiInsert resolves FROM .. INSERT .. INSERT: each query reads the one source.
func (a *analysis) multiInsert(m *grammar.MultiInsert) {
	ctes := a.with(m.With, a.beside, nil)
	e := &env{scope: &scope{}, outer: a.beside, ctes: ctes}
	a.from(m.From.From, e)
	a.lateralViews(m.From.LateralViews, e)
	for _, it := range e.scope.items {
		it.pinned = true
	}
	for _, insert := range m.Inserts {
		q := insert.Query
		if s, ok := q.Body.(*grammar.Select); ok && len(s.From) == 0 && q.With == nil {
			rel, inner := a.selectBlock(s, a.beside, ctes, e.scope, use{})
			a.ending(q, rel, inner, a.beside, ctes, true)
			a.result(rel)
			continue
		}
		a.result(a.query(q, e, ctes, use{}))
	}
}

// readsUnseen names a statement that may read, or make a later text read, what its text does not name; empty for those that are known not to.
func readsUnseen(s grammar.Statement) string {
	switch s := s.(type) {
	case *grammar.CreateTable:
		if !s.Temporary {
			return ""
		}
	case *grammar.CreateView:
		if !s.Temporary {
			return ""
		}
	case *grammar.DuckCreateTable:
		if !s.Temporary { // a temporary table hides one of its name from every later text
			return ""
		}
	case *grammar.DuckCreateView:
		if !s.Temporary {
			return ""
		}
	case *grammar.Insert, *grammar.DuckInsert, *grammar.Update, *grammar.DuckUpdate, *grammar.Delete, *grammar.DuckDelete, *grammar.Merge, *grammar.DuckMerge,
		*grammar.Truncate, *grammar.DuckTruncate, *grammar.CreateSchema, *grammar.Drop, *grammar.Alter,
		*grammar.Optimize, *grammar.Vacuum, *grammar.Analyze, *grammar.Reorg, *grammar.CommentOn, *grammar.Grant, *grammar.Describe, *grammar.Explain,
		*grammar.Cache, *grammar.Uncache,
		*grammar.DuckCreateIndex, *grammar.DuckCreateSchema, *grammar.DuckAlter, *grammar.DuckDrop,
		*grammar.DuckExplain, *grammar.DuckVacuum, *grammar.DuckAnalyze, *grammar.Checkpoint, *grammar.CreateSequence, *grammar.CreateType:
		return ""
	}
	return "statement"
}
