package grammar

// Expr is an expression. Nesting is as the dialect's precedence says; parentheses of the text are *Paren nodes, and the
// printer adds those that a rewritten tree needs.
type Expr interface {
	Node
	isExpr()
}

// Column is a dotted name: a column, a field of one, a lambda parameter, a variable, a bare function word such as
// current_date, or (DuckDB) a whole row. What it means is decided by name resolution.
type Column struct {
	Span
	Parts []Ident
}

// DynamicName is IDENTIFIER(expr) with anything but a plain string, where an expression stands (Databricks).
type DynamicName struct {
	Span
	X Expr
}

// Star is [qualifier.]* with its modifiers.
//
//   - EXCEPT (name[.field], ...)                                                    Databricks
//   - EXCLUDE (..) REPLACE (expr AS name, ..) RENAME (old AS new, ..)               DuckDB; without parentheses for one
//
// DuckDB's * LIKE 'x%' is a Like whose X is a Star.
type Star struct {
	Span
	Qualifier []Ident
	Exclude   []Column // EXCEPT, EXCLUDE
	Replace   []SelectItem
	Rename    []StarRename
}

// StarRename is old AS new.
type StarRename struct {
	Span
	Old Column
	New Ident
}

// Columns is [*] [qualifier.]COLUMNS(arg) (DuckDB); the arg is a star, a lambda, a list, a string or any other expression.
type Columns struct {
	Span
	Unpack    bool // written with a star in front
	Qualifier []Ident
	Arg       Expr
}

// PositionalRef is #n (DuckDB).
type PositionalRef struct {
	Span
	Text string // the digits
}

// String is a string literal, joined literals included. Value is decoded exactly; the span has the source.
type String struct {
	Span
	Value string
	Kind  StringKind
}

// StringKind tells text from other literals in quotes.
type StringKind uint8

// Kinds of String. StringHex and StringBit keep the digits in Value; N'x' is text of its own kind in DuckDB.
const (
	StringText     StringKind = iota
	StringHex                 // X'41'
	StringBit                 // B'01', DuckDB
	StringNational            // N'x', DuckDB
)

// Number is a numeric literal. Text has the digits as written, without minus and suffix; the scale and the form decide
// the type, so nothing is normalized here.
type Number struct {
	Span
	Text     string
	Suffix   string // Databricks: L S Y F D BD in upper case
	Negative bool   // Databricks: the minus belongs to the literal where an operand starts
	Kind     NumberKind
}

// NumberKind is the form of a Number.
type NumberKind uint8

// Forms of a Number, whatever the suffix.
const (
	NumberInteger  NumberKind = iota
	NumberDecimal             // has a point
	NumberExponent            // has an exponent
)

// Null is NULL.
type Null struct{ Span }

// Bool is TRUE or FALSE.
type Bool struct {
	Span
	Value bool
}

// Default is DEFAULT as an expression (DuckDB). In Databricks it is a Column of that name.
type Default struct{ Span }

// TypedLiteral is type 'text': DATE '2024-01-01'; in DuckDB any type name, with modifiers too. X'..' is a String.
type TypedLiteral struct {
	Span
	Type  DataType
	Value *String
}

// Interval is an INTERVAL literal.
//
//	INTERVAL [+|-] n unit [n unit ..]   INTERVAL 'text'   INTERVAL 'text' unit TO unit      Databricks
//	INTERVAL n [unit]   INTERVAL 'text' [unit]   INTERVAL (expr) [unit]                     DuckDB
type Interval struct {
	Span
	Parts []IntervalPart
	To    Ident // Databricks
}

// IntervalPart is a count and its unit; the unit may be missing. The count is a Number, a String, a Unary of them, or (DuckDB)
// a Paren or a parameter.
type IntervalPart struct {
	Span
	Value Expr
	Unit  Ident
}

// Param is a parameter marker, as written: ? and :name (Databricks), ?, ?2, $1 and $name (DuckDB).
type Param struct {
	Span
	Text string
}

// Unary is a prefix operator and its operand: - + ~ and, in DuckDB, any operator token. The operand reaches as far as the
// dialect lets it: DuckDB's ~1 + 1 is ~(1 + 1).
type Unary struct {
	Span
	Op string
	X  Expr
}

