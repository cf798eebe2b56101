package grammar

// Node is any part of the tree. Nodes are pointers; parts that are stored as values (Ident, SelectItem, Sort ...) are
// visited by their address and are Nodes too.
//
// A node is a struct that embeds Span and has a print method (print*.go); children is generated (make gen). So a forgotten
// one does not compile.
type Node interface {
	// Bounds returns the node's place in the text. The spans of children lie inside their parent's. Nodes made by a
	// rewrite have the zero Span.
	Bounds() Span

	children(w *walker)
	print(p *printer)
}

// Span is a half-open range of byte offsets into the text.
type Span struct{ Start, End int32 }

// Bounds returns s itself; embedding a Span makes a struct a Node.
func (s Span) Bounds() Span { return s }

// Text returns the part of sql that the span covers.
func (s Span) Text(sql string) string { return sql[s.Start:s.End] }

// Statement is one statement of a File: a *Query or one of the statements of ddl*.go, dml*.go, meta*.go and script*.go.
type Statement interface {
	Node
	isStatement()
}

// File is a parsed text.
type File struct {
	Span
	Dialect    Dialect
	Source     string
	Statements []Statement // at least one
	Comments   []Comment   // in text order; hints are no comments
}

// Comment is one comment of the text with its marks.
type Comment struct {
	Span
	// Before is the index of the token that follows, counted over the whole text.
	Before int32
}

// Quote says how an identifier was written.
type Quote uint8

// Ways to write an identifier.
const (
	Unquoted    Quote = iota
	DoubleQuote       // "x", DuckDB
	BackQuote         // `x`, Databricks
	SingleQuote       // 'x' in a place for names, DuckDB
	ClauseQuote       // IDENTIFIER('x'), Databricks: the string is itself a dotted name
)

// Ident is one part of a name. Text has no quotes and has doubled quotes undone. The zero Ident means "not written".
// Neither dialect tells a quoted from an unquoted name, but a rewrite has to know which words were engine words.
type Ident struct {
	Span
	Text  string
	Quote Quote
}

// Present reports whether the identifier was written.
func (x *Ident) Present() bool { return x.Text != "" || x.Quote != Unquoted }

// Is reports whether the identifier is this word, unquoted, in any case; word is in upper case.
func (x *Ident) Is(word string) bool { return x.Quote == Unquoted && equalFold(x.Text, word) }

// Name is a dotted name of a table, function, type or other object: part [. part]...
//
// Databricks also writes IDENTIFIER(expr) for a whole name; with one literal it is a part with ClauseQuote, with anything
// else Dynamic has the expression and Parts is empty.
type Name struct {
	Span
	Parts   []Ident
	Dynamic Expr
}

// Present reports whether the name was written.
func (n *Name) Present() bool { return len(n.Parts) > 0 || n.Dynamic != nil }

// Option is one entry of a property list: key [=] [value], where the key is a dotted name or a string.
type Option struct {
	Span
	Key    Name
	String *String // the key, if it is a string
	Value  Expr    // nil if missing
}

// equalFold compares s with an upper-case ASCII word, folding ASCII letters only.
func equalFold(s, upper string) bool {
	if len(s) != len(upper) {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if c != upper[i] {
			return false
		}
	}
	return true
}
