package normalize

import (
	"hodor/grammar"
)

// placeholders replaces this run's values in literals and names by their placeholders (placeholder.go), and notes which parts of the tree held
// them: there they are volatile calls (S27).
//
// Safe because a placeholder says which value stood there and in which form, and no text can hold a placeholder of its own. Comments are not
// looked at: they are no part of what is hashed.
func (a *analysis) replacePlaceholders(file *grammar.File, r *Replacer) {
	a.placeholders = map[grammar.Node][]string{}
	replace := func(n grammar.Node, text *string) {
		replaced, names := r.replace(*text, nil)
		*text = replaced
		if len(names) > 0 {
			a.placeholders[n] = append(a.placeholders[n], names...)
		}
	}
	grammar.Walk(file, func(n grammar.Node) bool {
		switch n := n.(type) {
		case *grammar.String:
			replace(n, &n.Value)
		case *grammar.Number:
			replace(n, &n.Text)
		case *grammar.Ident:
			replace(n, &n.Text)
		}
		return true
	})
}
