package grammar

import (
	"reflect"
	"strings"
	"testing"
)

// TestWalkReachesEveryPart fills every node with parts and checks that the traversal visits each: a field that the
// generated code does not know would be missed.
func TestWalkReachesEveryPart(t *testing.T) {
	seen := map[reflect.Type]bool{}
	for _, d := range []Dialect{Databricks, DuckDB} {
		for _, sql := range append(goldenTexts(t, d), deepSample(d)...) {
			f, err := Parse(sql, d)
			if err != nil {
				continue
			}
			want := 0
			countParts(reflect.ValueOf(f), &want)
			got := 0
			Walk(f, func(n Node) bool {
				got++
				seen[reflect.TypeOf(n)] = true
				return true
			})
			if got != want {
				t.Errorf("%d parts of %d visited: %s", got, want, sql)
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("the texts have only %d kinds of nodes", len(seen))
	}
}

func goldenTexts(t *testing.T, d Dialect) (out []string) {
	for _, folder := range []string{"common", d.String()} {
		for _, name := range []string{"select", "precedence", "lexical", "queries", "from", "expressions"} {
			path := "testdata/" + folder + "/" + name + ".test"
			if !exists(path) {
				continue
			}
			for _, c := range readGolden(t, path) {
				out = append(out, c.input)
			}
		}
	}
	return out
}

func deepSample(d Dialect) []string {
	if d == Databricks {
		return []string{"select * from t match_recognize (order by a pattern (x) define x as x.a > 1)"}
	}
	return []string{"select cast(a as struct(x int))"}
}

// countParts counts the nodes in v by reflection: a node is an addressable struct that embeds Span and, if it can be absent,
// is present.
func countParts(v reflect.Value, n *int) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			countParts(v.Elem(), n)
		}
	case reflect.Slice:
		for i := range v.Len() {
			countParts(v.Index(i), n)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[Span]() {
			return
		}
		node, isNode := v.Addr().Interface().(Node)
		if p, ok := v.Addr().Interface().(interface{ Present() bool }); ok && !p.Present() {
			return
		}
		if _, embeds := v.Type().FieldByName("Span"); embeds && isNode && node != nil {
			*n++
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				countParts(v.Field(i), n)
			}
		}
	}
}

func TestRewriteReplacesEveryExpression(t *testing.T) {
	sql := "select a + b, f(a, x -> a), case when a then b end from t where a in (b, c) order by a"
	f, err := Parse(sql, Databricks)
	if err != nil {
		t.Fatal(err)
	}
	Rewrite(f, func(x Expr) Expr {
		if c, ok := x.(*Column); ok && c.Parts[0].Text == "a" {
			return &Column{Parts: []Ident{{Text: "z"}}}
		}
		return x
	})
	want := "SELECT `z` + `b`, `f`(`z`, `x` -> `z`), CASE WHEN `z` THEN `b` END FROM `t` WHERE `z` IN (`b`, `c`) ORDER BY `z`"
	if got := Print(f, Databricks); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestPrintAddsNeededParentheses checks trees that no text has: without their Paren nodes they still print to texts that
// mean the same.
func TestPrintAddsNeededParentheses(t *testing.T) {
	for _, c := range []struct {
		d         Dialect
		sql, want string
	}{
		{Databricks, "select (a + b) * c, a * (b + c), (a * b) + c, a - (b - c), (a - b) - c", "SELECT (a + b) * c, a * (b + c), a * b + c, a - (b - c), a - b - c"},
		{Databricks, "select (a or b) and c, a or (b and c), not (a and b), (not a) and b, not (not a)", "SELECT (a OR b) AND c, a OR b AND c, NOT (a AND b), NOT a AND b, NOT NOT a"},
		{Databricks, "select (a = b) is null, a = (b is null), (a in (1)) = b, (a like b) like c", "SELECT a = b IS NULL, a = (b IS NULL), (a IN (1)) = b, (a LIKE b) LIKE c"},
		{Databricks, "select -(1), -(a), -(-a), (-1)::int, -(1::int), (a + b)::int, (a).b, (a + b)[0], (x -> x)", "SELECT -(1), -a, - -a, -1::int, -(1::int), (a + b)::int, (a).b, (a + b)[0], x -> x"},
		{Databricks, "select (a between b and c) and d, a between (b and c) and d, (exists (select 1)) = a", "SELECT a BETWEEN b AND c AND d, a BETWEEN (b AND c) AND d, (EXISTS (SELECT 1)) = a"},
		{DuckDB, "select (a || b) + c, a || (b + c), (a = b) = c, (a == b) = c, a == (b = c)", "SELECT (a || b) + c, a || b + c, (a = b) = c, a == b = c, a == (b = c)"},
		{DuckDB, "select (j ->> 'a') = 'x', 'x' = (j ->> 'a'), a and (j ->> 'a'), (a and j) ->> 'a'", "SELECT j ->> 'a' = 'x', 'x' = (j ->> 'a'), a AND (j ->> 'a'), a AND j ->> 'a'"},
		{DuckDB, "select (~a) + 1, ~(a + 1), -(a ** 2), (-a) ** 2, (a::int) + 1, (a + 1)::int, (-a)::int, - (a::int)", "SELECT (~a) + 1, ~a + 1, -(a ** 2), -a ** 2, a::int + 1, (a + 1)::int, (-a)::int, -a::int"},
		{DuckDB, "select (a in b) || c, (a like b) = c, a like (b = c), (a is null) is null, (not a) = b, not (a = b)", "SELECT a IN b || c, a LIKE b = c, a LIKE (b = c), a IS NULL IS NULL, (NOT a) = b, NOT a = b"},
		{DuckDB, "select (x -> x) -> y, x -> (x -> y), (lambda x: x) + 1, 1 + (not b), (1 + (not b)) + c", "SELECT x -> x -> y, x -> (x -> y), (LAMBDA x: x) + 1, 1 + NOT b, (1 + NOT b) + c"},
		{DuckDB, "select (a collate x) || b, a || (b collate x), (a || b) collate x, (a at time zone 'x') + b", "SELECT a COLLATE x || b, a || b COLLATE x, (a || b) COLLATE x, a AT TIME ZONE 'x' + b"},
	} {
		f, err := Parse(c.sql, c.d)
		if err != nil {
			t.Fatal(err)
		}
		Rewrite(f, func(x Expr) Expr {
			if p, ok := x.(*Paren); ok {
				return p.X
			}
			return x
		})
		got := Print(f, c.d)
		if plain := strings.NewReplacer("`", "", "\"", "").Replace(got); plain != c.want {
			t.Errorf("%s\n\tgot  %s\n\twant %s", c.sql, plain, c.want)
		}
		if _, err := Parse(got, c.d); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
}

func TestEqualIgnoresPlacesAndQuotes(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"select a from t", "select  `a`\nfrom `t` -- x", true},
		{"select a from t", "select A from t", false},
		{"select a from t", "select a as a from t", false},
		{"select (a) from t", "select a from t", false},
		{"select 'a' 'b'", "select 'ab'", true},
		{"select 1.0", "select 1.00", false},
		{"select * from identifier('t')", "select * from t", false},
	} {
		a, err := Parse(c.a, Databricks)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Parse(c.b, Databricks)
		if err != nil {
			t.Fatal(err)
		}
		if Equal(a, b) != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, !c.want)
		}
	}
}
