package normalize

import (
	"hodor/grammar"
)

// The binder resolves names as both dialects do, as far as that is possible with no schema known: it finds the FROM item, common table
// expression or parameter that a name means, follows which columns a query is known to have, and which volatile calls reach which columns. What
// it finds serves the passes (rename, fold, qualify) and the facts.

// analysis is what the binder knows of one text.
type analysis struct {
	mem     memory
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
	// fresh are the identifiers that hold new names.
	fresh []*grammar.Ident
	// itemNames counts the FROM items by name, aliasNames has the aliases of all select lists, cteNames counts the common table expressions in view
	// by name: what is not among them need not be looked for level by level.
	itemNames  map[string]int
	aliasNames nameSet
	cteNames   map[string]int
	// parameters holds the parameters of the lambdas around this place by folded name, those further in last.
	parameters map[string][]parameter
	// copied counts the columns that stars have copied; a star that is alone in its list shares those of its source.
	copied int
	alone  bool
	// keep holds names whose case is not free after all, units words in a call of which the same is true.
	keep  map[*grammar.Ident]bool
	units map[grammar.Node]bool
	// oneNames are the (name).field that are one name (Databricks).
	oneNames map[*grammar.Dot]*grammar.Column
	// parens are the parentheses that have to stay (pass_parens).
	parens map[*grammar.Paren]bool
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
	// likeNew: the text has a name like t1 or c1.
	likeNew bool
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
	// byName has the places in list.
	byName nameTable
	list   []*cte
	// pinned is how many of the list are pinned, and all of those around it; -1: none.
	pinned int
}

// cte finds the common table expression that a folded name means.
func (a *analysis) cte(s *cteScope, name string) *cte {
	if a.cteNames[name] == 0 {
		return nil
	}
	hash := nameHash(name)
	for ; s != nil; s = s.parent {
		if c := s.named(name, hash); c != nil {
			return c
		}
	}
	return nil
}

// named is the common table expression of the WITH itself that has the name.
func (s *cteScope) named(name string, hash uint32) *cte {
	if i := s.byName.find(name, hash); i >= 0 {
		return s.list[i]
	}
	return nil
}

// define puts a common table expression in view.
func (a *analysis) define(s *cteScope, c *cte) {
	hash := nameHash(c.name)
	if s.named(c.name, hash) == c {
		return
	}
	s.byName.set(&a.mem, c.name, hash, len(s.list))
	s.list = append(s.list, c)
	a.cteNames[c.name]++
}

// leave takes the common table expressions of a WITH out of view.
func (a *analysis) leave(s *cteScope) {
	for _, c := range s.list {
		a.cteNames[c.name]--
	}
}

