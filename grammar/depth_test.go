package grammar

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

// nests are constructs that nest: open and end are repeated around inner.
var nests = []struct {
	name             string
	d                Dialect
	before           string
	open, inner, end string
	after            string
}{
	{"parentheses", Databricks | DuckDB, "select ", "(", "1", ")", ""},
	{"subqueries", Databricks | DuckDB, "select ", "(select ", "1", ")", ""},
	{"derived tables", Databricks | DuckDB, "select * from ", "(select * from ", "t", ")", ""},
	{"queries in parentheses", Databricks | DuckDB, "", "(", "select 1", ")", ""},
	{"from parentheses", Databricks | DuckDB, "select * from ", "(", "t join u using (a)", ")", ""},
	{"from parentheses of a query", Databricks | DuckDB, "select * from ", "(", "select 1", ")", " x"},
	{"set operations", Databricks | DuckDB, "", "(select 1 union all ", "select 2", ")", ""},
	{"ctes", Databricks | DuckDB, "", "with c as (", "select 1", ") select * from c", ""},
	{"case", Databricks | DuckDB, "select ", "case when a then ", "1", " end", ""},
	{"calls", Databricks | DuckDB, "select ", "f(", "1", ")", ""},
	{"casts", Databricks | DuckDB, "select ", "cast(", "1", " as int)", ""},
	{"not", Databricks | DuckDB, "select ", "not ", "a", "", ""},
	{"minus", Databricks | DuckDB, "select ", "- ", "a", "", ""},
	{"in", Databricks | DuckDB, "select ", "a in (", "1", ")", ""},
	{"exists", Databricks | DuckDB, "select ", "exists (select 1 where ", "true", ")", ""},
	{"index inside", Databricks | DuckDB, "select ", "a[", "1", "]", ""},
	{"index behind", Databricks | DuckDB, "select a", "", "", "[1]", ""},
	{"cast behind", Databricks | DuckDB, "select a", "", "", "::int", ""},
	{"field behind", Databricks | DuckDB, "select (a)", "", "", ".f", ""},
	{"windows", Databricks, "select ", "sum(1) over (order by ", "1", ")", ""},
	{"grouping", Databricks | DuckDB, "select 1 group by ", "grouping sets (", "a", ")", ""},
	{"lateral joins", Databricks, "select * from t", " join lateral (select * from t", "", ")", ""},
	{"lambda", Databricks, "select ", "x -> ", "1", "", ""},
	{"bang", Databricks, "select ", "! ", "a", "", ""},
	{"json path behind", Databricks, "select a", "", "", ":b", ""},
	{"collate behind", Databricks, "select a", "", "", " collate c", ""},
	{"array type", Databricks, "select cast(a as ", "array<", "int", ">", ")"},
	{"struct type", Databricks, "select cast(a as ", "struct<f: ", "int", ">", ")"},
	{"map type", Databricks, "select cast(a as ", "map<int, ", "int", ">", ")"},
	{"pivot behind", Databricks, "select * from t", "", "", " pivot (sum(a) for b in (1))", ""},
	{"hint", Databricks, "select /*+ h(", "f(", "1", ")", ") */ 1"},
	{"list", DuckDB, "select ", "[", "1", "]", ""},
	{"struct", DuckDB, "select ", "{'a': ", "1", "}", ""},
	{"map", DuckDB, "select ", "map {1: ", "1", "}", ""},
	{"row", DuckDB, "select ", "row(", "1", ")", ""},
	{"comprehension", DuckDB, "select ", "[x for x in ", "l", "]", ""},
	{"method behind", DuckDB, "select f(a)", "", "", ".g()", ""},
	{"is null behind", DuckDB, "select a", "", "", " is null", ""},
	{"isnull behind", DuckDB, "select a", "", "", " isnull", ""},
	{"prefix operator", DuckDB, "select ", "~ ", "a", "", ""},
	{"list type behind", DuckDB, "select a::int", "", "", "[]", ""},
	{"struct type", DuckDB, "select a::", "struct(f ", "int", ")", ""},
	{"lambda", DuckDB, "select ", "lambda x: ", "1", "", ""},
	{"joins without parentheses", DuckDB, "select * from t", " join t", "", " on true", ""},
	{"columns", DuckDB, "select ", "columns(", "*", ")", ""},
	{"collate behind", DuckDB, "select a", "", "", " collate c", ""},
	{"zone behind", DuckDB, "select a", "", "", " at time zone 'x'", ""},
	{"pivot behind", DuckDB, "from t", "", "", " pivot (sum(a) for b in (1))", ""},
	{"pivot statement", DuckDB, "", "pivot (", "select 1", ") on a", ""},
}

