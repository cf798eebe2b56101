package grammar

import (
	"strings"
)

// Rules of statements that DuckDB checks while it parses, beyond its grammar; and some of Databricks.

func (x *Use) check(p *parser) {
	if x.Text != nil && x.Kind != "CATALOG" {
		p.refuse(x.Text.Start, "a name is needed", "")
	}
}

func (x *ScriptItem) check(p *parser) {
	var end *Ident
	switch {
	case x.Script != nil:
		end = &x.Script.Label
	case x.While != nil:
		end = &x.While.Label
	case x.Repeat != nil:
		end = &x.Repeat.Label
	case x.Loop != nil:
		end = &x.Loop.Label
	case x.For != nil:
		end = &x.For.Label
	}
	if end != nil && end.Present() && !strings.EqualFold(end.Text, x.Label.Text) {
		p.refuse(end.Start, "the label at the end is another one than at the start", "")
	}
}

// distinct refuses a second name of the list that is the same, ignoring case.
func (p *parser) distinct(names []Ident, what string) {
	seen := map[string]bool{}
	for i := range names {
		key := strings.ToLower(names[i].Text)
		if seen[key] {
			p.refuse(names[i].Start, what+" twice", "")
		}
		seen[key] = true
	}
}

// noSubquery refuses a subquery in x.
func (p *parser) noSubquery(x Expr, where string) {
	if x == nil {
		return
	}
	Walk(x, func(n Node) bool {
		switch n.(type) {
		case *Subquery, *Exists:
			p.refuse(n.Bounds().Start, where+" can't have a subquery", "")
		}
		return true
	})
}

func (x *DuckConstraint) check(p *parser) {
	p.noSubquery(x.Check, "CHECK")
	p.noSubquery(x.Generated, "a generated column")
	if x.Collate != nil && len(x.Collate.Parts) > 0 && x.Collate.Parts[0].Quote == SingleQuote {
		p.refuse(x.Collate.Start, "a name of a collation is needed, no string", "")
	}
}

func (x *DuckTableConstraint) check(p *parser) {
	p.noSubquery(x.Check, "CHECK")
	if r := x.References; r != nil && len(r.Columns) > 0 && len(r.Columns) != len(x.Foreign) {
		p.refuse(r.Start, "a foreign key needs as many columns on both sides", "")
	}
}

func (x *DuckColumn) check(p *parser) { p.nameWord(&x.Name) }

func (x *DuckCreateView) check(p *parser) {
	p.onlyOne(x.OrReplace, x.IfNotExists, x.Start)
	p.onlyLocal(x.Local, x.Start)
	for i := range x.Columns {
		p.nameWord(&x.Columns[i])
	}
	if x.Recursive && len(x.Columns) == 0 {
		p.refuse(x.Name.End, "a recursive view names its columns", "")
	}
	p.noOpenPivot(x.Query, "a view")
}

// noOpenPivot refuses a PIVOT whose columns come from the data.
func (p *parser) noOpenPivot(q *Query, where string) {
	Walk(q, func(n Node) bool {
		if v, ok := n.(*PivotQuery); ok {
			for i := range v.On {
				if !v.On[i].HasIn {
					p.refuse(v.Start, "a PIVOT without IN can't stand in "+where, "")
				}
			}
		}
		return true
	})
}

func (x *DuckInsert) check(p *parser) {
	switch {
	case x.Default && x.Columns != nil:
		p.refuse(x.Columns.Start, "DEFAULT VALUES takes no columns", "")
	case x.Or != "" && x.Conflict != nil:
		p.refuse(x.Conflict.Start, "ON CONFLICT can't follow INSERT OR "+string(x.Or), "")
	}
}

func (x *DuckUpdate) check(p *parser) {
	p.plainColumns(x.Set)
	for i := range x.Set {
		a := &x.Set[i]
		if row, ok := a.Value.(*Row); ok && a.Row && len(row.Items) != len(a.Columns) {
			p.refuse(row.Start, "as many values as columns are needed", "")
		}
	}
}

