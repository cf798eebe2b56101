package grammar

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	lexemes "text/scanner"
)

// A production prints itself by the tags that it was parsed with, so that the two can't part: words that nothing captured
// and that may be left out are left out, of words that mean the same the first one is written, and of alternatives the one
// that writes most of what the fields hold.

// tagKind is the sort of one node of a production's tags.
type tagKind uint8

const (
	tagLiteral tagKind = iota
	tagToken           // a token type, such as Word
	tagCapture
	tagSequence
	tagChoice
	tagGroup
	tagAhead // (?= ..) or (?! ..)
)

// tagNode is a node of the grammar in the tags of a production.
type tagNode struct {
	kind  tagKind
	text  string     // of a literal
	field int        // of a capture
	mode  rune       // of a group: 0, ?, * or +
	kids  []*tagNode // of all but literals and tokens
}

// production prints x, a pointer to a struct that embeds tagged.
func (p *printer) production(x any) {
	v := reflect.ValueOf(x).Elem()
	if f := v.FieldByName("With"); f.IsValid() && f.Type() == reflect.TypeFor[*With]() && !f.IsNil() {
		f.Interface().(*With).print(p)
		p.s(" ")
	}
	w := productionWriter{p: p, v: v, used: make([]int, v.NumField())}
	w.emit(tagsOf(v.Type()))
}

// productionWriter writes one production; used counts, for each field, what has been written of it.
type productionWriter struct {
	p    *printer
	v    reflect.Value
	used []int
}

// pending reports whether the field has something beyond the first used things.
func (w *productionWriter) pending(field, used int) bool {
	f := w.v.Field(field)
	if x, ok := f.Addr().Interface().(interface{ Present() bool }); ok && f.Kind() == reflect.Struct {
		return used == 0 && x.Present()
	}
	switch f.Kind() {
	case reflect.Slice:
		return used < f.Len()
	case reflect.Bool:
		return used == 0 && f.Bool()
	case reflect.Pointer, reflect.Interface:
		return used == 0 && !f.IsNil()
	}
	return used == 0
}

// ready counts the captures that n could write after what is used; -1 says that n can't be written.
func (w *productionWriter) ready(n *tagNode) int { return w.try(n, slices.Clone(w.used)) }

// try is ready on a copy of used, in which it counts what n would write.
func (w *productionWriter) try(n *tagNode, used []int) int {
	switch n.kind {
	case tagCapture:
		if words, ok := w.words(n.field, used); ok {
			took := matchWords(n.kids[0], words)
			if took <= 0 {
				return -1
			}
			used[n.field] += took
			return took
		}
		if !w.pending(n.field, used[n.field]) {
			return -1
		}
		used[n.field]++
		return 1
	case tagSequence:
		sum := 0
		for _, k := range n.kids {
			c := w.try(k, used)
			if c < 0 {
				return -1
			}
			sum += c
		}
		return sum
	case tagChoice:
		best, after := -1, used
		for _, k := range n.kids {
			trial := slices.Clone(used)
			if c := w.try(k, trial); c > best {
				best, after = c, trial
			}
		}
		copy(used, after)
		return best
	case tagGroup:
		if n.mode == 0 || n.mode == '+' {
			return w.try(n.kids[0], used)
		}
		trial := slices.Clone(used)
		c := w.try(n.kids[0], trial)
		if c < 0 {
			return 0
		}
		copy(used, trial)
		return c
	}
	return 0
}

// words returns what is left of a Keyword field.
func (w *productionWriter) words(field int, used []int) ([]string, bool) {
	k, ok := w.v.Field(field).Interface().(Keyword)
	if !ok {
		return nil, false
	}
	return strings.Fields(string(k))[used[field]:], true
}

// matchWords returns how many of the words n takes, or -1.
func matchWords(n *tagNode, words []string) int {
	switch n.kind {
	case tagLiteral, tagToken:
		if len(words) == 0 || n.kind == tagLiteral && words[0] != n.text {
			return -1
		}
		return 1
	case tagSequence:
		sum := 0
		for _, k := range n.kids {
			c := matchWords(k, words[sum:])
			if c < 0 {
				return -1
			}
			sum += c
		}
		return sum
	case tagChoice:
		best := -1
		for _, k := range n.kids {
			best = max(best, matchWords(k, words))
		}
		return best
	case tagGroup:
		c := matchWords(n.kids[0], words)
		if c < 0 && (n.mode == '?' || n.mode == '*') {
			return 0
		}
		return c
	}
	return 0
}

