package normalize

import (
	"slices"
	"strings"
	"unicode/utf8"

	"hodor/grammar"
)

// literals lists the literals of a text in order, as written, with their places. They are kept as salted hashes only, to name the one that
// changes on every run.
func literals(sql string, spans []grammar.Span) []Literal {
	byStart := func(a, b grammar.Span) int { return int(a.Start - b.Start) }
	if !slices.IsSortedFunc(spans, byStart) {
		slices.SortFunc(spans, byStart)
	}
	if len(spans) == 0 {
		return nil
	}
	var p placer
	out := make([]Literal, 0, len(spans))
	for i, s := range spans {
		if s.End <= s.Start || i > 0 && s == spans[i-1] {
			continue
		}
		line, column := p.at(sql, int(s.Start))
		out = append(out, Literal{Text: s.Text(sql), Line: line, Column: column})
	}
	return out
}

// tokenLiterals is literals for a text that does not parse.
func tokenLiterals(sql string, dialect grammar.Dialect) []Literal {
	var p placer
	var out []Literal
	for token, err := range grammar.Tokens(sql, dialect) {
		if err != nil {
			return nil
		}
		if token.Kind == grammar.TokenString || token.Kind == grammar.TokenNumber {
			line, column := p.at(sql, token.Start)
			out = append(out, Literal{Text: token.Text, Line: line, Column: column})
		}
	}
	return out
}

// placer turns ascending byte offsets into lines and columns, in one pass over the text.
type placer struct {
	offset, line, column int
}

func (p *placer) at(sql string, offset int) (line, column int) {
	if p.line == 0 {
		p.line, p.column = 1, 1
	}
	part := sql[p.offset:offset]
	if n := strings.Count(part, "\n"); n > 0 {
		p.line += n
		p.column = 1
		part = part[strings.LastIndexByte(part, '\n')+1:]
	}
	p.column += utf8.RuneCountInString(part)
	p.offset = offset
	return p.line, p.column
}
