package grammar

// Query is a whole query, also inside parentheses, a CTE or a statement:
//
//	[WITH cte, ...] body [ORDER BY ..] [CLUSTER BY ..] [DISTRIBUTE BY ..] [SORT BY ..] [WINDOW ..] [LIMIT ..] [OFFSET ..]
//
// The clauses after the body belong to all of it, never to the last branch of a set operation. CLUSTER, DISTRIBUTE, SORT
// and this WINDOW are Databricks.
type Query struct {
	Span
	With         *With
	Body         Body
	OrderBy      []Sort // ORDER BY ALL is one Sort whose X is *All
	ClusterBy    []Expr
	DistributeBy []Expr
	SortBy       []Sort
	Windows      []NamedWindow
	Limit        *Limit // LIMIT, OFFSET, FETCH
}

// Body is what a Query orders and limits: *Select, *SetOp, *Values, *TableQuery, *ParenQuery, *Pipe, *MultiSelect
// (Databricks), *PivotQuery, *UnpivotQuery and *ShowQuery (DuckDB).
type Body interface {
	Node
	isBody()
}

// With is WITH [RECURSIVE] cte, ...
type With struct {
	Span
	Recursive bool
	CTEs      []*CTE
}

// CTE is one common table expression:
//
//	name [(column, ...)] [MAX RECURSION LEVEL n] [AS] (query)                              Databricks
//	name [(column, ...)] [USING KEY (key, ...)] AS [[NOT] MATERIALIZED] (query)            DuckDB
type CTE struct {
	Span
	Name         Ident
	Columns      []Ident
	MaxRecursion Expr
	UsingKey     []Expr // columns and, in DuckDB 2.0, calls of aggregates, which may be *Aliased
	Materialized Materialized
	Query        *Query
	Statement    Statement // DuckDB 2.0: INSERT, UPDATE, DELETE, TRUNCATE or COPY .. TO; then Query is nil
}

// Materialized is the hint of a DuckDB CTE.
type Materialized uint8

// Hints of a CTE.
const (
	MaterializedDefault Materialized = iota
	MaterializedYes
	MaterializedNo
)

// Select is one select block. The order of the text is kept by FromFirst only; the clauses mean the same.
//
//	SELECT [hint] [ALL|DISTINCT [ON (..)]] item, ... [FROM ..] [LATERAL VIEW ..] [WHERE] [GROUP BY] [HAVING] [WINDOW]
//	  [QUALIFY] [USING SAMPLE ..]
//	FROM .. [SELECT ..] [WHERE] ..
type Select struct {
	Span
	FromFirst    bool // FROM before SELECT
	NoSelect     bool // FROM t alone: all columns, Items is empty
	Quantifier   Quantifier
	Hints        []Hint
	DistinctOn   []Expr     // DuckDB
	Transform    *Transform // Databricks: instead of Items
	Items        []SelectItem
	From         []FromItem // comma list; joins are flat inside an item
	LateralViews []LateralView
	Pivot        *Pivot   // Databricks: behind LATERAL VIEW; its X is nil
	Unpivot      *Unpivot // likewise
	Where        Expr
	GroupBy      *GroupBy
	Having       Expr
	Windows      []NamedWindow
	Qualify      Expr
	Sample       *Sample // DuckDB: USING SAMPLE
}

// Quantifier is ALL or DISTINCT where one was written.
type Quantifier uint8

// Quantifiers.
const (
	NoQuantifier Quantifier = iota
	QuantAll
	QuantDistinct
)

// SelectItem is expr [[AS] alias], expr AS (alias, ...) (Databricks), or alias: expr (DuckDB, same tree as AS).
// It also stands in PIVOT aggregates, MEASURES, pipes and RETURNING.
type SelectItem struct {
	Span
	X       Expr
	Alias   Ident
	Aliases []Ident // the list form of Databricks, for generators
}

// Hint is one hint of /*+ .. */ (Databricks).
type Hint struct {
	Span
	Name   Ident
	Parens bool // name(), even if Args is empty
	Args   []Expr
}

// GroupBy is a GROUP BY clause.
//
//	GROUP BY ALL | element, ... [WITH ROLLUP | WITH CUBE | GROUPING SETS (..)]
//
// Elements are expressions; *Row is a parenthesized list, an empty *Row is (), *Grouping is ROLLUP, CUBE or GROUPING SETS,
// and the single element *All is the unquoted word ALL. In a pipe's AGGREGATE the elements may be *Aliased.
type GroupBy struct {
	Span
	Items []Expr
	With  GroupingKind // Databricks, old form: WITH ROLLUP, WITH CUBE; or GroupSets with Sets
	Sets  []Expr       // Databricks, old form: GROUP BY a, b GROUPING SETS ((a), (b))
}

