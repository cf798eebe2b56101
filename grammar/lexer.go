package grammar

import (
	"fmt"
	"math"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The lexer turns a text into tokens and a side table of comments in one pass over bytes. It knows no keywords, only the
// numbers of words, and it never fails: where it can't go on it leaves a kError token and stops, so the parser reports
// whatever comes first. The buffers are pooled.
type scanner struct {
	src      string
	d        Dialect
	tokens   []token
	comments []Comment
	i        int
	fault    fault
	ops      operatorRun
}

// fault is why the lexer stopped.
type fault struct {
	offset   int
	expected string
	hint     string
}

var scanners = sync.Pool{New: func() any { return new(scanner) }}

// release gives the buffers back. Nothing may hold on to the tokens after it.
func (lx *scanner) release() {
	const keep = 1 << 20 // tokens; one huge text should not pin its buffer
	if cap(lx.tokens) > keep {
		lx.tokens = nil
	}
	lx.src, lx.comments = "", nil
	scanners.Put(lx)
}

func (lx *scanner) parseError() *ParseError {
	e := &ParseError{Offset: lx.fault.offset, Expected: lx.fault.expected, Hint: lx.fault.hint}
	e.place(lx.src)
	return e
}

// byteClass sorts bytes by what a token that starts with them is.
type byteClass uint8

const (
	bSymbol byteClass = iota
	bBlank
	bWord // letter or underscore
	bDigit
	bHigh // not ASCII
	bQuote
	bBad
)

var byteClasses = func() (t [256]byteClass) {
	for c := 0; c < 256; c++ {
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			t[c] = bBlank
		case c < ' ' || c == 0x7f:
			t[c] = bBad
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_':
			t[c] = bWord
		case c >= '0' && c <= '9':
			t[c] = bDigit
		case c >= 0x80:
			t[c] = bHigh
		case c == '\'' || c == '"' || c == '`':
			t[c] = bQuote
		}
	}
	return t
}()

func isDigit(c byte) bool { return c-'0' <= 9 }

// wordByte reports whether c continues a word in both dialects.
func wordByte(c byte) bool { k := byteClasses[c]; return k == bWord || k == bDigit }

// run lexes all of src.
func (lx *scanner) run(src string, d Dialect) {
	lx.src, lx.d, lx.i = src, d, 0
	lx.tokens, lx.fault, lx.ops = lx.tokens[:0], fault{}, operatorRun{}
	if want := len(src)/4 + 16; cap(lx.tokens) < want {
		lx.tokens = make([]token, 0, want)
	}
	switch {
	case len(src) > math.MaxInt32-16:
		lx.fail(0, "a text below 2 GiB", "")
		return
	case !utf8.ValidString(src):
		lx.fail(invalidAt(src), "the text is not valid UTF-8 here", "save the file as UTF-8")
		return
	}
	for lx.next() {
	}
}

func invalidAt(s string) int {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(s)
}

// fail ends the token list with an error at offset.
func (lx *scanner) fail(offset int, expected, hint string) bool {
	lx.fault = fault{offset, expected, hint}
	lx.tokens = append(lx.tokens, token{start: int32(offset), end: int32(offset), kind: kError})
	return false
}

func (lx *scanner) emit(k kind, start, end int, f tokenFlag) bool {
	lx.tokens = append(lx.tokens, token{start: int32(start), end: int32(end), kind: k, flags: f})
	lx.i = end
	return true
}

// at returns the byte at i, or 0 behind the end. NUL itself is refused everywhere, so 0 is unambiguous.
func (lx *scanner) at(i int) byte {
	if i < len(lx.src) {
		return lx.src[i]
	}
	return 0
}

// next appends one token, or one comment, and reports whether to go on.
func (lx *scanner) next() bool {
	src, i := lx.src, lx.i
	for i < len(src) && byteClasses[src[i]] == bBlank {
		i++
	}
	if i >= len(src) {
		return lx.emit(kEOF, len(src), len(src), 0) && false
	}
	switch c := src[i]; byteClasses[c] {
	case bWord:
		return lx.word(i)
	case bDigit:
		return lx.number(i)
	case bHigh:
		r, n := utf8.DecodeRuneInString(src[i:])
		if lx.blank(r) {
			lx.i = i + n
			return true
		}
		return lx.word(i)
	case bQuote:
		return lx.quote(i, c)
	case bBad:
		return lx.fail(i, fmt.Sprintf("a control character (%#02x) stands here", c), "remove it")
	case bSymbol:
		switch {
		case c == '-' && lx.at(i+1) == '-':
			return lx.lineComment(i)
		case c == '/' && lx.at(i+1) == '*':
			return lx.blockComment(i)
		case c == '.' && isDigit(lx.at(i+1)):
			return lx.number(i)
		case c == '$':
			return lx.dollar(i)
		}
		if lx.d.In(Databricks) {
			return lx.symbol(i, c)
		}
		return lx.operator(i, c)
	}
	return false
}

