package normalize

import (
	"hodor/grammar"
)

// Names of pseudo columns that change though no row does (S26).
const (
	pseudoRowID    = "rowid"
	pseudoMetadata = "_metadata"
)

// column resolves a dotted name where a value is expected, and returns what is known of that value.
func (a *analysis) column(x *grammar.Column, e *env) value {
	if len(x.Parts) == 1 {
		return a.bareName(x, e)
	}
	last := lower(x.Parts[len(x.Parts)-1].Text)
	first := lower(x.Parts[0].Text)
	whole, row := a.qualifiedRow(x.Parts, e)
	if it, n := a.bindQualifier(&x.Parts, e, 1); it != nil {
		name := lower(x.Parts[n].Text)
		if _, ok := a.find(it.rel, name); row && !ok {
			it.pinned = true
		}
		a.foldColumn(&x.Parts[n], e, a.ownLevel(it, e))
		if a.isMetadata(name) && !a.surely(it, name) {
			return a.call(pseudoMetadata, kindAlways, x.Start)
		}
		if a.isRowID(name) && !a.surely(it, name) {
			return a.call(pseudoRowID, kindAlways, x.Start)
		}
		if c, ok := a.find(it.rel, name); ok {
			return c.value
		}
		v := it.rel.rest
		if !it.rel.partial {
			v = it.rel.all() // a struct or a whole row of that name: any of its columns
		}
		v = merge(v, whole)
		v.row = true
		return settle(v)
	}
	switch is, doubt := a.parameter(x.Parts[0].Text, e); {
	case is:
		if !a.duck() && !e.opaqueNames {
			a.folds = append(a.folds, &x.Parts[0])
		}
		return value{}
	case doubt:
		return value{row: true}
	}
	if a.isMetadata(first) || a.isMetadata(last) {
		return a.call(pseudoMetadata, kindAlways, x.Start)
	}
	if !a.duck() && (first == "session" || first == "system" && lower(x.Parts[1].Text) == "session") && !a.inScope(first, e) {
		return a.call(joinFolded(x.Parts), kindAlways, x.Start)
	}
	if !e.frozen && !e.opaqueNames && (a.duck() || !e.caseData) {
		a.folds = append(a.folds, &x.Parts[0])
	}
	v, found := a.lookup(first, e)
	if found.how == foundColumn && found.item != nil && found.provable && !row && !e.frozen && !e.opaqueNames {
		a.refs = append(a.refs, reference{parts: &x.Parts, item: found.item})
	}
	v = merge(v, whole)
	v.row = true
	return settle(v)
}

// qualifiedRow tells whether a dotted name may be the whole row of a table in view, called by its full name: main.t (DuckDB, T4), and what is known
// of that row. Such a table keeps its name.
func (a *analysis) qualifiedRow(parts []grammar.Ident, e *env) (whole value, found bool) {
	if !a.duck() {
		return value{}, false
	}
	last := lower(parts[len(parts)-1].Text)
	if a.itemNames[last] == 0 {
		return value{}, false
	}
	e.levels(func(e *env) bool {
		if e.scope == nil {
			return true
		}
		for _, it := range e.scope.byName(last) {
			if len(it.parts) > 0 {
				it.pinned, found = true, true
				whole = merge(whole, it.rel.all())
			}
		}
		return true
	})
	return whole, found
}

// surely tells whether an item surely has the column.
func (a *analysis) surely(it *item, name string) bool {
	_, ok := a.find(it.rel, name)
	return ok || !it.rel.partial
}

func (a *analysis) isMetadata(name string) bool { return !a.duck() && name == pseudoMetadata }
func (a *analysis) isRowID(name string) bool    { return a.duck() && name == pseudoRowID }

// ownLevel tells whether the item belongs to the FROM clause of the very query that e is in.
func (a *analysis) ownLevel(it *item, e *env) bool {
	return e.scope != nil && it.scope == e.scope
}

// foldColumn notes that the case of a column's name is free here. DuckDB takes the name of a plain output column from the definition, but only
// if the column is one of this query's own; Databricks takes it from the reference.
func (a *analysis) foldColumn(part *grammar.Ident, e *env, own bool) {
	if e.frozen || e.opaqueNames {
		return
	}
	if e.caseData && !(a.duck() && own) {
		return
	}
	if name := lower(part.Text); a.isRowID(name) || a.isMetadata(name) {
		return
	}
	a.folds = append(a.folds, part)
}