// GroupingKind names a grouping construct.
type GroupingKind uint8

// Grouping constructs.
const (
	NoGrouping GroupingKind = iota
	GroupSets
	GroupRollup
	GroupCube
)

// Grouping is ROLLUP (..), CUBE (..) or GROUPING SETS (..) as an element of GROUP BY.
type Grouping struct {
	Span
	Kind  GroupingKind
	Items []Expr
}

// All is the word ALL as the only element of GROUP BY or ORDER BY. In Databricks it means a column of that name if there
// is one.
type All struct{ Span }

// Sort is expr [ASC|DESC] [NULLS FIRST|LAST].
type Sort struct {
	Span
	X         Expr
	Direction Direction
	Nulls     NullsOrder
}

// Direction is the written direction of a Sort.
type Direction uint8

// Directions.
const (
	NoDirection Direction = iota
	SortAsc
	SortDesc
)

// NullsOrder is the written place of NULLs in a Sort.
type NullsOrder uint8

// Places of NULLs.
const (
	NoNullsOrder NullsOrder = iota
	SortNullsFirst
	SortNullsLast
)

// Limit is LIMIT and OFFSET in whichever order they were written.
//
//	[LIMIT {expr | ALL | expr % | expr PERCENT}] [OFFSET expr [ROW|ROWS]] [FETCH {FIRST|NEXT} [expr] {ROW|ROWS} ONLY]
type Limit struct {
	Span
	Count   Expr // nil without LIMIT, for LIMIT ALL, and for FETCH FIRST ROW ONLY
	All     bool
	Percent bool // DuckDB
	Fetch   bool // DuckDB: written as FETCH; then no Count means one row
	Offset  Expr
}

// NamedWindow is name AS (spec) or, in Databricks, name AS other.
type NamedWindow struct {
	Span
	Name   Ident
	Window *Window
}

// SetOp is a chain of set operations of one level, from left to right. INTERSECT binds tighter and is a chain of its own.
type SetOp struct {
	Span
	First Body
	Rest  []SetBranch
}

// SetBranch is one step of a SetOp: operator [ALL|DISTINCT] [BY NAME] body.
type SetBranch struct {
	Span
	Op         SetKind
	Quantifier Quantifier
	ByName     bool // DuckDB
	Body       Body
}

// SetKind is the operator of a set operation; MINUS is EXCEPT.
type SetKind uint8

// Set operators.
const (
	SetUnion SetKind = iota
	SetExcept
	SetIntersect
)

// Values is VALUES row, ... A row is a *Row or, in Databricks, any expression. The alias is part of it in Databricks and, in
// DuckDB, where it stands in FROM.
type Values struct {
	Span
	Rows  []Expr
	Alias Alias
}

// TableQuery is TABLE name.
type TableQuery struct {
	Span
	Name Name
}

// ParenQuery is a query in parentheses as the body, or a branch, of another.
type ParenQuery struct {
	Span
	Query *Query
}

// MultiSelect is FROM .. with several SELECT blocks (Databricks): UNION ALL of the blocks over one source. The branches are
// Selects without From.
type MultiSelect struct {
	Span
	From         []FromItem
	LateralViews []LateralView
	Branches     []*Query
}

// ShowQuery is a statement that may stand in parentheses as a query (DuckDB): DESCRIBE, SHOW, SUMMARIZE.
//
//	{DESCRIBE | DESC | SHOW | SUMMARIZE} [name | query]     SHOW [ALL] TABLES [FROM name]     SHOW DATABASES
//	SHOW [ALL] EXTERNAL RESOURCES                           2.0
type ShowQuery struct {
	Span
	Verb  string // DESCRIBE, SHOW or SUMMARIZE
	Words []Ident
	Name  *Name
	Query *Query
}

// PivotQuery is the statement form of DuckDB:
//
//	PIVOT source [ON column, ...] [USING aggregate, ...] [GROUP BY ..]
type PivotQuery struct {
	Span
	Source  FromItem
	On      []PivotOn
	Using   []SelectItem
	GroupBy *GroupBy
}

// PivotOn is one ON element of a PivotQuery: expr [IN (value, ..) | IN enum | IN (query)].
type PivotOn struct {
	Span
	X      Expr
	Alias  Ident // of UNPIVOT
	HasIn  bool
	Values []SelectItem
	Enum   *Name
	Query  *Query
}

// UnpivotQuery is the statement form of DuckDB:
//
//	UNPIVOT source ON expr [AS alias], ... [INTO NAME name VALUE value, ...]
type UnpivotQuery struct {
	Span
	Source FromItem
	Nulls  UnpivotNulls
	On     []SelectItem
	Into   bool
	Name   Ident
	Values []Ident
}
