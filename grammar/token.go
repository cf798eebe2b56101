package grammar

// kind is the kind of a token.
type kind uint8

// Token kinds. Operators that both dialects know have a kind each; DuckDB's other operator tokens are kOperator.
const (
	kEOF kind = iota
	kError
	kWord     // unquoted identifier or keyword
	kQuoted   // quoted identifier
	kString   // string literal with its prefix; in DuckDB with its continuations
	kNumber   // with its suffix
	kParam    // ? ?2 $1 $name
	kOperator // DuckDB: any other operator token
	kHintOpen // Databricks: /*+
	kHintEnd  // Databricks: */
	kLParen
	kRParen
	kComma
	kDot
	kSemicolon
	kLBracket
	kRBracket
	kLBrace
	kRBrace
	kColon
	kDoubleColon
	kTryColon // ?::
	kAssign   // :=
	kFatArrow // =>
	kArrow    // ->
	kArrowText
	kPipe // |>
	kAt
	kHash
	kBang
	kTilde
	kPlus
	kMinus
	kStar
	kSlash
	kPercent
	kAmp
	kBar
	kConcat
	kCaret
	kPower     // **
	kIntDivide // //
	kShiftLeft
	kShiftRight
	kShiftRightUnsigned
	kEq
	kEqEq
	kNullSafe // <=>
	kNe       // <>
	kBangEq   // !=
	kBangGt
	kBangLt
	kLt
	kLe
	kGt
	kGe
	kindCount
)

var kindText = [kindCount]string{
	kEOF: "end of text", kError: "error", kWord: "name", kQuoted: "name", kString: "string", kNumber: "number",
	kParam: "parameter", kOperator: "operator", kHintOpen: "/*+", kHintEnd: "*/", kLParen: "(", kRParen: ")", kComma: ",",
	kDot: ".", kSemicolon: ";", kLBracket: "[", kRBracket: "]", kLBrace: "{", kRBrace: "}", kColon: ":",
	kDoubleColon: "::", kTryColon: "?::", kAssign: ":=", kFatArrow: "=>", kArrow: "->", kArrowText: "->>", kPipe: "|>",
	kAt: "@", kHash: "#", kBang: "!", kTilde: "~", kPlus: "+", kMinus: "-", kStar: "*", kSlash: "/", kPercent: "%",
	kAmp: "&", kBar: "|", kConcat: "||", kCaret: "^", kPower: "**", kIntDivide: "//", kShiftLeft: "<<",
	kShiftRight: ">>", kShiftRightUnsigned: ">>>", kEq: "=", kEqEq: "==", kNullSafe: "<=>", kNe: "<>", kBangEq: "!=",
	kBangGt: "!>", kBangLt: "!<", kLt: "<", kLe: "<=", kGt: ">", kGe: ">=",
}

func (k kind) String() string { return kindText[k] }

// tokenFlag says more about a token.
type tokenFlag uint8

const (
	flagPlain  tokenFlag = 1 << iota // a string or quoted name without escapes, doubled quotes or prefix
	flagDollar                       // a dollar-quoted string
	flagJoined                       // DuckDB: a string with continuations
)

// token is one token: 12 bytes without pointers, so that a buffer of them costs the garbage collector nothing.
type token struct {
	start, end int32
	word       keyword // of kWord
	kind       kind
	flags      tokenFlag
}

// Token is a token as the outside sees it.
type Token struct {
	Kind  TokenKind
	Text  string // as written; the value of literals is not decoded
	Start int    // byte offset
}

// TokenKind is the coarse kind of a Token.
type TokenKind uint8

// Kinds of Token.
const (
	TokenWord TokenKind = iota + 1
	TokenQuoted
	TokenString
	TokenNumber
	TokenParam
	TokenSymbol // operators, punctuation, hint marks
)

func (k kind) coarse() TokenKind {
	switch k {
	case kWord:
		return TokenWord
	case kQuoted:
		return TokenQuoted
	case kString:
		return TokenString
	case kNumber:
		return TokenNumber
	case kParam:
		return TokenParam
	}
	return TokenSymbol
}

// Tokens yields the tokens of sql in order, comments left out. If the text can't be read to its end, the last pair has the
// error, a *ParseError. Two texts with equal tokens (Kind and Text) are the same SQL but for comments, blanks and line
// breaks outside literals; a DuckDB string with continuations is one token with everything between its pieces.
func Tokens(sql string, d Dialect) func(yield func(Token, error) bool) {
	return func(yield func(Token, error) bool) {
		lx := scanners.Get().(*scanner)
		defer lx.release()
		lx.run(sql, d)
		for i := range lx.tokens {
			t := &lx.tokens[i]
			switch t.kind {
			case kEOF:
				return
			case kError:
				yield(Token{}, lx.parseError())
				return
			}
			if !yield(Token{t.kind.coarse(), sql[t.start:t.end], int(t.start)}, nil) {
				return
			}
		}
	}
}