// blank reports whether the dialect reads r, outside quotes, as a blank. Both lists are the engines' own: Spark's WS rule,
// DuckDB's replacement of Unicode spaces before lexing.
func (lx *scanner) blank(r rune) bool {
	switch {
	case r == 0xA0, 0x2000 <= r && r <= 0x200A, r == 0x202F, r == 0x205F, r == 0x3000:
		return true
	case lx.d.In(Databricks):
		return r == 0x1680 || r == 0x2028
	}
	return r == 0x200B || r == 0x2060 || r == 0xFEFF
}

// word lexes an unquoted name, or a string with a prefix letter.
func (lx *scanner) word(i int) bool {
	src, j, h := lx.src, i, uint32(0)
	high := -1
	for ; j < len(src); j++ {
		c := src[j]
		if wordByte(c) {
			h = h*31 + uint32(c|0x20)
			continue
		}
		if c < utf8.RuneSelf {
			if c == '$' && lx.d.In(DuckDB) && j > i {
				h = h*31 + uint32(c)
				continue
			}
			break
		}
		r, n := utf8.DecodeRuneInString(src[j:])
		if lx.blank(r) || lx.d.In(Databricks) && !unicode.IsLetter(r) {
			break
		}
		if high < 0 {
			high = j
		}
		j += n - 1
	}
	if j == i {
		r, _ := utf8.DecodeRuneInString(src[i:])
		return lx.fail(i, fmt.Sprintf("the character %q stands outside quotes", r), "")
	}
	if high >= 0 && lx.d.In(Databricks) {
		return lx.fail(i, fmt.Sprintf("the name %s has characters beyond a-z, 0-9 and _", clip(src[i:j])), "put it into back quotes")
	}
	if j == i+1 && j < len(src) && (src[j] == '\'' || src[j] == '"' || src[j] == '&') {
		if done, more := lx.prefixed(i, src[i]|0x20, src[j]); done {
			return more
		}
	}
	t := token{start: int32(i), end: int32(j), kind: kWord}
	if high < 0 && j-i <= keywordLongest {
		t.word = lookup(src[i:j], h)
	}
	lx.tokens = append(lx.tokens, t)
	lx.i = j
	return true
}

// prefixed lexes a literal that starts with a prefix letter (in lower case) and a quote; done is false if the dialect has no
// such prefix and the letter is a name.
func (lx *scanner) prefixed(i int, prefix, quote byte) (done, more bool) {
	if lx.d.In(Databricks) {
		if prefix != 'r' || quote == '&' {
			return false, false
		}
		j := i + 2
		for j < len(lx.src) && lx.src[j] != quote {
			if lx.src[j] == 0 {
				return true, lx.nul(j)
			}
			j++
		}
		if j >= len(lx.src) {
			return true, lx.unterminated(i, "raw string")
		}
		return true, lx.emit(kString, i, j+1, 0)
	}
	switch {
	case quote == '\'' && (prefix == 'e' || prefix == 'x' || prefix == 'b' || prefix == 'n'):
		return true, lx.duckString(i, i+1, prefix == 'e')
	}
	return false, false
}

func (lx *scanner) nul(at int) bool { return lx.fail(at, "a NUL character stands here", "remove it") }

func (lx *scanner) unterminated(at int, what string) bool {
	return lx.fail(at, "this "+what+" has no end", "")
}

// quote lexes a string or a quoted name.
func (lx *scanner) quote(i int, c byte) bool {
	if lx.d.In(Databricks) {
		if c == '`' {
			return lx.quotedName(i, c)
		}
		return lx.sparkString(i, c)
	}
	switch c {
	case '\'':
		return lx.duckString(i, i, false)
	case '"':
		return lx.quotedName(i, c)
	}
	return lx.fail(i, "DuckDB has no back quotes", "quote names with \"")
}

// quotedName lexes a name in quotes; the quote doubled is the quote.
func (lx *scanner) quotedName(i int, c byte) bool {
	f := flagPlain
	for j := i + 1; j < len(lx.src); j++ {
		switch b := lx.src[j]; {
		case b == 0:
			return lx.nul(j)
		case b != c:
		case lx.at(j+1) == c:
			f = 0
			j++
		case j == i+1 && lx.d.In(DuckDB):
			return lx.fail(i, "an empty name in quotes", "")
		default:
			return lx.emit(kQuoted, i, j+1, f)
		}
	}
	return lx.unterminated(i, "quoted name")
}

