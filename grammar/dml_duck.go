package grammar

// Statements of DuckDB that change rows.

// DuckInsert is INSERT of DuckDB:
//
//	INSERT [OR {REPLACE | IGNORE}] INTO t [AS alias] [BY {NAME | POSITION}] [(column, ...)] {query | DEFAULT VALUES}
//	  [ON CONFLICT ..] [RETURNING item, ...]
type DuckInsert struct {
	tagged
	With      *With
	Or        Keyword      `parser:"'INSERT' ( 'OR' @( 'REPLACE' | 'IGNORE' ) )?"`
	Table     Name         `parser:"'INTO' @@" sql:"target"`
	Alias     Ident        `parser:"( 'AS' @@ )?"`
	By        Keyword      `parser:"( 'BY' @( 'NAME' | 'POSITION' ) )?"`
	Columns   *ColumnList  `parser:"@@?"`
	Default   bool         `parser:"( @'DEFAULT' 'VALUES'"`
	Query     *Query       `parser:"| @@ )"`
	Conflict  *Conflict    `parser:"@@?"`
	Returning []SelectItem `parser:"( 'RETURNING' @@ ( ',' @@ )* )?"`
}

func (*DuckInsert) isStatement()      {}
func (x *DuckInsert) setWith(w *With) { x.With, x.Start = w, w.Start }

// Conflict is ON CONFLICT [(column, ...) [WHERE e] | ON CONSTRAINT name] DO {NOTHING | UPDATE SET .. [WHERE e]}.
type Conflict struct {
	tagged
	Columns    []Expr       `parser:"'ON' 'CONFLICT' ( '(' @@ ( ',' @@ )* ')'"`
	Where      Expr         `parser:"( 'WHERE' @@ )?"`
	Constraint Ident        `parser:"| 'ON' 'CONSTRAINT' @@ )? 'DO'"`
	Nothing    bool         `parser:"( @'NOTHING'"`
	Set        []Assignment `parser:"| 'UPDATE' 'SET' @@ ( ',' @@ )* ','?"`
	SetWhere   Expr         `parser:"( 'WHERE' @@ )? )"`
}

// DuckUpdate is UPDATE t [[AS] alias] SET .. [FROM item, ...] [WHERE e] [RETURNING item, ...] (DuckDB).
type DuckUpdate struct {
	tagged
	With      *With
	Target    Target       `parser:"'UPDATE' @@" sql:"target"`
	Set       []Assignment `parser:"'SET' @@ ( ',' @@ )* ','?"`
	From      []FromItem   `parser:"( 'FROM' @@ ( ',' @@ )* ','? )?"`
	Where     Expr         `parser:"( 'WHERE' @@ )?"`
	Returning []SelectItem `parser:"( 'RETURNING' @@ ( ',' @@ )* )?"`
}

func (*DuckUpdate) isStatement()      {}
func (x *DuckUpdate) setWith(w *With) { x.With, x.Start = w, w.Start }

// plainColumns refuses names with dots on the left of SET.
func (p *parser) plainColumns(set []Assignment) {
	for i := range set {
		for j := range set[i].Columns {
			if c := &set[i].Columns[j]; len(c.Parts) > 1 {
				p.refuse(c.Start, "SET takes the names of columns without a table", "")
			}
		}
	}
}

func (x *Conflict) check(p *parser)      { p.plainColumns(x.Set) }
func (x *DuckMergeWhen) check(p *parser) { p.plainColumns(x.Set) }

// DuckDelete is DELETE FROM t [[AS] alias] [USING item, ...] [WHERE e] [RETURNING item, ...] (DuckDB).
type DuckDelete struct {
	tagged
	With      *With
	Target    Target       `parser:"'DELETE' 'FROM' @@" sql:"target"`
	Using     []FromItem   `parser:"( 'USING' @@ ( ',' @@ )* ','? )?"`
	Where     Expr         `parser:"( 'WHERE' @@ )?"`
	Returning []SelectItem `parser:"( 'RETURNING' @@ ( ',' @@ )* )?"`
}

func (*DuckDelete) isStatement()      {}
func (x *DuckDelete) setWith(w *With) { x.With, x.Start = w, w.Start }

// DuckTruncate is TRUNCATE [TABLE] t [CASCADE | RESTRICT] (DuckDB).
type DuckTruncate struct {
	tagged
	Table Name    `parser:"'TRUNCATE' 'TABLE'? @@" sql:"target"`
	Then  Keyword `parser:"@( 'CASCADE' | 'RESTRICT' )?"`
}

func (*DuckTruncate) isStatement() {}

// DuckMerge is MERGE of DuckDB:
//
//	MERGE INTO t [[AS] a] USING item {ON e | USING (column, ...)} WHEN .. THEN action ... [RETURNING item, ...]
type DuckMerge struct {
	tagged
	With      *With
	Target    Target          `parser:"'MERGE' 'INTO' @@" sql:"target"`
	Source    FromItem        `parser:"'USING' @@"`
	On        Expr            `parser:"( 'ON' @@"`
	Using     []Ident         `parser:"| 'USING' '(' @@ ( ',' @@ )* ','? ')' )"`
	Clauses   []DuckMergeWhen `parser:"@@+"`
	Returning []SelectItem    `parser:"( 'RETURNING' @@ ( ',' @@ )* )?"`
}

func (*DuckMerge) isStatement() {}

