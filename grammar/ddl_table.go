package grammar

// CREATE and REPLACE of tables and views, Databricks.

// CreateTable is CREATE or REPLACE TABLE of Databricks:
//
//	{CREATE [OR REPLACE] | REPLACE} [EXTERNAL | [GLOBAL] TEMPORARY] TABLE [IF NOT EXISTS] t [(element, ...)] clause ... [[AS] query]
//	.. TABLE t LIKE u clause ...
//	.. TABLE t {SHALLOW | DEEP} CLONE u [version] clause ...
type CreateTable struct {
	tagged
	With        *With
	Verb        Keyword        `parser:"( @'REPLACE' | @'CREATE' ( @'OR' ( @'REPLACE' | @'REFRESH' ) )? )"`
	Private     bool           `parser:"@'PRIVATE'?"`
	External    bool           `parser:"@'EXTERNAL'?"`
	Global      bool           `parser:"@'GLOBAL'?"`
	Temporary   bool           `parser:"@( 'TEMPORARY' | 'TEMP' )?"`
	Streaming   bool           `parser:"@'STREAMING'?"`
	Live        bool           `parser:"@'LIVE'? 'TABLE'"`
	IfNotExists bool           `parser:"( @'IF' 'NOT' 'EXISTS' )?"`
	Name        Name           `parser:"@@" sql:"target"`
	Like        *Name          `parser:"( 'LIKE' @@" sql:"read"`
	CloneKind   Keyword        `parser:"| @( 'SHALLOW' | 'DEEP' )? 'CLONE'"`
	Clone       *Table         `parser:"@@"`
	Elements    []TableElement `parser:"| '(' (?! 'SELECT' | 'WITH' | 'VALUES' | '(' | ')' ) @@ ( ',' @@ )* ')' )?"`
	Clauses     []TableClause  `parser:"@@*"`
	Flow        *AutoCDC       `parser:"( 'FLOW' 'AUTO' 'CDC' @@ )?"`
	Query       *Query         `parser:"( 'AS' @@ | (?! '(' (?! 'SELECT' | 'WITH' | 'VALUES' | 'FROM' | 'TABLE' | 'MAP' | 'REDUCE' | '(' ) ) @@ )?"`
}

func (*CreateTable) isStatement() {}

// TableElement is a column of a table, or a constraint.
type TableElement struct {
	tagged
	Constraint *TableConstraint `parser:"@@"`
	Column     *ColumnDef       `parser:"| @@"`
}

// ColumnDef is name type attribute ...
type ColumnDef struct {
	tagged
	Name       Ident             `parser:"@@ (?! 'COMMENT' )"`
	Type       DataType          `parser:"@@"`
	Attributes []ColumnAttribute `parser:"@@*"`
}

// ColumnAttribute is one of the words behind a column's type:
//
//	NOT NULL   DEFAULT e   COMMENT 's'   COLLATE c   MASK f [USING COLUMNS (..)]   [CONSTRAINT n] constraint
//	GENERATED {ALWAYS | BY DEFAULT} AS {(e) | IDENTITY [(..)]}
type ColumnAttribute struct {
	tagged
	NotNull    bool              `parser:"  @'NOT' 'NULL'"`
	Null       bool              `parser:"| @'NULL'"`
	Default    Expr              `parser:"| 'DEFAULT' @@"`
	Comment    *Text             `parser:"| 'COMMENT' @@"`
	Collate    Ident             `parser:"| 'COLLATE' @@"`
	Generated  Keyword           `parser:"| 'GENERATED' @( 'ALWAYS' | 'BY' 'DEFAULT' ) 'AS'"`
	Expr       Expr              `parser:"  ( '(' @@ ')'"`
	Identity   bool              `parser:"  | @'IDENTITY'"`
	Options    []IdentityOption  `parser:"    ( '(' @@ ( ','? @@ )* ')' )? )"`
	Mask       *MaskClause       `parser:"| 'MASK' @@"`
	Constraint *ColumnConstraint `parser:"| @@"`
}

// MaskClause is f [USING COLUMNS (value, ...)].
type MaskClause struct {
	tagged
	Function Name   `parser:"@@" sql:"read"`
	Columns  []Expr `parser:"( 'USING' 'COLUMNS' '(' @@ ( ',' @@ )* ')' )?"`
}

// ColumnConstraint is [CONSTRAINT name] {PRIMARY KEY | UNIQUE | CHECK (e) | REFERENCES t [(..)]} characteristic ...
type ColumnConstraint struct {
	tagged
	Name       Ident                 `parser:"( 'CONSTRAINT' @@ )?"`
	Primary    bool                  `parser:"( @'PRIMARY' 'KEY'"`
	Unique     bool                  `parser:"| @'UNIQUE'"`
	Check      Expr                  `parser:"| 'CHECK' '(' @@ ')'"`
	References *References           `parser:"| ( 'FOREIGN' 'KEY' )? @@ )"`
	With       []ConstraintCharacter `parser:"@@*"`
}

