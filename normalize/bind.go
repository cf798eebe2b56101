package normalize

import (
	"hodor/grammar"
)

// The binder resolves names as both dialects do, as far as that is possible with no schema known: it finds the FROM item, common table
// expression or parameter that a name means, follows which columns a query is known to have, and which volatile calls reach which columns. What
// it finds serves the passes (rename, fold, qualify) and the facts.

// analysis is what the binder knows of one text.
type analysis struct {
	dialect grammar.Dialect
	sql     string
	// literals are the places of the literals (literals.go).
	literals []grammar.Span
	// frozen holds the select items whose text is printed into a column name (DuckDB).
	frozen map[*grammar.SelectItem]bool

	items []*item
	ctes  []*cte
	refs  []reference
	folds []*grammar.Ident
	// keep holds names whose case is not free after all.
	keep map[*grammar.Ident]bool
	// dots are the (name).field that can only be name.field.
	dots map[*grammar.Dot]bool

	tables []tableRead
	// names are the names of the tables, where they stand in the tree.
	names  []*grammar.Name
	paths  []textAt
	opaque []textAt
	calls  []*volatileCall
	// functions are the built-in functions called (DuckDB).
	functions map[string]bool
	// placeholders names the per-run values that a literal or identifier holds.
	placeholders map[grammar.Node][]string
	// unnamed: the text uses a name that DuckDB gives to subqueries without alias.
	unnamed bool
	// spread counts the stars and COLUMNS inside expressions.
	spread int
	// star: the columns of the result depend on the columns of a table.
	star bool
	// beside is what is in view of whole statements: the variables of a script, nil otherwise.
	beside *env
	// misread: the engine reads the text in another way than the tree says.
	misread   string
	misreadAt int32
	// gaveUp is the first construct whose names could not be resolved.
	gaveUp string
}

// tableRead is a table that the text reads.
type tableRead struct {
	parts []string
	start int32
}

// textAt is a word of the facts and its place in the text.
type textAt struct {
	text  string
	start int32
}

// item is one item of a FROM clause: a table, a subquery, a function, a reference to a common table expression.
type item struct {
	// name is the name by which columns may be qualified, folded; empty if there is none.
	name string
	// written is that name as it was written.
	written string
	// parts are the folded parts of the name of a table without alias, by which columns may be qualified too: sch.t.c.
	parts []string
	// scope is the FROM clause that the item belongs to.
	scope *scope
	// alias is where the item's alias stands or may be put; nil: it can have none.
	alias *grammar.Alias
	// view is the alias of a LATERAL VIEW, which has no Alias.
	view *grammar.Ident
	rel  *relation
	// before is the item with unknown columns before this one in its scope.
	before *item
	// pinned: the name is data, or not everything that may mean it is known; it stays as written.
	pinned bool
	// canonical is the new name.
	canonical string
	// asWritten: the name is printed into a column's name, so that not even its case may change.
	asWritten bool
	// cte is the common table expression that the item reads, if it does.
	cte *cte
}

// cte is one common table expression.
type cte struct {
	node *grammar.CTE
	name string
	rel  *relation
	refs []*grammar.Ident
	// recurring: recurring.name reads all of its rows so far (DuckDB).
	recurring bool
	// pinned: the name stays as written; asWritten: not even its case may change.
	pinned, asWritten bool
	canonical         string
}

// cteScope is the common table expressions of one WITH and, by parent, of those around it.
type cteScope struct {
	parent *cteScope
	byName map[string]*cte
}

func (s *cteScope) find(name string) *cte {
	for ; s != nil; s = s.parent {
		if c := s.byName[name]; c != nil {
			return c
		}
	}
	return nil
}

// pin keeps the names of all common table expressions in view.
func (s *cteScope) pin() {
	for ; s != nil; s = s.parent {
		for _, c := range s.byName {
			c.pinned = true
		}
	}
}

// relation is what is known of the columns of a query or FROM item.
type relation struct {
	cols []column
	// open: it also has the columns of a table, by a star.
	open bool
	// partial: it may have columns of other names than those in cols.
	partial bool
	// rest is the value of the columns that are not in cols.
	rest  value
	index map[string]int
}

// column is one known column.
type column struct {
	name string // folded; empty if it is not known
	// part is the name in the select item, where that is a plain column without alias.
	part *grammar.Ident
	value
}

// find returns the column of that folded name.
func (r *relation) find(name string) (*column, bool) {
	if len(r.cols) <= 4 {
		for i := range r.cols {
			if r.cols[i].name == name {
				return &r.cols[i], true
			}
		}
		return nil, false
	}
	if r.index == nil {
		r.index = make(map[string]int, len(r.cols))
		for i := len(r.cols) - 1; i >= 0; i-- {
			if r.cols[i].name != "" {
				r.index[r.cols[i].name] = i
			}
		}
	}
	i, ok := r.index[name]
	if !ok {
		return nil, false
	}
	return &r.cols[i], true
}

