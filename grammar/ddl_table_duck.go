package grammar

// Tables and views of DuckDB, and ALTER.

// DuckCreateTable is CREATE TABLE of DuckDB:
//
//	CREATE [OR REPLACE] [TEMPORARY] TABLE [IF NOT EXISTS] t (element, ...) [clause ...]
//	CREATE .. TABLE t [(column, ...)] [clause ...] AS query [WITH [NO] DATA]
type DuckCreateTable struct {
	tagged
	OrReplace   bool              `parser:"'CREATE' ( @'OR' 'REPLACE' )?"`
	Local       Keyword           `parser:"@( 'LOCAL' | 'GLOBAL' | 'PERSISTENT' | 'UNLOGGED' )?"`
	Temporary   bool              `parser:"@( 'TEMPORARY' | 'TEMP' )? 'TABLE'"`
	IfNotExists bool              `parser:"( @'IF' 'NOT' 'EXISTS' )?"`
	Name        Name              `parser:"@@" sql:"target"`
	Elements    []DuckElement     `parser:"( '(' @@ ( ',' @@ )* ','? ')' )?"`
	Clauses     []DuckTableClause `parser:"@@*"`
	Query       *Query            `parser:"( 'AS' @@"`
	WithData    Keyword           `parser:"( 'WITH' @( 'NO' 'DATA' | 'DATA' ) )? )?"`
}

func (*DuckCreateTable) isStatement() {}

func (x *DuckCreateTable) check(p *parser) {
	p.onlyOne(x.OrReplace, x.IfNotExists, x.Start)
	p.onlyLocal(x.Local, x.Start)
	if len(x.Name.Parts) == 1 && x.Name.Parts[0].Text == "" {
		p.refuse(x.Name.Start, "a table needs a name", "")
	}
	if x.Query == nil && len(x.Elements) == 0 {
		p.refuse(x.End, "a table needs columns, or AS and a query", "")
	}
	for i := 1; i < len(x.Clauses); i++ {
		c, before := &x.Clauses[i], &x.Clauses[i-1]
		if (c.PartitionedBy != nil || c.SortedBy != nil) && before.PartitionedBy == nil && before.SortedBy == nil {
			p.refuse(c.Start, "PARTITIONED BY and SORTED BY stand before all other clauses", "")
		}
	}
	for i := range x.Elements {
		c := x.Elements[i].Column
		if c == nil {
			if x.Query != nil {
				p.refuse(x.Elements[i].Start, "a table with AS takes names of columns only", "")
			}
			continue
		}
		generated := c.generated(p)
		switch {
		case x.Query != nil && (c.Type != nil || len(c.Constraints) > 0):
			p.refuse(c.Start, "a table with AS takes names of columns only", "")
		case x.Query == nil && c.Type == nil && !generated:
			p.refuse(c.End, "a column needs a type", "")
		}
	}
}

// generated reports whether the column is one, and refuses what its expression and its type can't have.
func (x *DuckColumn) generated(p *parser) bool {
	var value Expr
	var collate *Name
	for i := range x.Constraints {
		if c := &x.Constraints[i]; c.Generated != nil {
			value = c.Generated
		} else if c.Collate != nil {
			collate = c.Collate
		}
	}
	switch {
	case collate == nil:
	case value != nil:
		p.refuse(collate.Start, "a generated column has no collation", "")
	case textless(x.Type):
		p.refuse(collate.Start, "only text has a collation", "")
	}
	if value != nil {
		Walk(value, func(n Node) bool {
			if c, ok := n.(*Column); ok && len(c.Parts) > 1 {
				p.refuse(c.Start, "a generated column names columns without a table", "")
			}
			return true
		})
	}
	return value != nil
}

// textless reports whether t is certainly no type of text.
func textless(t DataType) bool {
	n, ok := t.(*TypeName)
	if !ok {
		_, nested := t.(*StructType)
		return nested
	}
	if len(n.Name.Parts) != 1 {
		return false
	}
	for _, name := range [...]string{"INT", "INTEGER", "BIGINT", "SMALLINT", "TINYINT", "HUGEINT", "REAL", "FLOAT", "DOUBLE",
		"DECIMAL", "NUMERIC", "BOOLEAN", "DATE", "TIME", "TIMESTAMP", "BLOB", "UUID"} {
		if n.Name.Parts[0].Is(name) {
			return true
		}
	}
	return false
}

// DuckTableClause is one clause between the elements of a table and its query.
type DuckTableClause struct {
	tagged
	PartitionedBy []Expr        `parser:"  'PARTITIONED' 'BY' '(' @@ ( ',' @@ )* ')'"`
	SortedBy      []Sort        `parser:"| 'SORTED' 'BY' '(' @@ ( ',' @@ )* ')'"`
	OnCommit      Keyword       `parser:"| 'ON' 'COMMIT' @( 'PRESERVE' 'ROWS' | 'DELETE' 'ROWS' | 'DROP' )"`
	Options       *TableOptions `parser:"| 'WITH' @@"`
}

