package grammar

import "strings"

// Statements of DuckDB around other statements.

// Prepare is PREPARE name AS statement (DuckDB).
type Prepare struct {
	tagged
	Name      Ident     `parser:"'PREPARE' @@"`
	Statement Statement `parser:"'AS' @@"`
}

func (*Prepare) isStatement() {}

func (x *Prepare) check(p *parser) {
	p.preparedName(&x.Name)
	switch p.verbOf(x.Statement) {
	case "SELECT", "WITH", "FROM", "VALUES", "TABLE", "(", "PIVOT", "PIVOT_WIDER", "UNPIVOT", "PIVOT_LONGER", "DESCRIBE", "DESC",
		"SHOW", "SUMMARIZE", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "COPY":
		return
	}
	p.refuse(x.Statement.Bounds().Start, "this statement can't be prepared", "")
}

// preparedName checks the name of a prepared statement, which may be a string.
func (p *parser) preparedName(x *Ident) {
	if x.Quote != SingleQuote {
		p.nameWord(x)
	}
}

// verbOf returns the first token of a statement in upper case.
func (p *parser) verbOf(s Statement) string {
	return strings.ToUpper(p.text(p.tokenAt(s.Bounds().Start)))
}

// Execute is EXECUTE name [(arg, ...)] (DuckDB).
type Execute struct {
	tagged
	Name Ident      `parser:"'EXECUTE' @@"`
	Args *Arguments `parser:"@@?"`
}

func (*Execute) isStatement()      {}
func (x *Execute) check(p *parser) { p.preparedName(&x.Name) }

// Deallocate is DEALLOCATE [PREPARE] name (DuckDB).
type Deallocate struct {
	tagged
	Name Ident `parser:"'DEALLOCATE' 'PREPARE'? @@"`
}

func (*Deallocate) isStatement()      {}
func (x *Deallocate) check(p *parser) { p.preparedName(&x.Name) }

// DuckExplain is EXPLAIN [ANALYZE] [(option, ...)] statement (DuckDB).
type DuckExplain struct {
	tagged
	Analyze   bool          `parser:"'EXPLAIN' @( 'ANALYZE' | 'ANALYSE' )?"`
	Options   *ParenOptions `parser:"@@?"`
	Statement Statement     `parser:"@@"`
}

func (*DuckExplain) isStatement() {}

func (x *DuckExplain) check(p *parser) {
	switch p.verbOf(x.Statement) {
	case "EXPLAIN", "COMMENT", "ATTACH", "DETACH", "USE", "EXPORT", "IMPORT", "CONNECT", "DISCONNECT":
		p.refuse(x.Statement.Bounds().Start, "this statement can't be explained", "")
	}
	if x.Options == nil {
		return
	}
	for i := range x.Options.Items {
		switch v := x.Options.Items[i].Value.(type) {
		case nil, *String, *Number, *Bool, *Column, *Default:
		default:
			p.refuse(v.Bounds().Start, "an option of EXPLAIN is a word, a string or a number", "")
		}
	}
}