// all is the value of all columns at once, as a whole row is.
func (r *relation) all() value {
	v := r.rest
	v.open = v.open || r.open
	for i := range r.cols {
		v = merge(v, r.cols[i].value)
	}
	return v
}

// reference is a name that is bound to a FROM item: parts[:qualifier] are the item's name, the next one is its column. With qualifier 0 the
// column is written without one, but can be of no other item.
type reference struct {
	parts     *[]grammar.Ident
	item      *item
	qualifier int
	asWritten bool
}

// scope is the FROM clause of one select block.
type scope struct {
	items []*item
	// index holds the items in view by name, given every name that was given, also of items that are out of view by now. Both are made once there are
	// more than fewItems items; before that all are looked at.
	index map[string][]*item
	given map[string]*item
	all   []*item
	// columns counts the known columns by name over the items; made when first asked for, and kept up to the counted-th item.
	columns map[string]knownColumn
	counted int
	// partial is the number of visible items with unknown columns, last the last of them, rest the values of all their unknown columns.
	partial int
	last    *item
	rest    value
	// rows are the values of whole rows by the name of their items, of the first n of them.
	rows map[string]knownRows
	// using holds the names of USING columns, and how many items have been looked at for each; natural: a NATURAL join, whose columns are not
	// known, and compared the number of items that it was looked at for.
	using    map[string]int
	natural  bool
	compared int
}

// knownRows is the value of the rows of n items.
type knownRows struct {
	n int
	value
}

// wholeRows is the value of the rows of all items in view that have the name.
func (s *scope) wholeRows(name string, same []*item) value {
	known := s.rows[name]
	if known.n > len(same) {
		known = knownRows{}
	}
	if known.n < len(same) {
		for _, it := range same[known.n:] {
			known.value = merge(known.value, it.rel.all())
		}
		known.n = len(same)
		if s.rows == nil {
			s.rows = map[string]knownRows{}
		}
		s.rows[name] = known
	}
	return known.value
}

// knownColumn is a column name: the first item that has it, the last one, and how many do.
type knownColumn struct {
	item, latest *item
	col          *column
	n            int
}

// add puts an item in view.
func (s *scope) add(it *item) {
	it.scope = s
	if it.name != "" {
		if other := s.wasGiven(it.name); other != nil {
			// Two items of one name are an error in most places, which new names would hide.
			other.pinned, it.pinned = true, true
		}
		s.all = append(s.all, it)
		if s.given != nil {
			s.given[it.name] = it
			s.index[it.name] = append(s.index[it.name], it)
		}
	}
	s.items = append(s.items, it)
	if s.given == nil && len(s.all) > fewItems {
		s.given, s.index = map[string]*item{}, map[string][]*item{}
		for _, it := range s.all {
			s.given[it.name] = it
		}
		for _, it := range s.items {
			if it.name != "" {
				s.index[it.name] = append(s.index[it.name], it)
			}
		}
	}
}

// fewItems is how many items are faster to look at than to look up.
const fewItems = 8

// wasGiven is the last item that was given the name, in view or not.
func (s *scope) wasGiven(name string) *item {
	if s.given != nil {
		return s.given[name]
	}
	for i := len(s.all) - 1; i >= 0; i-- {
		if s.all[i].name == name {
			return s.all[i]
		}
	}
	return nil
}

// byName returns the items in view that have the name, in order.
func (s *scope) byName(name string) []*item {
	if s.index != nil {
		return s.index[name]
	}
	if name == "" {
		return nil
	}
	var found []*item
	for i, it := range s.items {
		if it.name == name {
			if found == nil {
				found = s.items[i : i+1 : i+1]
			} else {
				found = append(found, it)
			}
		}
	}
	return found
}

// hide takes the items from the n-th on out of view: the right side of a semi or anti join.
func (s *scope) hide(n int) {
	for i := len(s.items) - 1; i >= n; i-- {
		it := s.items[i]
		if it.name != "" && s.index != nil {
			same := s.index[it.name]
			s.index[it.name] = same[:len(same)-1]
		}
		if i < s.counted {
			s.uncount(it)
		}
	}
	s.items = s.items[:n]
	s.rows = nil
	s.counted = min(s.counted, n)
	s.compared = min(s.compared, n)
}