// DuckElement is a column or a constraint of a table.
type DuckElement struct {
	tagged
	Constraint *DuckTableConstraint `parser:"  @@"`
	Column     *DuckColumn          `parser:"| @@"`
}

// DuckColumn is name [type] constraint ...
type DuckColumn struct {
	tagged
	Name        Ident            `parser:"@@"`
	Type        DataType         `parser:"( (?! 'AS' | 'GENERATED' | 'NOT' | 'NULL' | 'DEFAULT' | 'CHECK' | 'UNIQUE' | 'PRIMARY' | 'REFERENCES' | 'COLLATE' | 'USING' | 'CONSTRAINT' ) @@ )?"`
	Constraints []DuckConstraint `parser:"@@*"`
}

// DuckConstraint is one of the words behind a column's type:
//
//	[CONSTRAINT n] {NOT NULL | NULL | PRIMARY KEY | UNIQUE | CHECK (e) | REFERENCES ..}   DEFAULT e   COLLATE c
//	[GENERATED [ALWAYS]] AS (e) [VIRTUAL | STORED]   USING COMPRESSION c
type DuckConstraint struct {
	tagged
	Name        Ident           `parser:"( 'CONSTRAINT' @@ )?"`
	NotNull     bool            `parser:"( @'NOT' 'NULL'"`
	Null        bool            `parser:"| @'NULL'"`
	Primary     bool            `parser:"| @'PRIMARY' 'KEY'"`
	Unique      bool            `parser:"| @'UNIQUE'"`
	Check       Expr            `parser:"| 'CHECK' '(' @@ ')'"`
	References  *DuckReferences `parser:"| @@"`
	Default     *DefaultValue   `parser:"| 'DEFAULT' @@"`
	Collate     *Name           `parser:"| 'COLLATE' @@"`
	Compression Ident           `parser:"| 'USING' 'COMPRESSION' @@"`
	Generated   Expr            `parser:"| ( 'GENERATED' ( 'ALWAYS' | 'BY' 'DEFAULT' )? )? 'AS' '(' @@ ')'"`
	Storage     Keyword         `parser:"  @( 'VIRTUAL' | 'STORED' )? )"`
}

// DuckReferences is REFERENCES t [(column, ...)] [ON {UPDATE | DELETE} action] ...
type DuckReferences struct {
	tagged
	Table   Name            `parser:"'REFERENCES' @@" sql:"read"`
	Columns []Ident         `parser:"( '(' @@ ( ',' @@ )* ')' )?"`
	Actions []DuckKeyAction `parser:"@@*"`
}

// DuckKeyAction is ON {UPDATE | DELETE} action.
type DuckKeyAction struct {
	tagged
	Words Keyword `parser:"'ON' @( 'UPDATE' | 'DELETE' ) @( 'NO' 'ACTION' | 'RESTRICT' )"`
}

// DuckTableConstraint is [CONSTRAINT n] {PRIMARY KEY (..) | UNIQUE (..) | CHECK (e) | FOREIGN KEY (..) REFERENCES ..}.
type DuckTableConstraint struct {
	tagged
	Name       Ident           `parser:"( 'CONSTRAINT' @@ )?"`
	Primary    []Ident         `parser:"( 'PRIMARY' 'KEY' '(' @@ ( ',' @@ )* ','? ')'"`
	Unique     []Ident         `parser:"| 'UNIQUE' '(' @@ ( ',' @@ )* ','? ')'"`
	Check      Expr            `parser:"| 'CHECK' '(' @@ ')'"`
	Foreign    []Ident         `parser:"| 'FOREIGN' 'KEY' '(' @@ ( ',' @@ )* ','? ')'"`
	References *DuckReferences `parser:"  @@ )"`
}

// DuckCreateView is CREATE [OR REPLACE] [TEMPORARY] [RECURSIVE | SECURE] VIEW [IF NOT EXISTS] v [(column, ...)] AS query
// (DuckDB).
type DuckCreateView struct {
	tagged
	OrReplace   bool          `parser:"'CREATE' ( @'OR' 'REPLACE' )?"`
	Local       Keyword       `parser:"@( 'LOCAL' | 'GLOBAL' | 'PERSISTENT' )?"`
	Temporary   bool          `parser:"@( 'TEMPORARY' | 'TEMP' )?"`
	Secure      bool          `parser:"@'SECURE'?"`
	Recursive   bool          `parser:"@'RECURSIVE'? 'VIEW'"`
	IfNotExists bool          `parser:"( @'IF' 'NOT' 'EXISTS' )?"`
	Name        Name          `parser:"@@" sql:"target"`
	Columns     []Ident       `parser:"( '(' @@ ( ',' @@ )* ','? ')' )?"`
	Options     *TableOptions `parser:"( 'WITH' @@ )?"`
	Query       *Query        `parser:"'AS' @@"`
	CheckOption Keyword       `parser:"( 'WITH' @( 'CASCADED' | 'LOCAL' )? 'CHECK' 'OPTION' )?"`
}

