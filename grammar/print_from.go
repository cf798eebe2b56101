package grammar

func (x *Alias) print(p *printer) {
	if !x.Present() {
		return
	}
	p.s(" AS ")
	if x.Name.Present() {
		x.Name.print(p)
	}
	if len(x.Columns) > 0 {
		p.aliasColumns(x.Columns)
	}
}

func (p *printer) aliasColumns(list []AliasColumn) {
	p.s("(")
	for i := range list {
		p.if_(i > 0, ", ")
		list[i].print(p)
	}
	p.s(")")
}

func (x *AliasColumn) print(p *printer) {
	x.Name.print(p)
	if x.Type != nil {
		p.s(" ")
		x.Type.print(p)
	}
}

// suffix writes sample, watermark and alias in the dialect's order; travel is DuckDB's version, which stands between.
func (p *printer) suffix(x *Source, travel *TimeTravel) {
	if p.d.In(DuckDB) {
		x.Alias.print(p)
		if travel != nil {
			p.s(" ")
			travel.print(p)
		}
		if x.Sample != nil {
			p.s(" TABLESAMPLE ")
			x.Sample.print(p)
		}
		return
	}
	if x.IdentifiedBy.Present() {
		p.s(" IDENTIFIED BY ")
		x.IdentifiedBy.print(p)
	}
	if x.Sample != nil {
		p.s(" TABLESAMPLE ")
		x.Sample.print(p)
	}
	if x.Watermark != nil {
		p.s(" ")
		x.Watermark.print(p)
	}
	x.Alias.print(p)
}

func (x *Table) print(p *printer) {
	p.if_(x.Lateral, "LATERAL ")
	p.if_(x.Stream, "STREAM ")
	p.if_(x.StreamName, "(")
	p.tableName(&x.Name)
	p.if_(x.StreamName, ")")
	if p.d.In(DuckDB) {
		p.suffix(&x.Source, x.Travel)
		return
	}
	if x.Travel != nil {
		p.if_(x.Travel.Kind != TravelAt, " ")
		x.Travel.print(p)
	}
	if x.Changes != nil {
		p.s(" ")
		x.Changes.print(p)
	}
	if len(x.Options) > 0 {
		p.s(" WITH ")
		p.options(x.Options)
	}
	p.suffix(&x.Source, nil)
}

func (x *TimeTravel) print(p *printer) {
	switch {
	case x.Kind == TravelAt:
		p.s("@")
		p.s(x.At)
	case p.d.In(DuckDB):
		p.s("AT (VERSION => ")
		if x.Kind == TravelTimestamp {
			p.b = append(p.b[:len(p.b)-len("VERSION => ")], "TIMESTAMP => "...)
		}
		x.X.print(p)
		p.s(")")
	case x.Kind == TravelTimestamp:
		p.s("TIMESTAMP AS OF ")
		p.operand(x.X, sparkCompare+1, 0)
	default:
		p.s("VERSION AS OF ")
		x.X.print(p)
	}
}

func (x *Changes) print(p *printer) {
	word := "VERSION "
	if x.Kind == TravelTimestamp {
		word = "TIMESTAMP "
	}
	p.s("CHANGES")
	if x.From == nil {
		return
	}
	p.s(" FROM ")
	p.s(word)
	p.operand(x.From, sparkCompare+1, 0)
	p.if_(x.FromExclusive, " EXCLUSIVE")
	if x.To != nil {
		p.s(" TO ")
		p.s(word)
		p.operand(x.To, sparkCompare+1, 0)
		p.if_(x.ToExclusive, " EXCLUSIVE")
	}
}

func (x *TableFunction) print(p *printer) {
	p.if_(x.Lateral, "LATERAL ")
	p.if_(x.Stream, "STREAM ")
	p.if_(x.StreamName, "(")
	x.Call.print(p)
	p.if_(x.StreamName, ")")
	p.if_(x.Ordinality, " WITH ORDINALITY")
	p.suffix(&x.Source, nil)
}