// pin keeps the names of all common table expressions in view.
func (s *cteScope) pin() {
	for ; s != nil && s.pinned < len(s.list); s = s.parent {
		for _, c := range s.list[max(s.pinned, 0):] {
			c.pinned = true
		}
		s.pinned = len(s.list)
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
	rest value
	// index has the places of the names in cols, once it is made.
	index   nameTable
	indexed bool
	// whole is what all returns, of the first n columns; kept where there are many.
	whole value
	n     int
}

// column is one known column.
type column struct {
	name string // folded; empty if it is not known
	// part is the name in the select item, where that is a plain column without alias.
	part *grammar.Ident
	value
}

// find returns the column of that folded name.
func (a *analysis) find(r *relation, name string) (*column, bool) {
	if len(r.cols) > 4 {
		return a.findHashed(r, name, nameHash(name))
	}
	return a.findHashed(r, name, 0)
}

// findHashed is find with the hash of the name, which counts where there are many columns.
func (a *analysis) findHashed(r *relation, name string, hash uint32) (*column, bool) {
	if len(r.cols) <= 4 {
		for i := range r.cols {
			if r.cols[i].name == name {
				return &r.cols[i], true
			}
		}
		return nil, false
	}
	if !r.indexed {
		r.indexed = true
		r.index.reserve(&a.mem, len(r.cols))
		for i := range r.cols {
			if name := r.cols[i].name; name != "" {
				if h := nameHash(name); r.index.find(name, h) < 0 {
					r.index.add(&a.mem, name, h, i)
				}
			}
		}
	}
	i := r.index.find(name, hash)
	if i < 0 {
		return nil, false
	}
	return &r.cols[i], true
}

// all is the value of all columns at once, as a whole row is.
func (r *relation) all() value {
	v := r.rest
	v.open = v.open || r.open
	if len(r.cols) < manyColumns {
		for i := range r.cols {
			v = merge(v, r.cols[i].value)
		}
		return v
	}
	if r.n > len(r.cols) {
		r.n, r.whole = 0, value{}
	}
	for ; r.n < len(r.cols); r.n++ {
		r.whole = merge(r.whole, r.cols[r.n].value)
	}
	return merge(v, r.whole)
}

// manyColumns is from how many on columns are not looked at again and again.
const manyColumns = 16

// bounded is the relation if its columns may be copied, or what is known of it as a whole: what stars over stars copy has to stay in proportion to the
// text.
func (a *analysis) bounded(r *relation) *relation {
	if a.copied += len(r.cols); a.copied <= len(a.sql)+1000 {
		return r
	}
	for i := range r.cols {
		if i == manyColumns {
			break
		}
		if r.cols[i].open {
			return r
		}
	}
	all := r.all()
	if r.whole.open {
		return r // a whole row among the columns has to stay one
	}
	return a.mem.relations.of(relation{open: r.open, partial: true, rest: all})
}

// reference is a name that is bound to a FROM item: parts[:qualifier] are the item's name, the next one is its column. With qualifier 0 the
// column is written without one, but can be of no other item.
type reference struct {
	parts     *[]grammar.Ident
	item      *item
	qualifier int
	asWritten bool
}

// env is what is in view at one place of the text.
type env struct {
	scope *scope
	// outer is the place of the query around this one, whose columns are in view too.
	outer *env
	ctes  *cteScope
	// aliases are those of the select list; unseen: none of them is in view here.
	aliases *aliases
	unseen  bool
	// outputs: the names of the result's columns come first (ORDER BY).
	outputs *relation
	params  *params
	// frozen: the text here is printed into a column name (DuckDB), so it stays as written.
	frozen bool
	// caseData: the case of a column name here is part of a name in the result; field: it is that of a struct's field.
	caseData, field bool
	// having: an alias of the select list may come before a column of its name (HAVING, QUALIFY).
	having bool
	// opaqueNames: names here may mean anything (COLUMNS, PIVOT); nothing is qualified or folded.
	opaqueNames bool
	// inFrozen and inCaseData are copies of this place for select items whose text, or whose columns' case, is data; made when first asked for.
	inFrozen, inCaseData *env
}

// asFrozen is the place inside a select item whose text is printed into a column's name.
func (a *analysis) asFrozen(e *env) *env {
	if e.inFrozen == nil {
		e.inFrozen = a.mem.envs.of(*e)
		e.inFrozen.frozen, e.inFrozen.inFrozen, e.inFrozen.inCaseData = true, nil, nil
	}
	return e.inFrozen
}

// asCaseData is the place inside a select item that may be a plain column without alias.
func (a *analysis) asCaseData(e *env) *env {
	if e.inCaseData == nil {
		e.inCaseData = a.mem.envs.of(*e)
		e.inCaseData.caseData, e.inCaseData.inFrozen, e.inCaseData.inCaseData = true, nil, nil
	}
	return e.inCaseData
}

// params are the parameters of a lambda, as written; root are those of the outermost of the lambdas around it.
type params struct {
	names []string
	root  *params
}

// parameter is a parameter of a lambda, as written.
type parameter struct {
	name string
	root *params
}

// enter is the place inside a lambda, whose parameters hide all else; leaveLambda ends it.
func (a *analysis) enter(names []string, e *env) *env {
	inside := *e
	inside.params = &params{names: names}
	inside.params.root = inside.params
	if e.params != nil {
		inside.params.root = e.params.root
	}
	for _, name := range names {
		folded := lower(name)
		a.parameters[folded] = append(a.parameters[folded], parameter{name, inside.params.root})
	}
	return &inside
}

func (a *analysis) leaveLambda(e *env) {
	for _, name := range e.params.names {
		folded := lower(name)
		a.parameters[folded] = a.parameters[folded][:len(a.parameters[folded])-1]
	}
}

// parameter tells whether a name is a parameter of a lambda around this place, or (doubt) may be one: DuckDB 1.5 takes a parameter for another
// case only if no column has the name, 2.0 in any case.
func (a *analysis) parameter(name string, e *env) (is, doubt bool) {
	if e.params == nil {
		return false, false
	}
	around := a.parameters[lower(name)]
	for i := len(around) - 1; i >= 0 && around[i].root == e.params.root; i-- {
		if around[i].name == name || !a.duck() {
			return true, false
		}
		doubt = true
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
func (a *analysis) hasAlias(name string, e *env) bool {
	hash := nameHash(name)
	if !a.aliasNames.may(hash) {
		return false
	}
	for ; e != nil; e = e.outer {
		if e.aliases.find(name, hash) != nil {
			return true
		}
	}
	return false
}

// alias is an alias of a select list; set: it has a value by now, and is in view of the items behind it.
type alias struct {
	name string
	value
	set bool
}

// aliases are the aliases of one select list, in view or not.
type aliases struct {
	list  []alias
	index nameTable
}

// add notes an alias, with the hash of its name. There is room in the list.
func (l *aliases) add(m *memory, name string, hash uint32) {
	if l.index.find(name, hash) < 0 {
		l.index.add(m, name, hash, len(l.list))
	}
	l.list = append(l.list, alias{name: name})
}

// find returns the alias of that name, or nil. Two of one name are one, with both their values.
func (l *aliases) find(name string, hash uint32) *alias {
	if l == nil {
		return nil
	}
	if i := l.index.find(name, hash); i >= 0 {
		return &l.list[i]
	}
	return nil
}

// set gives an alias its value.
func (l *aliases) set(name string, v value) {
	x := l.find(name, nameHash(name))
	if x.set {
		v = merge(x.value, v)
	}
	x.value, x.set = v, true
}

// alias returns the value of an alias in view.
func (e *env) alias(name string, hash uint32) (value, bool) {
	if e.unseen {
		return value{}, false
	}
	if x := e.aliases.find(name, hash); x != nil && x.set {
		return x.value, true
	}
	return value{}, false
}

// nameSet says of most names that are not among those added, by their hashes, that they are not.
type nameSet [8]uint64

func (s *nameSet) add(hash uint32)      { s[hash>>6&7] |= 1 << (hash & 63) }
func (s *nameSet) may(hash uint32) bool { return s[hash>>6&7]&(1<<(hash&63)) != 0 }
