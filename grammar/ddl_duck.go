package grammar

import (
	"math"
	"strconv"
	"strings"
)

// CREATE and DROP of DuckDB for all but tables and views.

// CreateType is CREATE [OR REPLACE] [TEMPORARY] TYPE [IF NOT EXISTS] name AS type (DuckDB).
type CreateType struct {
	tagged
	OrReplace   bool     `parser:"'CREATE' ( @'OR' 'REPLACE' )?"`
	Temporary   bool     `parser:"@( 'TEMPORARY' | 'TEMP' )?"`
	IfNotExists bool     `parser:"'TYPE' ( @'IF' 'NOT' 'EXISTS' )?"`
	Name        Name     `parser:"@@"`
	SetOf       bool     `parser:"'AS' @'SETOF'?"`
	Type        DataType `parser:"@@"`
}

func (*CreateType) isStatement()      {}
func (x *CreateType) check(p *parser) { p.onlyOne(x.OrReplace, x.IfNotExists, x.Start) }

// CreateSequence is CREATE [OR REPLACE] [TEMPORARY] SEQUENCE [IF NOT EXISTS] name option ... (DuckDB).
type CreateSequence struct {
	tagged
	OrReplace   bool             `parser:"'CREATE' ( @'OR' 'REPLACE' )?"`
	Temporary   bool             `parser:"@( 'TEMPORARY' | 'TEMP' )?"`
	IfNotExists bool             `parser:"'SEQUENCE' ( @'IF' 'NOT' 'EXISTS' )?"`
	Name        Name             `parser:"@@"`
	Options     []SequenceOption `parser:"@@*"`
}

func (*CreateSequence) isStatement() {}

// SequenceOption is START [WITH] n, INCREMENT [BY] n, MINVALUE n, MAXVALUE n, NO MINVALUE, NO MAXVALUE or [NO] CYCLE.
type SequenceOption struct {
	tagged
	Kind  Keyword `parser:"  ( @'START' 'WITH'? | @'INCREMENT' 'BY'? | @'MINVALUE' | @'MAXVALUE' )"`
	Minus bool    `parser:"  ( @'-' | '+' )?"`
	Value *Number `parser:"  @@"`
	Word  Keyword `parser:"| @( 'NO' ( 'MINVALUE' | 'MAXVALUE' | 'CYCLE' ) | 'CYCLE' )"`
}

// integer returns the option's value.
func (x *SequenceOption) integer(p *parser) int64 {
	text := strings.ReplaceAll(x.Value.Text, "_", "")
	if x.Minus {
		text = "-" + text
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		p.refuse(x.Value.Start, "a whole number is needed here", "")
	}
	return n
}

// check is DuckDB's own: every option once, and values that fit one another.
func (x *CreateSequence) check(p *parser) {
	p.onlyOne(x.OrReplace, x.IfNotExists, x.Start)
	seen := map[Keyword]bool{}
	start, low, high, step := int64(0), int64(1), int64(math.MaxInt64), int64(1)
	values := map[Keyword]*int64{"START": &start, "INCREMENT": &step, "MINVALUE": &low, "MAXVALUE": &high}
	for i := range x.Options {
		o := &x.Options[i]
		kind := strings.TrimPrefix(string(o.Kind+o.Word), "NO ")
		if seen[Keyword(kind)] {
			p.refuse(o.Start, kind+" is there twice", "")
		}
		seen[Keyword(kind)] = true
		if o.Kind != "INCREMENT" {
			continue
		}
		if step = o.integer(p); step < 0 {
			low, high = math.MinInt64, -1
		} else if step == 0 {
			p.refuse(o.Start, "a sequence can't step by 0", "")
		}
	}
	for i := range x.Options {
		if o := &x.Options[i]; o.Kind != "" {
			*values[o.Kind] = o.integer(p)
		}
	}
	if !seen["START"] {
		if start = low; step < 0 {
			start = high
		}
	}
	switch {
	case low >= high:
		p.refuse(x.Start, "MINVALUE must be less than MAXVALUE", "")
	case start < low || start > high:
		p.refuse(x.Start, "START must lie between MINVALUE and MAXVALUE", "")
	}
}

