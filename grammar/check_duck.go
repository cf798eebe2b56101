package grammar

import (
	"strconv"
	"strings"
)

// Rules that DuckDB's parser checks beside its grammar, so that breaking one is a parser error there. Only what both 1.5 and
// 2.0 refuse, or what no version could run, is refused here.

// windowScope remembers what belongs to the queries around.
type windowScope struct{ refs, defs int }

func (p *parser) openWindows() windowScope {
	p.windowLevel++
	return windowScope{len(p.windowRefs), len(p.windowDefs)}
}

// closeWindows resolves the references to named windows that the query leaves open; what it does not define may be defined
// by a query around it. Each reference is taken up once, whatever the number of queries around it.
func (p *parser) closeWindows(s windowScope) {
	p.windowLevel--
	if p.d.In(Databricks) {
		return
	}
	for i := len(p.windowDefs) - 1; i >= s.defs; i-- {
		def := &p.windowDefs[i]
		open := p.windowOpen[strings.ToLower(def.Name.Text)]
		first := len(open)
		for first > 0 && open[first-1] >= s.refs {
			first--
		}
		for _, ref := range open[first:] {
			if w := p.windowRefs[ref]; w.Parens {
				p.checkCopy(w, def.Window)
			}
			p.windowRefs[ref] = nil
		}
		if first < len(open) {
			p.windowOpen[strings.ToLower(def.Name.Text)] = open[:first]
		}
	}
	p.windowDefs = p.windowDefs[:s.defs]
	if p.windowLevel > 0 {
		return
	}
	for _, w := range p.windowRefs[s.refs:] {
		if w != nil {
			p.refuse(w.Name.Start, "the window "+clip(w.Name.Text)+" does not exist", "")
		}
	}
	p.windowRefs = p.windowRefs[:s.refs]
}

// referWindow notes a reference to a named window.
func (p *parser) referWindow(w *Window) {
	if p.d.In(Databricks) {
		return
	}
	if p.windowOpen == nil {
		p.windowOpen = map[string][]int{}
	}
	name := strings.ToLower(w.Name.Text)
	p.windowOpen[name] = append(p.windowOpen[name], len(p.windowRefs))
	p.windowRefs = append(p.windowRefs, w)
}

// defineWindows notes the windows of a WINDOW clause.
func (p *parser) defineWindows(list []NamedWindow) {
	if p.d.In(Databricks) {
		return
	}
	seen := make(map[string]bool, len(list))
	for i := range list {
		w := &list[i]
		if name := strings.ToLower(w.Name.Text); seen[name] {
			p.refuse(w.Name.Start, "the window "+clip(w.Name.Text)+" is defined twice", "")
		} else {
			seen[name] = true
		}
		p.windowDefs = append(p.windowDefs, *w)
	}
}

// checkCopy checks (name ..) against the window that it extends.
func (p *parser) checkCopy(w, def *Window) {
	switch {
	case def.Frame != nil:
		p.refuse(w.Start, "the window "+clip(w.Name.Text)+" has a frame and can't be extended", "")
	case def.PartitionBy != nil && w.PartitionBy != nil:
		p.refuse(w.Start, "PARTITION BY of the window "+clip(w.Name.Text)+" can't be overridden", "")
	case def.OrderBy != nil && w.OrderBy != nil:
		p.refuse(w.Start, "ORDER BY of the window "+clip(w.Name.Text)+" can't be overridden", "")
	}
}

// checkWindow checks a window in parentheses.
func (p *parser) checkWindow(w *Window) {
	if w.Name.Present() {
		p.referWindow(w)
	}
	for i := range w.OrderBy {
		if _, ok := w.OrderBy[i].X.(*All); ok {
			p.refuse(w.OrderBy[i].Start, "a window can't be ordered by ALL", "")
		}
		p.noWindow(w.OrderBy[i].X)
	}
	for _, x := range w.PartitionBy {
		p.noWindow(x)
	}
	f := w.Frame
	if f == nil {
		return
	}
	low, high := f.Low.Kind, f.High.Kind
	if !f.Between {
		high = BoundCurrentRow
	}
	switch {
	case low == BoundUnboundedFollowing:
		p.refuse(f.Start, "a frame can't start with UNBOUNDED FOLLOWING", "")
	case high == BoundUnboundedPreceding:
		p.refuse(f.Start, "a frame can't end with UNBOUNDED PRECEDING", "")
	case low == BoundCurrentRow && high == BoundPreceding,
		low == BoundFollowing && (high == BoundPreceding || high == BoundCurrentRow):
		p.refuse(f.Start, "the frame ends before it starts", "")
	}
}

