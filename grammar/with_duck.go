package grammar

import "strings"

// What only a WITH of DuckDB has: statements that write, and aggregates in USING KEY. Both are of 2.0.

// duckCTE parses what stands in the parentheses of a common table expression.
func (p *parser) duckCTE(c *CTE) {
	switch p.peek().word {
	case kwInsert, kwUpdate, kwDelete, kwTruncate, kwCopy:
		c.Statement = otherStatement(p, nil)
	case kwWith: // it may belong to an INSERT
		s := p.statementQuery()
		if q, ok := s.(*Query); ok {
			c.Query = q
		} else {
			c.Statement = s
		}
	default:
		c.Query = p.query()
	}
	switch s := c.Statement.(type) {
	case nil:
		return
	case *DuckInsert, *DuckUpdate, *DuckDelete, *DuckTruncate:
	case *DuckCopy:
		if s.Direction != "TO" {
			p.refuse(s.Start, "of COPY only COPY .. TO may stand in a WITH", "")
		}
	default:
		p.refuse(s.Bounds().Start, "a WITH holds queries, INSERT, UPDATE, DELETE, TRUNCATE and COPY .. TO", "")
	}
	p.writing = append(p.writing, c)
}

// checkWriting refuses a statement that writes in any WITH but that of the whole statement s: DuckDB reads such texts and then
// refuses them whatever the tables are.
func (p *parser) checkWriting(s Statement) {
	allowed := map[*CTE]bool{}
	if w := outerWith(s); w != nil {
		for _, c := range w.CTEs {
			allowed[c] = true
		}
	}
	for _, c := range p.writing {
		if !allowed[c] {
			p.refuse(c.Start, "only the WITH of a whole statement may write", "")
		}
	}
	p.writing = nil
}

// outerWith returns the WITH of a whole statement, or of the query or statement that it makes a table or a file of, prepares or
// explains.
func outerWith(s Statement) *With {
	for {
		switch x := s.(type) {
		case *Query:
			inner, ok := x.Body.(*ParenQuery)
			if x.With != nil || !ok {
				return x.With
			}
			s = inner.Query
		case *DuckInsert:
			return x.With
		case *DuckUpdate:
			return x.With
		case *DuckDelete:
			return x.With
		case *DuckMerge:
			return x.With
		case *DuckCreateTable:
			if x.Query == nil {
				return nil
			}
			s = x.Query
		case *DuckCopy:
			if x.Query == nil {
				return nil
			}
			s = x.Query.Statement
		case *Prepare:
			s = x.Statement
		case *DuckExplain:
			s = x.Statement
		default:
			return nil
		}
	}
}

// usingKey parses (key, ...) behind USING KEY: a column, or in DuckDB 2.0 aggregate [AS column].
func (p *parser) usingKey() []Expr {
	p.expectKind(kLParen)
	mark := p.exprs.mark()
	for {
		if k := p.look(1).kind; k == kComma || k == kRParen {
			x := p.identOrString("a column")
			p.exprs.add(&Column{Span: x.Span, Parts: []Ident{x}})
		} else if item := p.selectItem(); item.Alias.Present() {
			p.exprs.add(&Aliased{Span: item.Span, X: item.X, Alias: item.Alias})
		} else {
			p.exprs.add(item.X)
		}
		if !p.comma(kRParen) {
			break
		}
	}
	p.expectKind(kRParen)
	keys := p.exprs.take(mark)
	p.checkUsingKey(keys)
	return keys
}

// checkUsingKey refuses what DuckDB 2.0 refuses whatever the columns are: each key is a column or a plain call of an aggregate that
// says by its alias, or else by its first argument, which column it is kept in; no column has two such calls or is a key as well.
func (p *parser) checkUsingKey(keys []Expr) {
	columns, kept := map[string]bool{}, map[string]bool{}
	for _, key := range keys {
		if c, ok := inParens(key).(*Column); ok {
			columns[strings.ToLower(c.Parts[len(c.Parts)-1].Text)] = true
			continue
		}
		name, call := p.keptIn(key)
		if kept[name] {
			p.refuse(call.Start, "USING KEY has two aggregates for the column "+clip(name), "")
		}
		kept[name] = true
	}
	if len(columns) == 0 {
		p.refuse(keys[0].Bounds().Start, "USING KEY needs a column", "")
	}
	for _, key := range keys {
		if _, ok := inParens(key).(*Column); ok {
			continue
		}
		if name, call := p.keptIn(key); columns[name] {
			p.refuse(call.Start, "the column "+clip(name)+" is a key and can't hold an aggregate", "")
		}
	}
}

// keptIn returns the column, in lower case, that an aggregate of USING KEY is kept in, and its call.
func (p *parser) keptIn(key Expr) (string, *Call) {
	alias, aliased := key.(*Aliased)
	x := key
	if aliased {
		x = alias.X
	}
	c, ok := inParens(x).(*Call)
	switch {
	case !ok || c.Receiver != nil || c.Over != nil:
		p.refuse(x.Bounds().Start, "USING KEY takes columns and aggregates", "")
	case c.Quantifier != NoQuantifier || c.OrderBy != nil || c.WithinGroup != nil || c.Filter != nil:
		p.refuse(c.Start, "an aggregate of USING KEY has neither DISTINCT, ORDER BY nor FILTER", "")
	}
	Walk(c, func(n Node) bool {
		_, query := n.(*Query)
		if query {
			p.refuse(n.Bounds().Start, "an aggregate of USING KEY has no subquery", "")
		}
		if s, ok := n.(*Star); ok && (len(c.Args) != 1 || inParens(c.Args[0]) != Expr(s)) {
			p.refuse(s.Start, "a star is no value here", "")
		}
		return true
	})
	if aliased {
		return strings.ToLower(alias.Alias.Text), c
	}
	if len(c.Args) > 0 {
		if first, ok := inParens(c.Args[0]).(*Column); ok {
			return strings.ToLower(first.Parts[len(first.Parts)-1].Text), c
		}
	}
	p.refuse(c.Start, "this aggregate needs AS and the column that it is kept in", "")
	return "", nil
}

// inParens returns x without the parentheses around it.
func inParens(x Expr) Expr {
	for {
		p, ok := x.(*Paren)
		if !ok {
			return x
		}
		x = p.X
	}
}