// References is REFERENCES t [(column, ...)].
type References struct {
	tagged
	Table   Name    `parser:"'REFERENCES' @@" sql:"read"`
	Columns []Ident `parser:"( '(' @@ ( ',' @@ )* ')' )?"`
}

// ConstraintCharacter is one of the words behind a constraint.
type ConstraintCharacter struct {
	tagged
	Words Keyword `parser:"  @( 'NOT' 'ENFORCED' | 'ENFORCED' | 'RELY' | 'NORELY' | 'NOT' 'DEFERRABLE' | 'DEFERRABLE' | 'INITIALLY' ( 'DEFERRED' | 'IMMEDIATE' ) | 'MATCH' 'FULL' | 'ON' ( 'UPDATE' | 'DELETE' ) ( 'NO' 'ACTION' | 'CASCADE' | 'RESTRICT' | 'SET' 'NULL' ) | 'ENABLE' | 'DISABLE' | 'VALIDATE' | 'NOVALIDATE' )"`
}

// TableConstraint is a constraint among the elements of a table:
//
//	[CONSTRAINT name] {PRIMARY KEY (..) | UNIQUE (..) | FOREIGN KEY (..) REFERENCES t [(..)] | CHECK (e)} characteristic ...
//	CONSTRAINT name EXPECT (e) [ON VIOLATION {FAIL UPDATE | DROP ROW}]
type TableConstraint struct {
	tagged
	Name       Ident                 `parser:"( (?= 'CONSTRAINT' ( Word ( '(' String ')' )? | Quoted ) ( 'PRIMARY' | 'UNIQUE' | 'FOREIGN' | 'CHECK' | 'EXPECT' ) ) 'CONSTRAINT' @@ )?"`
	Primary    []KeyColumn           `parser:"( 'PRIMARY' 'KEY' '(' @@ ( ',' @@ )* ')'"`
	Unique     []KeyColumn           `parser:"| 'UNIQUE' '(' @@ ( ',' @@ )* ')'"`
	Foreign    []Ident               `parser:"| 'FOREIGN' 'KEY' '(' @@ ( ',' @@ )* ')'"`
	References *References           `parser:"  @@"`
	Check      Expr                  `parser:"| 'CHECK' '(' @@ ')'"`
	Expect     Expr                  `parser:"| 'EXPECT' '(' @@ ')'"`
	Violation  Keyword               `parser:"  ( 'ON' 'VIOLATION' @( 'FAIL' 'UPDATE' | 'DROP' 'ROW' ) )? )"`
	With       []ConstraintCharacter `parser:"@@*"`
}

// KeyColumn is column [TIMESERIES] of a key.
type KeyColumn struct {
	tagged
	Name       Ident `parser:"@@"`
	Timeseries bool  `parser:"@'TIMESERIES'?"`
}

// TableClause is one of the clauses between the elements of a table and its query, in any order.
type TableClause struct {
	tagged
	Using         *Name            `parser:"  'USING' @@"`
	Options       *Options         `parser:"| 'OPTIONS' @@"`
	PartitionedBy []PartitionField `parser:"| 'PARTITIONED' 'BY' '(' @@ ( ',' @@ )* ')'"`
	Cluster       *ClusterClause   `parser:"| @@"`
	Buckets       *Buckets         `parser:"| @@"`
	Skewed        *Skewed          `parser:"| @@"`
	Location      *Location        `parser:"| 'LOCATION' @@"`
	Comment       *Text            `parser:"| 'COMMENT' @@"`
	Properties    *Options         `parser:"| 'TBLPROPERTIES' @@"`
	RowFormat     *RowFormat       `parser:"| @@"`
	Stored        *Stored          `parser:"| @@"`
	Collation     Ident            `parser:"| 'DEFAULT' 'COLLATION' @@"`
	RowFilter     *RowFilter       `parser:"| 'WITH'? @@"`
	Schedule      *Schedule        `parser:"| @@"`
}

// PartitionField is an element of PARTITIONED BY: column type .., or a column or transform.
type PartitionField struct {
	tagged
	Column    *ColumnDef `parser:"@@"`
	Transform Expr       `parser:"| @@"`
}

// ClusterClause is CLUSTER BY {(column, ...) | AUTO | NONE}.
type ClusterClause struct {
	tagged
	Columns []Name  `parser:"'CLUSTER' 'BY' ( '(' @@ ( ',' @@ )* ')'"`
	Mode    Keyword `parser:"| @( 'AUTO' | 'NONE' ) )"`
}