// noWindow refuses a window function as an element of a window.
func (p *parser) noWindow(x Expr) {
	if c, ok := x.(*Call); ok && c.Over != nil {
		p.refuse(c.Start, "a window function can't be part of a window", "")
	}
}

// checkRecursive refuses ORDER BY and LIMIT of a recursive union, and a statement that is no query.
func (p *parser) checkRecursive(w *With) {
	for _, c := range w.CTEs {
		if c.Query == nil {
			p.refuse(c.Statement.Bounds().Start, "WITH RECURSIVE holds queries only", "")
		}
		q, at := c.Query, int32(-1)
		for {
			if q.OrderBy != nil {
				at = q.OrderBy[0].Start
			}
			if q.Limit != nil {
				at = q.Limit.Start
			}
			inner, ok := q.Body.(*ParenQuery)
			if !ok {
				break
			}
			q = inner.Query
		}
		if s, ok := q.Body.(*SetOp); ok && at >= 0 && s.Rest[len(s.Rest)-1].Op == SetUnion {
			p.refuse(at, "ORDER BY, LIMIT and OFFSET are not allowed in a recursive union", "")
		}
	}
}

// checkValues refuses rows of different lengths.
func (p *parser) checkValues(v *Values) {
	first := v.Rows[0].(*Row)
	for _, r := range v.Rows[1:] {
		if r := r.(*Row); len(r.Items) != len(first.Items) {
			p.refuse(r.Start, "the rows of VALUES have different lengths", "")
		}
	}
}

// checkStar refuses a column that is named twice in the modifiers of a star.
func (p *parser) checkStar(x *Star) {
	if len(x.Qualifier) > 1 {
		p.refuse(x.Start, "one name at most stands before a star", "")
	}
	if x.Exclude == nil && x.Replace == nil && x.Rename == nil {
		return
	}
	seen := map[string]string{}
	note := func(name, list string, at int32) {
		name = strings.ToLower(name)
		if other, ok := seen[name]; ok && (other == list && list != "RENAME" || other != list) {
			p.refuse(at, "the column "+clip(name)+" is named twice in "+other+" and "+list, "")
		}
		seen[name] = list
	}
	qualified, columns := map[string]bool{}, map[string]bool{}
	for i := range x.Exclude {
		c := &x.Exclude[i]
		last := strings.ToLower(c.Parts[len(c.Parts)-1].Text)
		if len(c.Parts) == 1 {
			if columns[last] {
				p.refuse(c.Start, "the column "+clip(last)+" is named twice in EXCLUDE", "")
			}
			note(last, "EXCLUDE", c.Start)
			continue
		}
		if _, ok := seen[last]; ok {
			p.refuse(c.Start, "the column "+clip(last)+" is named twice in EXCLUDE", "")
		}
		columns[last] = true
		key := ""
		for j := range c.Parts {
			key += strings.ToLower(c.Parts[j].Text) + "\x00"
		}
		if qualified[key] {
			p.refuse(c.Start, "the column is named twice in EXCLUDE", "")
		}
		qualified[key] = true
	}
	for i := range x.Replace {
		if x.Replace[i].Aliases == nil {
			note(x.Replace[i].Alias.Text, "REPLACE", x.Replace[i].Start)
		}
	}
	for i := range x.Rename {
		if len(x.Rename[i].Old.Parts) == 1 {
			note(x.Rename[i].Old.Parts[0].Text, "RENAME", x.Rename[i].Start)
		}
	}
}

// checkSample refuses sizes out of range.
func (p *parser) checkSample(s *Sample) {
	n, ok := s.Count.(*Number)
	if !ok {
		return
	}
	most := 1e9
	if s.Unit == SamplePercent {
		most = 100
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(n.Text, "_", ""), 64)
	if err == nil && v > most {
		p.refuse(n.Start, "the sample is too large", "")
	}
}

// mostGroupingSets is DuckDB's bound.
const mostGroupingSets = 65535

// checkGrouping refuses a GROUP BY of too many grouping sets.
func (p *parser) checkGrouping(g *GroupBy) {
	total := 1
	for _, x := range g.Items {
		if total *= groupingSets(x); total > mostGroupingSets {
			p.refuse(g.Start, "GROUP BY has more than 65535 grouping sets", "")
		}
	}
}

