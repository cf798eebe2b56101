package normalize

import (
	"strings"
	"testing"
)

// volatileOf lists the volatile calls of a text: function, kind and use of each, joined by "; ".
func volatileOf(t *testing.T, dialect, sql string) string {
	t.Helper()
	var list []string
	for _, v := range codeOf(t, dialect, sql).Facts.Volatile {
		list = append(list, v.Function+" "+v.Kind+" "+v.Use)
	}
	return strings.Join(list, "; ")
}

func TestVolatile(t *testing.T) {
	for _, c := range []struct{ dialect, sql, want string }{
		// Where the value goes.
		{DialectDuckDB, "select id, now() as t from a order by t", "now always stamp"},
		{DialectDuckDB, "select id, now() as t from a order by now()", "now always stamp; now always deciding"},
		{DialectDuckDB, "select id from (select id, now() as t from a order by t) limit 3", "now always deciding"},
		{DialectDuckDB, "with s as (select id, now() as t from a) select id from s", "now always stamp"},
		{DialectDuckDB, "with s as (select id, now() as t from a) select * exclude (t) from s", "now always stamp"},
		{DialectDuckDB, "with s as (select id, now() as t from a) select * exclude (id) from s where t > '2020-01-01'", "now always deciding"},
		{DialectDuckDB, "with s as (select id, now() as t from a) select s as whole from s", "now always deciding"},
		{DialectDuckDB, "select * replace (now() as t) from a", "now always stamp"},
		{DialectDuckDB, "select id, (select now()) as t from a", "now always stamp"},
		{DialectDuckDB, "select id, (select max(x) from b where y < now()) as t from a", "now always deciding"},
		{DialectDuckDB, "select [now(), now()] as l, {'a': now()} as s, now()::varchar || '!' as v from a", "now always stamp"},
		{DialectDuckDB, "select list_transform(l, lambda x: now()) as k from a", "now always deciding"},
		{DialectDuckDB, "select unnest([now()]) as k", "now always deciding"},
		{DialectDuckDB, "select a.id from a join (select now() as t) b using (t)", "now always deciding"},
		{DialectDuckDB, "select a.id, b.t from a, (select now() as t) b", "now always stamp"},
		{DialectDuckDB, "values (1, now()), (2, now())", "now always stamp"},
		{DialectDuckDB, "select id, now() as t from a group by id, t", "now always deciding"},
		{DialectDuckDB, "select id, case when true then now() end as t from a", "now always stamp"},
		{DialectDuckDB, "with recursive r as (select 1 as n, now() as t union all select n + 1, t from r where n < 3) select n, t from r", "now always stamp"},
		{DialectDuckDB, "with recursive r as (select 1 as n, null as t union all select n + 1, now() from r where n < 3) select n, t from r", "now always deciding"},
		{DialectDuckDB, "select f(now()) as k from a", "now always deciding"},
		{DialectDuckDB, "select row_number() over (order by id) as n, now() as t from a", "now always stamp"},
		{DialectDuckDB, "select lag(now()) over (order by id) as t from a", "now always deciding"},
		{DialectDuckDB, "select id from a limit cast(random() * 3 as int)", "random always deciding"},
		{DialectDatabricks, "FROM a |> EXTEND now() AS t |> WHERE id = 1 |> SELECT id, t", "now always stamp"},
		{DialectDatabricks, "FROM a |> EXTEND now() AS t |> WHERE t > '2020-01-01'", "now always deciding"},
		{DialectDatabricks, "SELECT id FROM a LATERAL VIEW explode(array(now())) e AS t", "now always deciding"},
		// What it is.
		{DialectDuckDB, "select age(ts) as a, ts.age() as b, age(x, y) as c from t", "age always deciding"},
		{DialectDuckDB, "select rowid, t.rowid as r from t", "rowid always stamp"},
		{DialectDuckDB, "select rowid as r from (select 1 as rowid)", ""},
		{DialectDatabricks, "SELECT _metadata.file_path AS f, t._metadata AS m FROM t", "_metadata always stamp"},
		{DialectDatabricks, "SELECT session.x AS k, system.session.y AS l FROM t", "session.x always stamp; system.session.y always stamp"},
		{DialectDatabricks, "SELECT x AS k", "x always stamp"},
		{DialectDuckDB, "select localtimestamp::date as a, today() as b, current_role as c, getenv('X') as d from t", "localtimestamp date stamp; today date stamp; current_role session stamp; getenv always stamp"},
		{DialectDatabricks, "SELECT DATE(now()) AS a, to_date(getdate()) AS b, date_trunc('DD', now()) AS c, date_trunc('HOUR', now()) AS d", "now date stamp; getdate date stamp; now always stamp"},
		// S25: strings that read the clock.
		{DialectDatabricks, "SELECT id FROM t WHERE d BETWEEN 'yesterday' AND 'TODAY'", "yesterday date deciding; today date deciding"},
		{DialectDatabricks, "SELECT to_date('today') AS a, datediff(d, 'tomorrow') AS b FROM t", "today date stamp; tomorrow date deciding"},
		{DialectDatabricks, "SELECT CAST('now UTC' AS TIMESTAMP_NTZ) AS a, 'now' AS b, upper('today') AS c FROM t", "now always stamp"},
		{DialectDatabricks, "SELECT coalesce(d, 'today') AS a, CASE WHEN x THEN 'today' ELSE 'later' END AS b FROM t", "today date deciding"},
		{DialectDatabricks, "WITH p AS (SELECT 'today' AS d) SELECT t.id FROM t, p WHERE t.d = p.d", "today date deciding"},
		{DialectDatabricks, "SELECT d FROM t UNION ALL SELECT 'today'", "today date stamp"},
		{DialectDatabricks, "SELECT id FROM t WHERE d = CAST(concat('to', 'day') AS DATE)", "cast always deciding"},
		{DialectDatabricks, "SELECT id FROM t WHERE d = CAST('2024-01-01' AS DATE) AND e > to_timestamp('2024-01-01', 'yyyy-MM-dd')", ""},
		{DialectDatabricks, "SELECT id FROM t WHERE s LIKE 'now' AND r = 'now or never'", ""},
		{DialectDuckDB, "select id from t where d = 'today'", ""},
	} {
		if got := volatileOf(t, c.dialect, c.sql); got != c.want {
			t.Errorf("%s: %s\ngot  %s\nwant %s", c.dialect, c.sql, got, c.want)
		}
	}
}