// Postfix is a DuckDB postfix operator: 5!
type Postfix struct {
	Span
	X        Expr
	Op       string
	Diverges bool // DuckDB 1.5 and 2.0 read this text differently
}

// Binary is a chain of binary operators of one precedence level, from left to right: ((First op X) op X) ..
//
// Operators are kept as written (==, <>, !=, !>), since DuckDB's == has another level than =. In DuckDB -> is a Binary of
// the lowest level, JSON extraction or lambda as the function decides that it is an argument of; OPERATOR(s.+) keeps the
// text. DIV and OVERLAPS are upper case.
type Binary struct {
	Span
	First    Expr
	Rest     []Operand
	Diverges bool // DuckDB 1.5 and 2.0 read this text differently
}

// Operand is an operator and what stands to its right.
type Operand struct {
	Span // operator included
	Op   string
	X    Expr
}

// Quantified is the right side of a DuckDB comparison: {ANY | SOME | ALL} (query or list).
type Quantified struct {
	Span
	All   bool
	Query *Query
	X     Expr
}

// And is an AND chain of two or more operands.
type And struct {
	Span
	Args []Expr
}

// Or is an OR chain of two or more operands.
type Or struct {
	Span
	Args []Expr
}

// Not is NOT expr, in Databricks also ! expr.
type Not struct {
	Span
	X        Expr
	Diverges bool // DuckDB 1.5 and 2.0 read this text differently
}

// Is is expr IS [NOT] test; ISNULL, NOTNULL and NOT NULL (DuckDB) give the same tree.
type Is struct {
	Span
	X        Expr
	Not      bool
	Test     IsTest
	Y        Expr // of DISTINCT FROM
	Diverges bool // DuckDB 1.5 and 2.0 read this text differently
}

// IsTest is what an Is tests for.
type IsTest uint8

// Tests of an Is.
const (
	IsNull IsTest = iota
	IsTrue
	IsFalse
	IsUnknown
	IsDistinctFrom
)

// Between is expr [NOT] BETWEEN [ASYMMETRIC] low AND high.
type Between struct {
	Span
	X         Expr
	Not       bool
	Low, High Expr
}

// In is expr [NOT] IN (..) with a list or a query, or (DuckDB) expr [NOT] IN expr without parentheses.
//
// In Databricks, IN ((SELECT ..)) is a list of one scalar subquery.
type In struct {
	Span
	X        Expr
	Not      bool
	List     []Expr
	Query    *Query
	Y        Expr
	Diverges bool // DuckDB 1.5 and 2.0 read this text differently
}

// Like is a pattern match.
//
//	expr [NOT] {LIKE | ILIKE | RLIKE | GLOB | SIMILAR TO} pattern [ESCAPE c]
//	expr [NOT] {LIKE | ILIKE} {ANY | SOME | ALL} (pattern, ...)                  Databricks
type Like struct {
	Span
	X        Expr
	Not      bool
	Op       LikeOp
	Quant    LikeQuantifier
	Pattern  Expr
	Patterns []Expr
	Escape   Expr
}

// LikeOp is the operator of a Like; REGEXP is RLIKE.
type LikeOp uint8

// Operators of a Like.
const (
	OpLike LikeOp = iota
	OpILike
	OpRLike
	OpGlob
	OpSimilar
)

// LikeQuantifier is the quantifier of a Like; SOME is ANY.
type LikeQuantifier uint8

// Quantifiers of a Like.
const (
	LikeOne LikeQuantifier = iota
	LikeAny
	LikeAll
)

// Exists is EXISTS (query).
type Exists struct {
	Span
	Query *Query
}

// Subquery is a query in parentheses as a value.
type Subquery struct {
	Span
	Query *Query
}

// Cast is a conversion.
//
//	CAST(expr AS type)   TRY_CAST(expr AS type)   expr::type   expr?::type (Databricks)
type Cast struct {
	Span
	X     Expr
	Type  DataType
	Try   bool
	Colon bool // written as :: or ?::
}

// Collate is expr COLLATE name.
type Collate struct {
	Span
	X    Expr
	Name Name
}

