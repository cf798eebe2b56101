package grammar

import "strings"

// symbol lexes an operator or punctuation of Databricks: the longest of a fixed list.
func (lx *scanner) symbol(i int, c byte) bool {
	c1, c2 := lx.at(i+1), lx.at(i+2)
	k, n := kError, 1
	switch c {
	case '(':
		k = kLParen
	case ')':
		k = kRParen
	case ',':
		k = kComma
	case '.':
		k = kDot
	case ';':
		k = kSemicolon
	case '[':
		k = kLBracket
	case ']':
		k = kRBracket
	case '{':
		k = kLBrace
	case '}':
		k = kRBrace
	case '@':
		k = kAt
	case '~':
		k = kTilde
	case '+':
		k = kPlus
	case '/':
		k = kSlash
	case '%':
		k = kPercent
	case '&':
		k = kAmp
	case '^':
		k = kCaret
	case '?':
		k = kParam
		if c1 == ':' && c2 == ':' {
			k, n = kTryColon, 3
		}
	case ':':
		k = kColon
		if c1 == ':' {
			k, n = kDoubleColon, 2
		}
	case '-':
		k = kMinus
		if c1 == '>' {
			k, n = kArrow, 2
		}
	case '*':
		k = kStar
		if c1 == '/' {
			k, n = kHintEnd, 2
		}
	case '|':
		k = kBar
		switch c1 {
		case '|':
			k, n = kConcat, 2
		case '>':
			k, n = kPipe, 2
		}
	case '=':
		k = kEq
		switch c1 {
		case '=':
			k, n = kEqEq, 2
		case '>':
			k, n = kFatArrow, 2
		}
	case '!':
		k = kBang
		switch c1 {
		case '=':
			k, n = kBangEq, 2
		case '>':
			k, n = kBangGt, 2
		case '<':
			k, n = kBangLt, 2
		}
	case '<':
		k = kLt
		switch {
		case c1 == '=' && c2 == '>':
			k, n = kNullSafe, 3
		case c1 == '=':
			k, n = kLe, 2
		case c1 == '>':
			k, n = kNe, 2
		case c1 == '<':
			k, n = kShiftLeft, 2
		}
	case '>':
		k = kGt
		switch {
		case c1 == '=':
			k, n = kGe, 2
		case c1 == '>' && c2 == '>':
			k, n = kShiftRightUnsigned, 3
		case c1 == '>':
			k, n = kShiftRight, 2
		}
	}
	if k == kError {
		return lx.fail(i, "the character "+string(c)+" stands outside quotes", "")
	}
	return lx.emit(k, i, i+n, 0)
}

// Bytes of DuckDB's operator tokens, and those that let a token end in + or -.
const (
	operatorBytes = "~!@^&|`?+-*/%<>="
	operatorFree  = "~!@^&|`?%"
)

var operatorByte = func() (t [256]bool) {
	for i := 0; i < len(operatorBytes); i++ {
		t[operatorBytes[i]] = true
	}
	return t
}()

// duckOperators are the operator tokens that the parser tells apart.
var duckOperators = map[string]kind{
	"->": kArrow, "->>": kArrowText, "=>": kFatArrow, "**": kPower, "//": kIntDivide, "<=": kLe, ">=": kGe, "<>": kNe,
	"!=": kBangEq, "==": kEqEq, "||": kConcat, "<<": kShiftLeft, ">>": kShiftRight,
	"+": kPlus, "-": kMinus, "*": kStar, "/": kSlash, "%": kPercent, "^": kCaret, "<": kLt, ">": kGt, "=": kEq,
	"~": kTilde, "!": kBang, "@": kAt, "&": kAmp, "|": kBar,
}

// singleOperator has the kinds of operators of one byte.
var singleOperator = func() (t [256]kind) {
	for text, k := range duckOperators {
		if len(text) == 1 {
			t[text[0]] = k
		}
	}
	return t
}()

// operator lexes an operator or punctuation of DuckDB. A run of operator bytes is one token, cut before a comment and at a
// question mark, which is a parameter, and shortened so that it ends in + or - only if it holds one of operatorFree.
func (lx *scanner) operator(i int, c byte) bool {
	if !operatorByte[c] || c == '?' {
		return lx.punctuation(i, c)
	}
	if n := lx.at(i + 1); !operatorByte[n] && singleOperator[c] != kEOF {
		return lx.emit(singleOperator[c], i, i+1, 0)
	}
	if i >= lx.ops.end {
		lx.ops = lx.operatorRun(i)
	}
	j := lx.ops.end
	if !lx.ops.free {
		j = max(i+1, lx.ops.hard)
	}
	text := lx.src[i:j]
	if k, ok := duckOperators[text]; ok {
		return lx.emit(k, i, j, 0)
	}
	if strings.IndexByte(text, '`') >= 0 {
		return lx.fail(i+strings.IndexByte(text, '`'), "DuckDB has no back quotes", "quote names with \"")
	}
	return lx.emit(kOperator, i, j, 0)
}

// operatorRun is a run of operator bytes: where it ends, where the last byte but + and - ends, and whether it holds one of
// operatorFree. It is kept while its tokens are cut off, so that a long run is read once.
type operatorRun struct {
	end, hard int
	free      bool
}

func (lx *scanner) operatorRun(i int) operatorRun {
	r := operatorRun{end: i}
	for ; r.end < len(lx.src); r.end++ {
		c := lx.src[r.end]
		if !operatorByte[c] || c == '?' {
			break
		}
		if n := lx.at(r.end + 1); c == '-' && n == '-' || c == '/' && n == '*' {
			break
		}
		if c != '+' && c != '-' {
			r.hard = r.end + 1
		}
		r.free = r.free || strings.IndexByte(operatorFree, c) >= 0
	}
	return r
}

func (lx *scanner) punctuation(i int, c byte) bool {
	k, n := kError, 1
	switch c {
	case '(':
		k = kLParen
	case ')':
		k = kRParen
	case ',':
		k = kComma
	case '.':
		k = kDot
	case ';':
		k = kSemicolon
	case '[':
		k = kLBracket
	case ']':
		k = kRBracket
	case '{':
		k = kLBrace
	case '}':
		k = kRBrace
	case ':':
		k = kColon
		switch lx.at(i + 1) {
		case ':':
			k, n = kDoubleColon, 2
		case '=':
			k, n = kAssign, 2
		}
	case '#':
		k = kHash
	case '?':
		k = kParam
		for isDigit(lx.at(i + n)) {
			n++
		}
	}
	if k == kError {
		return lx.fail(i, "the character "+string(c)+" stands outside quotes", "")
	}
	return lx.emit(k, i, i+n, 0)
}