// bareName resolves a name without qualifier.
func (a *analysis) bareName(x *grammar.Column, e *env) value {
	part := &x.Parts[0]
	name := lower(part.Text)
	switch is, doubt := a.parameter(part.Text, e); {
	case is:
		if !a.duck() && !e.frozen && !e.opaqueNames && !e.field {
			a.folds = append(a.folds, part)
		}
		return value{}
	case doubt:
		a.pinRows(name, e)
		v, _ := a.lookup(name, e)
		v.row = true
		return settle(v)
	}
	v, found := a.lookup(name, e)
	switch found.how {
	case foundWord:
		f, _ := builtin(a.dialect, name)
		if !a.duck() && !a.outerItems(e) {
			a.folds = append(a.folds, part) // no column can have the name, and Spark prints the function's
		}
		if f.kind == pure {
			return value{row: true} // grouping__id
		}
		return merge(v, a.call(name, f.kind, x.Start))
	case foundRowID:
		return a.call(name, kindAlways, x.Start)
	case foundVariable:
		return a.call(name, kindAlways, x.Start)
	case foundRow:
		a.pinRows(name, e)
		if !e.frozen && !e.caseData && !e.opaqueNames {
			a.folds = append(a.folds, part)
		}
		v.row = true
		return settle(v)
	}
	if a.duck() && !found.known {
		// Where no column has the name, a FROM item further out may.
		a.pinRows(name, e)
	}
	if found.item != nil && found.provable && !e.frozen && !e.opaqueNames {
		a.refs = append(a.refs, reference{parts: &x.Parts, item: found.item})
	}
	a.foldColumn(part, e, found.own)
	return v
}

// pinRows keeps the names of the items that a bare name may mean as whole rows (DuckDB, T4, T5).
func (a *analysis) pinRows(name string, e *env) {
	if a.itemNames[name] == 0 {
		return
	}
	e.levels(func(e *env) bool {
		if e.scope != nil {
			for _, it := range e.scope.byName(name) {
				it.pinned = true
			}
		}
		return true
	})
}

// how a bare name was found.
type how uint8

const (
	foundColumn how = iota
	foundWord
	foundRowID
	foundRow
	foundVariable
)

type finding struct {
	how how
	// item is the FROM item that the column belongs to, as far as known. provable: it can be of no other, wherever the query runs.
	item     *item
	provable bool
	// known: the item surely has the column.
	known bool
	// own: the column is one of the FROM clause of this very query, or can be of no other.
	own bool
}

// lookup finds what a folded bare name means, from the inside out (SYNTAX 5.4), and the value that it has. Where the schema would have to
// be known, it returns what the name may mean at worst.
func (a *analysis) lookup(name string, e *env) (value, finding) {
	hash := nameHash(name)
	inner := false // an alias of a select list further in has the name, also one that is not in view yet (T17)
	for lv := e; lv != nil; lv = lv.outer {
		listed := lv.aliases.find(name, hash) != nil
		own, sure := lv == e, !inner && !(lv.having && listed)
		inner = inner || listed
		if lv.outputs != nil {
			if c, ok := a.find(lv.outputs, name); ok {
				return c.value, finding{}
			}
			sure = sure && !lv.outputs.partial
		}
		if lv.scope == nil || len(lv.scope.items) == 0 {
			if v, ok := lv.alias(name, hash); ok {
				return v, finding{}
			}
			continue
		}
		s := lv.scope
		k := a.knownIn(s, name, hash)
		if s.using[name] || s.natural {
			if k.n > 0 || s.partial > 0 {
				v := value{row: true}
				if k.col != nil {
					v = merge(v, k.col.value)
				}
				return settle(v), finding{}
			}
		}
		if k.n > 0 {
			// Another item that has such a column makes the bare name an error, but not the qualified one.
			only := k.n == 1 && (s.partial == 0 || s.partial == 1 && k.item.rel.partial)
			v := k.col.value
			if lv.having {
				meant, _ := lv.alias(name, hash)
				v = merge(v, meant)
			}
			return v, finding{item: k.item, provable: only && sure, own: own, known: own}
		}
		if same := s.byName(name); a.duck() && len(same) > 0 {
			return s.wholeRows(name, same), finding{how: foundRow}
		}
		if v, ok := lv.alias(name, hash); ok {
			return v, finding{}
		}
		if s.partial == 0 {
			continue
		}
		if a.bareWord(name) {
			return value{}, finding{how: foundWord}
		}
		if a.isRowID(name) || a.isMetadata(name) {
			return value{}, finding{how: foundRowID}
		}
		v := s.rest
		v.row, v.open, v.text, v.literal = true, false, false, false
		f := finding{}
		if it := a.solePartial(s); it != nil && name != "default" && !a.outerItems(lv.outer) && !a.hasAlias(name, e) && !a.rowName(name, lv.outer) {
			f = finding{item: it, provable: sure, own: own}
		}
		return settle(v), f
	}
	if a.bareWord(name) {
		return value{}, finding{how: foundWord}
	}
	if !a.duck() && !a.outerItems(e) && !a.hasAlias(name, e) && name != "default" {
		return value{}, finding{how: foundVariable}
	}
	return value{row: true}, finding{}
}

// outerItems tells whether any FROM item is in view from here outwards.
func (a *analysis) outerItems(e *env) bool {
	found := false
	e.levels(func(e *env) bool {
		found = e.scope != nil && len(e.scope.items) > 0
		return !found
	})
	return found
}

// rowName tells whether a FROM item of that name is in view from here outwards.
func (a *analysis) rowName(name string, e *env) bool {
	if a.itemNames[name] == 0 {
		return false
	}
	found := false
	e.levels(func(e *env) bool {
		found = e.scope != nil && len(e.scope.byName(name)) > 0
		return !found
	})
	return found
}