// uncount takes the last counted item back.
func (s *scope) uncount(it *item) {
	if it.rel.partial {
		s.partial--
		s.last = it.before
	}
	for i := range it.rel.cols {
		name := it.rel.cols[i].name
		k, ok := s.columns[name]
		switch {
		case !ok || name == "":
		case k.item == it:
			delete(s.columns, name)
		case k.latest == it:
			// A name that the item has twice is taken back once.
			k.n--
			k.latest = nil
			s.columns[name] = k
		}
	}
}

// known finds the visible column of that name. n is in how many items it is known to be.
func (s *scope) known(name string) knownColumn {
	if s.columns == nil {
		s.columns = map[string]knownColumn{}
		s.counted, s.partial, s.last, s.rest = 0, 0, nil, value{}
	}
	for ; s.counted < len(s.items); s.counted++ {
		it := s.items[s.counted]
		if it.rel.partial {
			s.partial++
			it.before, s.last = s.last, it
			s.rest = merge(s.rest, it.rel.rest)
		}
		for i := range it.rel.cols {
			c := &it.rel.cols[i]
			if c.name == "" {
				continue
			}
			k := s.columns[c.name]
			if k.item == nil {
				k.item, k.col = it, c
			}
			if k.latest != it {
				k.n++
				k.latest = it
			}
			s.columns[c.name] = k
		}
	}
	return s.columns[name]
}

// solePartial returns the one visible item with unknown columns, or nil if there are none or several.
func (s *scope) solePartial() *item {
	s.known("")
	if s.partial != 1 {
		return nil
	}
	return s.last
}

// env is what is in view at one place of the text.
type env struct {
	scope *scope
	// outer is the place of the query around this one, whose columns are in view too.
	outer *env
	ctes  *cteScope
	// aliases are the values of the select list's aliases in view here; aliasNames all the aliases of the list, in view or not.
	aliases    map[string]value
	aliasNames map[string]bool
	// outputs: the names of the result's columns come first (ORDER BY).
	outputs *relation
	params  *params
	// frozen: the text here is printed into a column name (DuckDB), so it stays as written.
	frozen bool
	// caseData: the case of a column name here is part of a name in the result.
	caseData bool
	// opaqueNames: names here may mean anything (COLUMNS, PIVOT); nothing is qualified or folded.
	opaqueNames bool
	// inFrozen and inCaseData are copies of this place for select items whose text, or whose columns' case, is data; made when first asked for.
	inFrozen, inCaseData *env
}

// asFrozen is the place inside a select item whose text is printed into a column's name.
func (e *env) asFrozen() *env {
	if e.inFrozen == nil {
		inside := *e
		inside.frozen, inside.inFrozen, inside.inCaseData = true, nil, nil
		e.inFrozen = &inside
	}
	return e.inFrozen
}

// asCaseData is the place inside a select item that may be a plain column without alias.
func (e *env) asCaseData() *env {
	if e.inCaseData == nil {
		inside := *e
		inside.caseData, inside.inFrozen, inside.inCaseData = true, nil, nil
		e.inCaseData = &inside
	}
	return e.inCaseData
}

// params are the parameters of a lambda, as written.
type params struct {
	names []string
	outer *params
}

// parameter tells whether a name is a parameter of a lambda around this place, or (doubt) may be one: DuckDB 1.5 takes a parameter for another
// case only if no column has the name, 2.0 in any case.
func (a *analysis) parameter(name string, e *env) (is, doubt bool) {
	for p := e.params; p != nil; p = p.outer {
		for _, n := range p.names {
			switch {
			case n == name || !a.duck() && lower(n) == lower(name):
				return true, false
			case lower(n) == lower(name):
				doubt = true
			}
		}
	}
	return false, doubt
}

// lower folds the ASCII letters of a name. Beyond ASCII the engines differ and nothing is folded: two spellings stay two names.
func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; 'A' <= c && c <= 'Z' {
			b := []byte(s)
			for j := i; j < len(b); j++ {
				if 'A' <= b[j] && b[j] <= 'Z' {
					b[j] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

func (a *analysis) duck() bool { return a.dialect == grammar.DuckDB }

// giveUp records the first construct whose names can't be resolved: the level is then "parsed".
func (a *analysis) giveUp(why string) {
	if a.gaveUp == "" {
		a.gaveUp = why
	}
}

// levels visits the places from here outwards.
func (e *env) levels(visit func(*env) bool) {
	for ; e != nil; e = e.outer {
		if !visit(e) {
			return
		}
	}
}

// hasAlias tells whether an alias of a select list around this place has the name.
func (e *env) hasAlias(name string) bool {
	for ; e != nil; e = e.outer {
		if e.aliasNames[name] {
			return true
		}
	}
	return false
}
