package normalize

import (
	"hodor/grammar"
)

// shape gives queries that mean the same by their grammar one form:
//
//	FROM t SELECT a, FROM t, TABLE t       SELECT a FROM t, SELECT * FROM t
//	SELECT ALL a                           SELECT a
//	(SELECT ..) as a body or branch        SELECT ..
//	(t JOIN u ..) JOIN v                   t JOIN u .. JOIN v
//	t JOIN u without condition             t CROSS JOIN u (Databricks)
//	UNION DISTINCT                         UNION
//	x.id AS id                             x.id (Databricks)
//	FETCH FIRST n ROWS ONLY, LIMIT ALL     LIMIT n, nothing
//
// Safe because the engines' own parsers make one tree of each pair. Parentheses stay around a query with a WITH or an ORDER BY of its own, around a
// UNION inside an INTERSECT or on the right side of another, and around joins that are not the first of their chain (T38, T39, T49).
//
// On its way it notes where the literals are, and which names the new ones of pass_names may not be.
func (a *analysis) shape(file *grammar.File) {
	var source *grammar.Select // of several INSERTs: FROM alone, which is no SELECT *
	grammar.Walk(file, func(n grammar.Node) bool {
		switch n := n.(type) {
		case *grammar.Ident:
			a.noteName(n.Text)
		case *grammar.String:
			a.literals = append(a.literals, n.Span)
		case *grammar.Number:
			a.literals = append(a.literals, n.Span)
		case *grammar.MultiInsert:
			source = n.From
		case *grammar.Query:
			a.shapeQuery(n)
		case *grammar.SetOp:
			a.shapeSetOp(n)
		case *grammar.Pipe:
			n.Input = unwrap(n.Input)
			if _, isSet := n.Input.(*grammar.SetOp); !isSet {
				n.Input = tableAsSelect(n.Input)
			}
		case *grammar.Select:
			if n != source {
				a.shapeSelect(n)
			}
		case *grammar.Joins:
			a.shapeJoins(n)
		case *grammar.PipeJoin:
			a.shapeJoin(&n.Join)
		case *grammar.Pivot:
			n.X = bareSingle(n.X)
		case *grammar.Unpivot:
			n.X = bareSingle(n.X)
		}
		return true
	})
}

func (a *analysis) shapeQuery(q *grammar.Query) {
	for {
		paren, ok := q.Body.(*grammar.ParenQuery)
		if !ok {
			break
		}
		inner := paren.Query
		if _, isShow := inner.Body.(*grammar.ShowQuery); isShow {
			return // DESCRIBE is a query only in parentheses
		}
		switch {
		case bareQuery(q) && q.With == nil:
			// Nothing stands around the parentheses: all clauses are those of the query inside.
			*q = *inner
		case bareQuery(q) && inner.With == nil:
			with, span := q.With, q.Span
			*q = *inner
			q.With, q.Span = with, span
		case bareQuery(inner) && inner.With == nil:
			q.Body = inner.Body
		case onlyLimit(q) && inner.With == nil && inner.Limit == nil:
			limit, with, span := q.Limit, q.With, q.Span
			*q = *inner
			q.Limit, q.With, q.Span = limit, with, span
		default:
			return
		}
	}
	if _, isPipe := q.Body.(*grammar.Pipe); !isPipe {
		q.Body = tableAsSelect(q.Body)
	}
	if l := q.Limit; l != nil {
		if l.Fetch {
			l.Fetch = false
			if l.Count == nil {
				l.Count = &grammar.Number{Text: "1"}
			}
		}
		if noLimit(l) {
			q.Limit = nil
		}
		l.All = false
	}
}

// bareQuery tells whether a query has no clause behind its body.
func bareQuery(q *grammar.Query) bool {
	return onlyLimit(q) && (q.Limit == nil || noLimit(q.Limit))
}

// onlyLimit tells whether a LIMIT is all that stands behind a query's body.
func onlyLimit(q *grammar.Query) bool {
	return len(q.OrderBy)+len(q.ClusterBy)+len(q.DistributeBy)+len(q.SortBy)+len(q.Windows) == 0
}

// noLimit tells whether a LIMIT ALL is all that there is.
func noLimit(l *grammar.Limit) bool { return l.All && l.Count == nil && l.Offset == nil && !l.Fetch }

// unwrap drops parentheses around a branch that has nothing of its own.
func unwrap(b grammar.Body) grammar.Body {
	for {
		paren, ok := b.(*grammar.ParenQuery)
		if !ok || !bareQuery(paren.Query) || paren.Query.With != nil {
			return b
		}
		switch paren.Query.Body.(type) {
		case *grammar.Select, *grammar.Values, *grammar.TableQuery, *grammar.ParenQuery:
			b = paren.Query.Body
		default:
			return b
		}
	}
}

