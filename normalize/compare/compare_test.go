package compare

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"hodor/grammar"
	"hodor/normalize"
)

func side(name, sql, dialect string) Side {
	return Side{Name: name, Result: normalize.Normalize(sql, normalize.Options{Dialect: dialect})}
}

// TestReasons has a pair of texts for each kind of difference, which is then the only reason.
func TestReasons(t *testing.T) {
	const duck, spark = normalize.DialectDuckDB, normalize.DialectDatabricks
	seen := map[string]bool{}
	for _, c := range []struct{ dialect, what, a, b string }{
		{spark, "the case of names", "SELECT ID FROM t", "SELECT id FROM t"},
		{duck, "qualifiers of columns", "select k from t a, u b", "select a.k from t a, u b"},
		{duck, "names of table aliases or common table expressions", "select a.id + 1 from t a", "select b.id + 1 from t b"},
		{duck, "the schema or catalog of a table", "select x.id from main.t x", "select x.id from t x"},
		{duck, "output names", "select id as a from t", "select id as b from t"},
		{duck, "column lists of aliases or common table expressions", "select 1 as k from (values (1, 2)) v(a, b)", "select 1 as k from (values (1, 2)) v(b, a)"},
		{duck, "parentheses", "select 4 | (1 & 3) as k", "select 4 | 1 & 3 as k"},
		{duck, "spellings of numbers", "select 1.0 as k", "select 1.00 as k"},
		{spark, "spellings of numbers", "SELECT 1L AS k", "SELECT 1 AS k"},
		{duck, "blanks or case inside string literals", "select 'a b' as k", "select 'A  b' as k"},
		{duck, "literals", "select 'a' as k from t where x = 1", "select 'b' as k from t where x = 2"},
		{duck, "types of casts", "select v::int4 from t", "select v::integer from t"},
		{duck, "NULLS FIRST or LAST, ASC or DESC", "select a from t order by a", "select a from t order by a nulls last"},
		{duck, "frames of windows", "select sum(v) over (order by g) as k from t", "select sum(v) over (order by g rows 1 preceding) as k from t"},
		{duck, "DISTINCT, ORDER BY, FILTER or NULLS of aggregates", "select count(distinct a) as k from t", "select count(a) as k from t"},
		{spark, "hints and MATERIALIZED", "SELECT /*+ REPARTITION(3) */ a FROM t", "SELECT a FROM t"},
		{spark, "SORT BY, DISTRIBUTE BY or CLUSTER BY", "SELECT a FROM t SORT BY a", "SELECT a FROM t"},
		{spark, "time travel", "SELECT id FROM t VERSION AS OF 1", "SELECT id FROM t VERSION AS OF 2"},
		{duck, "USING and ON", "select * from t join u using (id)", "select * from t join u on t.id = u.id"},
		{duck, "kinds of joins", "select 1 as k from t left join u on true", "select 1 as k from t join u on true"},
		{duck, "UNION and UNION ALL", "select 1 as k union select 2", "select 1 as k union all select 2"},
		{duck, "DISTINCT", "select distinct id from t", "select id from t"},
		{duck, "EXCEPT, REPLACE or RENAME of a star", "select * exclude (a) from t", "select * exclude (b) from t"},
		{duck, "ORDER BY", "select id from t order by a", "select id from t order by b"},
		{duck, "LIMIT", "select id from t limit 10", "select id from t"},
		{duck, "the order of the select list", "select 1 as a, x as b from t", "select x as b, 1 as a from t"},
		{duck, "the order of conditions", "select 1 as k from t where a = 1 and b = 2", "select 1 as k from t where b = 2 and a = 1"},
		{duck, "the order of common table expressions", "with a as (select 1 as x), b as (select 2 as y) select f() as k", "with b as (select 2 as y), a as (select 1 as x) select f() as k"},
		{duck, "other code in WHERE", "select 1 as k from t where a = 1", "select 1 as k from t where a = b"},
		{duck, "other code in WHERE", "select 1 as k from t", "select 1 as k from t where a = b"},
		{duck, "other code in FROM", "select 1 as k from t", "select 1 as k from u"},
		{duck, "b does not parse", "select 1", "select from"},
	} {
		dialect, err := grammar.DialectOf(c.dialect)
		if err != nil {
			t.Fatal(err)
		}
		reasons := Reasons(side("a", c.a, c.dialect), side("b", c.b, c.dialect), dialect)
		if len(reasons) != 1 || reasons[0].What != c.what || reasons[0].Why == "" {
			t.Errorf("%s\n%s\nwant %s, got %+v", c.a, c.b, c.what, reasons)
			continue
		}
		seen[c.what] = true
	}
	for _, k := range kinds {
		if !seen[k.What] {
			t.Errorf("no pair shows %q", k.What)
		}
	}
	if got := Reasons(side("a", "select 1 as k", duck), side("b", "SELECT 1 k", duck), grammar.DuckDB); got != nil {
		t.Errorf("texts of one hash have reasons: %v", got)
	}
}