func (*DuckCreateView) isStatement() {}

// DuckAlter is ALTER of DuckDB: {TABLE | VIEW | SEQUENCE | SCHEMA | DATABASE ..} [IF EXISTS] name action
type DuckAlter struct {
	tagged
	Kind     Keyword         `parser:"'ALTER' @( 'TABLE' | 'VIEW' | 'SEQUENCE' | 'SCHEMA' | 'DATABASE' | 'INDEX' | 'TYPE' )"`
	IfExists bool            `parser:"( @'IF' 'EXISTS' )?"`
	Name     Name            `parser:"@@" sql:"target"`
	Action   DuckAlterAction `parser:"@@"`
}

func (*DuckAlter) isStatement() {}

// DuckAlterAction is what a DuckAlter does.
type DuckAlterAction struct {
	tagged
	Constraint  *DuckTableConstraint `parser:"  'ADD' ( @@"`
	AddIf       bool                 `parser:"    | 'COLUMN'? ( @'IF' 'NOT' 'EXISTS' )?"`
	Add         *DuckAdded           `parser:"      @@ )"`
	DropIf      bool                 `parser:"| 'DROP' 'COLUMN'? ( @'IF' 'EXISTS' )?"`
	Drop        *Name                `parser:"    @@"`
	Behavior    Keyword              `parser:"    @( 'CASCADE' | 'RESTRICT' )?"`
	RenameTo    *Name                `parser:"| 'RENAME' ( 'TO' @@" sql:"target"`
	Rename      *Name                `parser:"    | 'COLUMN'? @@"`
	ColumnTo    Ident                `parser:"      'TO' @@ )"`
	Column      *DuckAlterColumn     `parser:"| 'ALTER' 'COLUMN'? @@"`
	Schema      *Name                `parser:"| 'SET' ( 'SCHEMA' @@"`
	Alias       *Ident               `parser:"    | 'ALIAS' 'TO' @@"`
	Partitioned []Expr               `parser:"    | 'PARTITIONED' 'BY' '(' @@ ( ',' @@ )* ')'"`
	Sorted      []Sort               `parser:"    | 'SORTED' 'BY' '(' @@ ( ',' @@ )* ')'"`
	Options     *TableOptions        `parser:"    | @@ )"`
	Reset       Keyword              `parser:"| 'RESET' ( @( 'PARTITIONED' | 'SORTED' ) 'BY'"`
	ResetList   *TableOptions        `parser:"    | @@ )"`
	OwnedBy     *Name                `parser:"| 'OWNED' 'BY' @@" sql:"read"`
	Sequence    []SequenceOption     `parser:"| @@+"`
}

// DuckAdded is name type constraint .. of an added column, where the name may be a field of a struct.
type DuckAdded struct {
	tagged
	Name        Name             `parser:"@@"`
	Type        DataType         `parser:"( (?! 'AS' | 'GENERATED' | 'NOT' | 'NULL' | 'DEFAULT' | 'CHECK' | 'UNIQUE' | 'PRIMARY' | 'REFERENCES' | 'COLLATE' | 'USING' | 'CONSTRAINT' ) @@ )?"`
	Constraints []DuckConstraint `parser:"@@*"`
}

// DuckAlterColumn is column followed by {SET | DROP} {DEFAULT | NOT NULL} or [SET DATA] TYPE [type] [USING e].
type DuckAlterColumn struct {
	tagged
	Name        Name          `parser:"@@"`
	Default     *DefaultValue `parser:"( 'SET' ( 'DEFAULT' @@"`
	NotNull     bool          `parser:"  | @'NOT' 'NULL'"`
	Data        bool          `parser:"  | @( 'DATA' 'TYPE' | 'TYPE' )"`
	DataType    DataType      `parser:"    ( (?! 'USING' | 'COLLATE' ) @@ )?"`
	DataCollate *Name         `parser:"    ( 'COLLATE' @@ )?"`
	DataUsing   Expr          `parser:"    ( 'USING' @@ )? )"`
	DropDefault bool          `parser:"| 'DROP' ( @'DEFAULT'"`
	DropNotNull bool          `parser:"  | @'NOT' 'NULL' )"`
	ToType      bool          `parser:"| @'TYPE'"`
	Type        DataType      `parser:"  ( (?! 'USING' | 'COLLATE' ) @@ )?"`
	Collate     *Name         `parser:"  ( 'COLLATE' @@ )?"`
	Using       Expr          `parser:"  ( 'USING' @@ )? )"`
}

// TableOptions is (name [= value], ...) of WITH, SET and RESET.
type TableOptions struct {
	tagged
	Items []IndexOption `parser:"'(' @@ ( ',' @@ )* ','? ')'"`
}
