package normalize

import (
	"hodor/grammar"
)

// file resolves all statements of a text.
func (a *analysis) file(f *grammar.File) {
	for _, s := range f.Statements {
		a.statement(s, nil)
	}
}

// statement resolves one statement. The star of a statement is that of its query.
func (a *analysis) statement(s grammar.Statement, ctes *cteScope) {
	switch s := s.(type) {
	case *grammar.Query:
		rel := a.query(s, nil, ctes, use{final: true})
		a.star = a.star || rel.all().open
	default:
		a.giveUp("a statement that is no query")
	}
}
