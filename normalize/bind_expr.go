package normalize

import (
	"hodor/grammar"
)

// expr resolves the names of an expression and returns what is known of its value.
func (a *analysis) expr(x grammar.Expr, e *env) value {
	switch x := x.(type) {
	case nil:
		return value{}
	case *grammar.Column:
		return a.column(x, e)
	case *grammar.Call:
		return a.callExpr(x, e)
	case *grammar.String:
		return a.stringValue(x)
	case *grammar.Number:
		return a.placeholder(x)
	case *grammar.Null, *grammar.Bool, *grammar.Default:
		return value{}
	case *grammar.Unit:
		if e.caseData || e.opaqueNames {
			a.units[x] = true // Spark prints it as it is written
		}
		return value{}
	case *grammar.Paren:
		return a.expr(x.X, e)
	case *grammar.Binary:
		return a.binary(x, e)
	case *grammar.And:
		return a.exprs(x.Args, e)
	case *grammar.Or:
		return a.exprs(x.Args, e)
	case *grammar.Unary:
		return combine(a.expr(x.X, e))
	case *grammar.Postfix:
		return combine(a.expr(x.X, e))
	case *grammar.Not:
		return a.expr(x.X, e)
	case *grammar.Is:
		v := a.expr(x.X, e)
		if x.Y != nil {
			v = combine(activate(v), activate(a.expr(x.Y, e)))
		}
		return v
	case *grammar.Between:
		return combine(activate(a.expr(x.X, e)), activate(a.expr(x.Low, e)), activate(a.expr(x.High, e)))
	case *grammar.In:
		return a.in(x, e)
	case *grammar.Like:
		return a.like(x, e)
	case *grammar.Case:
		return a.caseExpr(x, e)
	case *grammar.Cast:
		return a.cast(x, e)
	case *grammar.TypedLiteral:
		return a.typedLiteral(x, e)
	case *grammar.Interval:
		v := value{}
		for i := range x.Parts {
			v = combine(v, a.expr(x.Parts[i].Value, e))
		}
		return plain(v)
	case *grammar.Param:
		return a.call("parameter", kindAlways, x.Start)
	case *grammar.Exists:
		decided(a.query(x.Query, e, e.ctes, use{nameless: true}).all())
		return value{row: true}
	case *grammar.Subquery:
		return a.scalar(x.Query, e)
	case *grammar.ArrayQuery:
		v := a.query(x.Query, e, e.ctes, use{nameless: true}).all()
		decided(v)
		v.row = true
		return v
	case *grammar.Quantified:
		if x.Query != nil {
			v := a.query(x.Query, e, e.ctes, use{nameless: true}).all()
			v.row, v.open = true, false
			return settle(v)
		}
		return a.expr(x.X, e)
	}
	return a.rareExpr(x, e)
}