// tableAsSelect turns TABLE t into SELECT * FROM t.
func tableAsSelect(b grammar.Body) grammar.Body {
	t, ok := b.(*grammar.TableQuery)
	if !ok {
		return b
	}
	return &grammar.Select{
		Span:  t.Span,
		Items: []grammar.SelectItem{{X: &grammar.Star{}}},
		From:  []grammar.FromItem{&grammar.Table{Span: t.Name.Span, Name: t.Name}},
	}
}

// level tells INTERSECT, which binds tighter, from the other set operations.
func level(s *grammar.SetOp) bool { return s.Rest[0].Op == grammar.SetIntersect }

func (a *analysis) shapeSetOp(s *grammar.SetOp) {
	// (a UNION b) UNION c is a UNION b UNION c. The chains are gathered first and joined once.
	var chains [][]grammar.SetBranch
	for {
		s.First = unwrap(s.First)
		inner, ok := bareSetOp(s.First)
		if !ok {
			break
		}
		if level(inner) != level(s) {
			if level(inner) {
				s.First = inner
			}
			break
		}
		s.First = inner.First
		chains = append(chains, inner.Rest)
	}
	if len(chains) > 0 {
		var rest []grammar.SetBranch
		for i := len(chains) - 1; i >= 0; i-- {
			rest = append(rest, chains[i]...)
		}
		s.Rest = append(rest, s.Rest...)
	}
	s.First = tableAsSelect(s.First)
	for i := range s.Rest {
		branch := &s.Rest[i]
		branch.Body = tableAsSelect(unwrap(branch.Body))
		if inner, ok := bareSetOp(branch.Body); ok && level(inner) && !level(s) {
			branch.Body = inner
		}
		if branch.Quantifier == grammar.QuantDistinct {
			branch.Quantifier = grammar.NoQuantifier
		}
	}
}

// bareSetOp returns the set operation in parentheses that have nothing else.
func bareSetOp(b grammar.Body) (*grammar.SetOp, bool) {
	paren, ok := b.(*grammar.ParenQuery)
	if !ok || !bareQuery(paren.Query) || paren.Query.With != nil {
		return nil, false
	}
	s, ok := paren.Query.Body.(*grammar.SetOp)
	return s, ok
}

func (a *analysis) shapeSelect(s *grammar.Select) {
	s.FromFirst = false
	if s.NoSelect {
		s.NoSelect = false
		s.Items = []grammar.SelectItem{{X: &grammar.Star{}}}
	}
	if s.Quantifier == grammar.QuantAll {
		s.Quantifier = grammar.NoQuantifier
	}
	for i := range s.From {
		s.From[i] = bareItem(s.From[i])
	}
	if !a.duck() && len(s.From) > 0 {
		for i := range s.Items {
			a.ownName(&s.Items[i])
		}
	}
}

// ownName drops an alias that is the column's name as it is written: Spark calls the column of the result so anyway. DuckDB calls it as the table does.
func (a *analysis) ownName(item *grammar.SelectItem) {
	c, ok := stripParens(item.X).(*grammar.Column)
	if !ok || !item.Alias.Present() || len(item.Aliases) > 0 {
		return
	}
	last := &c.Parts[len(c.Parts)-1]
	if last.Text != item.Alias.Text || last.Quote == grammar.ClauseQuote || item.Alias.Quote == grammar.ClauseQuote {
		return
	}
	if len(c.Parts) == 1 && a.bareWord(lower(last.Text)) {
		return // current_date is called current_date()
	}
	item.Alias = grammar.Ident{}
}

// bareItem drops parentheses around a FROM item.
func bareItem(x grammar.FromItem) grammar.FromItem {
	for {
		paren, ok := x.(*grammar.ParenFrom)
		if !ok || paren.Alias.Present() || paren.Lateral || paren.Sample != nil || paren.Watermark != nil {
			return x
		}
		x = paren.X
	}
}

// bareSingle drops parentheses around one item; around a join they say what belongs together.
func bareSingle(x grammar.FromItem) grammar.FromItem {
	if x == nil {
		return nil
	}
	inner := bareItem(x)
	if _, joins := inner.(*grammar.Joins); joins {
		return x
	}
	return inner
}

func (a *analysis) shapeJoins(j *grammar.Joins) {
	var chains [][]grammar.Join
	for {
		j.First = bareItem(j.First)
		inner, ok := j.First.(*grammar.Joins)
		if !ok {
			break
		}
		j.First = inner.First
		chains = append(chains, inner.Rest)
	}
	if len(chains) > 0 {
		var rest []grammar.Join
		for i := len(chains) - 1; i >= 0; i-- {
			rest = append(rest, chains[i]...)
		}
		j.Rest = append(rest, j.Rest...)
	}
	for i := range j.Rest {
		a.shapeJoin(&j.Rest[i])
	}
}

func (a *analysis) shapeJoin(j *grammar.Join) {
	j.Right = bareSingle(j.Right)
	if !a.duck() && j.Kind == grammar.JoinInner && j.On == nil && len(j.Using) == 0 && !j.Natural && j.Nearest == nil {
		j.Kind = grammar.JoinCross
	}
}