// AtTimeZone is expr AT TIME ZONE zone (DuckDB).
type AtTimeZone struct {
	Span
	X        Expr
	Zone     Expr
	Diverges bool // DuckDB 1.5 and 2.0 read this text differently
}

// Dot is expr.name where expr is no plain dotted name: (a).b, f(x).b, a[0].b
type Dot struct {
	Span
	X    Expr
	Name Ident
}

// DotStar is expr.* on something that is no plain name (DuckDB 2.0, Databricks: none).
type DotStar struct {
	Span
	X Expr
}

// Index is expr[index].
type Index struct {
	Span
	X, I Expr
}

// Slice is expr[low:high:step] (DuckDB); each may be missing, and high may be written - in the form with a step.
type Slice struct {
	Span
	X               Expr
	Low, High, Step Expr
	Dash            bool // high written as -
	Stepped         bool // the second colon was written, even if Step is missing
}

// JSONPath is expr:path (Databricks).
type JSONPath struct {
	Span
	X     Expr
	Steps []PathStep
}

// PathStep is one step of a JSONPath: .name, ['name'], [n], [*]. The first name has no dot. Names keep their case; plain and
// backquoted names match alike, a name in brackets exactly.
type PathStep struct {
	Span
	Name  Ident // .name
	Index Expr  // [expr]: a String, a Number, or a Column
	Star  bool  // [*]
}

// Case is CASE [operand] WHEN .. THEN .. [ELSE ..] END.
type Case struct {
	Span
	Operand Expr
	Whens   []When
	Else    Expr
}

// When is WHEN cond THEN value.
type When struct {
	Span
	Cond, Then Expr
}

// Paren is an expression in parentheses.
type Paren struct {
	Span
	X Expr
}

// Row is (a, b), ROW(a, b) (DuckDB) or, in GROUP BY and ROW(), an empty list. Items of a Databricks row may be *Aliased.
type Row struct {
	Span
	Keyword bool // ROW was written
	Items   []Expr
}

// Aliased is expr AS name inside an expression: struct(a AS x), (a AS x, b), (1 AS one) + 1 (Databricks). In DuckDB it stands
// in USING KEY alone.
type Aliased struct {
	Span
	X       Expr
	Alias   Ident
	Aliases []Ident
}

// List is [a, b] or ARRAY[a, b] (DuckDB).
type List struct {
	Span
	Keyword bool // ARRAY was written
	Items   []Expr
}

// ArrayQuery is ARRAY(query) (DuckDB).
type ArrayQuery struct {
	Span
	Query *Query
}

// Struct is {'key': value, ...} (DuckDB).
type Struct struct {
	Span
	Fields []StructItem
}

// StructItem is key: value. In a Struct the key is a name whose case is data; in a MapLiteral it is an expression.
type StructItem struct {
	Span
	Name  Ident
	Key   Expr
	Value Expr
}

// MapLiteral is MAP {key: value, ...} (DuckDB).
type MapLiteral struct {
	Span
	Items []StructItem
}

// Comprehension is [expr FOR name[, index] IN list [IF cond]] (DuckDB).
type Comprehension struct {
	Span
	X    Expr
	Vars []Ident
	In   Expr
	If   Expr
}

// Lambda is x -> body, (x, y) -> body (Databricks) or LAMBDA x, y: body (DuckDB). DuckDB's arrow is a Binary.
type Lambda struct {
	Span
	Keyword bool
	Params  []Ident
	Body    Expr
}

// Call is a function call.
//
//	name( [DISTINCT|ALL] arg, .. ) [WITHIN GROUP (ORDER BY ..)] [FILTER (WHERE e)] [IGNORE|RESPECT NULLS] [OVER ..]   Databricks
//	name( [DISTINCT|ALL] arg, .. [ORDER BY ..] [IGNORE|RESPECT NULLS] ) [WITHIN GROUP (ORDER BY ..)]
//	  [FILTER ([WHERE] e)] [EXPORT_STATE] [OVER ..]                                                                  DuckDB
//
// Arguments may be *NamedArg, *TableArg, *Star, *Unit (the unit of dateadd and its kin), *Aliased (in STRUCT).
type Call struct {
	Span
	Name        Name
	Receiver    Expr // DuckDB: x.f(args) where x is no plain name; Name has one part
	Quantifier  Quantifier
	Args        []Expr
	OrderBy     []Sort // DuckDB
	Nulls       NullTreatment
	NullsInside bool // Databricks: FIRST(x IGNORE NULLS); in DuckDB it always stands inside
	WithinGroup []Sort
	Filter      Expr
	ExportState bool // DuckDB
	Running     string
	Over        *Window
}