func TestSelectStar(t *testing.T) {
	for _, c := range []struct {
		dialect, sql string
		want         bool
	}{
		{DialectDuckDB, "select (select count(*) from t) as n", false},
		{DialectDuckDB, "select array(select t from t) as a", true},
		{DialectDuckDB, "select x.* from (select t.* from t) x", true},
		{DialectDuckDB, "select max(x) as m from (select * from t)", false},
		{DialectDuckDB, "with c as (select to_json(t) as j from t) select j from c", true},
		{DialectDuckDB, "select * exclude (a) from (select a, b from t)", false},
		{DialectDuckDB, "select * from t semi join u on true", true},
		{DialectDuckDB, "select a.* from (select 1 as x) a semi join u on true", false},
		{DialectDuckDB, "pivot (select a, b, c from t) on a using sum(b)", true},
		{DialectDuckDB, "select a from t where exists (from u)", false},
		{DialectDatabricks, "SELECT hash(*) AS h FROM t", true},
		{DialectDatabricks, "SELECT count(DISTINCT *) AS n FROM t", true},
		{DialectDatabricks, "SELECT count(*) AS n, count(1) AS m FROM t", false},
		{DialectDatabricks, "FROM t |> AGGREGATE count(*) AS n |> EXTEND n + 1 AS m", false},
		{DialectDatabricks, "FROM t |> SET a = 1 |> DROP b", true},
		{DialectDatabricks, "SELECT a, e.* FROM (SELECT 1 AS a) LATERAL VIEW explode(array(1)) e AS x", false},
	} {
		if got := codeOf(t, c.dialect, c.sql).Facts.SelectStar; got != c.want {
			t.Errorf("%s: %s: %t", c.dialect, c.sql, got)
		}
	}
}