// rareExpr goes on with the expressions that expr has no case for.
func (a *analysis) rareExpr(x grammar.Expr, e *env) value {
	switch x := x.(type) {
	case *grammar.Star:
		a.spread++
		a.pinSpread(e)
		rel := &relation{}
		a.starItem(x, rel, e)
		return settle(rel.all())
	case *grammar.Columns:
		return a.columns(x, e)
	case *grammar.DotStar:
		a.spread++
		v := a.expr(x.X, e)
		v.open = true
		return v
	case *grammar.DynamicName:
		v := combine(a.expr(x.X, e), value{row: true})
		decided(v)
		return v
	case *grammar.PositionalRef:
		if e.scope != nil {
			v := a.everything(e).all()
			v.row = true
			return settle(v)
		}
		return value{row: true}
	case *grammar.Collate:
		return a.expr(x.X, e)
	case *grammar.AtTimeZone:
		return combine(a.expr(x.X, e), a.expr(x.Zone, e))
	case *grammar.Dot:
		if c := a.oneName(x); c != nil {
			return a.column(c, e)
		}
		a.dot(x, e)
		return a.expr(x.X, e)
	case *grammar.Index:
		return combine(a.expr(x.X, e), a.expr(x.I, e))
	case *grammar.Slice:
		return combine(a.expr(x.X, e), a.expr(x.Low, e), a.expr(x.High, e), a.expr(x.Step, e))
	case *grammar.JSONPath:
		v := a.expr(x.X, e)
		for i := range x.Steps {
			if _, ok := x.Steps[i].Index.(*grammar.Column); ok || x.Steps[i].Index == nil {
				continue
			}
			v = combine(v, a.expr(x.Steps[i].Index, e))
		}
		return v
	case *grammar.Row:
		return a.fields(x.Items, e)
	case *grammar.List:
		return a.exprs(x.Items, e)
	case *grammar.Struct:
		v := value{}
		for i := range x.Fields {
			v = combine(v, a.expr(x.Fields[i].Value, e))
		}
		return v
	case *grammar.MapLiteral:
		v := value{}
		for i := range x.Items {
			v = combine(v, a.expr(x.Items[i].Key, e), a.expr(x.Items[i].Value, e))
		}
		return v
	case *grammar.Aliased:
		return a.expr(x.X, e)
	case *grammar.NamedArg:
		return a.expr(x.Value, e)
	case *grammar.VariadicArg:
		return a.expr(x.X, e)
	case *grammar.TableArg:
		return a.tableArg(x, e)
	case *grammar.Lambda:
		a.foldParams(x.Params)
		return a.lambda(written(x.Params), x.Body, e)
	case *grammar.Comprehension:
		v := a.expr(x.In, e)
		inside := a.enter(written(x.Vars), e)
		v = combine(v, a.expr(x.X, inside))
		if x.If != nil {
			cond := a.expr(x.If, inside)
			decided(cond)
			v = combine(v, cond)
		}
		a.leaveLambda(inside)
		return v
	case *grammar.SyntaxCall:
		v := value{}
		for i := range x.Args {
			if x.Args[i].X != nil {
				v = combine(v, a.expr(x.Args[i].X, e))
			}
		}
		return plain(v)
	case *grammar.Grouping:
		return a.exprs(x.Items, e)
	case *grammar.All:
		return value{}
	}
	a.giveUp("an expression that is not known here")
	return value{row: true}
}

// oneName is (name).field as the one name that Spark's parser makes of it; nil if it makes none.
func (a *analysis) oneName(x *grammar.Dot) *grammar.Column {
	if a.duck() {
		return nil
	}
	parts := dottedParts(x, nil)
	if len(parts) == 0 {
		return nil
	}
	c := &grammar.Column{Span: x.Span, Parts: parts}
	a.oneNames[x] = c
	return c
}

// dottedParts appends the parts of a name with parentheses around some of the first ones; nil if it is no name.
func dottedParts(x grammar.Expr, parts []grammar.Ident) []grammar.Ident {
	switch x := stripParens(x).(type) {
	case *grammar.Column:
		return append(parts, x.Parts...)
	case *grammar.Dot:
		if before := dottedParts(x.X, parts); before != nil {
			return append(before, x.Name)
		}
	}
	return nil
}

// dot notes (name).field where it can only be what name.field is: no FROM item has the name, so that it is a column in both. An alias of the
// select list is found only in parentheses.
func (a *analysis) dot(x *grammar.Dot, e *env) {
	c, ok := stripParens(x.X).(*grammar.Column)
	if !ok || len(c.Parts) != 1 || !a.duck() || e.frozen || e.caseData || e.opaqueNames {
		return
	}
	name, field := lower(c.Parts[0].Text), lower(x.Name.Text)
	if is, doubt := a.parameter(c.Parts[0].Text, e); is || doubt || a.rowName(name, e) || a.rowName(field, e) || a.hasAlias(name, e) || a.bareWord(name) {
		return
	}
	a.dots[x] = true
}

// plain is a value that is no string of constants.
func plain(v value) value {
	v.literal, v.text = false, false
	return v
}

