package grammar

import (
	"strings"
	"sync"
	"testing"
)

// TestParseIsConcurrent runs good and bad texts of both dialects side by side; no parse may see another's state.
func TestParseIsConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 100 {
				name := strings.Repeat("x", i+1)
				d := []Dialect{Databricks, DuckDB}[n%2]
				f, err := Parse("select "+name+" from (select 1 as "+name+") q", d)
				if err != nil || !strings.Contains(Print(f, d), name) || strings.Contains(Print(f, d), name+"x") {
					t.Errorf("%v %s", err, Print(f, d))
				}
				_, err = Parse("select 1; select f(a, ["+name, DuckDB)
				if e, ok := err.(*ParseError); !ok || e.Statement != 2 || e.Column != 25+i {
					t.Errorf("%v", err)
				}
			}
		})
	}
	wg.Wait()
}

// TestTreesAreTheirOwn checks that changing one tree does not change another that was parsed before or after it.
func TestTreesAreTheirOwn(t *testing.T) {
	parse := func() *File {
		f, err := Parse("select a, b + 1, f(c) as d from t join u using (e) where g in (1, 2)", DuckDB)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first, second, third := parse(), parse(), parse()
	want := Print(first, DuckDB)
	Walk(second, func(n Node) bool {
		if x, ok := n.(*Ident); ok {
			x.Text = "changed"
		}
		return true
	})
	Rewrite(second, func(Expr) Expr { return &Null{} })
	if Print(first, DuckDB) != want || Print(third, DuckDB) != want {
		t.Error("trees share nodes")
	}
}

func TestStatementsInOneText(t *testing.T) {
	f, err := Parse("select 1; ; select 2;;", DuckDB)
	if err != nil || len(f.Statements) != 2 {
		t.Fatalf("%v", err)
	}
	if got := f.Statements[1].Bounds().Text(f.Source); got != "select 2" {
		t.Errorf("the second statement is %q", got)
	}
}

func TestDialectOf(t *testing.T) {
	for name, want := range map[string]Dialect{"databricks": Databricks, "DuckDB": DuckDB} {
		if d, err := DialectOf(name); err != nil || d != want {
			t.Errorf("%s: %v %v", name, d, err)
		}
	}
	if _, err := DialectOf("postgres"); err == nil {
		t.Error("postgres is no dialect")
	}
	if got := (Databricks | DuckDB).String(); got != "databricks|duckdb" {
		t.Error(got)
	}
	if !DuckDB.In(Databricks|DuckDB) || DuckDB.In(Databricks) {
		t.Error("In")
	}
}

// TestKeywordClasses spot-checks the table: a word's number must be found in any case, and only for the whole word.
func TestKeywordClasses(t *testing.T) {
	for k := noKeyword + 1; k < keywordCount; k++ {
		for _, word := range []string{keywordText[k], strings.ToLower(keywordText[k])} {
			if got := wordOf(word); got != k {
				t.Errorf("%s is found as %s", word, got)
			}
		}
		if got := wordOf(keywordText[k] + "_"); got == k {
			t.Errorf("%s_ is found as %s", keywordText[k], got)
		}
	}
	if !kwSelect.in(classReserved) || kwLeft.in(classReserved) || !kwLeft.in(classStrict) || !kwValue.in(classUnreserved) {
		t.Error("classes")
	}
}
