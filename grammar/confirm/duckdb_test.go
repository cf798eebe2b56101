//go:build cgo

package confirm

import (
	"database/sql"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"hodor/grammar"
)

// texts returns the DuckDB texts of grammar's own testdata and a third of the shared cases, which is enough for every run.
func texts(t *testing.T) []string {
	out := own(t, grammar.DuckDB)
	for i, text := range shared(grammar.DuckDB) {
		if i%3 == 0 {
			out = append(out, text)
		}
	}
	return out
}

// tree returns DuckDB's own tree of a text without places; nil if the engine can't serialize it (anything but a query).
func tree(t *testing.T, db *sql.DB, text string) any {
	t.Helper()
	var raw string
	if err := db.QueryRow("SELECT json_serialize_sql(?::VARCHAR)::VARCHAR", text).Scan(&raw); err != nil {
		if !strings.Contains(err.Error(), "Parser Error") {
			t.Fatal(err)
		}
		return nil
	}
	var out map[string]any
	if err := json.Unmarshal([]byte(raw), &out); err != nil || out["error"] == true {
		return nil
	}
	return withoutPlaces(out)
}

func withoutPlaces(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "query_location")
		for k, x := range v {
			v[k] = withoutPlaces(x)
		}
	case []any:
		for i := range v {
			v[i] = withoutPlaces(v[i])
		}
	}
	return v
}

// TestPrintedTextHasTheSameTree checks that DuckDB reads what is printed exactly as the text that it came from.
func TestPrintedTextHasTheSameTree(t *testing.T) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	checked := 0
	for _, text := range texts(t) {
		f, err := grammar.Parse(text, grammar.DuckDB)
		if err != nil {
			continue
		}
		want := tree(t, db, text)
		if want == nil {
			continue
		}
		checked++
		printed := grammar.Print(f, grammar.DuckDB)
		if got := tree(t, db, printed); !reflect.DeepEqual(got, want) {
			t.Errorf("DuckDB reads what is printed differently:\n\t%s\n\t%s", text, printed)
		}
		if _, ok := f.Statements[0].(*grammar.Query); !ok || len(f.Statements) != 1 {
			continue
		}
		implied := impliedParentheses(f)
		if got := tree(t, db, implied); !reflect.DeepEqual(got, want) {
			t.Errorf("DuckDB groups the operators differently:\n\t%s\n\t%s", text, implied)
		}
	}
	if checked < 50 {
		t.Errorf("only %d texts were checked", checked)
	}
}

// impliedParentheses prints f with the parentheses that its tree implies.
func impliedParentheses(f *grammar.File) string {
	grammar.Rewrite(f, func(x grammar.Expr) grammar.Expr {
		switch y := x.(type) {
		case *grammar.Binary:
			if op := y.Rest[0].Op; op == "->" || op == "OVERLAPS" {
				return x
			}
			left := y.First
			for _, o := range y.Rest {
				left = &grammar.Paren{X: &grammar.Binary{First: left, Rest: []grammar.Operand{o}}}
			}
			return left
		case *grammar.In:
			if q, ok := y.Y.(*grammar.Paren); ok {
				y.Y = q.X // in parentheses it would be a list
			}
		case *grammar.Like:
			if _, ok := y.X.(*grammar.Star); ok {
				return x
			}
		case *grammar.Cast:
			if !y.Colon {
				return x
			}
		case *grammar.Unary:
			if _, ok := y.X.(*grammar.Number); ok {
				return x
			}
		case *grammar.And, *grammar.Or, *grammar.Not, *grammar.Is, *grammar.Between, *grammar.AtTimeZone, *grammar.Collate:
		default:
			return x
		}
		return &grammar.Paren{X: x}
	})
	return grammar.Print(f, grammar.DuckDB)
}
