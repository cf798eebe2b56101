package grammar

// FromItem is one item of a FROM list: *Table, *TableFunction, *Derived, *InlineValues, *ParenFrom, *Joins, *Pivot,
// *Unpivot, *MatchRecognize.
type FromItem interface {
	Node
	isFromItem()
}

// Source is what the base items of a FROM clause have in common. The order in which it is written differs: Databricks puts
// the sample before the alias, DuckDB behind it.
type Source struct {
	Lateral      bool
	Sample       *Sample
	Watermark    *Watermark // Databricks
	IdentifiedBy Ident      // Databricks: the name of a streaming source
	Alias        Alias
}

// Alias is [AS] name [(column [type], ...)]. DuckDB's prefix form (name: item) gives the same tree.
type Alias struct {
	Span
	Name    Ident
	Columns []AliasColumn
}

// Present reports whether there is an alias.
func (a *Alias) Present() bool { return a.Name.Present() || len(a.Columns) > 0 }

// AliasColumn is a column name of an alias list; DuckDB may add a type.
type AliasColumn struct {
	Span
	Name Ident
	Type DataType
}

// Table is a named relation, a file or a path:
//
//	[STREAM] name [time travel] [WITH (options)] [sample] [watermark] [alias]   Databricks; name@v1; format.`/path`
//	[ONLY] name [*] [alias] [AT (..)] [sample]                                  DuckDB; 'file.csv' has one SingleQuote part
type Table struct {
	Span
	Source
	Name       Name
	Stream     bool // Databricks
	StreamName bool // Databricks: STREAM (name)
	Travel     *TimeTravel
	Changes    *Changes // Databricks
	Options    []Option // Databricks
}

// Changes is the change feed of a table between two versions or timestamps (Spark 4.2).
//
//	CHANGES [FROM {VERSION | TIMESTAMP} x [EXCLUSIVE] [TO {VERSION | TIMESTAMP} y [EXCLUSIVE]]]
type Changes struct {
	Span
	Kind          TravelKind
	From, To      Expr
	FromExclusive bool
	ToExclusive   bool
}

// TimeTravel is a version of a table.
//
//	[FOR] {VERSION | SYSTEM_VERSION} AS OF x      [FOR] {TIMESTAMP | SYSTEM_TIME} AS OF expr      t@v12      t@2024...   Databricks
//	AT (VERSION => x)      AT (TIMESTAMP => x)                                                                           DuckDB
type TimeTravel struct {
	Span
	Kind TravelKind
	X    Expr   // nil for TravelAt
	At   string // the text after @, as written
}

// TravelKind tells versions from timestamps.
type TravelKind uint8

// Kinds of time travel.
const (
	TravelVersion TravelKind = iota
	TravelTimestamp
	TravelAt
)

// TableFunction is a function call in FROM: [STREAM] name(args) [WITH ORDINALITY] [alias]
type TableFunction struct {
	Span
	Source
	Call       *Call
	Stream     bool // Databricks
	StreamName bool // Databricks: STREAM (f(..))
	Ordinality bool // DuckDB
}

// Derived is a query in parentheses: [LATERAL] (query) [alias]
type Derived struct {
	Span
	Source
	Query *Query
}

// InlineValues is VALUES rows as an item; the alias is the one of Values.
type InlineValues struct {
	Span
	Source
	Values *Values
}

// ParenFrom is an item in parentheses: (t JOIN u ..) [alias]; Databricks also (t).
type ParenFrom struct {
	Span
	Source
	X FromItem
}

// Joins is a flat chain of joins, from left to right.
type Joins struct {
	Span
	First FromItem
	Rest  []Join
}

// Join is one step of a FROM clause:
//
//	[NATURAL] [INNER | {LEFT|RIGHT|FULL} [OUTER] | [LEFT] SEMI | [LEFT] ANTI | CROSS] JOIN item [ON expr | USING (name, ...)]
//	[ASOF [type] | POSITIONAL] JOIN item ..                                                        DuckDB
//	JOIN BY (TYPE type) item {ON expr | USING (name, ...)}                                         DuckDB 2.0
//	[type] JOIN item {APPROX|EXACT} NEAREST [n] BY {DISTANCE|SIMILARITY} expr                      Databricks, DuckDB 2.0
//
// In DuckDB Right may be a *Joins without parentheses: t JOIN u JOIN v ON .. ON ..
type Join struct {
	Span
	Kind    JoinKind
	Natural bool
	Asof    bool
	Right   FromItem
	On      Expr
	Using   []Ident
	Nearest *Nearest
}

