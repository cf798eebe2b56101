package grammar

import (
	"strings"
	"unicode/utf8"
)

// Print returns canonical SQL of the dialect for a node: no line breaks but those inside DuckDB strings, keywords in upper
// case, every identifier in quotes but those that are syntax (the names of functions with a syntax of their own, types,
// units). What a Parse gave prints to a text that parses to an equal tree, and that the engine reads alike. Where a rewrite
// has removed a Paren or nested nodes anew, parentheses are added if the text would be read differently without them.
func Print(n Node, d Dialect) string {
	p := printer{d: d, b: make([]byte, 0, 256)}
	n.print(&p)
	return string(p.b)
}

// AppendPrint appends what Print returns to b.
func AppendPrint(b []byte, n Node, d Dialect) []byte {
	p := printer{d: d, b: b}
	n.print(&p)
	return p.b
}

// printer collects the text. Methods write a leading blank, never a trailing one, so that clauses can be put behind one
// another.
type printer struct {
	d Dialect
	b []byte
	// known has the levels of expressions far down a spine of operators, which would else be found again from each of those above; height is that of
	// the look-up under way.
	known  map[spine]int
	height int
}

func (p *printer) s(text string) { p.b = append(p.b, text...) }

// if_ writes text if cond.
func (p *printer) if_(cond bool, text string) {
	if cond {
		p.s(text)
	}
}

// space writes a blank unless the text ends in one or in an opening parenthesis.
func (p *printer) space() {
	if n := len(p.b); n > 0 && p.b[n-1] != ' ' && p.b[n-1] != '(' {
		p.b = append(p.b, ' ')
	}
}

func (f *File) print(p *printer) {
	for i, s := range f.Statements {
		p.if_(i > 0, "; ")
		s.print(p)
	}
}

func (x *Ident) print(p *printer) {
	if x.Quote == ClauseQuote {
		p.s("IDENTIFIER(")
		p.literal(x.Text)
		p.s(")")
		return
	}
	p.quoted(x.Text)
}

// quoted writes a name in the dialect's quotes.
func (p *printer) quoted(name string) {
	q := byte('"')
	if p.d.In(Databricks) {
		q = '`'
	} else if name == "" {
		q = '\'' // only a string can be an empty name
	}
	p.b = append(p.b, q)
	for i := 0; i < len(name); i++ {
		if name[i] == q {
			p.b = append(p.b, q)
		}
		p.b = append(p.b, name[i])
	}
	p.b = append(p.b, q)
}

// word writes a name that is syntax: as written if it had no quotes.
func (p *printer) word(x *Ident) {
	if x.Quote == Unquoted {
		p.s(x.Text)
		return
	}
	x.print(p)
}

func (x *Name) print(p *printer) {
	if x.Dynamic != nil {
		p.s("IDENTIFIER(")
		x.Dynamic.print(p)
		p.s(")")
		return
	}
	p.parts(x.Parts)
}

// parts writes a dotted name.
func (p *printer) parts(parts []Ident) {
	for i := range parts {
		p.if_(i > 0, ".")
		parts[i].print(p)
	}
}

// tableName writes a name that may be a file in single quotes (DuckDB).
func (p *printer) tableName(n *Name) {
	if len(n.Parts) == 1 && n.Parts[0].Quote == SingleQuote {
		p.literal(n.Parts[0].Text)
		return
	}
	n.print(p)
}

func (p *printer) idents(list []Ident) {
	for i := range list {
		p.if_(i > 0, ", ")
		list[i].print(p)
	}
}

// identParens writes (name, ...) if there are names.
func (p *printer) identParens(list []Ident) {
	if len(list) > 0 {
		p.s("(")
		p.idents(list)
		p.s(")")
	}
}

// exprs writes e, ...
func (p *printer) exprs(list []Expr) {
	for i, x := range list {
		p.if_(i > 0, ", ")
		x.print(p)
	}
}

func (p *printer) exprParens(list []Expr) {
	p.s("(")
	p.exprs(list)
	p.s(")")
}

// clause writes keyword and expression if there is one.
func (p *printer) clause(keyword string, x Expr) {
	if x != nil {
		p.space()
		p.s(keyword)
		p.s(" ")
		x.print(p)
	}
}

func (x *Option) print(p *printer) {
	if x.String != nil {
		x.String.print(p)
	} else {
		x.Key.print(p)
	}
	if x.Value != nil {
		p.s(" = ")
		p.operand(x.Value, p.levelAdd(), 0)
	}
}

func (p *printer) options(list []Option) {
	p.s("(")
	for i := range list {
		p.if_(i > 0, ", ")
		list[i].print(p)
	}
	p.s(")")
}