func (x *Derived) print(p *printer) {
	p.if_(x.Lateral, "LATERAL ")
	p.s("(")
	x.Query.print(p)
	p.s(")")
	p.suffix(&x.Source, nil)
}

func (x *InlineValues) print(p *printer) {
	p.if_(x.Lateral, "LATERAL ")
	x.Values.print(p)
	p.suffix(&x.Source, nil)
}

func (x *ParenFrom) print(p *printer) {
	p.if_(x.Lateral, "LATERAL ")
	p.s("(")
	x.X.print(p)
	p.s(")")
	p.suffix(&x.Source, nil)
}

func (x *Joins) print(p *printer) {
	x.First.print(p)
	for i := range x.Rest {
		p.s(" ")
		x.Rest[i].print(p)
	}
}

var joinKinds = [...]string{JoinInner: "", JoinCross: "CROSS ", JoinLeft: "LEFT ", JoinRight: "RIGHT ", JoinFull: "FULL ",
	JoinSemi: "SEMI ", JoinAnti: "ANTI ", JoinPositional: "POSITIONAL ", JoinRightAnti: ""}

// joinTypes stand behind JOIN.
var joinTypes = [len(joinKinds)]string{JoinMark: "BY (TYPE MARK) ", JoinSingle: "BY (TYPE SINGLE) ", JoinRightSemi: "BY (TYPE RIGHT_SEMI) ",
	JoinRightAnti: "BY (TYPE RIGHT_ANTI) "}

func (x *Join) print(p *printer) {
	p.if_(x.Natural, "NATURAL ")
	p.if_(x.Asof, "ASOF ")
	if p.d.In(Databricks) && (x.Kind == JoinSemi || x.Kind == JoinAnti) {
		p.s("LEFT ")
	}
	p.s(joinKinds[x.Kind])
	p.s("JOIN ")
	p.s(joinTypes[x.Kind])
	x.Right.print(p)
	switch {
	case x.On != nil:
		p.clause("ON", x.On)
	case len(x.Using) > 0:
		p.s(" USING ")
		p.identParens(x.Using)
	case x.Nearest != nil:
		p.s(" ")
		x.Nearest.print(p)
	}
}

func (x *Nearest) print(p *printer) {
	p.s(x.Mode)
	p.if_(x.Mode != "", " ")
	p.s("NEAREST ")
	if x.Count != nil {
		x.Count.print(p)
		p.s(" ")
	}
	p.s("BY ")
	p.s(x.Measure)
	p.s(" ")
	x.X.print(p)
}

func (x *LateralView) print(p *printer) {
	p.s("LATERAL VIEW ")
	p.if_(x.Outer, "OUTER ")
	x.Call.print(p)
	p.s(" ")
	x.Alias.print(p)
	if len(x.Columns) > 0 {
		p.s(" AS ")
		p.idents(x.Columns)
	}
}

func (x *Sample) print(p *printer) {
	if p.d.In(Databricks) {
		if x.Method.Present() {
			p.word(&x.Method)
			p.s(" ")
		}
		p.s("(")
		if x.Unit == SampleBucket {
			p.s("BUCKET ")
			x.Count.print(p)
			p.s(" OUT OF ")
			x.OutOf.print(p)
			p.clause("ON", x.On)
		} else {
			p.sampleCount(x)
		}
		p.s(")")
		p.seed(x)
		return
	}
	if x.Method.Present() {
		p.word(&x.Method)
		p.s("(")
		p.sampleCount(x)
		p.s(")")
		p.seed(x)
		return
	}
	if x.Seed != nil {
		p.s("(")
		p.sampleCount(x)
		p.s(")")
		p.seed(x)
		return
	}
	p.sampleCount(x)
}

func (p *printer) sampleCount(x *Sample) {
	if x.Unit == SampleBytes {
		p.word(&x.Count.(*Column).Parts[0])
		return
	}
	p.operand(x.Count, p.levelAdd(), 0)
	switch {
	case x.Unit == SamplePercent:
		p.s(" PERCENT")
	case x.Unit == SampleRows:
		p.s(" ROWS")
	}
}

