package normalize

import (
	"bufio"
	"encoding/json"
	"os"
	"reflect"
	"sort"
	"testing"
)

// pair is two queries of one dialect. The trap is the number of the checklist's section 5.5, or a word.
type pair struct{ trap, a, b string }

func codeOf(t *testing.T, dialect, sql string) Result {
	t.Helper()
	r := Normalize(sql, Options{Dialect: dialect})
	if r.Level == LevelText {
		t.Errorf("%s does not parse: %d:%d: %s", sql, r.Error.Line, r.Error.Column, r.Error.Message)
	}
	return r
}

// merges checks that the pairs have equal hashes.
func merges(t *testing.T, dialect string, pairs []pair) {
	t.Helper()
	for _, p := range pairs {
		if a, b := codeOf(t, dialect, p.a), codeOf(t, dialect, p.b); a.CodeHash != b.CodeHash {
			t.Errorf("%s %s: should merge\n%s\n%s\ncanonical\n%s\n%s", dialect, p.trap, p.a, p.b, a.Normalized, b.Normalized)
		}
	}
}

// apart checks that the pairs have different hashes.
func apart(t *testing.T, dialect string, pairs []pair) {
	t.Helper()
	for _, p := range pairs {
		if a, b := codeOf(t, dialect, p.a), codeOf(t, dialect, p.b); a.CodeHash == b.CodeHash {
			t.Errorf("%s %s: must stay apart\n%s\n%s\ncanonical\n%s", dialect, p.trap, p.a, p.b, a.Normalized)
		}
	}
}

// caseLine is a line of testdata/pairs.jsonl or testdata/facts.jsonl.
type caseLine struct {
	ID, Dialect, A, B, Need, Trap, SQL string
	Same                               bool
	SelectStar                         *bool       `json:"select_star"`
	Tables                             *[][]string `json:"tables"`
	Paths, Opaque                      *[]string
	Volatile                           *[]Volatile
}

func readCases(t testing.TB, file string) []caseLine {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []caseLine
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c caseLine
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

// TestPairs runs the pairs that real engines have confirmed: those that differ must stay apart, those that are required to be equal merge.
func TestPairs(t *testing.T) {
	cases := readCases(t, "testdata/pairs.jsonl")
	if len(cases) < 500 {
		t.Fatalf("only %d pairs", len(cases))
	}
	for _, c := range cases {
		p := []pair{{c.ID + " " + c.Trap, c.A, c.B}}
		switch {
		case !c.Same:
			apart(t, c.Dialect, p)
		case c.Need == "required":
			merges(t, c.Dialect, p)
		}
	}
}

// TestFacts runs texts with known facts.
func TestFacts(t *testing.T) {
	cases := readCases(t, "testdata/facts.jsonl")
	if len(cases) < 350 {
		t.Fatalf("only %d texts", len(cases))
	}
	for _, c := range cases {
		r := codeOf(t, c.Dialect, c.SQL)
		if c.SelectStar != nil && r.Facts.SelectStar != *c.SelectStar {
			t.Errorf("%s: select_star is %t\n%s", c.ID, r.Facts.SelectStar, c.SQL)
		}
		if c.Tables != nil && !reflect.DeepEqual(r.Facts.Tables, *c.Tables) {
			t.Errorf("%s: tables are %v, want %v\n%s", c.ID, r.Facts.Tables, *c.Tables, c.SQL)
		}
		for _, list := range []struct {
			name string
			got  []string
			want *[]string
		}{{"paths", r.Facts.Paths, c.Paths}, {"opaque", r.Facts.Opaque, c.Opaque}} {
			if list.want != nil && !sameWords(list.got, *list.want) {
				t.Errorf("%s: %s are %v, want %v\n%s", c.ID, list.name, list.got, *list.want, c.SQL)
			}
		}
		if c.Volatile != nil && !sameVolatile(r.Facts.Volatile, *c.Volatile) {
			t.Errorf("%s: volatile is %v, want %v\n%s", c.ID, r.Facts.Volatile, *c.Volatile, c.SQL)
		}
	}
}

func sameWords(a, b []string) bool {
	a, b = append([]string{}, a...), append([]string{}, b...)
	sort.Strings(a)
	sort.Strings(b)
	return reflect.DeepEqual(a, b)
}

func sameVolatile(a, b []Volatile) bool {
	text := func(list []Volatile) (out []string) {
		for _, v := range list {
			out = append(out, v.Function+" "+v.Kind+" "+v.Use)
		}
		return out
	}
	return sameWords(text(a), text(b))
}

// TestLaws: normalizing the canonical text gives itself, and says the same of what is read.
func TestLaws(t *testing.T) {
	for _, c := range append(readCases(t, "testdata/pairs.jsonl"), readCases(t, "testdata/facts.jsonl")...) {
		for _, sql := range []string{c.A, c.B, c.SQL} {
			if sql == "" {
				continue
			}
			first := Normalize(sql, Options{Dialect: c.Dialect})
			if first.Level == LevelText {
				continue
			}
			second := Normalize(first.Normalized, Options{Dialect: c.Dialect})
			if second.Normalized != first.Normalized || second.CodeHash != first.CodeHash {
				t.Errorf("%s: not stable\n%s\n%s\n%s", c.ID, sql, first.Normalized, second.Normalized)
			}
			if second.Facts.SelectStar != first.Facts.SelectStar || !sameVolatile(second.Facts.Volatile, first.Facts.Volatile) ||
				!sameTables(second.Facts.Tables, first.Facts.Tables) || !sameWords(second.Facts.Opaque, first.Facts.Opaque) {
				t.Errorf("%s: other facts\n%s\n%v\n%s\n%v", c.ID, sql, first.Facts, first.Normalized, second.Facts)
			}
		}
	}
}

func sameTables(a, b [][]string) bool {
	text := func(list [][]string) (out []string) {
		for _, t := range list {
			line, _ := json.Marshal(t)
			out = append(out, string(line))
		}
		return out
	}
	return sameWords(text(a), text(b))
}
