package grammar

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// SQL scripting of Databricks.

// Script is BEGIN [NOT ATOMIC | ATOMIC] item; ... END [label], at the top, in a script or as the body of a procedure.
type Script struct {
	tagged
	Atomic Keyword      `parser:"'BEGIN' @( 'NOT' 'ATOMIC' | 'ATOMIC' )?"`
	Items  *ScriptItems `parser:"@@?"`
	Label  Ident        `parser:"'END' @@?"`
}

func (*Script) isStatement() {}

// ScriptItem is one statement of a script with its semicolon: [label:] statement;
type ScriptItem struct {
	tagged
	Label     Ident           `parser:"( (?= ( Word ( '(' String ')' )? | Quoted ) ':' ( 'BEGIN' | 'WHILE' | 'LOOP' | 'REPEAT' | 'FOR' ) ) @@ ':' )?"`
	Script    *Script         `parser:"( @@"`
	If        *IfStatement    `parser:"| @@"`
	Case      *CaseStatement  `parser:"| @@"`
	While     *WhileLoop      `parser:"| @@"`
	Repeat    *RepeatLoop     `parser:"| @@"`
	Loop      *Loop           `parser:"| @@"`
	For       *ForLoop        `parser:"| @@"`
	Jump      *Jump           `parser:"| @@"`
	Declare   *DeclareItem    `parser:"| @@"`
	Cursor    *CursorAction   `parser:"| @@"`
	Signal    *Signal         `parser:"| @@"`
	Get       *GetDiagnostics `parser:"| @@"`
	Statement *Nested         `parser:"| @@ ) ';'"`
}

// ScriptItems is item; ... up to END, ELSE, WHEN or UNTIL. The core reads it item by item, so that its bound on nesting holds.
type ScriptItems struct {
	Span
	List []*ScriptItem
}

var scriptItem func() *participle.Parser[ScriptItem]

func init() { // not in the declaration: an item has items
	scriptItem = sync.OnceValue(buildProduction[ScriptItem])
}

// Parse implements participle's Parseable.
func (x *ScriptItems) Parse(lex *lexer.PeekingLexer) error {
	return parseInto(lex, x, (*parser).startsScriptItem, func(p *parser) ScriptItems {
		start := p.start()
		var list []*ScriptItem
		p.enter()
		for p.startsScriptItem() {
			item := runProduction(p, scriptItem())
			p.settle(item)
			list = append(list, item)
		}
		p.leave()
		return ScriptItems{Span: p.since(start), List: list}
	})
}

func (p *parser) startsScriptItem() bool {
	if p.at(kEOF) || p.at(kError) {
		return false
	}
	switch p.wordAt(0) {
	case "END", "ELSE", "ELSEIF", "WHEN", "UNTIL":
		return false
	}
	return true
}

func (x *ScriptItems) print(p *printer) {
	for i, item := range x.List {
		p.if_(i > 0, " ")
		item.print(p)
	}
}

// IfStatement is IF e THEN item ... [ELSEIF e THEN item ...] ... [ELSE item ...] END IF.
type IfStatement struct {
	tagged
	Cond   Expr         `parser:"'IF' @@ 'THEN'"`
	Then   *ScriptItems `parser:"@@?"`
	ElseIf []ElseIf     `parser:"@@*"`
	Else   *ScriptItems `parser:"( 'ELSE' @@? )? 'END' 'IF'"`
}

func (x *IfStatement) check(p *parser) {
	if x.Then == nil {
		p.refuse(x.Cond.Bounds().End, "IF needs a statement behind THEN", "")
	}
}

// ElseIf is ELSEIF e THEN item ...
type ElseIf struct {
	tagged
	Cond Expr         `parser:"'ELSEIF' @@ 'THEN'"`
	Then *ScriptItems `parser:"@@"`
}

// CaseStatement is CASE [e] WHEN e THEN item ... [ELSE item ...] END CASE.
type CaseStatement struct {
	tagged
	X     Expr         `parser:"'CASE' ( (?! 'WHEN' ) @@ )?"`
	Whens []CaseWhen   `parser:"@@+"`
	Else  *ScriptItems `parser:"( 'ELSE' @@ )? 'END' 'CASE'"`
}

// CaseWhen is WHEN e THEN item ...
type CaseWhen struct {
	tagged
	Cond Expr         `parser:"'WHEN' @@ 'THEN'"`
	Then *ScriptItems `parser:"@@"`
}

// WhileLoop is WHILE e DO item ... END WHILE [label].
type WhileLoop struct {
	tagged
	Cond  Expr         `parser:"'WHILE' @@ 'DO'"`
	Items *ScriptItems `parser:"@@"`
	Label Ident        `parser:"'END' 'WHILE' @@?"`
}

// RepeatLoop is REPEAT item ... UNTIL e END REPEAT [label].
type RepeatLoop struct {
	tagged
	Items *ScriptItems `parser:"'REPEAT' @@"`
	Until Expr         `parser:"'UNTIL' @@"`
	Label Ident        `parser:"'END' 'REPEAT' @@?"`
}

