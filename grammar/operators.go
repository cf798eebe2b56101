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

// operator lexes an operator or punctuation of DuckDB. A run of operator bytes is one token, cut before a comment and at a
// question mark, which is a parameter, and shortened so that it ends in + or - only if it holds one of operatorFree.
func (lx *scanner) operator(i int, c byte) bool {
	if !operatorByte[c] || c == '?' {
		return lx.punctuation(i, c)
	}
	j := i + 1
	for j < len(lx.src) && operatorByte[lx.src[j]] && lx.src[j] != '?' {
		if n := lx.at(j + 1); lx.src[j] == '-' && n == '-' || lx.src[j] == '/' && n == '*' {
			break
		}
		j++
	}
	for j > i+1 && (lx.src[j-1] == '+' || lx.src[j-1] == '-') && !strings.ContainsAny(lx.src[i:j-1], operatorFree) {
		j--
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