func (p *printer) seed(x *Sample) {
	if x.Seed != nil {
		p.s(" REPEATABLE (")
		x.Seed.print(p)
		p.s(")")
	}
}

func (x *Watermark) print(p *printer) {
	p.s("WATERMARK ")
	x.X.print(p)
	p.s(" DELAY OF ")
	x.Delay.print(p)
}

func (x *Pivot) print(p *printer) {
	if x.X != nil {
		x.X.print(p)
	}
	p.space()
	p.s("PIVOT (")
	p.items(x.Aggregates)
	p.s(" FOR ")
	for i := range x.For {
		p.if_(i > 0, " ")
		x.For[i].print(p)
	}
	if x.GroupBy != nil {
		p.s(" ")
		x.GroupBy.print(p)
	}
	p.s(")")
	x.Alias.print(p)
}

func (x *PivotFor) print(p *printer) {
	p.operand(x.Column, closed, 0)
	p.s(" IN ")
	p.pivotIn(x.Values, x.Enum, x.Query)
}

func (x *Unpivot) print(p *printer) {
	if x.X != nil {
		x.X.print(p)
	}
	p.space()
	p.s("UNPIVOT")
	p.unpivotNulls(x.Nulls)
	p.s(" (")
	p.if_(x.Parens, "(")
	p.idents(x.Values)
	p.if_(x.Parens, ")")
	p.s(" FOR ")
	x.Name.print(p)
	p.s(" IN (")
	for i := range x.In {
		p.if_(i > 0, ", ")
		item := &x.In[i]
		if r, ok := item.X.(*Row); ok && !r.Keyword {
			p.exprParens(r.Items)
		} else {
			item.X.print(p)
		}
		if item.Alias.Present() {
			p.s(" AS ")
			item.Alias.print(p)
		}
	}
	p.s("))")
	x.Alias.print(p)
}

func (x *MatchRecognize) print(p *printer) {
	x.X.print(p)
	p.s(" MATCH_RECOGNIZE (")
	if len(x.PartitionBy) > 0 {
		p.s("PARTITION BY ")
		p.exprs(x.PartitionBy)
	}
	if len(x.OrderBy) > 0 {
		p.space()
		p.orderBy(x.OrderBy)
	}
	if len(x.Measures) > 0 {
		p.space()
		p.s("MEASURES ")
		p.items(x.Measures)
	}
	p.words(x.Rows)
	if len(x.Skip) > 0 {
		p.space()
		p.s("AFTER MATCH SKIP")
		p.words(x.Skip)
	}
	p.space()
	p.s("PATTERN (")
	for i, t := range x.Pattern {
		p.if_(i > 0, " ")
		p.s(t)
	}
	p.s(")")
	for i := range x.Subsets {
		if i == 0 {
			p.s(" SUBSET ")
		} else {
			p.s(", ")
		}
		x.Subsets[i].print(p)
	}
	p.s(" DEFINE ")
	for i := range x.Define {
		p.if_(i > 0, ", ")
		x.Define[i].Alias.print(p)
		p.s(" AS ")
		x.Define[i].X.print(p)
	}
	p.s(")")
	x.Alias.print(p)
}

// words writes words as they were, in upper case where they had no quotes.
func (p *printer) words(list []Ident) {
	for i := range list {
		p.space()
		p.word(&list[i])
	}
}

func (x *MatchSubset) print(p *printer) {
	x.Name.print(p)
	p.s(" = ")
	p.identParens(x.Variables)
}

