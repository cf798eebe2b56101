package normalize

import (
	"strconv"
	"strings"

	"hodor/grammar"
)

// renameItems and renameCTEs give what is named only within the text names of their own, in order of appearance: t1, t2 ... for the items of FROM
// clauses, c1, c2 ... for common table expressions. A renamed alias or CTE is then no change.
//
// Safe because every reference was bound before (bind*.go) and moves with its item, and because no other name of the text is spelled like a new
// one (prefix). Not applied, the item is pinned then, where the name is data or its meaning hangs on the schema: whole rows (T4, T5, T21), text that
// DuckDB prints into a column's name (T1), an inner alias that hides an outer one (T28), a name that may be a schema (T19), DuckDB's table
// functions (T25), PIVOT and its kin (T34, T35), nested CTEs of one name in DuckDB (T20), lambda parameters named like a table (T33). Assumes that
// alias.c is a column of the item; docs/limits.md has the exception (T29).

// canonicalNames renames CTEs and FROM items.
func (a *analysis) canonicalNames(file *grammar.File) {
	a.renameCTEs()
	a.renameItems()
	// Until all other names are known, the new ones start with a byte that no text has.
	prefix := a.prefix(file)
	for _, ident := range a.fresh {
		ident.Text = prefix + ident.Text[1:]
	}
}

// fresh names start with this byte until the prefix is known.
const freshMark = "\x00"

func (a *analysis) renameCTEs() {
	n := 0
	for _, c := range a.ctes {
		if c.pinned {
			continue
		}
		n++
		c.canonical = freshMark + "c" + strconv.Itoa(n)
		setIdent(&c.node.Name, c.canonical)
		a.fresh = append(a.fresh, &c.node.Name)
		for _, ref := range c.refs {
			setIdent(ref, c.canonical)
			a.fresh = append(a.fresh, ref)
		}
	}
}

func (a *analysis) renameItems() {
	n := 0
	for _, it := range a.items {
		if it.pinned {
			// The name of a renamed CTE has to stay in view.
			if it.cte != nil && it.cte.canonical != "" && it.alias != nil && !it.alias.Name.Present() {
				setIdent(&it.alias.Name, lower(it.written))
			}
			continue
		}
		var ident *grammar.Ident
		switch {
		case it.alias != nil:
			ident = &it.alias.Name
		case it.view != nil:
			ident = it.view
		default:
			continue
		}
		n++
		it.canonical = freshMark + "t" + strconv.Itoa(n)
		setIdent(ident, it.canonical)
		a.fresh = append(a.fresh, ident)
	}
	for _, ref := range a.refs {
		old := *ref.parts
		if ref.item.canonical == "" {
			for i := 0; i < ref.qualifier && !ref.asWritten; i++ {
				old[i].Text = lower(old[i].Text)
			}
			continue
		}
		var parts []grammar.Ident
		if ref.qualifier > 0 {
			parts = old[ref.qualifier-1:]
		} else {
			parts = a.mem.idents.take(len(old) + 1)
			copy(parts[1:], old)
		}
		parts[0] = grammar.Ident{Text: ref.item.canonical}
		*ref.parts = parts
		a.fresh = append(a.fresh, &parts[0])
	}
}

func setIdent(x *grammar.Ident, text string) {
	x.Text = text
	x.Quote = grammar.Unquoted
}

// prefix is the shortest run of underscores that makes t1, c1 ... differ from every name that the text keeps.
func (a *analysis) prefix(file *grammar.File) string {
	if !a.likeNew {
		return ""
	}
	taken := map[int]bool{}
	grammar.Walk(file, func(n grammar.Node) bool {
		if ident, ok := n.(*grammar.Ident); ok {
			if k, ok := likeFresh(ident.Text); ok {
				taken[k] = true
			}
		}
		return true
	})
	k := 0
	for taken[k] {
		k++
	}
	return strings.Repeat("_", k)
}

// noteName notes a name of the text that is like a new one, and one that DuckDB gives to a subquery without alias.
func (a *analysis) noteName(name string) {
	if name == "" {
		return
	}
	switch name[0] {
	case 't', 'T', 'c', 'C', '_':
		if !a.likeNew {
			_, a.likeNew = likeFresh(name)
		}
	case 'u', 'U', 'v', 'V':
		if a.duck() && !a.unnamed {
			folded := lower(name)
			a.unnamed = strings.HasPrefix(folded, "unnamed_") || strings.HasPrefix(folded, "valueslist")
		}
	}
}

// likeFresh tells whether a name is some underscores, a t or c, and digits, and how many underscores.
func likeFresh(name string) (int, bool) {
	k := 0
	for k < len(name) && name[k] == '_' {
		k++
	}
	rest := name[k:]
	if len(rest) < 2 || (rest[0]|0x20 != 't' && rest[0]|0x20 != 'c') {
		return 0, false
	}
	for i := 1; i < len(rest); i++ {
		if rest[i] < '0' || rest[i] > '9' {
			return 0, false
		}
	}
	return k, true
}