// literal writes text as a string of the dialect.
func (p *printer) literal(text string) {
	if p.d.In(Databricks) {
		p.sparkLiteral(text)
		return
	}
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		p.escapeLiteral(text)
		return
	}
	p.b = append(p.b, '\'')
	for i := 0; i < len(text); i++ {
		if text[i] == '\'' {
			p.b = append(p.b, '\'')
		}
		p.b = append(p.b, text[i])
	}
	p.b = append(p.b, '\'')
}

// sparkLiteral writes a string of Databricks, control characters escaped.
func (p *printer) sparkLiteral(text string) {
	const hex = "0123456789ABCDEF"
	p.b = append(p.b, '\'')
	for _, r := range text {
		switch {
		case r == '\'' || r == '\\':
			p.b = append(p.b, '\\', byte(r))
		case r == '\n':
			p.b = append(p.b, '\\', 'n')
		case r == '\r':
			p.b = append(p.b, '\\', 'r')
		case r == '\t':
			p.b = append(p.b, '\\', 't')
		case r < 0x20 || r == 0x7f:
			p.b = append(p.b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		case r >= loneSurrogates:
			r = r - loneSurrogates + 0xD800
			p.b = append(p.b, '\\', 'u', hex[r>>12], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			p.b = utf8.AppendRune(p.b, r)
		}
	}
	p.b = append(p.b, '\'')
}

// escapeLiteral writes a DuckDB string with bytes that are no characters as an E literal.
func (p *printer) escapeLiteral(text string) {
	const hex = "0123456789abcdef"
	p.s("E'")
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' || c == '\\':
			p.b = append(p.b, '\\', c)
		case c < 0x20 || c >= 0x80:
			p.b = append(p.b, '\\', 'x', hex[c>>4], hex[c&15])
		default:
			p.b = append(p.b, c)
		}
	}
	p.s("'")
}

func (x *String) print(p *printer) {
	switch x.Kind {
	case StringHex:
		p.s("X")
	case StringBit:
		p.s("B")
	case StringNational:
		p.s("N")
	}
	p.literal(x.Value)
}

func (x *TypeName) print(p *printer) {
	for i := range x.Name.Parts {
		p.if_(i > 0, ".")
		p.word(&x.Name.Parts[i])
	}
	if x.Parens || len(x.Args) > 0 {
		p.s("(")
		for i, a := range x.Args {
			p.if_(i > 0, ", ")
			if c, ok := a.(*Column); ok && len(c.Parts) == 1 {
				p.word(&c.Parts[0]) // GEOMETRY(ANY)
				continue
			}
			a.print(p)
		}
		p.s(")")
	}
	p.if_(x.Zone == WithZone, " WITH TIME ZONE")
	p.if_(x.Zone == WithoutZone, " WITHOUT TIME ZONE")
	if x.Collate.Present() {
		p.s(" COLLATE ")
		x.Collate.print(p)
	}
}

func (x *ArrayType) print(p *printer) {
	if p.d.In(Databricks) {
		p.s("ARRAY<")
		x.Elem.print(p)
		p.s(">")
		return
	}
	x.Elem.print(p)
	p.s("[")
	if x.Size != nil {
		x.Size.print(p)
	}
	p.s("]")
}

func (x *MapType) print(p *printer) {
	open, end := "MAP(", ")"
	if p.d.In(Databricks) {
		open, end = "MAP<", ">"
	}
	p.s(open)
	x.Key.print(p)
	p.s(", ")
	x.Value.print(p)
	p.s(end)
}

func (x *StructType) print(p *printer) {
	open, end := "STRUCT(", ")"
	switch {
	case p.d.In(Databricks):
		open, end = "STRUCT<", ">"
	case x.Union:
		open = "UNION("
	case x.Tuple:
		open = "TUPLE("
	}
	p.s(open)
	for i := range x.Fields {
		p.if_(i > 0, ", ")
		x.Fields[i].print(p)
	}
	p.s(end)
}

func (x *Field) print(p *printer) {
	if x.Name.Present() {
		x.Name.print(p)
		p.if_(p.d.In(Databricks), ":")
		p.s(" ")
	}
	x.Type.print(p)
	p.if_(x.NotNull, " NOT NULL")
	if x.Default != nil {
		p.s(" DEFAULT ")
		p.operand(x.Default, p.levelAdd(), 0)
	}
	if x.Comment != nil {
		p.s(" COMMENT ")
		x.Comment.print(p)
	}
}

func (x *EnumType) print(p *printer) {
	p.s("ENUM(")
	if x.Query != nil {
		x.Query.print(p)
	}
	p.exprs(x.Values)
	p.s(")")
}

func (x *IntervalType) print(p *printer) {
	p.s("INTERVAL")
	if x.Precision != nil {
		p.s("(")
		x.Precision.print(p)
		p.s(")")
	}
	if x.From.Present() {
		p.s(" ")
		p.word(&x.From)
	}
	if x.To.Present() {
		p.s(" TO ")
		p.word(&x.To)
	}
}

// print writes nothing: canonical SQL has no comments.
func (x *Comment) print(p *printer) {}
