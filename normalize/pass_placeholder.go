package normalize

import (
	"hodor/grammar"
)

// notePlaceholders notes the values inside a name as calls that decide: they choose what is read.
func (a *analysis) notePlaceholders(name *grammar.Name) {
	for i := range name.Parts {
		a.noteIdentPlaceholders(&name.Parts[i])
	}
}

// noteIdentPlaceholders notes the values inside one identifier.
func (a *analysis) noteIdentPlaceholders(x *grammar.Ident) {
	if names := a.placeholders[x]; names != nil {
		decided(a.placeholder(names, x.Start))
	}
}