// Buckets is CLUSTERED BY (..) [SORTED BY (..)] INTO n BUCKETS.
type Buckets struct {
	tagged
	By     []Ident `parser:"'CLUSTERED' 'BY' '(' @@ ( ',' @@ )* ')'"`
	Sorted []Sort  `parser:"( 'SORTED' 'BY' '(' @@ ( ',' @@ )* ')' )?"`
	Count  Number  `parser:"'INTO' @@ 'BUCKETS'"`
}

// Skewed is SKEWED BY (..) ON (value, ...) [STORED AS DIRECTORIES].
type Skewed struct {
	tagged
	By          []Ident `parser:"'SKEWED' 'BY' '(' @@ ( ',' @@ )* ')'"`
	On          []Expr  `parser:"( 'ON' '(' @@ ( ',' @@ )* ')' )?"`
	Directories bool    `parser:"( @'STORED' 'AS' 'DIRECTORIES' )?"`
}

// Location is 'path' [WITH (CREDENTIAL name)].
type Location struct {
	tagged
	Path Text              `parser:"@@"`
	With *CredentialClause `parser:"@@?"`
}

// Stored is STORED {AS {format | INPUTFORMAT 's' OUTPUTFORMAT 's'} | BY 's' [WITH SERDEPROPERTIES (..)]}.
type Stored struct {
	tagged
	Input      *Text    `parser:"'STORED' ( 'AS' ( 'INPUTFORMAT' @@"`
	Output     *Text    `parser:"'OUTPUTFORMAT' @@"`
	Format     Ident    `parser:"| @@ )"`
	By         *Text    `parser:"| 'BY' @@"`
	Properties *Options `parser:"( 'WITH' 'SERDEPROPERTIES' @@ )? )"`
}

// RowFilter is ROW FILTER f ON (column, ...).
type RowFilter struct {
	tagged
	Function Name   `parser:"'ROW' 'FILTER' @@" sql:"read"`
	Columns  []Expr `parser:"'ON' '(' ( @@ ( ',' @@ )* )? ')'"`
}

// Schedule says when a materialized view or streaming table is refreshed.
//
//	SCHEDULE [REFRESH] {EVERY n unit | CRON 's' [AT TIME ZONE 's']}      TRIGGER ON UPDATE [AT MOST EVERY interval]
type Schedule struct {
	tagged
	Every   *Number `parser:"'SCHEDULE' 'REFRESH'? ( 'EVERY' @@"`
	Unit    Keyword `parser:"@Word"`
	Cron    *Text   `parser:"| 'CRON' @@"`
	Zone    *Text   `parser:"( 'AT' 'TIME' 'ZONE' @@ )? )"`
	Trigger bool    `parser:"| @'TRIGGER' 'ON' 'UPDATE'"`
	AtMost  Expr    `parser:"( 'AT' 'MOST' 'EVERY' @@ )?"`
}

// CreateView is CREATE VIEW and CREATE MATERIALIZED VIEW of Databricks:
//
//	CREATE [OR REPLACE] [[GLOBAL] TEMPORARY] [MATERIALIZED] VIEW [IF NOT EXISTS] v [(element, ...)] clause ... AS query
//	CREATE TEMPORARY VIEW v [(column type, ...)] USING source [OPTIONS (..)]
type CreateView struct {
	tagged
	Verb         Keyword       `parser:"@'CREATE' ( @'OR' ( @'REPLACE' | @'REFRESH' ) )?"`
	Private      bool          `parser:"@'PRIVATE'?"`
	Global       bool          `parser:"@'GLOBAL'?"`
	Temporary    bool          `parser:"@( 'TEMPORARY' | 'TEMP' )?"`
	Live         bool          `parser:"@'LIVE'?"`
	Materialized bool          `parser:"@'MATERIALIZED'? 'VIEW'"`
	IfNotExists  bool          `parser:"( @'IF' 'NOT' 'EXISTS' )?"`
	Name         Name          `parser:"@@" sql:"target"`
	Elements     []ViewElement `parser:"( '(' @@ ( ',' @@ )* ')' )?"`
	Clauses      []ViewClause  `parser:"@@*"`
	Query        *Query        `parser:"( 'AS' ( @@"`
	YAML         *Text         `parser:"| @@ ) )?"`
}

func (*CreateView) isStatement() {}

func (x *CreateView) check(p *parser) {
	if x.Query != nil || x.YAML != nil {
		return
	}
	for i := range x.Clauses {
		if x.Clauses[i].Using != nil {
			return
		}
	}
	p.refuse(x.End, "a view needs AS and a query", "")
}

