package grammar

func (x *Query) print(p *printer) {
	if x.With != nil {
		x.With.print(p)
		p.s(" ")
	}
	if x.Body != nil {
		x.Body.print(p)
	}
	p.organization(x)
}

// organization writes the clauses that end a query.
func (p *printer) organization(x *Query) {
	if len(x.OrderBy) > 0 {
		p.space()
		p.orderBy(x.OrderBy)
	}
	if len(x.ClusterBy) > 0 {
		p.space()
		p.s("CLUSTER BY ")
		p.exprs(x.ClusterBy)
	}
	if len(x.DistributeBy) > 0 {
		p.space()
		p.s("DISTRIBUTE BY ")
		p.exprs(x.DistributeBy)
	}
	if len(x.SortBy) > 0 {
		p.space()
		p.s("SORT BY ")
		p.sorts(x.SortBy)
	}
	p.namedWindows(x.Windows)
	if x.Limit != nil {
		p.space()
		x.Limit.print(p)
	}
}

func (x *With) print(p *printer) {
	p.s("WITH ")
	p.if_(x.Recursive, "RECURSIVE ")
	for i, c := range x.CTEs {
		p.if_(i > 0, ", ")
		c.print(p)
	}
}

func (x *CTE) print(p *printer) {
	x.Name.print(p)
	p.identParens(x.Columns)
	if x.MaxRecursion != nil {
		p.s(" MAX RECURSION LEVEL ")
		p.operand(x.MaxRecursion, p.levelAdd(), 0)
	}
	if len(x.UsingKey) > 0 {
		p.s(" USING KEY ")
		p.exprParens(x.UsingKey)
	}
	p.s(" AS ")
	p.if_(x.Materialized == MaterializedYes, "MATERIALIZED ")
	p.if_(x.Materialized == MaterializedNo, "NOT MATERIALIZED ")
	p.s("(")
	if x.Query != nil {
		x.Query.print(p)
	} else {
		x.Statement.print(p)
	}
	p.s(")")
}

func (x *Select) print(p *printer) {
	if x.FromFirst {
		p.fromClause(x)
	}
	if !x.NoSelect {
		p.space()
		p.selectList(x)
	}
	if !x.FromFirst {
		p.fromClause(x)
	}
	p.clause("WHERE", x.Where)
	if x.GroupBy != nil {
		p.space()
		x.GroupBy.print(p)
	}
	p.clause("HAVING", x.Having)
	p.namedWindows(x.Windows)
	p.clause("QUALIFY", x.Qualify)
	if x.Sample != nil {
		p.s(" USING SAMPLE ")
		x.Sample.print(p)
	}
}

// selectList writes SELECT and its items.
func (p *printer) selectList(x *Select) {
	if x.Transform != nil {
		p.if_(x.Transform.Verb == "TRANSFORM", "SELECT ")
		x.Transform.print(p)
		return
	}
	p.s("SELECT ")
	if len(x.Hints) > 0 {
		p.s("/*+ ")
		for i := range x.Hints {
			p.if_(i > 0, ", ")
			x.Hints[i].print(p)
		}
		p.s(" */ ")
	}
	p.if_(x.Quantifier == QuantDistinct, "DISTINCT ")
	p.if_(x.Quantifier == QuantAll, "ALL ")
	if len(x.DistinctOn) > 0 {
		p.s("ON ")
		p.exprParens(x.DistinctOn)
		p.s(" ")
	}
	p.items(x.Items)
}

func (p *printer) items(list []SelectItem) {
	for i := range list {
		p.if_(i > 0, ", ")
		list[i].print(p)
	}
}

func (x *SelectItem) print(p *printer) {
	x.X.print(p)
	if x.Alias.Present() {
		p.s(" AS ")
		x.Alias.print(p)
	} else if len(x.Aliases) > 0 {
		p.s(" AS ")
		p.identParens(x.Aliases)
	}
}

func (x *Hint) print(p *printer) {
	p.word(&x.Name)
	if x.Parens {
		p.exprParens(x.Args)
	}
}

// fromClause writes FROM and what belongs to it.
func (p *printer) fromClause(x *Select) {
	for i, f := range x.From {
		if i > 0 {
			p.s(", ")
		} else {
			p.space()
			p.s("FROM ")
		}
		f.print(p)
	}
	for i := range x.LateralViews {
		p.s(" ")
		x.LateralViews[i].print(p)
	}
	if x.Pivot != nil {
		x.Pivot.print(p)
	}
	if x.Unpivot != nil {
		x.Unpivot.print(p)
	}
}

func (x *GroupBy) print(p *printer) {
	p.s("GROUP BY ")
	p.exprs(x.Items)
	switch x.With {
	case GroupRollup:
		p.s(" WITH ROLLUP")
	case GroupCube:
		p.s(" WITH CUBE")
	case GroupSets:
		p.s(" GROUPING SETS ")
		p.exprParens(x.Sets)
	}
}

func (x *Grouping) print(p *printer) {
	switch x.Kind {
	case GroupRollup:
		p.s("ROLLUP ")
	case GroupCube:
		p.s("CUBE ")
	default:
		p.s("GROUPING SETS ")
	}
	p.exprParens(x.Items)
}

func (x *All) print(p *printer) { p.s("ALL") }