// exprs combines a list.
func (a *analysis) exprs(list []grammar.Expr, e *env) value {
	v := value{}
	for _, x := range list {
		v = combine(v, a.expr(x, e))
	}
	return plain(v)
}

// fields resolves the items of a struct: the case of a column's name is the case of the field's.
func (a *analysis) fields(items []grammar.Expr, e *env) value {
	v := value{}
	named := *e
	named.caseData, named.field = true, true
	for _, x := range items {
		place := e
		if _, ok := stripParens(x).(*grammar.Column); ok {
			place = &named
		}
		v = combine(v, a.expr(x, place))
	}
	return plain(v)
}

// scalar resolves a subquery that stands for one value.
func (a *analysis) scalar(q *grammar.Query, e *env) value {
	rel := a.query(q, e, e.ctes, use{nameless: true})
	v := rel.all()
	if rel.open || len(rel.cols) != 1 {
		v.row = true
	}
	return settle(v)
}

// binary resolves a chain of operators of one level.
func (a *analysis) binary(x *grammar.Binary, e *env) value {
	compares, joins := false, true
	for i := range x.Rest {
		switch x.Rest[i].Op {
		case "=", "==", "<>", "!=", "<", "<=", ">", ">=", "<=>", "!<", "!>", "OVERLAPS":
			compares = true
		}
		joins = joins && x.Rest[i].Op == "||"
	}
	out := a.expr(x.First, e)
	if compares {
		out = activate(out)
	}
	out = settle(out)
	for i := range x.Rest {
		v := a.expr(x.Rest[i].X, e)
		if compares {
			v = activate(v)
		}
		out = combine(out, v)
	}
	if joins {
		return computed(out)
	}
	return plain(out)
}

// computed is the value of a function from strings to a string.
func computed(v value) value {
	v.text = !v.row && (v.text || v.literal)
	v.literal = false
	return v
}

func (a *analysis) in(x *grammar.In, e *env) value {
	v := activate(a.expr(x.X, e))
	for _, item := range x.List {
		v = combine(v, activate(a.expr(item, e)))
	}
	if x.Y != nil {
		v = combine(v, activate(a.expr(x.Y, e)))
	}
	if x.Query != nil {
		if !a.duck() && a.readsAsCall(x.Query) {
			a.misread = "Spark takes SELECT for a function here; write a FROM clause, or no parentheses behind SELECT"
			a.misreadAt = x.Query.Start
		}
		q := a.query(x.Query, e, e.ctes, use{nameless: true}).all()
		q.row, q.open = true, false
		v = combine(v, activate(q))
	}
	return plain(v)
}

// readsAsCall tells whether Spark takes IN (SELECT (a), b) for a list whose first element calls a function named select: it reserves no word, and
// looks for a list first.
func (a *analysis) readsAsCall(q *grammar.Query) bool {
	s, ok := q.Body.(*grammar.Select)
	if !ok || q.With != nil || !bareQuery(q) || len(s.From) > 0 || len(s.Items) == 0 || s.Where != nil || s.Quantifier != grammar.NoQuantifier || len(s.Hints) > 0 {
		return false
	}
	start := int(s.Items[0].X.Bounds().Start)
	return start < len(a.sql) && a.sql[start] == '('
}

func (a *analysis) like(x *grammar.Like, e *env) value {
	v := combine(a.expr(x.X, e), a.expr(x.Pattern, e), a.expr(x.Escape, e))
	for _, p := range x.Patterns {
		v = combine(v, a.expr(p, e))
	}
	return plain(v)
}

// caseExpr resolves CASE: its conditions decide.
func (a *analysis) caseExpr(x *grammar.Case, e *env) value {
	conds := value{}
	if x.Operand != nil {
		v := activate(a.expr(x.Operand, e))
		decided(v)
		conds = merge(conds, v)
	}
	branches := value{}
	for i := range x.Whens {
		v := a.expr(x.Whens[i].Cond, e)
		if x.Operand != nil {
			v = activate(v)
		}
		decided(v)
		conds = merge(conds, v)
		branches = merge(branches, a.expr(x.Whens[i].Then, e))
	}
	if x.Else != nil {
		branches = merge(branches, a.expr(x.Else, e))
	}
	branches = coerce(branches)
	conds.latent, conds.text, conds.literal = nil, false, false
	return settle(merge(conds, branches))
}

