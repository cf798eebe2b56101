package grammar

import (
	"fmt"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"
)

// MaxDepth bounds the nesting of a tree: parentheses, subqueries, calls, CASE, types, unary and postfix operators. A text
// that nests deeper is refused with an ordinary error.
const MaxDepth = 10_000

// parser is the hand-written core: a cursor over the tokens of one text. Every method that parses a construct leaves the
// cursor behind it, or ends the parse by panicking with a *ParseError that Parse recovers.
type parser struct {
	arena
	lx *scanner
	// comments is the buffer for those of a lent tree.
	comments []Comment

	src  string
	d    Dialect
	toks []token // ends with kEOF or kError
	i    int

	// Participle's side, see participle.go: the tokens from base to lexEnd, and how far they have been read.
	base, lexEnd int
	lex          *lexer.PeekingLexer
	reached      lexer.Checkpoint
	session      string
	sticky       *ParseError // the first error of the core inside participle
	script       bool        // the statement may have semicolons inside
	inScript     bool        // SET assigns a variable (Databricks)
	writing      []*CTE      // those of the statement that are no query (DuckDB 2.0)

	split int     // index, from 1, of a token whose first character has been taken: > of >>
	pairs []int32 // DuckDB: see closing; empty until it is asked for

	depth   int // levels open at the cursor
	deepest int // depth of the deepest node of the tree that is being measured, see nested

	windowRefs  []*Window        // DuckDB: references to named windows, nil once they are resolved
	windowOpen  map[string][]int // those that are not, by name in lower case, ascending
	windowDefs  []NamedWindow
	windowLevel int

	statement int     // index of the statement, from 1
	stop      keyword // a word that ends a query here and is no alias: DO of a FOR loop
	measures  bool    // inside MATCH_RECOGNIZE: RUNNING and FINAL are prefixes
}

var parsers = sync.Pool{New: func() any { return new(parser) }}

// lenders are the parsers whose trees come back.
var lenders = sync.Pool{New: func() any {
	p := new(parser)
	p.lend()
	return p
}}

// Parse reads a text of one or more statements, separated by semicolons. The error is a *ParseError at the first place
// where the text can't go on; a text without any statement is an error too.
func Parse(sql string, d Dialect) (*File, error) {
	p := parsers.Get().(*parser)
	p.open(sql, d)
	file, err := p.parse()
	p.close()
	if err == nil {
		parsers.Put(p)
	}
	return file, err
}

// Lend is Parse for those who need the tree only for a while: use gets it, and when use returns, the memory of its nodes serves other trees. So no node
// and no slice of nodes may outlive use; strings may. Where Parse fails, use is not called.
func Lend(sql string, d Dialect, use func(*File)) error {
	p := lenders.Get().(*parser)
	p.open(sql, d)
	file, err := p.parse()
	p.shut()
	if err != nil {
		return err
	}
	use(file)
	p.reset()
	lenders.Put(p) // not where use panics: it may have kept something
	return nil
}

// parse is file, with the error that ends a parse recovered. A parser that failed is not used again: an error leaves half-built lists behind.
func (p *parser) parse() (file *File, err error) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		e, ok := r.(*ParseError)
		if !ok {
			p.close()
			panic(r)
		}
		if e.Statement == 0 {
			e.Statement = p.statement
		}
		file, err = nil, e
	}()
	return p.file(), nil
}

func (p *parser) open(sql string, d Dialect) {
	p.lx = scanners.Get().(*scanner)
	p.lx.comments = p.comments[:0]
	p.lx.run(sql, d)
	p.src, p.d, p.toks, p.i = sql, d, p.lx.tokens, 0
	p.windowRefs, p.windowDefs, p.windowLevel = p.windowRefs[:0], p.windowDefs[:0], 0
	p.base, p.sticky, p.script, p.inScript, p.pairs = 0, nil, false, false, p.pairs[:0]
	p.split, p.depth, p.deepest, p.statement, p.stop, p.measures = 0, 0, 0, 1, noKeyword, false
}

func (p *parser) close() {
	p.shut()
	p.reset()
}

// shut lets go of the text, reset of the tree.
func (p *parser) shut() {
	p.closeSession()
	if p.all != nil && cap(p.lx.comments) <= 1<<12 {
		p.comments = p.lx.comments
	}
	p.lx.release()
	p.lx, p.src, p.toks = nil, "", nil
	p.writing = nil
	clear(p.windowRefs[:cap(p.windowRefs)])
	clear(p.windowDefs[:cap(p.windowDefs)])
	if len(p.windowOpen) > 100 { // clearing it would cost every later text
		p.windowOpen = nil
	}
	clear(p.windowOpen)
}

func (p *parser) file() *File {
	f := &File{Span: Span{0, int32(len(p.src))}, Dialect: p.d, Source: p.src, Comments: p.lx.comments}
	for {
		for p.acceptKind(kSemicolon) {
			if len(f.Statements) == 0 && p.d.In(Databricks) {
				p.i--
				p.fail("a statement")
			}
		}
		if p.at(kEOF) {
			break
		}
		p.statement = len(f.Statements) + 1
		s := p.topStatement()
		if len(p.writing) > 0 {
			p.checkWriting(s)
		}
		f.Statements = append(f.Statements, s)
		if !p.at(kEOF) && !p.at(kSemicolon) {
			p.failEnd()
		}
	}
	if len(f.Statements) == 0 {
		p.fail("a statement")
	}
	return f
}

