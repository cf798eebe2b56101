package grammar

// CREATE and DROP of objects that are no relations, Databricks.

// CreateFunction is CREATE FUNCTION and CREATE PROCEDURE of Databricks:
//
//	CREATE [OR REPLACE] [TEMPORARY] FUNCTION [IF NOT EXISTS] f [(parameter, ...)] [RETURNS {type | TABLE [(column type, ...)]}]
//	  characteristic ... {RETURN {e | query} | AS $$ body $$ | AS 'class' [USING {JAR | FILE | ARCHIVE} 's', ...]}
//	CREATE [OR REPLACE] PROCEDURE [IF NOT EXISTS] p (parameter, ...) characteristic ... AS BEGIN .. END
type CreateFunction struct {
	tagged
	OrReplace   bool                `parser:"'CREATE' ( @'OR' 'REPLACE' )?"`
	Temporary   bool                `parser:"@( 'TEMPORARY' | 'TEMP' )?"`
	Kind        Keyword             `parser:"@( 'FUNCTION' | 'PROCEDURE' )"`
	IfNotExists bool                `parser:"( @'IF' 'NOT' 'EXISTS' )?"`
	Name        Name                `parser:"@@" sql:"target"`
	Parens      bool                `parser:"( @'('"`
	Parameters  []Parameter         `parser:"( @@ ( ',' @@ )* )? ')' )?"`
	Table       bool                `parser:"( 'RETURNS' ( @'TABLE'"`
	Columns     []ColumnDef         `parser:"  ( '(' @@ ( ',' @@ )* ')' )?"`
	Returns     DataType            `parser:"  | @@ ) )?"`
	With        []FunctionCharacter `parser:"@@*"`
	Return      *Result             `parser:"( 'RETURN' @@"`
	Body        *Text               `parser:"| 'AS' ( @@"`
	Resources   []FunctionResource  `parser:"    ( 'USING' @@ ( ',' @@ )* )?"`
	Script      *Script             `parser:"  | @@ ) )?"`
}

func (*CreateFunction) isStatement() {}

func (x *CreateFunction) check(p *parser) {
	if x.Return == nil && x.Body == nil && x.Script == nil {
		p.refuse(x.End, "a function needs RETURN or AS and its body", "")
	}
}

// Parameter is [IN | OUT | INOUT] name [type] [DEFAULT e] [COMMENT 's'].
type Parameter struct {
	tagged
	Mode    Keyword  `parser:"( @( 'IN' | 'OUT' | 'INOUT' ) (?= ( Word ( '(' String ')' )? | Quoted ) ( Word | Quoted ) ) )?"`
	Name    Ident    `parser:"@@"`
	Type    DataType `parser:"@@"`
	NotNull bool     `parser:"( @'NOT' 'NULL' )?"`
	Default Expr     `parser:"( 'DEFAULT' @@ )?"`
	Comment *Text    `parser:"( 'COMMENT' @@ )?"`
}

// FunctionCharacter is one of the words between a function's head and its body.
type FunctionCharacter struct {
	tagged
	Language Keyword  `parser:"  'LANGUAGE' @Word"`
	Words    Keyword  `parser:"| @( 'NOT' 'DETERMINISTIC' | 'DETERMINISTIC' | 'CONTAINS' 'SQL' | 'NO' 'SQL' | 'READS' 'SQL' 'DATA' | 'MODIFIES' 'SQL' 'DATA' | 'SQL' 'SECURITY' ( 'DEFINER' | 'INVOKER' ) | 'CALLED' 'ON' 'NULL' 'INPUT' | 'RETURNS' 'NULL' 'ON' 'NULL' 'INPUT' )"`
	Comment  *Text    `parser:"| 'COMMENT' @@"`
	Specific *Name    `parser:"| 'SPECIFIC' @@"`
	Default  Ident    `parser:"| 'DEFAULT' 'COLLATION' @@"`
	Handler  *Text    `parser:"| 'HANDLER' @@"`
	Env      *Options `parser:"| 'ENVIRONMENT' @@"`
}

// FunctionResource is {JAR | FILE | ARCHIVE} 'path'.
type FunctionResource struct {
	tagged
	Kind Keyword `parser:"@( 'JAR' | 'FILE' | 'ARCHIVE' )"`
	Path Text    `parser:"@@"`
}

// CreateSchema is CREATE {SCHEMA | DATABASE | NAMESPACE | CATALOG | VOLUME | ..} [IF NOT EXISTS] name clause ... (Databricks).
type CreateSchema struct {
	tagged
	OrReplace   bool           `parser:"'CREATE' ( @'OR' 'REPLACE' )?"`
	External    bool           `parser:"@'EXTERNAL'?"`
	Foreign     bool           `parser:"@'FOREIGN'?"`
	Kind        Keyword        `parser:"@( 'SCHEMA' | 'DATABASE' | 'NAMESPACE' | 'CATALOG' | 'VOLUME' | 'SHARE' | 'RECIPIENT' | 'CONNECTION' | 'LOCATION' )"`
	IfNotExists bool           `parser:"( @'IF' 'NOT' 'EXISTS' )?"`
	Name        Name           `parser:"@@" sql:"target"`
	Clauses     []SchemaClause `parser:"@@*"`
}