// check refuses a second clause of a kind that has no condition.
func (x *DuckMerge) check(p *parser) {
	always := map[Keyword]bool{}
	for i := range x.Clauses {
		c := &x.Clauses[i]
		kind := c.Kind
		if kind == "NOT MATCHED BY TARGET" {
			kind = "NOT MATCHED"
		}
		if always[kind] && c.And == nil {
			p.refuse(c.Start, "WHEN "+string(kind)+" stands twice without a condition", "")
		}
		always[kind] = always[kind] || c.And == nil
	}
}

func (x *DuckMerge) setWith(w *With) { x.With, x.Start = w, w.Start }

// DuckMergeWhen is one WHEN clause of a DuckMerge; Kind as in MergeWhen. Without Set, Update takes all columns.
//
//	UPDATE [SET .. | SET * | BY {NAME | POSITION}]   DELETE   DO NOTHING   ERROR [e]
//	INSERT [* | BY {NAME | POSITION} | DEFAULT VALUES | [(column, ...)] VALUES (..)]
type DuckMergeWhen struct {
	tagged
	Kind     Keyword      `parser:"'WHEN' ( @'MATCHED' | @'NOT' @'MATCHED' ( @'BY' @( 'SOURCE' | 'TARGET' ) )? )"`
	And      Expr         `parser:"( 'AND' @@ )? 'THEN'"`
	Delete   bool         `parser:"( @'DELETE'"`
	Nothing  bool         `parser:"| @'DO' 'NOTHING'"`
	Error    bool         `parser:"| @'ERROR'"`
	Message  Expr         `parser:"  ( (?! 'WHEN' | 'RETURNING' ) @@ )?"`
	Update   bool         `parser:"| @'UPDATE'"`
	SetStar  bool         `parser:"  ( 'SET' ( @'*'"`
	Set      []Assignment `parser:"    | @@ ( ',' @@ )* ','? )"`
	UpdateBy Keyword      `parser:"  | 'BY' @( 'NAME' | 'POSITION' ) )?"`
	Insert   bool         `parser:"| @'INSERT'"`
	Star     bool         `parser:"  ( @'*'"`
	InsertBy Keyword      `parser:"  | 'BY' @( 'NAME' | 'POSITION' )"`
	Default  bool         `parser:"  | @'DEFAULT' 'VALUES'"`
	Columns  []Name       `parser:"  | ( '(' @@ ( ',' @@ )* ','? ')' )?"`
	Values   []Expr       `parser:"    'VALUES' '(' @@ ( ',' @@ )* ','? ')' )? )"`
}

// DuckCopy is COPY of DuckDB:
//
//	COPY {[BINARY] t [(column, ...)] | (query)} {TO | FROM} file [[USING] DELIMITERS 's'] [[WITH] {(option, ...) | option ...}]
//	COPY FROM DATABASE a TO b [({SCHEMA | DATA})]
type DuckCopy struct {
	tagged
	FromDatabase *Name           `parser:"'COPY' ( 'FROM' 'DATABASE' @@" sql:"read"`
	ToDatabase   *Name           `parser:"  'TO' @@" sql:"target"`
	What         Keyword         `parser:"  ( '(' @( 'SCHEMA' | 'DATA' ) ')' )?"`
	Query        *ParenStatement `parser:"| ( @@"`
	Binary       bool            `parser:"  | @'BINARY'?"`
	Table        *Name           `parser:"    @@" sql:"target"`
	Columns      *ColumnList     `parser:"    @@? )"`
	Direction    Keyword         `parser:"  @( 'TO' | 'FROM' )"`
	File         CopyFile        `parser:"  @@"`
	Delimiters   *Text           `parser:"  ( 'USING'? 'DELIMITERS' @@ )?"`
	Options      *ParenOptions   `parser:"  ( 'WITH'? ( @@"`
	Legacy       []LegacyOption  `parser:"  | @@ ( ','? @@ )* ) )? )"`
}

func (*DuckCopy) isStatement() {}

// CopyFile is the file of a COPY: a string, STDIN, STDOUT, or an expression that gives its name.
type CopyFile struct {
	tagged
	Standard Keyword `parser:"  @( 'STDIN' | 'STDOUT' )"`
	Text     *Text   `parser:"| @@"`
	X        Expr    `parser:"| '(' @@ ')'"`
	Name     *Name   `parser:"| @@"`
}

// role implements roler: the table is read or filled.
func (x *DuckCopy) role(r Role) Role {
	if x.Direction == "TO" {
		return RoleRead
	}
	return r
}

// LegacyOption is an option of COPY without parentheses: CSV, HEADER, DELIMITER [AS] '|', FORCE QUOTE a, PARTITION BY (a) ...
type LegacyOption struct {
	tagged
	Format  Keyword `parser:"  @( 'CSV' | 'HEADER' | 'BINARY' | 'OIDS' )"`
	Name    Keyword `parser:"| @( 'DELIMITER' | 'DELIMITERS' | 'NULL' | 'QUOTE' | 'ESCAPE' | 'ENCODING' )"`
	Value   *Text   `parser:"  'AS'? @@"`
	Force   Keyword `parser:"| @( 'FORCE' ( 'QUOTE' | 'NOT' 'NULL' | 'NULL' ) )"`
	Star    bool    `parser:"  ( @'*'"`
	Columns []Ident `parser:"  | @@ ( ',' @@ )* )"`
	By      Keyword `parser:"| @( 'PARTITION' | 'PARTITIONED' ) 'BY'"`
	Keys    []Ident `parser:"  ( '(' @@ ( ',' @@ )* ')' | @@ )"`
}

// ParenStatement is a query in parentheses.
type ParenStatement struct {
	tagged
	Statement Statement `parser:"'(' @@ ')'"`
}