func (w *productionWriter) emit(n *tagNode) {
	switch n.kind {
	case tagLiteral:
		w.token(n.text)
	case tagCapture:
		if _, words := w.words(n.field, w.used); words || w.pending(n.field, w.used[n.field]) {
			w.capture(n)
		}
	case tagSequence:
		for _, k := range n.kids {
			w.emit(k)
		}
	case tagChoice:
		best := n.kids[0]
		for _, k := range n.kids[1:] {
			if w.ready(k) > w.ready(best) {
				best = k
			}
		}
		w.emit(best)
	case tagGroup:
		kid := n.kids[0]
		switch n.mode {
		case 0:
			w.emit(kid)
		case '?':
			if w.ready(kid) > 0 {
				w.emit(kid)
			}
		case '+':
			w.emit(kid)
			fallthrough
		case '*':
			for w.ready(kid) > 0 {
				w.emit(kid)
			}
		}
	}
}

func (w *productionWriter) token(text string) {
	switch text {
	case ",", ")", ";", ":", ".", "]":
	default:
		w.p.space()
	}
	w.p.s(text)
}

// capture writes what the field has next.
func (w *productionWriter) capture(n *tagNode) {
	f, i := w.v.Field(n.field), w.used[n.field]
	if words, ok := w.words(n.field, w.used); ok {
		took := max(0, matchWords(n.kids[0], words))
		for _, word := range words[:took] {
			w.token(word)
		}
		w.used[n.field] += took
		return
	}
	w.used[n.field]++
	switch f.Kind() {
	case reflect.Bool:
		w.emit(n.kids[0])
		return
	case reflect.Slice:
		f = f.Index(i)
	case reflect.String:
		w.token(f.String())
		return
	}
	w.node(f)
}

// node prints a part.
func (w *productionWriter) node(f reflect.Value) {
	if f.Kind() != reflect.Pointer && f.Kind() != reflect.Interface {
		f = f.Addr()
	}
	x := f.Interface().(Node)
	if a, ok := x.(*Alias); !ok || a.Present() {
		w.p.space()
	}
	x.print(w.p)
}

var tagTrees sync.Map // reflect.Type -> *tagNode

// tagsOf returns the grammar in the tags of t.
func tagsOf(t reflect.Type) *tagNode {
	if n, ok := tagTrees.Load(t); ok {
		return n.(*tagNode)
	}
	r := tagReader{}
	for i := 1; i < t.NumField(); i++ {
		r.scan(t.Field(i).Tag.Get("parser"), i)
	}
	n := r.choice()
	if r.i < len(r.toks) {
		panic(fmt.Sprintf("%s: tag %q is not understood", t, r.toks[r.i].text))
	}
	tagTrees.Store(t, n)
	return n
}

// tagReader reads tags; see participle's own description of them.
type tagReader struct {
	toks []tagLexeme
	i    int
}

type tagLexeme struct {
	kind  rune // scanner's
	text  string
	field int
}

func (r *tagReader) scan(tag string, field int) {
	var s lexemes.Scanner
	s.Init(strings.NewReader(tag))
	s.Error = func(*lexemes.Scanner, string) {} // 'words' are no characters
	for k := s.Scan(); k != lexemes.EOF; k = s.Scan() {
		text := s.TokenText()
		if k == lexemes.Char || k == lexemes.String {
			k, text = lexemes.String, text[1:len(text)-1]
		}
		r.toks = append(r.toks, tagLexeme{k, text, field})
	}
}

func (r *tagReader) at(k rune) bool { return r.i < len(r.toks) && r.toks[r.i].kind == k }

func (r *tagReader) choice() *tagNode {
	n := &tagNode{kind: tagChoice}
	for {
		n.kids = append(n.kids, r.sequence())
		if !r.at('|') {
			break
		}
		r.i++
	}
	if len(n.kids) == 1 {
		return n.kids[0]
	}
	return n
}

func (r *tagReader) sequence() *tagNode {
	n := &tagNode{kind: tagSequence}
	for r.i < len(r.toks) && !r.at('|') && !r.at(')') {
		x := r.term()
		if r.at('?') || r.at('*') || r.at('+') {
			x = &tagNode{kind: tagGroup, mode: r.toks[r.i].kind, kids: []*tagNode{x}}
			r.i++
		}
		n.kids = append(n.kids, x)
	}
	return n
}

func (r *tagReader) term() *tagNode {
	t := r.toks[r.i]
	r.i++
	switch t.kind {
	case lexemes.String:
		return &tagNode{kind: tagLiteral, text: t.text}
	case lexemes.Ident:
		return &tagNode{kind: tagToken, text: t.text}
	case '<': // in the text of an error
		n := &tagNode{kind: tagToken, text: r.toks[r.i].text}
		r.i += 2
		return n
	case '@':
		n := &tagNode{kind: tagCapture, field: t.field}
		if r.at('@') {
			r.i++
			return n
		}
		n.kids = []*tagNode{r.term()}
		return n
	case '(':
		if r.at('?') {
			r.i += 2
			n := &tagNode{kind: tagAhead, kids: []*tagNode{r.choice()}}
			r.i++
			return n
		}
		n := &tagNode{kind: tagGroup, kids: []*tagNode{r.choice()}}
		r.i++
		return n
	}
	panic(fmt.Sprintf("tag %q is not understood", t.text))
}