func (*CreateSchema) isStatement() {}

// SchemaClause is one clause of a CreateSchema.
type SchemaClause struct {
	tagged
	Comment    *Text    `parser:"  'COMMENT' @@"`
	Managed    bool     `parser:"| @'MANAGED'?"`
	Location   *Text    `parser:"  ( 'LOCATION' | 'URL' ) @@"`
	Properties *Options `parser:"| 'WITH' ( ( 'DBPROPERTIES' | 'PROPERTIES' ) @@"`
	Credential *Name    `parser:"    | '(' 'STORAGE'? 'CREDENTIAL' @@ ')' )"`
	Options    *Options `parser:"| 'OPTIONS' @@"`
	Type       Ident    `parser:"| 'TYPE' @@"`
	Using      Keyword  `parser:"| 'USING' @( 'CONNECTION' | 'SHARE' | 'ID' )"`
	UsingName  *Pattern `parser:"    @@"`
	Collation  Ident    `parser:"| 'DEFAULT' 'COLLATION' @@"`
}

// Drop is DROP of any object of Databricks:
//
//	DROP [TEMPORARY] kind [IF EXISTS] name [RESTRICT | CASCADE] [PURGE]
//	DROP INDEX [IF EXISTS] i ON [TABLE] t
type Drop struct {
	tagged
	Temporary bool    `parser:"'DROP' @( 'TEMPORARY' | 'TEMP' )?"`
	Kind      Keyword `parser:"@( 'TABLE' | 'VIEW' | 'MATERIALIZED' 'VIEW' | 'STREAMING' 'TABLE' | 'SCHEMA' | 'DATABASE' | 'NAMESPACE' | 'CATALOG' | 'FUNCTION' | 'PROCEDURE' | 'VOLUME' | 'VARIABLE' | 'VAR' | 'SHARE' | 'RECIPIENT' | 'PROVIDER' | 'CONNECTION' | 'EXTERNAL' 'LOCATION' | 'STORAGE' 'CREDENTIAL' | 'SERVICE' 'CREDENTIAL' | 'CREDENTIAL' | 'FLOW' | 'POLICY' | 'INDEX' | 'BLOOMFILTER' 'INDEX' )"`
	IfExists  bool    `parser:"( @'IF' 'EXISTS' )?"`
	Name      *Name   `parser:"( (?! 'ON' ) @@ )?" sql:"target"`
	On        *Name   `parser:"( 'ON' 'TABLE'? @@ )?" sql:"target"`
	Behavior  Keyword `parser:"@( 'CASCADE' | 'RESTRICT' | 'FORCE' )?"`
	Purge     bool    `parser:"@'PURGE'?"`
}

func (*Drop) isStatement() {}

func (x *Drop) check(p *parser) {
	if x.Name == nil && x.Kind != "BLOOMFILTER INDEX" {
		p.refuse(x.End, "DROP needs a name", "")
	}
	if x.Kind == "VARIABLE" && !x.Temporary || x.Kind == "VAR" && !x.Temporary {
		p.refuse(x.Start, "variables are dropped by DROP TEMPORARY VARIABLE", "")
	}
	if x.On == nil && x.Kind == "INDEX" {
		p.refuse(x.End, "DROP INDEX needs ON and a table", "")
	}
}

// Undrop is UNDROP kind name (Databricks).
type Undrop struct {
	tagged
	Kind Keyword `parser:"'UNDROP' @( 'TABLE' | 'SCHEMA' | 'CATALOG' | 'VOLUME' | 'MATERIALIZED' 'VIEW' | 'STREAMING' 'TABLE' )"`
	Name Pattern `parser:"( 'WITH' 'ID' )? @@"`
}

func (*Undrop) isStatement() {}

// CreateIndex is CREATE INDEX [IF NOT EXISTS] i ON [TABLE] t [USING m] (column [OPTIONS (..)], ...) [OPTIONS (..)]
// (Databricks).
type CreateIndex struct {
	tagged
	Bloom       bool          `parser:"'CREATE' ( @'BLOOMFILTER' 'INDEX'"`
	IfNotExists bool          `parser:"| 'INDEX' ( @'IF' 'NOT' 'EXISTS' )?"`
	Name        Ident         `parser:"@@ )"`
	Table       Name          `parser:"'ON' 'TABLE'? @@" sql:"target"`
	Using       Ident         `parser:"( 'USING' @@ )?"`
	Columns     []IndexColumn `parser:"( 'FOR' 'COLUMNS' )? '(' @@ ( ',' @@ )* ')'"`
	Options     *Options      `parser:"( 'OPTIONS' @@ )?"`
}

func (*CreateIndex) isStatement() {}

// IndexColumn is column [OPTIONS (..)].
type IndexColumn struct {
	tagged
	Name    Name     `parser:"@@"`
	Options *Options `parser:"( 'OPTIONS' @@ )?"`
}

// Expectation is CONSTRAINT name EXPECT (e) [ON VIOLATION ..] as a statement of a pipeline (Databricks).
type Expectation struct {
	tagged
	Constraint TableConstraint `parser:"@@"`
}

func (*Expectation) isStatement() {}