// JoinKind is the type of a join; OUTER and INNER are noise.
type JoinKind uint8

// Join types. JoinInner without condition is a cross join in Databricks.
const (
	JoinInner JoinKind = iota
	JoinCross
	JoinLeft
	JoinRight
	JoinFull
	JoinSemi
	JoinAnti
	JoinPositional
	JoinMark      // DuckDB 2.0, as are those below: all rows of the left, with a column that tells whether the right has one for it
	JoinSingle    // like JoinLeft, with one row of the right at most
	JoinRightSemi // JoinSemi with the sides exchanged
	JoinRightAnti // JoinAnti with the sides exchanged
)

// Nearest is {APPROX|EXACT} NEAREST [n] BY {DISTANCE|SIMILARITY} expr.
type Nearest struct {
	Span
	Mode    string // APPROX, EXACT or nothing (DuckDB)
	Count   Expr
	Measure string // DISTANCE or SIMILARITY
	X       Expr
}

// LateralView is LATERAL VIEW [OUTER] generator(args) alias [[AS] column, ...] (Databricks).
type LateralView struct {
	Span
	Outer   bool
	Call    *Call
	Alias   Ident
	Columns []Ident
}

// Sample is a table sample.
//
//	TABLESAMPLE [SYSTEM | BERNOULLI] ( n PERCENT | n ROWS | BUCKET x OUT OF y [ON col] | bytes ) [REPEATABLE (seed)]            Databricks
//	n [% | PERCENT | ROWS] [(method [, seed])]      method (n ..) [REPEATABLE (seed)]                      DuckDB
type Sample struct {
	Span
	Method Ident
	Count  Expr
	Unit   SampleUnit
	OutOf  Expr // of BUCKET
	On     Expr // of BUCKET
	Seed   Expr
}

// SampleUnit is what the count of a Sample counts.
type SampleUnit uint8

// Units of a sample. SampleBytes is a word such as 100M.
const (
	SampleRows SampleUnit = iota
	SamplePercent
	SampleBucket
	SampleBytes
	SampleUnspecified
)

// Watermark is WATERMARK expr DELAY OF interval (Databricks).
type Watermark struct {
	Span
	X     SelectItem
	Delay Expr
}

// Pivot is item PIVOT (aggregate, ... FOR .. IN (..) [GROUP BY ..]). DuckDB has an alias behind it and several FOR columns.
type Pivot struct {
	Span
	X          FromItem
	Aggregates []SelectItem
	For        []PivotFor
	GroupBy    *GroupBy // DuckDB
	Alias      Alias    // DuckDB
}

// PivotFor is [FOR] column IN (value, ..), (column, ..) IN ((..), ..) or, in DuckDB, column IN enum, column IN (query).
type PivotFor struct {
	Span
	Column Expr // a *Row for several
	Values []SelectItem
	Enum   *Name
	Query  *Query
}

// Unpivot is item UNPIVOT [INCLUDE|EXCLUDE NULLS] (values FOR name IN (column [AS alias], ..)) [alias].
type Unpivot struct {
	Span
	X      FromItem
	Nulls  UnpivotNulls
	Values []Ident
	Parens bool // (v1, v2); also (v1)
	Name   Ident
	In     []SelectItem // X is a *Row for several columns
	Alias  Alias
}

// UnpivotNulls is the written treatment of NULLs.
type UnpivotNulls uint8

// Treatments of NULLs; the default is to exclude them.
const (
	UnpivotDefault UnpivotNulls = iota
	UnpivotInclude
	UnpivotExclude
)