// Loop is LOOP item ... END LOOP [label].
type Loop struct {
	tagged
	Items *ScriptItems `parser:"'LOOP' @@"`
	Label Ident        `parser:"'END' 'LOOP' @@?"`
}

// ForLoop is FOR [name AS] query DO item ... END FOR [label].
type ForLoop struct {
	tagged
	Name  Ident        `parser:"'FOR' ( @@ 'AS' )?"`
	Query LoopQuery    `parser:"@@ 'DO'"`
	Items *ScriptItems `parser:"@@"`
	Label Ident        `parser:"'END' 'FOR' @@?"`
}

// Jump is LEAVE label, ITERATE label, or RETURN [e].
type Jump struct {
	tagged
	Kind   Keyword `parser:"( @( 'LEAVE' | 'ITERATE' )"`
	Label  Ident   `parser:"@@"`
	Return bool    `parser:"| @'RETURN'"`
	X      Expr    `parser:"@@? )"`
}

// DeclareItem is DECLARE of a handler, a condition or a cursor. Variables are a Declare.
//
//	DECLARE {CONTINUE | EXIT} HANDLER FOR condition, ... statement
//	DECLARE name CONDITION [FOR SQLSTATE [VALUE] 's']      DECLARE name [ASENSITIVE | INSENSITIVE] CURSOR [..] FOR query
type DeclareItem struct {
	tagged
	Kind       Keyword            `parser:"(?= 'DECLARE' ( ( 'CONTINUE' | 'EXIT' ) 'HANDLER' | ( Word ( '(' String ')' )? | Quoted ) ( 'CONDITION' | 'CURSOR' | 'ASENSITIVE' | 'INSENSITIVE' | 'SENSITIVE' ) ) ) 'DECLARE' ( @( 'CONTINUE' | 'EXIT' ) 'HANDLER' 'FOR'"`
	Conditions []HandlerCondition `parser:"  @@ ( ',' @@ )*"`
	Label      Ident              `parser:"  ( (?= ( Word ( '(' String ')' )? | Quoted ) ':' ) @@ ':' )?"`
	Block      *Script            `parser:"  ( @@"`
	Action     *Nested            `parser:"  | @@ )"`
	Name       Ident              `parser:"| @@"`
	Condition  bool               `parser:"  ( @'CONDITION'"`
	State      *Text              `parser:"    ( 'FOR' 'SQLSTATE' 'VALUE'? @@ )?"`
	Sensitive  Keyword            `parser:"  | @( 'ASENSITIVE' | 'INSENSITIVE' | 'SENSITIVE' )?"`
	Cursor     bool               `parser:"    @'CURSOR'"`
	Hold       Keyword            `parser:"    ( @( 'WITH' | 'WITHOUT' ) ( 'HOLD' | 'RETURN' ) )* 'FOR'"`
	Query      *Query             `parser:"    ( @@"`
	Prepared   Ident              `parser:"    | @@ )"`
	ReadOnly   bool               `parser:"    ( @'FOR' 'READ' 'ONLY' )? ) )"`
}

// HandlerCondition is what a handler handles.
type HandlerCondition struct {
	tagged
	State *Text   `parser:"  'SQLSTATE' 'VALUE'? @@"`
	Words Keyword `parser:"| @( 'SQLEXCEPTION' | 'SQLWARNING' | 'NOT' 'FOUND' )"`
	Name  *Name   `parser:"| @@"`
}

// CursorAction is OPEN c [USING e, ...], FETCH [[NEXT] FROM] c INTO variable, ... and CLOSE c.
type CursorAction struct {
	tagged
	Open  Name       `parser:"  'OPEN' @@"`
	Using *UsingArgs `parser:"    ( 'USING' @@ )?"`
	Fetch Name       `parser:"| 'FETCH' ( 'NEXT'? 'FROM' )? @@"`
	Into  []Name     `parser:"    'INTO' @@ ( ',' @@ )*"`
	Close Name       `parser:"| 'CLOSE' @@"`
}

// Signal is SIGNAL {condition | SQLSTATE [VALUE] 's'} [SET item = e, ..] and RESIGNAL.
type Signal struct {
	tagged
	Verb  Keyword      `parser:"@( 'SIGNAL' | 'RESIGNAL' )"`
	State *Text        `parser:"( 'SQLSTATE' 'VALUE'? @@"`
	Name  *Name        `parser:"| (?! 'SET' ) @@ )?"`
	Args  Expr         `parser:"( '(' @@ ')' )?"`
	Set   []Assignment `parser:"( 'SET' @@ ( ',' @@ )* )?"`
}

// GetDiagnostics is GET [CURRENT | STACKED] DIAGNOSTICS [CONDITION n] target = item, ...
type GetDiagnostics struct {
	tagged
	Area      Keyword      `parser:"'GET' @( 'CURRENT' | 'STACKED' )? 'DIAGNOSTICS'"`
	Condition *Number      `parser:"( 'CONDITION' @@ )?"`
	Set       []Assignment `parser:"@@ ( ',' @@ )*"`
}