// Several differences are all named, and no more than there are.
func TestSeveralReasons(t *testing.T) {
	a := side("a", "select distinct t.id as k from t left join u on u.id = t.id limit 3", normalize.DialectDuckDB)
	b := side("b", "select t.id as k from t join u on u.id = t.id limit 4", normalize.DialectDuckDB)
	var got []string
	for _, r := range Reasons(a, b, grammar.DuckDB) {
		got = append(got, r.What)
	}
	if want := "kinds of joins, DISTINCT, LIMIT"; strings.Join(got, ", ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// corpus are the texts of the normalizer's cases.
func corpus(t *testing.T, visit func(sql, dialect string)) {
	t.Helper()
	for _, file := range []string{"../testdata/pairs.jsonl", "../testdata/facts.jsonl"} {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var c struct{ Dialect, A, B, SQL string }
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			for _, sql := range []string{c.A, c.B, c.SQL} {
				if sql != "" {
					visit(sql, c.Dialect)
				}
			}
		}
	}
}

// TestLinesKeepAll: a layout has the tokens of the text, in their order, and parses to the same.
func TestLinesKeepAll(t *testing.T) {
	tokens := func(sql string, d grammar.Dialect) (out []string) {
		for token, err := range grammar.Tokens(sql, d) {
			if err != nil {
				t.Fatalf("%v\n%s", err, sql)
			}
			out = append(out, token.Text)
		}
		return out
	}
	n := 0
	corpus(t, func(sql, name string) {
		dialect, err := grammar.DialectOf(name)
		if err != nil {
			t.Fatal(err)
		}
		r := normalize.Normalize(sql, normalize.Options{Dialect: name})
		if r.Level == normalize.LevelText {
			return
		}
		n++
		laid := strings.Join(Lines(r.Normalized, dialect), "\n")
		if a, b := strings.Join(tokens(r.Normalized, dialect), "\x00"), strings.Join(tokens(laid, dialect), "\x00"); a != b {
			t.Errorf("other tokens\n%s\n%s", r.Normalized, laid)
		}
		if again := normalize.Normalize(laid, normalize.Options{Dialect: name}); again.CodeHash != r.CodeHash {
			t.Errorf("other code\n%s\n%s", r.Normalized, laid)
		}
	})
	if n < 1000 {
		t.Errorf("only %d texts", n)
	}
}

func TestLines(t *testing.T) {
	sql := `with a as (select x, extract(year from d) as y from t where exists (select 1 from u)), b as (select 1 as z)
		select distinct a.x, sum(a.y) over (partition by a.x order by a.y) as s from a cross join b left join v using (x)
		where a.x in (select z from b) group by a.x, a.y having count(*) > 1 qualify s > 1 union all select 1, 2 order by 1 limit 3 offset 1`
	want := `WITH "c1" AS (
  SELECT "t1"."x",
    extract(year FROM "t1"."d") AS "y"
  FROM "t" AS "t1"
  WHERE EXISTS (
    SELECT 1
    FROM "u" AS "t2"
  )
),
  "c2" AS (
  SELECT 1 AS "z"
)
SELECT DISTINCT "t3"."x",
  "sum"("t3"."y") OVER (PARTITION BY "t3"."x" ORDER BY "t3"."y") AS "s"
FROM "c1" AS "t3"
CROSS JOIN "c2" AS "t4"
LEFT JOIN "v" AS "t5" USING ("x")
WHERE "t3"."x" IN (
  SELECT "t6"."z"
  FROM "c2" AS "t6"
)
GROUP BY "t3"."x", "t3"."y"
HAVING "count"(*) > 1
QUALIFY "s" > 1
UNION ALL
SELECT 1,
  2
ORDER BY 1
LIMIT 3
OFFSET 1`
	r := normalize.Normalize(sql, normalize.Options{Dialect: normalize.DialectDuckDB})
	if got := strings.Join(Lines(r.Normalized, grammar.DuckDB), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s\nof %s", got, want, r.Normalized)
	}
}