// DuckCreateIndex is
//
//	CREATE [OR REPLACE] [UNIQUE] INDEX [CONCURRENTLY] [IF NOT EXISTS] name ON table [USING method] (key, ...) [WITH (option, ...)]
//
// of DuckDB.
type DuckCreateIndex struct {
	tagged
	OrReplace   bool          `parser:"'CREATE' ( @'OR' 'REPLACE' )?"`
	Unique      bool          `parser:"@'UNIQUE'?"`
	Concurrent  bool          `parser:"'INDEX' @'CONCURRENTLY'?"`
	IfNotExists bool          `parser:"( @'IF' 'NOT' 'EXISTS' )?"`
	Name        Ident         `parser:"(?! 'ON' ) @@"`
	Table       Name          `parser:"'ON' @@" sql:"target"`
	Method      Ident         `parser:"( 'USING' @@ )?"`
	Keys        []Sort        `parser:"'(' @@ ( ',' @@ )* ','? ')'"`
	Options     []IndexOption `parser:"( 'WITH' '(' @@ ( ',' @@ )* ')' )?"`
}

func (*DuckCreateIndex) isStatement() {}

func (x *DuckCreateIndex) check(p *parser) {
	p.onlyOne(x.OrReplace, x.IfNotExists, x.Start)
	p.nameWord(&x.Name)
}

// IndexOption is name [= value].
type IndexOption struct {
	tagged
	Key   Ident `parser:"@@"`
	Value Expr  `parser:"( '=' @@ )?"`
}

// DuckCreateSchema is CREATE [OR REPLACE] SCHEMA [IF NOT EXISTS] [database.]name (DuckDB).
type DuckCreateSchema struct {
	tagged
	OrReplace   bool `parser:"'CREATE' ( @'OR' 'REPLACE' )?"`
	Temporary   bool `parser:"@( 'TEMPORARY' | 'TEMP' )?"`
	IfNotExists bool `parser:"'SCHEMA' ( @'IF' 'NOT' 'EXISTS' )?"`
	Name        Name `parser:"@@"`
}

func (*DuckCreateSchema) isStatement() {}

func (x *DuckCreateSchema) check(p *parser) {
	p.onlyOne(x.OrReplace, x.IfNotExists, x.Start)
	p.schemaName(&x.Name)
}

// schemaName refuses a schema inside a schema, which DuckDB 1.5 does not have.
func (p *parser) schemaName(n *Name) {
	if len(n.Parts) > 2 {
		p.refuse(n.Parts[2].Start, "a schema is named by schema or database.schema", "")
	}
}

// CreateMacro is CREATE [OR REPLACE] [TEMPORARY] {MACRO | FUNCTION} [IF NOT EXISTS] name overload, ... (DuckDB).
type CreateMacro struct {
	tagged
	OrReplace   bool            `parser:"'CREATE' ( @'OR' 'REPLACE' )?"`
	Temporary   bool            `parser:"@( 'TEMPORARY' | 'TEMP' )?"`
	IfNotExists bool            `parser:"( 'MACRO' | 'FUNCTION' ) ( @'IF' 'NOT' 'EXISTS' )?"`
	Name        Name            `parser:"@@"`
	Overloads   []MacroOverload `parser:"@@ ( ',' @@ )*"`
}

func (*CreateMacro) isStatement() {}

func (x *CreateMacro) check(p *parser) {
	p.onlyOne(x.OrReplace, x.IfNotExists, x.Start)
	for i := range x.Overloads {
		if x.Overloads[i].Query != nil {
			p.noOpenPivot(x.Overloads[i].Query, "a macro")
		}
		if (x.Overloads[i].Query != nil) != (x.Overloads[0].Query != nil) {
			p.refuse(x.Overloads[i].Start, "a macro gives either values or tables", "")
		}
	}
}

// MacroOverload is (parameter, ...) AS {expr | TABLE query}.
type MacroOverload struct {
	tagged
	Params []MacroParam `parser:"'(' ( @@ ( ',' @@ )* ','? )? ')' 'AS'"`
	Query  *Query       `parser:"( 'TABLE' @@"`
	Body   Expr         `parser:"| @@ )"`
}