// MatchRecognize is item MATCH_RECOGNIZE (..) [alias] (Databricks). The pattern is kept as its tokens.
//
//	( [PARTITION BY ..] [ORDER BY ..] [MEASURES expr AS name, ..] [ONE ROW PER MATCH | ALL ROWS PER MATCH [..]]
//	  [AFTER MATCH SKIP ..] PATTERN ( .. ) [SUBSET name = (..), ..] DEFINE name AS expr, .. )
type MatchRecognize struct {
	Span
	X           FromItem
	PartitionBy []Expr
	OrderBy     []Sort
	Measures    []SelectItem
	Rows        []Ident // the words of ONE ROW PER MATCH ..
	Skip        []Ident // the words behind AFTER MATCH SKIP
	Pattern     []string
	Subsets     []MatchSubset
	Define      []SelectItem // Alias AS X
	Alias       Alias
}

// MatchSubset is name = (variable, ...).
type MatchSubset struct {
	Span
	Name      Ident
	Variables []Ident
}

// Transform is the script form of a select list (Databricks):
//
//	SELECT TRANSFORM (e, ..) | MAP e, .. | REDUCE e, ..
//	  [ROW FORMAT ..] [RECORDWRITER 'x'] USING 'cmd' [AS (col [type], ..)] [ROW FORMAT ..] [RECORDREADER 'x']
type Transform struct {
	Span
	Verb       string // TRANSFORM, MAP or REDUCE
	Quantifier Quantifier
	Args       []Expr
	In         *RowFormat
	Writer     *String
	Using      *String
	Columns    []AliasColumn
	Parens     bool // around Columns
	Out        *RowFormat
	Reader     *String
}

// RowFormat is ROW FORMAT SERDE 's' [WITH SERDEPROPERTIES (..)] or ROW FORMAT DELIMITED .. (Databricks).
type RowFormat struct {
	Span
	Serde      *String
	Properties []Option
	Fields     *String // FIELDS TERMINATED BY
	Escaped    *String // ESCAPED BY
	Collection *String // COLLECTION ITEMS TERMINATED BY
	MapKeys    *String // MAP KEYS TERMINATED BY
	Lines      *String // LINES TERMINATED BY
	Null       *String // NULL DEFINED AS
}

// Pipe is body |> operator |> operator ... (Databricks).
type Pipe struct {
	Span
	Input Body
	Ops   []PipeOp
}

// PipeOp is one pipe operator.
type PipeOp interface {
	Node
	isPipeOp()
}

type (
	// PipeSelect is SELECT items [WINDOW ..] [GROUP BY ..].
	PipeSelect struct {
		Span
		Select *Select
	}
	// PipeExtend is EXTEND item, ...
	PipeExtend struct {
		Span
		Items []SelectItem
	}
	// PipeSet is SET column = expr, ...
	PipeSet struct {
		Span
		Assigns []Assign
	}
	// PipeDrop is DROP column, ...
	PipeDrop struct {
		Span
		Columns []Column
	}
	// PipeAs is AS alias.
	PipeAs struct {
		Span
		Alias Ident
	}
	// PipeWhere is WHERE expr.
	PipeWhere struct {
		Span
		X Expr
	}
	// PipeAggregate is AGGREGATE [item, ...] [GROUP BY ..].
	PipeAggregate struct {
		Span
		Items   []SelectItem
		GroupBy *GroupBy
	}
	// PipeJoin is a join with the input on its left.
	PipeJoin struct {
		Span
		Join Join
	}
	// PipeUnion is a set operation with the input on its left.
	PipeUnion struct {
		Span
		Branch SetBranch
	}
	// PipeOrder has the clauses that end a query: ORDER BY, SORT BY, LIMIT ... Body and With of the Query are nil.
	PipeOrder struct {
		Span
		Query *Query
	}
	// PipeSample is TABLESAMPLE (..).
	PipeSample struct {
		Span
		Sample *Sample
	}
	// PipePivot is PIVOT (..); X of the Pivot is nil.
	PipePivot struct {
		Span
		Pivot *Pivot
	}
	// PipeUnpivot is UNPIVOT (..); X of the Unpivot is nil.
	PipeUnpivot struct {
		Span
		Unpivot *Unpivot
	}
)

// Assign is target = value, in SET lists.
type Assign struct {
	Span
	Target Expr // *Column; a *Row for (a, b) = ..
	Value  Expr
}