// groupingSets counts the grouping sets of an element, up to one more than the bound.
func groupingSets(x Expr) int {
	g, ok := x.(*Grouping)
	if !ok {
		return 1
	}
	n := len(g.Items)
	switch g.Kind {
	case GroupCube:
		if n > 16 {
			n = 16
		}
		return 1 << n
	case GroupRollup:
		return n + 1
	}
	total := 0
	for _, y := range g.Items {
		if total += groupingSets(y); total > mostGroupingSets {
			break
		}
	}
	return total
}

// checkPivotOn refuses constants and queries as pivot columns.
func (p *parser) checkPivotOn(x Expr) {
	switch x.(type) {
	case *String, *Number, *Null, *Bool, *TypedLiteral:
		p.refuse(x.Bounds().Start, "a constant is no column to pivot on", "")
	case *Subquery:
		p.refuse(x.Bounds().Start, "a query is no column to pivot on", "")
	}
	column := false
	Walk(x, func(n Node) bool {
		_, named := n.(*Column)
		column = column || named
		return !column
	})
	if !column {
		p.refuse(x.Bounds().Start, "what has no column is nothing to pivot on", "")
	}
}

// pivotGroupBy parses the GROUP BY of a PIVOT: plain names.
func (p *parser) pivotGroupBy() *GroupBy {
	g := p.groupBy()
	for _, x := range g.Items {
		if y, ok := x.(*Paren); ok {
			x = y.X
		}
		names := []Expr{x}
		if row, ok := x.(*Row); ok && len(row.Items) > 0 {
			names = row.Items
		}
		for _, name := range names {
			if c, ok := name.(*Column); !ok || len(c.Parts) != 1 {
				p.refuse(name.Bounds().Start, "PIVOT groups by names of columns only", "")
			}
		}
	}
	return g
}

// comparison reports whether ANY, SOME and ALL may follow op.
func comparison(op string) bool {
	switch op {
	case "=", "==", "<>", "!=", "<", "<=", ">", ">=":
		return true
	case "~", "!~", "~*", "!~*": // a list of patterns in 2.0
		return true
	}
	return false
}

// mostArguments bounds the arguments of window functions.
var mostArguments = map[string]int{
	"ROW_NUMBER": 0, "RANK": 1, "DENSE_RANK": 1, "PERCENT_RANK": 1, "CUME_DIST": 1, "NTILE": 1, "FIRST_VALUE": 1,
	"LAST_VALUE": 1, "NTH_VALUE": 2, "LAG": 3, "LEAD": 3,
}

// duckCall checks what DuckDB's parser checks of a finished call.
func (p *parser) duckCall(c *Call) Expr {
	if c.ExportState && c.Over != nil {
		p.refuse(c.Start, "EXPORT_STATE and OVER exclude each other", "")
	}
	if c.Nulls != NoNullTreatment && c.Over == nil {
		p.refuse(c.Start, "IGNORE NULLS and RESPECT NULLS need OVER", "")
	}
	n := &c.Name.Parts[len(c.Name.Parts)-1]
	if c.WithinGroup != nil && c.Over == nil {
		p.checkOrdered(c, n.Text)
	}
	if len(c.Name.Parts) != 1 || c.Receiver != nil {
		return c
	}
	want := -1
	switch len(n.Text) {
	case 2:
		if equalFold(n.Text, "IF") {
			want = 3
		}
	case 3:
		if equalFold(n.Text, "TRY") && n.Quote == Unquoted {
			want = 1
		}
	case 6:
		if equalFold(n.Text, "IFNULL") || n.Is("NULLIF") {
			want = 2
		}
	}
	if want >= 0 && len(c.Args) != want {
		p.refuse(c.Start, n.Text+" takes "+strconv.Itoa(want)+" arguments", "")
	}
	if c.Over != nil {
		if most, ok := mostArguments[strings.ToUpper(n.Text)]; ok && len(c.Args) > most && len(c.Args) > 1 {
			p.refuse(c.Start, "too many arguments of "+n.Text, "")
		}
	}
	return c
}

// checkOrdered checks an ordered-set aggregate.
func (p *parser) checkOrdered(c *Call, name string) {
	args := 1
	switch {
	case equalFold(name, "PERCENTILE_CONT"), equalFold(name, "PERCENTILE_DISC"):
	case equalFold(name, "MODE"):
		args = 0
	default:
		p.refuse(c.Start, clip(name)+" is no aggregate with WITHIN GROUP", "")
	}
	switch {
	case len(c.WithinGroup) != 1:
		p.refuse(c.WithinGroup[1].Start, "WITHIN GROUP takes one ORDER BY element", "")
	case len(c.Args) != args:
		p.refuse(c.Start, "wrong number of arguments of "+clip(name), "")
	}
}