func (x *Transform) print(p *printer) {
	p.s(x.Verb)
	if x.Verb == "TRANSFORM" {
		p.s(" (")
	} else {
		p.s(" ")
	}
	p.if_(x.Quantifier == QuantDistinct, "DISTINCT ")
	p.if_(x.Quantifier == QuantAll, "ALL ")
	p.exprs(x.Args)
	p.if_(x.Verb == "TRANSFORM", ")")
	if x.In != nil {
		p.s(" ")
		x.In.print(p)
	}
	if x.Writer != nil {
		p.s(" RECORDWRITER ")
		x.Writer.print(p)
	}
	p.s(" USING ")
	x.Using.print(p)
	if len(x.Columns) > 0 {
		p.s(" AS ")
		p.if_(x.Parens, "(")
		for i := range x.Columns {
			p.if_(i > 0, ", ")
			x.Columns[i].print(p)
		}
		p.if_(x.Parens, ")")
	}
	if x.Out != nil {
		p.s(" ")
		x.Out.print(p)
	}
	if x.Reader != nil {
		p.s(" RECORDREADER ")
		x.Reader.print(p)
	}
}

func (x *RowFormat) print(p *printer) {
	p.s("ROW FORMAT ")
	if x.Serde != nil {
		p.s("SERDE ")
		x.Serde.print(p)
		if len(x.Properties) > 0 {
			p.s(" WITH SERDEPROPERTIES ")
			p.options(x.Properties)
		}
		return
	}
	p.s("DELIMITED")
	for _, c := range [...]struct {
		words string
		value *String
	}{
		{" FIELDS TERMINATED BY ", x.Fields}, {" ESCAPED BY ", x.Escaped}, {" COLLECTION ITEMS TERMINATED BY ", x.Collection},
		{" MAP KEYS TERMINATED BY ", x.MapKeys}, {" LINES TERMINATED BY ", x.Lines}, {" NULL DEFINED AS ", x.Null},
	} {
		if c.value != nil {
			p.s(c.words)
			c.value.print(p)
		}
	}
}

func (x *Pipe) print(p *printer) {
	x.Input.print(p)
	for _, op := range x.Ops {
		p.s(" |> ")
		op.print(p)
	}
}

func (x *PipeSelect) print(p *printer) {
	s := x.Select
	p.selectList(s)
	if s.GroupBy != nil {
		p.s(" ")
		s.GroupBy.print(p)
	}
	p.namedWindows(s.Windows)
}

func (x *PipeExtend) print(p *printer) {
	p.s("EXTEND ")
	p.items(x.Items)
}

func (x *PipeSet) print(p *printer) {
	p.s("SET ")
	for i := range x.Assigns {
		p.if_(i > 0, ", ")
		x.Assigns[i].print(p)
	}
}

func (x *Assign) print(p *printer) {
	x.Target.print(p)
	p.s(" = ")
	x.Value.print(p)
}

func (x *PipeDrop) print(p *printer) {
	p.s("DROP ")
	for i := range x.Columns {
		p.if_(i > 0, ", ")
		x.Columns[i].print(p)
	}
}

func (x *PipeAs) print(p *printer) {
	p.s("AS ")
	x.Alias.print(p)
}

func (x *PipeWhere) print(p *printer) {
	p.s("WHERE ")
	x.X.print(p)
}

func (x *PipeAggregate) print(p *printer) {
	p.s("AGGREGATE ")
	p.items(x.Items)
	if x.GroupBy != nil {
		p.space()
		x.GroupBy.print(p)
	}
}

func (x *PipeJoin) print(p *printer)  { x.Join.print(p) }
func (x *PipeUnion) print(p *printer) { x.Branch.print(p) }

func (x *PipeOrder) print(p *printer) {
	n := len(p.b)
	p.organization(x.Query)
	if n > 0 && len(p.b) > n && p.b[n-1] == ' ' && p.b[n] == ' ' {
		p.b = append(p.b[:n], p.b[n+1:]...)
	}
}

func (x *PipeSample) print(p *printer) {
	p.s("TABLESAMPLE ")
	x.Sample.print(p)
}

func (x *PipePivot) print(p *printer)   { x.Pivot.print(p) }
func (x *PipeUnpivot) print(p *printer) { x.Unpivot.print(p) }