// ViewElement is column [type] [COMMENT 's'] .., or a constraint.
type ViewElement struct {
	tagged
	Constraint *TableConstraint  `parser:"@@"`
	Name       Ident             `parser:"| @@"`
	Type       DataType          `parser:"( (?! 'COMMENT' | ( 'NOT' 'NULL' ) | 'MASK' | 'COLLATE' ) @@ )?"`
	Attributes []ColumnAttribute `parser:"@@*"`
}

// ViewClause is one of the clauses of a view, in any order.
type ViewClause struct {
	tagged
	Comment       *Text            `parser:"  'COMMENT' @@"`
	Properties    *Options         `parser:"| 'TBLPROPERTIES' @@"`
	Binding       Keyword          `parser:"| 'WITH' 'SCHEMA' @( 'BINDING' | 'COMPENSATION' | 'EVOLUTION' | 'TYPE' 'EVOLUTION' )"`
	Metrics       bool             `parser:"| @'WITH' 'METRICS'"`
	Language      Keyword          `parser:"| 'LANGUAGE' @Word"`
	Collation     Ident            `parser:"| 'DEFAULT' 'COLLATION' @@"`
	PartitionedOn []Ident          `parser:"| 'PARTITIONED' ( 'ON' '(' @@ ( ',' @@ )* ')'"`
	PartitionedBy []PartitionField `parser:"| 'BY' '(' @@ ( ',' @@ )* ')' )"`
	Cluster       *ClusterClause   `parser:"| @@"`
	Using         *Name            `parser:"| 'USING' @@"`
	Options       *Options         `parser:"| 'OPTIONS' @@"`
	RowFilter     *RowFilter       `parser:"| 'WITH'? @@"`
	Schedule      *Schedule        `parser:"| @@"`
}

// CreateFlow is CREATE FLOW name [COMMENT 's'] AS {INSERT .. | AUTO CDC ..} (Databricks).
type CreateFlow struct {
	tagged
	Name    Name      `parser:"'CREATE' 'FLOW' @@" sql:"target"`
	Comment *Text     `parser:"( 'COMMENT' @@ )? 'AS'"`
	CDC     *AutoCDC  `parser:"( 'AUTO' 'CDC' @@"`
	Insert  Statement `parser:"| @@ )"`
}

func (*CreateFlow) isStatement() {}

// ApplyChanges is APPLY CHANGES INTO .. (Databricks).
type ApplyChanges struct {
	tagged
	CDC AutoCDC `parser:"'APPLY' 'CHANGES' @@"`
}

func (*ApplyChanges) isStatement() {}

// AutoCDC is what stands behind AUTO CDC and APPLY CHANGES:
//
//	INTO t FROM source KEYS (column, ...) [IGNORE NULL UPDATES] [WHERE e] [APPLY AS DELETE WHEN e] [APPLY AS TRUNCATE WHEN e]
//	  SEQUENCE BY e [COLUMNS {* EXCEPT (..) | list}] [STORED AS SCD TYPE n] [TRACK HISTORY ON {* EXCEPT (..) | list}]
type AutoCDC struct {
	tagged
	Into        *Name      `parser:"( 'INTO' @@ )?" sql:"target"`
	Source      FlowSource `parser:"'FROM' @@"`
	Keys        []Name     `parser:"'KEYS' '(' @@ ( ',' @@ )* ')'"`
	IgnoreNulls bool       `parser:"( @'IGNORE' 'NULL' 'UPDATES' )?"`
	Where       Expr       `parser:"( 'WHERE' @@ )?"`
	DeleteWhen  Expr       `parser:"( 'APPLY' 'AS' ( 'DELETE' 'WHEN' @@"`
	Truncate1   Expr       `parser:"| 'TRUNCATE' 'WHEN' @@ ) )?"`
	Truncate2   Expr       `parser:"( 'APPLY' 'AS' 'TRUNCATE' 'WHEN' @@ )?"`
	SequenceBy  Expr       `parser:"( 'SEQUENCE' 'BY' @@ )?"`
	Columns     *CDCList   `parser:"( 'COLUMNS' @@ )?"`
	SCDType     *Number    `parser:"( 'STORED' 'AS' 'SCD' 'TYPE' @@ )?"`
	Track       *CDCList   `parser:"( 'TRACK' 'HISTORY' 'ON' @@ )?"`
}

// CDCList is * EXCEPT (column, ...), (column, ...) or column, ...
type CDCList struct {
	tagged
	Star   bool   `parser:"( @'*'"`
	Except []Name `parser:"( 'EXCEPT' '(' @@ ( ',' @@ )* ')' )?"`
	Names  []Name `parser:"| '(' @@ ( ',' @@ )* ')' | @@ ( ',' @@ )* )"`
}