func TestReads(t *testing.T) {
	for _, c := range []struct{ dialect, sql, tables, paths, opaque string }{
		{DialectDuckDB, "with recursive r as (select 1 as n union all select n + 1 from r) select n from r, recurring.r x", "", "", ""},
		{DialectDuckDB, "with t as (select * from t) select * from t, main.t", "t main.t", "", ""},
		{DialectDuckDB, `select * from "a.csv", 'B.csv' b`, "a.csv", "'B.csv'", ""},
		{DialectDuckDB, `with "a.csv" as (select 1 as x) select x from 'a.csv'`, "", "", ""},
		{DialectDuckDB, "select f(a), main.upper(b), list_transform(l, lambda x: g(x)) from t", "t", "", "f main.upper g"},
		{DialectDuckDB, "select c.upper() as u from (select nm as c from t)", "t", "", ""},
		{DialectDuckDB, "from (show tables)", "", "", "show"},
		{DialectDuckDB, "from (describe t)", "t", "", ""},
		{DialectDatabricks, "SELECT * FROM f(TABLE(t), x => TABLE(SELECT a FROM u))", "t u", "", "f"},
		{DialectDatabricks, "SELECT IDENTIFIER('upper')(a) AS k, IDENTIFIER('ops.f')(b) AS l FROM t", "t", "", "ops.f"},
		{DialectDatabricks, "SELECT id FROM Parquet.`S3://B/x` JOIN delta.orders o", "delta.orders", "parquet.`S3://B/x`", ""},
		{DialectDatabricks, "SELECT id FROM t LATERAL VIEW my_udtf(a) x AS y", "t", "", "my_udtf"},
		{DialectDatabricks, "SELECT id FROM identifier(concat('a', x))", "", "", "identifier"},
	} {
		f := codeOf(t, c.dialect, c.sql).Facts
		if got := joinTables(f.Tables); got != c.tables {
			t.Errorf("%s: tables %q, want %q", c.sql, got, c.tables)
		}
		if got := strings.Join(f.Paths, " "); got != c.paths {
			t.Errorf("%s: paths %q, want %q", c.sql, got, c.paths)
		}
		if got := strings.Join(f.Opaque, " "); got != c.opaque {
			t.Errorf("%s: opaque %q, want %q", c.sql, got, c.opaque)
		}
	}
}

// joinTables writes names with dots, and blanks between them.
func joinTables(tables [][]string) string {
	var names []string
	for _, name := range tables {
		names = append(names, strings.Join(name, "."))
	}
	return strings.Join(names, " ")
}

// What does not parse claims nothing.
func TestUnparsed(t *testing.T) {
	for _, sql := range []string{"select", "select 'open", "", "selec 1", "select 1 from \x80"} {
		r := Normalize(sql, Options{Dialect: DialectDuckDB})
		if r.Level != LevelText || !r.Facts.SelectStar || len(r.Facts.Opaque) != 1 || r.Facts.Volatile[0].Use != "deciding" || r.Error == nil || r.Error.Line < 1 || r.Error.Column < 1 {
			t.Errorf("%q: %+v", sql, r)
		}
	}
	code := func(sql string) string { return Normalize(sql, Options{Dialect: DialectDuckDB}).CodeHash }
	if code("selec 'a  b' x") == code("selec 'a b' x") {
		t.Error("blanks in a literal are data")
	}
	if code("selec  'a' -- c\n x") != code("selec 'a' x") {
		t.Error("comments and blanks between tokens are none")
	}
}

func TestLiterals(t *testing.T) {
	got := Normalize("select 1, 'é' as a,\n  x'ff', 2.50\nfrom t where b = 'c'", Options{Dialect: DialectDuckDB}).Literals
	at := func(text string, line, column int) Literal { return Literal{Text: text, Line: line, Column: column} }
	want := []Literal{at("1", 1, 8), at("'é'", 1, 11), at("x'ff'", 2, 3), at("2.50", 2, 10), at("'c'", 3, 18)}
	if len(got) != len(want) {
		t.Fatalf("%v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("literal %d is %v, want %v", i, got[i], want[i])
		}
	}
	if got := Normalize("selec 1, 'x'", Options{Dialect: DialectDuckDB}).Literals; len(got) != 2 || got[1] != at("'x'", 1, 10) {
		t.Errorf("of a text that does not parse: %v", got)
	}
}