func TestNestingIsBounded(t *testing.T) {
	for i, c := range nests {
		for _, d := range []Dialect{Databricks, DuckDB} {
			if !c.d.In(d) {
				continue
			}
			build := func(n int) string {
				return c.before + strings.Repeat(c.open, n) + c.inner + strings.Repeat(c.end, n) + c.after
			}
			t.Run(c.name+"/"+d.String(), func(t *testing.T) {
				for _, n := range []int{1, 1000} {
					if _, err := Parse(build(n), d); err != nil {
						t.Fatalf("%d levels: %v", n, err)
					}
				}
				if err := checkLaws(build(100), d); err != nil {
					t.Error(err)
				}
				deep := []int{MaxDepth + 1}
				if i < 3 { // one text of each kind of recursion; the others would only take longer
					deep = append(deep, 1_000_000)
				}
				for _, n := range deep {
					_, err := Parse(build(n), d)
					var e *ParseError
					if !errors.As(err, &e) || !strings.Contains(e.Expected, "nests deeper") {
						t.Fatalf("%d levels: %.200v", n, err)
					}
				}
			})
		}
	}
}

// TestDeepTreesCanBeUsed checks that a tree just below the bound can be printed, walked and compared.
func TestDeepTreesCanBeUsed(t *testing.T) {
	for _, sql := range []string{
		"select " + strings.Repeat("(", 6000) + "1" + strings.Repeat(")", 6000),
		"select a" + strings.Repeat("[1]", 9000),
		"select " + strings.Repeat("(", 80) + "a" + strings.Repeat(strings.Repeat("[1]", 100)+")", 80),
	} {
		f, err := Parse(sql, DuckDB)
		if err != nil {
			t.Fatal(err)
		}
		g, err := Parse(Print(f, DuckDB), DuckDB)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		Walk(f, func(Node) bool { n++; return true })
		if !Equal(f, g) || n < 6000 {
			t.Errorf("%d nodes of %.40s", n, sql)
		}
	}
	// Chains inside parentheses add up: 100 levels of 200 subscripts each are too deep.
	sql := "select " + strings.Repeat("(", 100) + "a" + strings.Repeat(strings.Repeat("[1]", 200)+")", 100)
	if _, err := Parse(sql, DuckDB); err == nil {
		t.Error("a tree of 20,000 levels was accepted")
	}
}

func TestChainsAreFlat(t *testing.T) {
	const n = 100_000
	for _, c := range []struct{ before, first, more string }{
		{"select ", "a", " and b"},
		{"select ", "a", " or b"},
		{"select ", "a", " || b"},
		{"select ", "1", " + 2 - 3"},
		{"select ", "1", " * 2 / 3"},
		{"select ", "a", " & b"},
		{"", "select 1", " union all select 2"},
		{"", "select 1", " except select 2 union select 3"},
		{"", "select 1", " intersect select 2"},
		{"select * from ", "t", " join u using (a)"},
		{"select * from ", "t", ", u"},
		{"select ", "1", ", 2"},
		{"select f(", "1", ", 2"},
		{"select a in (", "1", ", 2"},
		{"select case ", "when a then 1", " when b then 2"},
		{"values ", "(1)", ", (2)"},
		{"select 1 order by ", "a", ", b"},
		{"select 1 group by ", "a", ", b"},
		{"with ", "c as (select 1)", ", d{n} as (select 2)"},
		{"select ", "a", ".b"},
	} {
		closing := ""
		switch {
		case strings.HasPrefix(c.before, "select case"):
			closing = " end"
		case strings.HasSuffix(c.before, "("):
			closing = ")"
		case c.before == "with ":
			closing = " select 1"
		}
		more := strings.Repeat(c.more, n)
		if strings.Contains(c.more, "{n}") {
			var b strings.Builder
			for i := range n {
				b.WriteString(strings.ReplaceAll(c.more, "{n}", strconv.Itoa(i)))
			}
			more = b.String()
		}
		sql := c.before + c.first + more + closing
		for _, d := range []Dialect{Databricks, DuckDB} {
			f, err := Parse(sql, d)
			if err != nil {
				t.Errorf("%s: %.30s.. %v", d, sql, err)
				continue
			}
			depth, deepest := 0, 0
			WalkLeave(f, func(Node) bool {
				depth++
				deepest = max(deepest, depth)
				return true
			}, func(Node) { depth-- })
			if deepest > 40 {
				t.Errorf("%s: %.30s.. is a tree of %d levels", d, sql, deepest)
			}
			if text := Print(f, d); len(text) < n {
				t.Errorf("%s: %.30s.. prints %d bytes", d, sql, len(text))
			}
		}
	}
	pipes := "from t" + strings.Repeat(" |> where a", n)
	if _, err := Parse(pipes, Databricks); err != nil {
		t.Error(err)
	}
}
