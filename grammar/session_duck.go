package grammar

// Statements of DuckDB about databases, extensions, settings and transactions.

// Pragma is PRAGMA name [(arg, ...) | = value] (DuckDB).
type Pragma struct {
	tagged
	Name  Ident      `parser:"'PRAGMA' @@"`
	Args  *Arguments `parser:"( @@"`
	Value Expr       `parser:"| '=' @@ )?"`
}

func (*Pragma) isStatement() {}

func (x *Pragma) check(p *parser) {
	p.nameWord(&x.Name)
	if x.Args != nil && len(x.Args.List) == 0 {
		p.failBack(x.Args.End-1, "an argument")
	}
}

// DuckCall is CALL name(arg, ...) (DuckDB).
type DuckCall struct {
	tagged
	Name FunctionName `parser:"'CALL' @@"`
	Args Arguments    `parser:"@@"`
}

func (*DuckCall) isStatement() {}

// Attach is ATTACH [OR REPLACE] [DATABASE | IF NOT EXISTS] path [AS name] [(option, ...)] (DuckDB).
type Attach struct {
	tagged
	OrReplace   bool          `parser:"'ATTACH' ( @'OR' 'REPLACE' )?"`
	IfNotExists bool          `parser:"( 'DATABASE' | @'IF' 'NOT' 'EXISTS' )?"`
	Path        DuckFile      `parser:"@@"`
	Alias       Ident         `parser:"( 'AS' @@ )?"`
	Options     *ParenOptions `parser:"@@?"`
}

func (*Attach) isStatement() {}

func (x *Attach) check(p *parser) {
	p.onlyOne(x.OrReplace, x.IfNotExists, x.Start)
	p.nameWord(&x.Alias)
}

// Detach is DETACH [DATABASE] [IF EXISTS] name (DuckDB).
type Detach struct {
	tagged
	IfExists bool  `parser:"'DETACH' ( (?= 'DATABASE' 'IF' ) 'DATABASE' @'IF' 'EXISTS' | 'DATABASE' | @'IF' 'EXISTS' )?"`
	Database Ident `parser:"@@"`
}

func (*Detach) isStatement()      {}
func (x *Detach) check(p *parser) { p.nameWord(&x.Database) }

// DuckUse is USE database[.schema] (DuckDB).
type DuckUse struct {
	tagged
	Name Name `parser:"'USE' @@"`
}

func (*DuckUse) isStatement() {}

func (x *DuckUse) check(p *parser) {
	if len(x.Name.Parts) > 2 {
		p.refuse(x.Name.Parts[2].Start, "USE takes a database or database.schema", "")
	}
}

// Install is [FORCE] INSTALL {extension | 'path'} [FROM {repository | 'url'}] [VERSION v] (DuckDB).
type Install struct {
	tagged
	Force     bool          `parser:"@'FORCE'? 'INSTALL'"`
	Extension NameOrString  `parser:"@@"`
	From      *NameOrString `parser:"( 'FROM' @@ )?"`
	Version   *NameOrString `parser:"( 'VERSION' @@ )?"`
}

func (*Install) isStatement() {}

// Load is LOAD {extension | 'path'} [FROM {repository | 'url'}] [AS name] (DuckDB; FROM and AS are 2.0's).
type Load struct {
	tagged
	Extension NameOrString  `parser:"'LOAD' @@"`
	From      *NameOrString `parser:"( 'FROM' @@ )?"`
	Alias     Ident         `parser:"( 'AS' @@ )?"`
}

func (*Load) isStatement()      {}
func (x *Load) check(p *parser) { p.nameWord(&x.Alias) }

// Connect is CONNECT {database | 'path' [(option, ...)]} (DuckDB 2.0). CONNECT alone and CONNECT LOCAL are read by 2.0 and refused
// whatever is attached.
type Connect struct {
	tagged
	Path    *String       `parser:"'CONNECT' ( @@"`
	Options *ParenOptions `parser:"  @@?"`
	Name    Ident         `parser:"| @@ )"`
}

func (*Connect) isStatement() {}

func (x *Connect) check(p *parser) {
	p.nameWord(&x.Name)
	if x.Name.Is("LOCAL") {
		p.failBack(x.Name.Start, "the name of a database, or a path")
	}
}

// Disconnect is DISCONNECT (DuckDB 2.0).
type Disconnect struct {
	tagged
	Verb Keyword `parser:"@'DISCONNECT'"`
}

func (*Disconnect) isStatement() {}

// UpdateExtensions is UPDATE EXTENSIONS [(name, ...)] (DuckDB).
type UpdateExtensions struct {
	tagged
	Names []Ident `parser:"'UPDATE' 'EXTENSIONS' ( '(' @@ ( ',' @@ )* ')' )?"`
}

func (*UpdateExtensions) isStatement() {}

// Checkpoint is [FORCE] CHECKPOINT [database] (DuckDB).
type Checkpoint struct {
	tagged
	Force    bool  `parser:"@'FORCE'? 'CHECKPOINT'"`
	Database Ident `parser:"@@?"`
}

func (*Checkpoint) isStatement()      {}
func (x *Checkpoint) check(p *parser) { p.nameWord(&x.Database) }

