package grammar

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// ParseError says why a text is no SQL of the dialect, and where: the first place at which no continuation was possible.
type ParseError struct {
	Line      int    // from 1
	Column    int    // in characters, from 1
	Offset    int    // in bytes, from 0
	Found     string // the token there, as written; "end of text" at the end
	Expected  string // what could have stood there, or the whole message if nothing was found wrong but the rule
	Statement int    // index of the statement, from 1
	Hint      string // what to do, if there is something to say
	line      string // the text's line, for the caret
}

// Error is one line: line:column: expected X, found Y; hint.
func (e *ParseError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message())
}

// Message is the text of the error without its place.
func (e *ParseError) Message() string {
	var b strings.Builder
	if e.Found == "" {
		b.WriteString(e.Expected)
	} else {
		fmt.Fprintf(&b, "expected %s, found %s", e.Expected, e.Found)
	}
	if e.Statement > 1 {
		fmt.Fprintf(&b, " (statement %d)", e.Statement)
	}
	if e.Hint != "" {
		b.WriteString("; ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

// Caret renders the message with the line of the text and a caret under the place.
func (e *ParseError) Caret() string {
	lead := ""
	n := 1
	for _, r := range e.line {
		if n >= e.Column {
			break
		}
		if r == '\t' {
			lead += "\t"
		} else {
			lead += " "
		}
		n++
	}
	return e.Error() + "\n" + e.line + "\n" + lead + "^"
}

// place fills in line, column and the line's text from the offset. LF, CR LF and a lone CR end a line.
func (e *ParseError) place(sql string) {
	if e.Offset > len(sql) {
		e.Offset = len(sql)
	}
	e.Line = 1
	start := 0
	for i := 0; i < e.Offset; i++ {
		switch sql[i] {
		case '\n':
			e.Line++
			start = i + 1
		case '\r':
			if i+1 < len(sql) && sql[i+1] == '\n' {
				continue
			}
			e.Line++
			start = i + 1
		}
	}
	e.Column = utf8.RuneCountInString(sql[start:e.Offset]) + 1
	end := len(sql)
	if i := strings.IndexAny(sql[start:], "\r\n"); i >= 0 {
		end = start + i
	}
	e.line = sql[start:end]
}
