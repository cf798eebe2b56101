package compare

import (
	"strings"

	"hodor/grammar"
)

// breaks are the words that begin a clause, where they stand at the level of a query.
var breaks = map[string]bool{
	"SELECT": true, "FROM": true, "WHERE": true, "GROUP": true, "HAVING": true, "QUALIFY": true, "WINDOW": true, "ORDER": true, "SORT": true, "CLUSTER": true,
	"DISTRIBUTE": true, "LIMIT": true, "OFFSET": true, "UNION": true, "EXCEPT": true, "INTERSECT": true, "VALUES": true, "LATERAL": true, "PIVOT": true,
	"UNPIVOT": true, "WHEN": true, "USING": true,
}

// joinWords are the words that may stand before JOIN.
var joinWords = map[string]bool{"NATURAL": true, "ASOF": true, "CROSS": true, "INNER": true, "LEFT": true, "RIGHT": true, "FULL": true, "OUTER": true, "SEMI": true,
	"ANTI": true, "POSITIONAL": true}

// queryWords begin a query in parentheses.
var queryWords = map[string]bool{"SELECT": true, "WITH": true, "FROM": true, "VALUES": true, "TABLE": true}

// Lines lays canonical SQL out: a line for each clause, for each item of a select list and for each common table expression; queries in parentheses
// are indented. What can't be read as tokens is one line as it is.
func Lines(canonical string, dialect grammar.Dialect) []string {
	var tokens []grammar.Token
	for token, err := range grammar.Tokens(canonical, dialect) {
		if err != nil {
			return strings.Split(canonical, "\n")
		}
		tokens = append(tokens, token)
	}
	l := &layout{text: canonical, tokens: tokens}
	return l.lines()
}

type layout struct {
	text   string
	tokens []grammar.Token
	out    []string
	line   strings.Builder
	indent int
	// open holds, for every parenthesis around, whether a query stands in it.
	open []bool
	// list: the commas of this query's level end a line.
	list []bool
	end  int
}

func (l *layout) lines() []string {
	l.list = []bool{false}
	for i := range l.tokens {
		l.token(i)
	}
	l.flush()
	return l.out
}

// word is the i-th token as a bare word; empty if it is none.
func (l *layout) word(i int) string {
	if i < 0 || i >= len(l.tokens) || l.tokens[i].Kind != grammar.TokenWord {
		return ""
	}
	return strings.ToUpper(l.tokens[i].Text)
}

func (l *layout) is(i int, text string) bool {
	return i >= 0 && i < len(l.tokens) && l.tokens[i].Text == text
}

// inQuery tells whether the place is the level of a query, not inside a call or an expression in parentheses.
func (l *layout) inQuery() bool { return len(l.open) == 0 || l.open[len(l.open)-1] }

func (l *layout) token(i int) {
	t := l.tokens[i]
	if l.inQuery() && l.begins(i) {
		l.flush()
		l.list[len(l.list)-1] = l.word(i) == "SELECT" || l.word(i) == "WITH"
	}
	if t.Text == ")" && len(l.open) > 0 {
		if l.open[len(l.open)-1] {
			l.flush()
			l.indent--
			l.list = l.list[:len(l.list)-1]
		}
		l.open = l.open[:len(l.open)-1]
	}
	// The blanks between two tokens are those of the canonical text.
	if l.line.Len() > 0 && t.Start > l.end {
		l.line.WriteByte(' ')
	}
	l.line.WriteString(t.Text)
	l.end = t.Start + len(t.Text)
	switch t.Text {
	case "(":
		query := queryWords[l.word(i+1)] || l.is(i+1, "(") && l.queryBehind(i+1)
		l.open = append(l.open, query)
		if query {
			l.flush()
			l.indent++
			l.list = append(l.list, false)
		}
	case ",":
		if l.inQuery() && l.list[len(l.list)-1] {
			l.flush()
			l.line.WriteString("  ")
			l.end = t.Start + 2
		}
	case ";":
		l.flush()
	}
}

// queryBehind tells whether a run of parentheses has a query in it.
func (l *layout) queryBehind(i int) bool {
	for l.is(i, "(") {
		i++
	}
	return queryWords[l.word(i)]
}

// begins tells whether a clause begins with the i-th token.
func (l *layout) begins(i int) bool {
	word := l.word(i)
	if l.tokens[i].Text == "|>" {
		return true
	}
	switch {
	case word == "":
		return false
	case l.is(i+1, "("):
		// A function of that name; a clause has a word or a blank before its parenthesis.
		if i+1 < len(l.tokens) && l.tokens[i+1].Start == l.tokens[i].Start+len(word) {
			return false
		}
	}
	before := l.word(i - 1)
	switch word {
	case "FROM":
		return before != "DISTINCT"
	case "EXCEPT":
		return !l.is(i-1, "*")
	case "USING":
		return l.word(0) == "MERGE" || l.word(0) == "DELETE"
	case "WHEN":
		return l.word(0) == "MERGE" && l.word(i+1) != ""
	case "JOIN":
		return !joinWords[before]
	case "WITH":
		return i == 0 || l.is(i-1, "(")
	case "LATERAL":
		return l.word(i+1) == "VIEW"
	case "GROUP", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE":
		return l.word(i+1) == "BY"
	}
	if joinWords[word] {
		for joinWords[l.word(i)] {
			i++
		}
		return l.word(i) == "JOIN" && !joinWords[before]
	}
	return breaks[word]
}

func (l *layout) flush() {
	if text := strings.TrimRight(l.line.String(), " "); strings.TrimSpace(text) != "" {
		l.out = append(l.out, strings.Repeat("  ", l.indent)+text)
	}
	l.line.Reset()
}