// inScope tells whether a name is known to be a column or an item here.
func (a *analysis) inScope(name string, e *env) bool {
	found := false
	e.levels(func(e *env) bool {
		found = e.scope != nil && (len(e.scope.byName(name)) > 0 || a.known(e.scope, name).n > 0)
		return !found
	})
	return found
}

// bindQualifier binds the qualifier of a dotted name to a FROM item and notes the reference. It returns the item and the number of parts that
// name it; rest is how many parts must follow (1 for a column, 0 for a star). Where several items may be meant, all of them keep their names.
func (a *analysis) bindQualifier(parts *[]grammar.Ident, e *env, rest int) (*item, int) {
	var few [4]string
	names := few[:min(len(*parts), len(few))]
	if len(*parts) > len(few) {
		names = make([]string, len(*parts))
	}
	for i := range *parts {
		names[i] = lower((*parts)[i].Text)
	}
	if is, doubt := a.parameter((*parts)[0].Text, e); is || doubt {
		// DuckDB prefers a table of that name if it has the column (T33).
		if a.duck() {
			a.pinRows(names[0], e)
		}
		return nil, 0
	}
	named := 0 // how many items may be meant
	for i := 0; i < len(names)-rest && i < 4; i++ {
		named += a.itemNames[names[i]]
	}
	var matches []*item
	var qualifier int
	doubt, levels := false, 0
	for lv := e; lv != nil && len(matches) < named; lv = lv.outer {
		if lv.scope == nil {
			continue
		}
		found, n, maybe := lv.scope.named(names, rest)
		if len(found) == 0 {
			continue
		}
		levels++
		if levels == 1 {
			qualifier = n
			doubt = maybe || len(found) > 1
		}
		if levels == 1 {
			matches = found[:len(found):len(found)]
			continue
		}
		matches = append(matches, found...)
	}
	if len(matches) == 0 {
		return nil, 0
	}
	it := matches[0]
	if levels > 1 && !doubt {
		// The inner item hides the outer ones, unless it lacks the column (T28).
		doubt = true
		if rest == 1 {
			_, has := a.find(it.rel, names[qualifier])
			doubt = !has
		}
	}
	if doubt {
		for _, m := range matches {
			m.pinned = true
		}
		return nil, 0
	}
	if e.frozen {
		it.pinned = true
	}
	if e.opaqueNames {
		it.pinned = true
	} else {
		a.refs = append(a.refs, reference{parts: parts, item: it, qualifier: qualifier, asWritten: e.frozen})
	}
	return it, qualifier
}

// named finds the visible items that the first parts of a dotted name may mean, and how many parts that takes. maybe: a longer or shorter
// qualifier is possible too, or the item's full name is not known.
func (s *scope) named(names []string, rest int) (found []*item, qualifier int, maybe bool) {
	if len(names) >= 1+rest {
		// Two say as much as many: all items of one name are pinned.
		found = s.byName(names[0])
		found = found[:min(len(found), 2):min(len(found), 2)]
		qualifier = 1
	}
	for n := 2; n <= len(names)-rest && n <= 4; n++ {
		for _, it := range s.byName(names[n-1]) {
			if len(it.parts) == 0 {
				continue
			}
			short, long := names[:n], it.parts
			exact := len(long) >= len(short)
			if !exact {
				short, long = long, short
			}
			if !hasSuffix(long, short) {
				continue
			}
			if !contains(found, it) {
				if len(found) > 0 {
					maybe = true
				}
				found = append(found, it)
				qualifier = n
			} else {
				maybe = true
			}
			if !exact {
				maybe = true
			}
		}
	}
	return found, qualifier, maybe
}

func hasSuffix(long, short []string) bool {
	offset := len(long) - len(short)
	for i := range short {
		if long[offset+i] != short[i] {
			return false
		}
	}
	return true
}

func contains(items []*item, it *item) bool {
	for _, other := range items {
		if other == it {
			return true
		}
	}
	return false
}

// joinFolded is a dotted name as the facts list it.
func joinFolded(parts []grammar.Ident) string {
	if len(parts) == 1 {
		return lower(parts[0].Text)
	}
	s := ""
	for i := range parts {
		if i > 0 {
			s += "."
		}
		s += lower(parts[i].Text)
	}
	return s
}

// call notes a volatile call and returns its value.
func (a *analysis) call(function string, kind volatility, start int32) value {
	c := a.mem.volatiles.of(volatileCall{function: function, kind: kind, start: start})
	a.calls = append(a.calls, c)
	return value{taint: a.mem.taints.of(taint{call: c})}
}

// placeholder is the value of a literal, if it holds per-run values (S27).
func (a *analysis) placeholder(n grammar.Node) value {
	var v value
	for _, name := range a.placeholders[n] {
		v = merge(v, a.call(name, kindAlways, n.Bounds().Start))
	}
	delete(a.placeholders, n)
	return v
}

// otherPlaceholders notes the per-run values that stand anywhere but in a literal: in a name, a key, an option. They decide.
func (a *analysis) otherPlaceholders() {
	for n := range a.placeholders {
		decided(a.placeholder(n))
	}
}