// NullTreatment is IGNORE NULLS or RESPECT NULLS.
type NullTreatment uint8

// Null treatments.
const (
	NoNullTreatment NullTreatment = iota
	IgnoreNulls
	RespectNulls
)

// SyntaxCall is a function with words between its arguments:
//
//	EXTRACT(field FROM e)   TRIM([BOTH|LEADING|TRAILING] [chars] FROM s)   SUBSTRING(s FROM p [FOR n])
//	OVERLAY(s PLACING r FROM p [FOR n])   POSITION(a IN b)   COLLATION FOR (e)   TREAT(e AS type)
type SyntaxCall struct {
	Span
	Name Ident
	Args []SyntaxArg
}

// SyntaxArg is an argument with the word before it, in upper case; the first may have none. Word is "," between the
// arguments of a list.
type SyntaxArg struct {
	Span
	Word string
	X    Expr // nil for the side word of TRIM(LEADING FROM s)
}

// Unit is a word in place of an argument: the field of EXTRACT, the unit of DATEADD(DAY, ..).
type Unit struct {
	Span
	Word Ident // in DuckDB, EXTRACT's field may be a string: SingleQuote
}

// NamedArg is name => value; DuckDB also := (and = in table functions, which parses as a comparison).
type NamedArg struct {
	Span
	Name  Ident
	Op    string
	Value Expr
}

// VariadicArg is VARIADIC expr (DuckDB 1.5).
type VariadicArg struct {
	Span
	X Expr
}

// TableArg is a table as an argument (Databricks):
//
//	TABLE name | TABLE(name) | TABLE(query)  [PARTITION BY ..| WITH SINGLE PARTITION] [ORDER BY ..]
type TableArg struct {
	Span
	Name            Name
	Query           *Query
	Parens          bool // TABLE(name)
	PartitionBy     []Expr
	PartitionParens bool
	Single          bool // WITH SINGLE PARTITION
	OrderBy         []Sort
	OrderParens     bool
}

// Window is what stands behind OVER, or a named window's definition.
//
//	name | ( [name] [PARTITION BY ..] [ORDER BY ..] [frame] )
//
// Databricks also writes DISTRIBUTE BY or CLUSTER BY for PARTITION BY and SORT BY for ORDER BY, with the same meaning.
type Window struct {
	Span
	Name        Ident
	Parens      bool
	PartitionBy []Expr
	OrderBy     []Sort
	Frame       *Frame
}

// Frame is {ROWS|RANGE|GROUPS} bound or BETWEEN bound AND bound, and EXCLUDE (DuckDB).
type Frame struct {
	Span
	Unit    FrameUnit
	Low     Bound
	High    Bound
	Between bool
	Exclude FrameExclude
}

// FrameUnit is the unit of a Frame.
type FrameUnit uint8

// Frame units.
const (
	FrameRows FrameUnit = iota
	FrameRange
	FrameGroups
)

// FrameExclude is the EXCLUDE clause of a Frame.
type FrameExclude uint8

// Frame exclusions.
const (
	ExcludeUnwritten FrameExclude = iota
	ExcludeCurrentRow
	ExcludeGroup
	ExcludeTies
	ExcludeNoOthers
)

// Bound is one end of a Frame.
type Bound struct {
	Span
	Kind BoundKind
	X    Expr // of BoundPreceding and BoundFollowing
}

// BoundKind is the form of a Bound.
type BoundKind uint8

// Bounds.
const (
	BoundNone BoundKind = iota
	BoundUnboundedPreceding
	BoundUnboundedFollowing
	BoundCurrentRow
	BoundPreceding
	BoundFollowing
)

// TypeArg is a type as an argument: TREAT(e AS type) (DuckDB).
type TypeArg struct {
	Span
	Type DataType
}