// Transaction is {BEGIN | START | COMMIT | END | ROLLBACK | ABORT} [TRANSACTION | WORK] [READ ONLY | READ WRITE] (DuckDB).
type Transaction struct {
	tagged
	Verb Keyword `parser:"@( 'BEGIN' | 'START' | 'COMMIT' | 'END' | 'ROLLBACK' | 'ABORT' ) ( 'TRANSACTION' | 'WORK' )?"`
	Mode Keyword `parser:"@( 'READ' ( 'ONLY' | 'WRITE' ) )?"`
}

func (*Transaction) isStatement() {}

func (x *Transaction) check(p *parser) {
	if x.Mode != "" && x.Verb != "BEGIN" && x.Verb != "START" {
		p.refuse(x.Start, "only BEGIN and START say what a transaction may do", "")
	}
}

// DuckVacuum is VACUUM [ANALYZE] [table [(column, ...)]] (DuckDB).
type DuckVacuum struct {
	tagged
	Analyze bool    `parser:"'VACUUM' ( @( 'ANALYZE' | 'ANALYSE' ) | '(' @( 'ANALYZE' | 'ANALYSE' ) ')' )?"`
	Table   *Name   `parser:"( @@" sql:"read"`
	Columns []Ident `parser:"( '(' @@ ( ',' @@ )* ','? ')' )? )?"`
}

func (*DuckVacuum) isStatement() {}

// DuckAnalyze is ANALYZE [table [(column, ...)]] (DuckDB).
type DuckAnalyze struct {
	tagged
	Table   *Name   `parser:"( 'ANALYZE' | 'ANALYSE' ) ( @@" sql:"read"`
	Columns []Ident `parser:"( '(' @@ ( ',' @@ )* ','? ')' )? )?"`
}

func (*DuckAnalyze) isStatement() {}

// ExportDatabase is EXPORT DATABASE [name TO] 'folder' [options] (DuckDB).
type ExportDatabase struct {
	tagged
	Database Ident          `parser:"'EXPORT' 'DATABASE' ( (?! String ) @@ 'TO' )?"`
	Path     String         `parser:"@@"`
	Options  *ParenOptions  `parser:"( @@"`
	Legacy   []LegacyOption `parser:"| @@+ )?"`
}

func (*ExportDatabase) isStatement()      {}
func (x *ExportDatabase) check(p *parser) { p.nameWord(&x.Database) }

// ImportDatabase is IMPORT DATABASE 'folder' (DuckDB).
type ImportDatabase struct {
	tagged
	Path String `parser:"'IMPORT' 'DATABASE' @@"`
}

func (*ImportDatabase) isStatement() {}

// DuckSet is SET of DuckDB:
//
//	SET [SESSION | GLOBAL | VARIABLE] name {= | TO} value
//	SET [SESSION | GLOBAL] {SCHEMA 'name' | TIME ZONE {value | interval}}
type DuckSet struct {
	tagged
	Scope    Keyword       `parser:"'SET' ( (?! Word ( '=' | 'TO' ) ) @( 'SESSION' | 'GLOBAL' | 'VARIABLE' ) )?"`
	Interval *ZoneInterval `parser:"( (?= 'TIME' 'ZONE' 'INTERVAL' ( '(' Number ')' String | String ( 'HOUR' | 'HOURS' ) 'TO' ) ) 'TIME' 'ZONE' @@"`
	Zone     Expr          `parser:"| (?= 'TIME' 'ZONE' ) 'TIME' 'ZONE' @@"`
	Schema   *String       `parser:"| (?= 'SCHEMA' String ) 'SCHEMA' @@"`
	Name     *Name         `parser:"| @@"`
	Value    Expr          `parser:"  ( '=' | 'TO' ) @@ )"`
}

// ZoneInterval is an interval as only SET TIME ZONE takes it:
//
//	INTERVAL (precision) 'text'   INTERVAL 'text' HOUR TO MINUTE
type ZoneInterval struct {
	tagged
	Precision *Number `parser:"'INTERVAL' ( '(' @@ ')' )?"`
	Text      String  `parser:"@@"`
	Units     Keyword `parser:"@( ( 'HOUR' | 'HOURS' ) 'TO' ( 'MINUTE' | 'MINUTES' ) )?"`
}

func (x *ZoneInterval) check(p *parser) {
	if x.Precision != nil && x.Units != "" {
		p.refuse(x.Start, "an interval of two units has no precision", "")
	}
}

func (*DuckSet) isStatement() {}

func (x *DuckSet) check(p *parser) {
	switch {
	case x.Name != nil:
		p.settingName(x.Name)
	case x.Scope == "VARIABLE":
		p.failBack(x.End, "the name of a variable and its value")
	}
}

// settingName refuses a string, and more parts than a setting of an extension has.
func (p *parser) settingName(n *Name) {
	if n.Parts[0].Quote == SingleQuote {
		p.failBack(n.Start, "a name")
	}
	if len(n.Parts) > 2 {
		p.failBack(n.Parts[2].Start, "the value of the setting")
	}
}

// DuckReset is RESET [SESSION | GLOBAL | VARIABLE] {name | TIME ZONE} (DuckDB).
type DuckReset struct {
	tagged
	Scope Keyword `parser:"'RESET' ( (?= Word ( Word | Quoted ) ) @( 'SESSION' | 'GLOBAL' | 'VARIABLE' ) )?"`
	Zone  bool    `parser:"( (?= 'TIME' 'ZONE' ) @'TIME' 'ZONE'"`
	Name  *Name   `parser:"| @@ )"`
}

func (*DuckReset) isStatement() {}

func (x *DuckReset) check(p *parser) {
	if x.Name != nil {
		p.settingName(x.Name)
	}
}