func (x *CommentOn) check(p *parser) {
	switch x.Kind {
	case "TABLE", "VIEW", "COLUMN", "SCHEMA", "DATABASE", "FUNCTION":
	case "INDEX", "SEQUENCE", "TYPE", "MACRO", "MACRO TABLE":
		if p.d.In(Databricks) {
			p.refuse(x.Start, string(x.Kind)+" belongs to DuckDB", "")
		}
	default:
		if p.d.In(DuckDB) {
			p.refuse(x.Start, string(x.Kind)+" belongs to Databricks", "")
		}
	}
	if n := len(x.Name.Parts); x.Kind == "COLUMN" && p.d.In(DuckDB) && (n < 2 || n > 4) {
		p.refuse(x.Name.Start, "the column needs its table in front", "")
	}
	if x.Text != nil && p.d.In(DuckDB) {
		if _, ok := x.Text.X.(*String); !ok {
			p.failBack(x.Text.Start, "a string")
		}
	}
}

// onlyLocal refuses words before TEMPORARY that DuckDB has no longer, or for secrets only.
func (p *parser) onlyLocal(word Keyword, start int32) {
	if word == "GLOBAL" || word == "PERSISTENT" {
		p.refuse(start, string(word)+" is for no table or view", "")
	}
}

func (x *DuckAlter) check(p *parser) {
	a := &x.Action
	switch {
	case x.Kind == "TYPE":
		p.refuse(x.Name.Start, "types can't be altered", "")
	case x.Kind != "TABLE" && a.Rename != nil:
		p.refuse(a.Start, "only tables have columns to rename", "")
	case x.Kind == "DATABASE" && a.Alias == nil:
		p.refuse(a.Start, "a database takes SET ALIAS TO only", "")
	case a.RenameTo != nil && len(a.RenameTo.Parts) > 1:
		p.refuse(a.RenameTo.Parts[1].Start, "the new name has one part", "")
	case a.Drop != nil && a.Drop.Parts[0].Quote == SingleQuote:
		p.failBack(a.Drop.Start, "a name")
	case x.Kind != "TABLE" && (a.Add != nil || a.Drop != nil || a.Column != nil || a.Constraint != nil):
		p.refuse(a.Start, "only tables have columns to change", "")
	case a.Sequence != nil && x.Kind != "SEQUENCE":
		p.refuse(a.Start, "only sequences have these options", "")
	}
	if a.Add != nil {
		a.Add.checkAdded(p)
	}
}

// checkAdded refuses what only a new table's columns may have.
func (x *DuckAdded) checkAdded(p *parser) {
	if x.Name.Parts[0].Quote == SingleQuote {
		p.failBack(x.Name.Start, "a name")
	}
	for i := range x.Constraints {
		switch c := &x.Constraints[i]; {
		case c.Generated != nil:
			p.refuse(c.Start, "a generated column can't be added", "")
		case c.Check != nil, c.Primary, c.References != nil:
			p.refuse(c.Start, "a column with this constraint can't be added", "")
		}
	}
	if x.Type == nil {
		p.refuse(x.End, "a column needs a type", "")
	}
}

func (x *DuckAlterColumn) check(p *parser) {
	if x.Data && x.DataType == nil && x.DataUsing == nil || x.ToType && x.Type == nil && x.Using == nil {
		p.refuse(x.End, "a type is needed", "")
	}
}

func (x *DuckCopy) check(p *parser) {
	if x.Query != nil {
		if q := x.Query.Statement; p.verbOf(q) == "INSERT" || p.verbOf(q) == "UPDATE" || p.verbOf(q) == "DELETE" {
			p.refuse(q.Bounds().Start, "only a query can be copied", "")
		} else if x.Direction == "FROM" {
			p.refuse(x.File.Start, "a query can't be copied into", "")
		}
	}
	if x.Options == nil {
		return
	}
	names := make([]Ident, len(x.Options.Items))
	for i := range names {
		names[i] = x.Options.Items[i].Key
	}
	p.distinct(names, "an option")
}