func (p *printer) orderBy(list []Sort) {
	p.s("ORDER BY ")
	p.sorts(list)
}

func (p *printer) sorts(list []Sort) {
	for i := range list {
		p.if_(i > 0, ", ")
		list[i].print(p)
	}
}

func (x *Sort) print(p *printer) {
	x.X.print(p)
	p.if_(x.Direction == SortAsc, " ASC")
	p.if_(x.Direction == SortDesc, " DESC")
	p.if_(x.Nulls == SortNullsFirst, " NULLS FIRST")
	p.if_(x.Nulls == SortNullsLast, " NULLS LAST")
}

func (x *Limit) print(p *printer) {
	switch {
	case x.All:
		p.s("LIMIT ALL")
	case x.Count != nil && !x.Fetch:
		p.s("LIMIT ")
		x.Count.print(p)
		p.if_(x.Percent, " %")
	}
	p.clause("OFFSET", x.Offset)
	if x.Fetch {
		p.space()
		p.s("FETCH FIRST ")
		if x.Count != nil {
			p.operand(x.Count, duckUnary, 0)
			p.s(" ")
		}
		p.s("ROWS ONLY")
	}
}

func (p *printer) namedWindows(list []NamedWindow) {
	for i := range list {
		if i == 0 {
			p.space()
			p.s("WINDOW ")
		} else {
			p.s(", ")
		}
		list[i].print(p)
	}
}

func (x *NamedWindow) print(p *printer) {
	x.Name.print(p)
	p.s(" AS ")
	x.Window.print(p)
}

func (x *SetOp) print(p *printer) {
	x.First.print(p)
	for i := range x.Rest {
		p.s(" ")
		x.Rest[i].print(p)
	}
}

var setKinds = [...]string{SetUnion: "UNION", SetExcept: "EXCEPT", SetIntersect: "INTERSECT"}

func (x *SetBranch) print(p *printer) {
	p.s(setKinds[x.Op])
	p.if_(x.Quantifier == QuantAll, " ALL")
	p.if_(x.Quantifier == QuantDistinct, " DISTINCT")
	p.if_(x.ByName, " BY NAME")
	p.s(" ")
	if s, ok := x.Body.(*SetOp); ok && (x.Op == SetIntersect || s.Rest[0].Op != SetIntersect) {
		p.s("(")
		s.print(p)
		p.s(")")
		return
	}
	x.Body.print(p)
}

func (x *Values) print(p *printer) {
	p.s("VALUES ")
	for i, r := range x.Rows {
		p.if_(i > 0, ", ")
		if row, ok := r.(*Row); ok && !row.Keyword {
			p.exprParens(row.Items)
			continue
		}
		r.print(p)
	}
	x.Alias.print(p)
}

func (x *TableQuery) print(p *printer) {
	p.s("TABLE ")
	p.tableName(&x.Name)
}

func (x *ParenQuery) print(p *printer) {
	p.s("(")
	x.Query.print(p)
	p.s(")")
}

func (x *MultiSelect) print(p *printer) {
	p.fromClause(&Select{From: x.From, LateralViews: x.LateralViews})
	for _, b := range x.Branches {
		p.s(" ")
		b.print(p)
	}
}

func (x *ShowQuery) print(p *printer) {
	p.s(x.Verb)
	for i := range x.Words {
		p.s(" ")
		p.word(&x.Words[i])
	}
	if x.Name != nil {
		p.if_(len(x.Words) > 0, " FROM")
		p.s(" ")
		p.tableName(x.Name)
	}
	if x.Query != nil {
		p.s(" ")
		x.Query.print(p)
	}
}

func (x *PivotQuery) print(p *printer) {
	p.s("PIVOT ")
	x.Source.print(p)
	for i := range x.On {
		if i == 0 {
			p.s(" ON ")
		} else {
			p.s(", ")
		}
		x.On[i].print(p)
	}
	if len(x.Using) > 0 {
		p.s(" USING ")
		p.items(x.Using)
	}
	if x.GroupBy != nil {
		p.s(" ")
		x.GroupBy.print(p)
	}
}

func (x *PivotOn) print(p *printer) {
	p.operand(x.X, duckCompare, 0)
	if x.HasIn {
		p.s(" IN ")
		p.pivotIn(x.Values, x.Enum, x.Query)
	}
	if x.Alias.Present() {
		p.s(" AS ")
		x.Alias.print(p)
	}
}

// pivotIn writes what follows IN in a pivot.
func (p *printer) pivotIn(values []SelectItem, enum *Name, q *Query) {
	if enum != nil {
		enum.print(p)
		return
	}
	p.s("(")
	if q != nil {
		q.print(p)
	}
	p.items(values)
	p.s(")")
}

func (x *UnpivotQuery) print(p *printer) {
	p.s("UNPIVOT ")
	x.Source.print(p)
	p.unpivotNulls(x.Nulls)
	p.s(" ON ")
	p.items(x.On)
	if x.Into {
		p.s(" INTO NAME ")
		x.Name.print(p)
		p.s(" VALUE ")
		p.idents(x.Values)
	}
}

func (p *printer) unpivotNulls(n UnpivotNulls) {
	p.if_(n == UnpivotInclude, " INCLUDE NULLS")
	p.if_(n == UnpivotExclude, " EXCLUDE NULLS")
}