// columns resolves COLUMNS(..), which stands for columns by their names (DuckDB).
func (a *analysis) columns(x *grammar.Columns, e *env) value {
	a.spread++
	if x.Unpack {
		a.pinSpread(e)
	}
	inside := *e
	inside.opaqueNames = true
	var source *relation
	if len(x.Qualifier) > 0 {
		source = a.qualifiedStar(&x.Qualifier, e)
	} else if star, ok := x.Arg.(*grammar.Star); ok {
		source = &relation{}
		a.starItem(star, source, e)
		return settle(source.all())
	} else {
		source = a.everything(e)
	}
	if _, ok := x.Arg.(*grammar.Star); !ok {
		v := a.expr(x.Arg, &inside)
		decided(v)
	}
	return settle(source.all())
}

// written are names as they were written.
func written(idents []grammar.Ident) []string {
	var names []string
	for i := range idents {
		names = append(names, idents[i].Text)
	}
	return names
}

// foldParams notes that the case of lambda parameters is free; not in DuckDB, where a reference in another case may be a column.
func (a *analysis) foldParams(params []grammar.Ident) {
	for i := range params {
		if !a.duck() {
			a.foldIdent(&params[i])
		}
	}
}

// pinSpread keeps the names of all items in view where DuckDB prints them: the columns that are spread over an argument list or a FILTER have a
// qualifier in the text that becomes a name. COLUMNS(..) anywhere else makes an item a column, each called after its column alone.
func (a *analysis) pinSpread(e *env) {
	if !e.frozen || e.scope == nil {
		return
	}
	for _, it := range e.scope.items {
		it.pinned, it.asWritten = true, true
	}
}

// lambda resolves the body of a lambda, in which its parameters hide all else.
func (a *analysis) lambda(names []string, body grammar.Expr, e *env) value {
	inside := a.enter(names, e)
	v := a.expr(body, inside)
	a.leaveLambda(inside)
	return v
}

// tableArg resolves a table as an argument (Databricks).
func (a *analysis) tableArg(x *grammar.TableArg, e *env) value {
	inside := &env{scope: &scope{}, outer: e, ctes: e.ctes, frozen: e.frozen}
	var rel *relation
	if x.Query != nil {
		rel = a.query(x.Query, e, e.ctes, use{})
	} else {
		it := a.tableItem(&x.Name, nil, x.Start, e)
		rel = it.rel
	}
	a.add(inside.scope, &item{rel: rel, pinned: true})
	for _, p := range x.PartitionBy {
		decided(a.expr(p, inside))
	}
	for i := range x.OrderBy {
		decided(a.expr(x.OrderBy[i].X, inside))
	}
	v := rel.all()
	v.row = true
	return settle(v)
}

// window resolves a window: what it partitions and orders by decides.
func (a *analysis) window(w *grammar.Window, e *env) {
	if w == nil {
		return
	}
	defer func(spread int) {
		if a.spread > spread {
			a.pinSpread(e)
		}
	}(a.spread)
	a.foldIdent(&w.Name)
	for _, x := range w.PartitionBy {
		decided(a.expr(x, e))
	}
	for i := range w.OrderBy {
		if _, ok := w.OrderBy[i].X.(*grammar.All); !ok {
			decided(a.expr(w.OrderBy[i].X, e))
		}
	}
	if w.Frame != nil {
		for _, x := range []grammar.Expr{w.Frame.Low.X, w.Frame.High.X} {
			if x != nil {
				decided(a.expr(x, e))
			}
		}
	}
}

// foldIdent notes that the case of a name that never reaches a result is free.
func (a *analysis) foldIdent(x *grammar.Ident) {
	if x.Present() {
		a.folds = append(a.folds, x)
	}
}
