package grammar

import (
	"slices"
	"strings"
	"unicode"
)

// expectedBy says in words what could have stood where participle gave up, from its rendering of the rest of the production:
// of `("WITH" Options)? "AS" Query` only WITH or AS can come first.
func expectedBy(rest string) string {
	r := ebnfReader{text: rest}
	list, _ := r.choice()
	var out []string
	for _, x := range list {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	const most = 8
	switch n := len(out); {
	case n == 0:
		return "something else"
	case n == 1:
		return out[0]
	case n > most:
		return strings.Join(out[:most], ", ") + " or something else"
	default:
		return strings.Join(out[:n-1], ", ") + " or " + out[n-1]
	}
}

// ebnfReader reads participle's rendering of a production for what it may start with.
type ebnfReader struct {
	text string
	i    int
}

func (r *ebnfReader) skip() {
	for r.i < len(r.text) && r.text[r.i] == ' ' {
		r.i++
	}
}

func (r *ebnfReader) at(c byte) bool {
	r.skip()
	return r.i < len(r.text) && r.text[r.i] == c
}

// choice reads alternatives; empty says that one of them may be nothing.
func (r *ebnfReader) choice() (firsts []string, empty bool) {
	for {
		list, none := r.sequence()
		firsts, empty = append(firsts, list...), empty || none
		if !r.at('|') {
			return firsts, empty
		}
		r.i++
	}
}

func (r *ebnfReader) sequence() (firsts []string, empty bool) {
	empty = true
	for !r.at('|') && !r.at(')') && r.i < len(r.text) {
		list, none := r.term()
		if empty {
			firsts = append(firsts, list...)
		}
		empty = empty && none
	}
	return firsts, empty
}

func (r *ebnfReader) term() (firsts []string, empty bool) {
	ahead := false
	switch {
	case r.at('('):
		r.i++
		if r.at('?') { // a look ahead says nothing of its own
			ahead = true
			r.i += 2
		}
		firsts, empty = r.choice()
		r.i++
	case r.at('"'):
		end := r.i + 1
		for end < len(r.text) && (r.text[end] != '"' || r.text[end-1] == '\\') {
			end++
		}
		firsts = []string{literalWord(r.text[r.i+1 : min(end, len(r.text))])}
		r.i = end + 1
	default:
		start := r.i
		for r.i < len(r.text) && !strings.ContainsRune(" |()?*+", rune(r.text[r.i])) {
			r.i++
		}
		if r.i == start {
			r.i++
		}
		firsts = []string{productionWord(strings.Trim(r.text[start:r.i], "<>"))}
	}
	if r.i < len(r.text) && (r.text[r.i] == '?' || r.text[r.i] == '*') {
		empty = true
		r.i++
	} else if r.i < len(r.text) && (r.text[r.i] == '+' || r.text[r.i] == '!') {
		r.i++
	}
	if ahead {
		return nil, true
	}
	return firsts, empty
}

// literalWord is a literal of a tag as errors show it: words bare, symbols in quotes.
func literalWord(text string) string {
	if text != "" && (unicode.IsLetter(rune(text[0])) || text[0] == '_') {
		return text
	}
	return `"` + text + `"`
}

// productionWord names a production or token type.
func productionWord(name string) string {
	switch strings.ToLower(name) {
	case "name", "ident", "word", "quoted", "nameorstring":
		return "a name"
	case "string", "text":
		return "a string"
	case "number":
		return "a number"
	case "expr", "subject":
		return "an expression"
	case "datatype":
		return "a type"
	case "sort", "selectitem":
		return "an expression"
	case "fromitem", "target", "tableref", "table":
		return "a table"
	case "options", "parenoptions", "duckoptions", "columnlist", "arguments":
		return `"("`
	case "param":
		return "a parameter"
	case "scriptitems", "nested", "parenstatement":
		return "a statement"
	case "mergewhen", "duckmergewhen":
		return "WHEN"
	case "mergeinsert":
		return `"*" or "(" with columns`
	case "alteraction", "duckalteraction":
		return "an action such as ADD, DROP, RENAME or SET"
	case "copyfile", "duckfile":
		return "a path"
	case "indexoption":
		return "an expression or a column"
	case "addedpartition":
		return "PARTITION"
	case "macrooverload":
		return `"(" with parameters`
	case "functionname":
		return "a function"
	case "legacyoption":
		return "an option"
	}
	name = strings.TrimPrefix(name, "Duck")
	var b strings.Builder
	for i, c := range name {
		if unicode.IsUpper(c) && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	text := b.String()
	if text == "" {
		return "something else"
	}
	if strings.ContainsRune("aeiou", rune(text[0])) {
		return "an " + text
	}
	return "a " + text
}