// topStatement parses one statement up to its semicolon or the end. A text that starts like a query never enters
// participle.
func (p *parser) topStatement() Statement {
	if p.startsStatementQuery() {
		return p.statementQuery()
	}
	if other := otherStatement; other != nil {
		return other(p, nil)
	}
	p.fail("a statement")
	return nil
}

// otherStatement parses a statement that is no query. With is set if WITH stood in front, and the cursor then is behind it;
// the statement takes it over. Set by the file that has the productions.
var otherStatement func(p *parser, with *With) Statement

// fromStatement parses the rest of a Databricks statement FROM .. INSERT .., the cursor being at INSERT.
var fromStatement func(p *parser, with *With, from *Select) Statement

// cursor

func (p *parser) peek() *token { return &p.toks[p.i] }

// look returns the token n behind the cursor; past the end it is the last one.
func (p *parser) look(n int) *token {
	if p.i+n < len(p.toks) {
		return &p.toks[p.i+n]
	}
	return &p.toks[len(p.toks)-1]
}

func (p *parser) next() {
	if k := p.toks[p.i].kind; k == kEOF || k == kError {
		return
	}
	p.i++
}

func (p *parser) at(k kind) bool { return p.toks[p.i].kind == k }

// is reports whether the cursor is at the word, unquoted.
func (p *parser) is(w keyword) bool { return p.toks[p.i].word == w }

// are reports whether the words follow one another at the cursor.
func (p *parser) are(words ...keyword) bool {
	for n, w := range words {
		if p.look(n).word != w {
			return false
		}
	}
	return true
}

func (p *parser) accept(w keyword) bool {
	if p.toks[p.i].word == w {
		p.i++
		return true
	}
	return false
}

// acceptAll takes the words if they all follow.
func (p *parser) acceptAll(words ...keyword) bool {
	if !p.are(words...) {
		return false
	}
	p.i += len(words)
	return true
}

func (p *parser) acceptKind(k kind) bool {
	if p.toks[p.i].kind == k {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(w keyword) {
	if !p.accept(w) {
		p.fail(w.String())
	}
}

func (p *parser) expectAll(words ...keyword) {
	for _, w := range words {
		p.expect(w)
	}
}

func (p *parser) expectKind(k kind) {
	if p.toks[p.i].kind != k {
		p.fail(`"` + k.String() + `"`)
	}
	p.next()
}

// start is the offset of the token at the cursor.
func (p *parser) start() int32 { return p.toks[p.i].start }

// end is the offset behind the last token taken.
func (p *parser) end() int32 {
	if p.split == p.i+1 {
		return p.toks[p.i].start
	}
	if p.i == 0 {
		return 0
	}
	return p.toks[p.i-1].end
}

func (p *parser) since(start int32) Span { return Span{start, p.end()} }

func (p *parser) text(t *token) string { return p.src[t.start:t.end] }

// glued reports whether no blank stands between the token n behind the cursor and the one before it.
func (p *parser) glued(n int) bool {
	j := p.i + n
	return j > 0 && j < len(p.toks) && p.toks[j-1].end == p.toks[j].start
}

// errors

// fail ends the parse: something else was expected at the cursor.
func (p *parser) fail(expected string) { p.failHint(expected, "") }

func (p *parser) failHint(expected, hint string) {
	t := p.peek()
	if t.kind == kError {
		e := p.lx.parseError()
		e.Statement = p.statement
		panic(e)
	}
	found := "end of text"
	if t.kind != kEOF {
		found = clip(p.text(t))
	}
	p.raise(&ParseError{Offset: int(t.start), Expected: expected, Found: found, Hint: hint})
}

// refuse ends the parse: the tokens from offset on are well-formed but break a rule.
func (p *parser) refuse(offset int32, message, hint string) {
	p.raise(&ParseError{Offset: int(offset), Expected: message, Hint: hint})
}

func (p *parser) raise(e *ParseError) {
	e.Statement = p.statement
	e.place(p.src)
	panic(e)
}

// failEnd ends the parse behind a complete statement.
func (p *parser) failEnd() {
	switch {
	case p.is(kwGroup) || p.is(kwOrder):
		if p.look(1).word != kwBy {
			p.next()
			p.fail("BY")
		}
	case p.at(kRParen):
		p.failHint("the end of the statement", "one closing parenthesis too many?")
	case p.at(kLParen) || p.at(kWord) || p.at(kString) || p.at(kNumber) || p.at(kQuoted):
		p.failHint("an operator, a comma or the end of the statement", "")
	}
	p.fail("the end of the statement")
}

// nesting

// enter opens a level; leave closes it. Levels that an error leaves open don't matter.
func (p *parser) enter() {
	p.depth++
	if p.depth > p.deepest {
		p.deepest = p.depth
		if p.depth > MaxDepth {
			p.tooDeep()
		}
	}
}

func (p *parser) leave() { p.depth-- }

// nested records that the tree measured so far becomes the child of a new node, as in a postfix chain. A measure starts
// with measure and ends with measured; it keeps the height of left-recursive trees, which loops build, under MaxDepth.
func (p *parser) nested() {
	p.deepest++
	if p.deepest > MaxDepth {
		p.tooDeep()
	}
}

func (p *parser) measure() (outer int) {
	outer, p.deepest = p.deepest, p.depth
	return outer
}

func (p *parser) measured(outer int) { p.deepest = max(p.deepest, outer) }

func (p *parser) tooDeep() {
	p.refuse(p.start(), fmt.Sprintf("the statement nests deeper than %d levels", MaxDepth), "")
}