func (x *MacroOverload) check(p *parser) {
	defaults := false
	for i := range x.Params {
		q := &x.Params[i]
		if defaults && q.Default == nil {
			p.refuse(q.Start, "a parameter without a default follows one that has it", "")
		}
		defaults = q.Default != nil
		for j := range i {
			if strings.EqualFold(x.Params[j].Name.Text, q.Name.Text) {
				p.refuse(q.Start, "this parameter is there twice", "")
			}
		}
	}
}

// MacroParam is name [type] [:= default].
type MacroParam struct {
	tagged
	Name    Ident    `parser:"@@"`
	Type    DataType `parser:"@@?"`
	Default Expr     `parser:"( ( ':=' | '=>' ) @@ )?"`
}

func (x *MacroParam) check(p *parser) { p.nameWord(&x.Name) }

// CreateSecret is
//
//	CREATE [OR REPLACE] [PERSISTENT | TEMPORARY] SECRET [IF NOT EXISTS] [name] [IN storage] (option, ...)
//
// of DuckDB. Its options hold what nobody may see: keys, passwords, tokens.
type CreateSecret struct {
	tagged
	OrReplace   bool         `parser:"'CREATE' ( @'OR' 'REPLACE' )?"`
	Kind        Keyword      `parser:"@( 'PERSISTENT' | 'TEMPORARY' | 'TEMP' )?"`
	IfNotExists bool         `parser:"'SECRET' ( @'IF' 'NOT' 'EXISTS' )?"`
	Name        Ident        `parser:"( (?! 'IN' ) @@ )?"`
	Storage     Ident        `parser:"( 'IN' @@ )?"`
	Options     ParenOptions `parser:"@@"`
}

func (*CreateSecret) isStatement() {}

func (x *CreateSecret) check(p *parser) {
	p.onlyOne(x.OrReplace, x.IfNotExists, x.Start)
	p.nameWord(&x.Name)
	if !x.Options.has("TYPE") {
		p.refuse(x.Options.Start, "a secret needs a TYPE", "")
	}
	for i := range x.Options.Items {
		if o := &x.Options.Items[i]; o.Value == nil {
			p.refuse(o.Start, "this option needs a value", "")
		}
	}
}

// DuckDrop is DROP sort [IF EXISTS] name [CASCADE | RESTRICT] (DuckDB).
type DuckDrop struct {
	tagged
	Sort     Keyword `parser:"'DROP' @( 'TABLE' | 'VIEW' | 'SEQUENCE' | 'INDEX' | 'SCHEMA' | 'TYPE' | 'FUNCTION' | 'MACRO' 'TABLE'? )"`
	IfExists bool    `parser:"( @'IF' 'EXISTS' )?"`
	Name     Name    `parser:"@@" sql:"target"`
	Behavior Keyword `parser:"@( 'CASCADE' | 'RESTRICT' )?"`
}

func (*DuckDrop) isStatement() {}

func (x *DuckDrop) check(p *parser) {
	if x.Sort == "SCHEMA" {
		p.schemaName(&x.Name)
	}
}

// DropSecret is DROP [PERSISTENT | TEMPORARY] SECRET [IF EXISTS] name [FROM storage] (DuckDB).
type DropSecret struct {
	tagged
	Kind     Keyword `parser:"'DROP' @( 'PERSISTENT' | 'TEMPORARY' | 'TEMP' )? 'SECRET'"`
	IfExists bool    `parser:"( @'IF' 'EXISTS' )?"`
	Name     Ident   `parser:"@@"`
	Storage  Ident   `parser:"( 'FROM' @@ )?"`
}

func (*DropSecret) isStatement()      {}
func (x *DropSecret) check(p *parser) { p.nameWord(&x.Name) }

// DropTrigger is DROP TRIGGER [IF EXISTS] name ON table [CASCADE | RESTRICT] (DuckDB).
type DropTrigger struct {
	tagged
	IfExists bool    `parser:"'DROP' 'TRIGGER' ( @'IF' 'EXISTS' )?"`
	Name     Ident   `parser:"@@"`
	Table    Name    `parser:"'ON' @@" sql:"target"`
	Behavior Keyword `parser:"@( 'CASCADE' | 'RESTRICT' )?"`
}

func (*DropTrigger) isStatement()      {}
func (x *DropTrigger) check(p *parser) { p.nameWord(&x.Name) }