// sparkString lexes '..' or "..": a backslash takes the next character with it, the own quote doubled is the quote.
func (lx *scanner) sparkString(i int, c byte) bool {
	f := flagPlain
	for j := i + 1; j < len(lx.src); j++ {
		switch b := lx.src[j]; {
		case b == 0:
			return lx.nul(j)
		case b == '\\':
			f = 0
			j++
		case b != c:
		case lx.at(j+1) == c:
			f = 0
			j++
		default:
			return lx.emit(kString, i, j+1, f)
		}
	}
	return lx.unterminated(i, "string")
}

// duckString lexes a string whose quote is at q, with its continuations: further pieces in quotes behind a line break, with
// line comments allowed between. A continuation has the rules of the first piece.
func (lx *scanner) duckString(start, q int, escapes bool) bool {
	f := flagPlain
	if start != q {
		f = 0
	}
	comments := len(lx.comments)
	for {
		end := lx.duckPiece(q, escapes, &f)
		if end < 0 {
			return false
		}
		next := lx.continuation(end)
		if next < 0 {
			lx.comments = lx.comments[:max(comments, lx.commentsBefore(end))]
			return lx.emit(kString, start, end, f)
		}
		f = f&^flagPlain | flagJoined
		q = next
	}
}

// commentsBefore counts the comments that end at or before offset; those behind it are lexed again.
func (lx *scanner) commentsBefore(offset int) int {
	n := len(lx.comments)
	for n > 0 && int(lx.comments[n-1].Start) >= offset {
		n--
	}
	return n
}

// duckPiece lexes one piece in quotes and returns its end, or -1.
func (lx *scanner) duckPiece(q int, escapes bool, f *tokenFlag) int {
	for j := q + 1; j < len(lx.src); j++ {
		switch b := lx.src[j]; {
		case b == 0:
			lx.nul(j)
			return -1
		case b == '\\' && escapes:
			j++
		case b != '\'':
		case lx.at(j+1) == '\'':
			*f &^= flagPlain
			j++
		default:
			return j + 1
		}
	}
	lx.unterminated(q, "string")
	return -1
}

// continuation returns the place of a quote that continues a string ending at i, or -1.
func (lx *scanner) continuation(i int) int {
	line := false
	for i < len(lx.src) {
		switch c := lx.src[i]; {
		case c == '\n' || c == '\r':
			line = true
			i++
		case byteClasses[c] == bBlank:
			i++
		case c == '-' && lx.at(i+1) == '-':
			start := i
			for i < len(lx.src) && lx.src[i] != '\n' && lx.src[i] != '\r' {
				i++
			}
			lx.comments = append(lx.comments, Comment{Span{int32(start), int32(i)}, int32(len(lx.tokens))})
		case c == '\'' && line:
			return i
		default:
			return -1
		}
	}
	return -1
}

// lineComment skips a comment to the end of its line. In Databricks a backslash right before the line feed makes it go on.
func (lx *scanner) lineComment(i int) bool {
	j := i
	for j < len(lx.src) && lx.src[j] != '\n' && lx.src[j] != '\r' {
		if lx.src[j] == 0 {
			return lx.nul(j)
		}
		if lx.src[j] == '\\' && lx.at(j+1) == '\n' && lx.d.In(Databricks) {
			j++
		}
		j++
	}
	return lx.comment(i, j)
}

// blockComment skips a nested comment, or emits a hint's opening.
func (lx *scanner) blockComment(i int) bool {
	if lx.at(i+2) == '+' && lx.d.In(Databricks) {
		return lx.emit(kHintOpen, i, i+3, 0)
	}
	depth := 1
	for j := i + 2; j < len(lx.src); j++ {
		switch {
		case lx.src[j] == 0:
			return lx.nul(j)
		case lx.src[j] == '*' && lx.at(j+1) == '/':
			j++
			if depth--; depth == 0 {
				return lx.comment(i, j+1)
			}
		case lx.src[j] == '/' && lx.at(j+1) == '*':
			j++
			depth++
		}
	}
	return lx.unterminated(i, "comment")
}

func (lx *scanner) comment(i, j int) bool {
	lx.comments = append(lx.comments, Comment{Span{int32(i), int32(j)}, int32(len(lx.tokens))})
	lx.i = j
	return true
}

