package compare

import (
	"strings"

	"hodor/grammar"
	"hodor/normalize"
)

// Reason is one kind of difference between two texts, and why hodor can't ignore it.
type Reason struct {
	What string // "the case of an output name"
	Why  string // "..." of docs/normalize.md
	Trap string // T2: the number of the trap in docs/normalize.md; may be empty
}

// Side is one of the two texts: what normalize.Normalize made of it.
type Side struct {
	Name   string
	Result normalize.Result
}

// Equal tells whether the two texts count as the same code.
func Equal(a, b Side) bool { return a.Result.CodeHash == b.Result.CodeHash }

// Reasons explains why two texts have different hashes: the kinds of difference that are all there is between them, or the clauses in which they
// differ. It is empty for texts of one hash.
func Reasons(a, b Side, dialect grammar.Dialect) []Reason {
	if Equal(a, b) {
		return nil
	}
	var out []Reason
	for _, s := range []Side{a, b} {
		if s.Result.Level == normalize.LevelText {
			out = append(out, Reason{What: s.Name + " does not parse", Why: "its tokens are compared as they are"})
		}
	}
	if len(out) > 0 {
		return out
	}
	if a.Result.Normalized == b.Result.Normalized {
		return []Reason{{What: "the level", Why: "of one text every name is bound, of the other not: " + a.Result.Level + " and " + b.Result.Level}}
	}
	all := make([]bool, len(kinds))
	for i := range all {
		all[i] = true
	}
	if without(a, dialect, all) != without(b, dialect, all) {
		return clauses(a, b, dialect)
	}
	// All kinds together make them one. Those that it takes stay; the broad ones, which come last, go first.
	for i := len(all) - 1; i >= 0; i-- {
		all[i] = false
		if without(a, dialect, all) != without(b, dialect, all) {
			all[i] = true
		}
	}
	for i, needed := range all {
		if needed {
			out = append(out, kinds[i].Reason)
		}
	}
	return out
}

// without is the canonical text without the differences of some kinds.
func without(s Side, dialect grammar.Dialect, taken []bool) string {
	file, err := grammar.Parse(s.Result.Normalized, dialect)
	if err != nil {
		return s.Result.Normalized
	}
	for i, k := range kinds {
		if taken[i] && k.take != nil {
			k.take(file)
		}
	}
	text := grammar.Print(file, dialect)
	for i, k := range kinds {
		if taken[i] && k.text != nil {
			text = k.text(text)
		}
	}
	return text
}

// clauses names the clauses in which two texts differ.
func clauses(a, b Side, dialect grammar.Dialect) []Reason {
	count := map[string]int{}
	for _, line := range Lines(a.Result.Normalized, dialect) {
		count[line]++
	}
	var words []string
	seen := map[string]bool{}
	note := func(line, clause string) {
		if word := clauseOf(line); word != "" {
			clause = word
		}
		if !seen[clause] {
			seen[clause] = true
			words = append(words, clause)
		}
	}
	last := ""
	left := map[string]int{}
	for _, line := range Lines(b.Result.Normalized, dialect) {
		if word := clauseOf(line); word != "" {
			last = word
		}
		left[line]++
		if left[line] > count[line] {
			note(line, last)
		}
	}
	last = ""
	for _, line := range Lines(a.Result.Normalized, dialect) {
		if word := clauseOf(line); word != "" {
			last = word
		}
		if count[line] > left[line] {
			note(line, last)
		}
	}
	what := "other code"
	if len(words) > 0 {
		what += " in " + strings.Join(words, ", ")
	}
	return []Reason{{What: what, Why: "no rule makes the texts one"}}
}

// clauseOf is the word that a line of a layout begins with; empty for a line that goes on with a list.
func clauseOf(line string) string {
	line = strings.TrimLeft(line, " )")
	word, rest, _ := strings.Cut(line, " ")
	if word != strings.ToUpper(word) || word == "" || word[0] < 'A' || word[0] > 'Z' {
		return ""
	}
	if next, _, _ := strings.Cut(rest, " "); next == "BY" || next == "JOIN" || next == "ALL" {
		word += " " + next
	}
	return word
}