// dollar lexes a dollar-quoted string or a parameter.
func (lx *scanner) dollar(i int) bool {
	j := i + 1
	duck := lx.d.In(DuckDB)
	for j < len(lx.src) {
		c := lx.src[j]
		if byteClasses[c] == bWord && (duck || c != '_') || duck && (c >= utf8.RuneSelf || isDigit(c) && j > i+1) {
			j++
			continue
		}
		break
	}
	if lx.at(j) == '$' {
		tag := lx.src[i : j+1]
		for k := j + 1; k+len(tag) <= len(lx.src); k++ {
			if lx.src[k] == 0 {
				return lx.nul(k)
			}
			if lx.src[k] == '$' && lx.src[k:k+len(tag)] == tag {
				return lx.emit(kString, i, k+len(tag), flagDollar)
			}
		}
		return lx.unterminated(i, "dollar-quoted string")
	}
	if !duck {
		return lx.fail(i, "a dollar sign stands here", "")
	}
	if j > i+1 {
		return lx.emit(kParam, i, j, 0)
	}
	for j < len(lx.src) && isDigit(lx.src[j]) {
		j++
	}
	if j == i+1 {
		return lx.fail(i, "a dollar sign without a name or number", "")
	}
	return lx.emit(kParam, i, j, 0)
}

// number lexes a numeric literal, or in Databricks a name that starts with a digit: the longest match decides.
func (lx *scanner) number(i int) bool {
	if lx.d.In(DuckDB) {
		return lx.emit(kNumber, i, lx.duckNumber(i), 0)
	}
	src, j := lx.src, i
	for isDigit(lx.at(j)) {
		j++
	}
	best := i
	if j > i {
		best = j
		k := lx.exponent(j)
		if k > j {
			best = k
		}
		if s := lx.suffix(k, k == j); s > best {
			best = s
		}
	}
	if lx.at(j) == '.' {
		k := j + 1
		for isDigit(lx.at(k)) {
			k++
		}
		if k > j+1 || j > i {
			e := lx.exponent(k)
			for _, end := range [...]int{k, e, lx.suffix(e, false), lx.suffix(k, false)} {
				if end > best && lx.decimalEnds(end) {
					best = end
				}
			}
		}
	}
	word := i
	for word < len(src) && wordByte(src[word]) {
		word++
	}
	if word > best {
		return lx.word(i)
	}
	if best == i {
		return lx.emit(kDot, i, i+1, 0)
	}
	return lx.emit(kNumber, i, best, 0)
}

// decimalEnds reports whether a literal with a point may end at i.
func (lx *scanner) decimalEnds(i int) bool {
	c := lx.at(i)
	if c < utf8.RuneSelf {
		return !wordByte(c)
	}
	r, _ := utf8.DecodeRuneInString(lx.src[i:])
	return !unicode.IsLetter(r)
}

// exponent returns the end of an exponent at i, or i.
func (lx *scanner) exponent(i int) int {
	if lx.at(i)|0x20 != 'e' {
		return i
	}
	j := i + 1
	if c := lx.at(j); c == '+' || c == '-' {
		j++
	}
	if !isDigit(lx.at(j)) {
		return i
	}
	for isDigit(lx.at(j)) {
		j++
	}
	return j
}

// suffix returns the end of a type suffix at i, or i. L, S and Y follow plain digits only.
func (lx *scanner) suffix(i int, digits bool) int {
	switch lx.at(i) | 0x20 {
	case 'd', 'f':
		return i + 1
	case 'b':
		if lx.at(i+1)|0x20 == 'd' {
			return i + 2
		}
	case 'l', 's', 'y':
		if digits {
			return i + 1
		}
	}
	return i
}

// duckNumber returns the end of a number: digits with single underscores between, point, exponent. What follows is another
// token, so 0x1F is 0 and a name.
func (lx *scanner) duckNumber(i int) int {
	j := lx.duckDigits(i)
	if lx.at(j) == '.' && lx.at(j+1) != '.' {
		j = lx.duckDigits(j + 1)
	}
	if lx.at(j)|0x20 == 'e' {
		k := j + 1
		if c := lx.at(k); c == '+' || c == '-' {
			k++
		}
		if isDigit(lx.at(k)) {
			j = lx.duckDigits(k)
		}
	}
	return j
}

func (lx *scanner) duckDigits(i int) int {
	if !isDigit(lx.at(i)) {
		return i
	}
	for isDigit(lx.at(i)) || lx.at(i) == '_' && isDigit(lx.at(i+1)) {
		i++
	}
	return i
}

// clip shortens a token for a message.
func clip(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "..."
}

// lexAll returns the tokens of a text in a buffer of their own.
func lexAll(sql string, d Dialect) []token {
	lx := new(scanner)
	lx.run(sql, d)
	return lx.tokens
}
