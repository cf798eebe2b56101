package normalize

import "testing"

func TestSpellingMerges(t *testing.T) {
	merges(t, DialectDuckDB, []pair{
		{"operators", "select id != 1, id == 1 from t", "select id <> 1, id = 1 from t"},
		{"casts", "select v::varchar, id::int as k from t", "select cast(v as varchar), cast(id as integer) as k from t"},
		{"T43", "select 1_000 as k, 1E5 as l", "select 1000 as k, 1e5 as l"},
		{"T45", "select $$a'b$$ as k, 'c' as l", "select 'a''b' as k, e'c' as l"},
		{"function names", `select "Upper"(nm), COUNT(*) from t`, "select upper(nm), count(*) from t"},
		{"order", "select id from t order by id asc", "select id from t order by id"},
		{"interval", "select interval 1 DAYS as k, interval 2 day", "select interval 1 day as k, interval 2 days"},
		{"null tests", "select nm isnull, nm not null from t", "select nm is null, nm is not null from t"},
		{"one tree in both versions", "select a from t where not (a in (1)) and not (b between 1 and 2)", "select a from t where a not in (1) and b not between 1 and 2"},
		{"one tree in both versions", "select a ~~ 'x' as k, a ~~~ 'y*' as l from t", "select a like 'x' as k, a glob 'y*' as l from t"},
		{"one tree in both versions", "select case when a then 1 else null end as k, row(1, 2) as l from t", "select case when a then 1 end as k, (1, 2) as l from t"},
		{"one tree in both versions", "select date '2020-01-01', count() over (rows 1 preceding) from t", "select cast('2020-01-01' as date), count(*) over (rows between 1 preceding and current row) from t"},
		{"aliases", "select x: 1, y.id from y: t", "select 1 as x, y.id from t as y"},
		{"commas", "select a, b, from t group by a, b,", "select a, b from t group by a, b"},
		{"comments", "select 1 /* it's */ as k -- don't\n, 2 as l", "select 1 as k, 2 as l"},
	})
	merges(t, DialectDatabricks, []pair{
		{"operators", "SELECT a !> b AS k, a == b AS l, a != b AS m FROM t", "SELECT a <= b AS k, a = b AS l, a <> b AS m FROM t"},
		{"types", "SELECT CAST(a AS LONG), CAST(a AS DEC(5)) FROM t", "SELECT a::bigint, a::decimal(5, 0) FROM t"},
		{"T45", `SELECT "it's" AS k, 'a' 'b' AS l, r'\d' AS m`, `SELECT 'it\'s' AS k, 'ab' AS l, '\\d' AS m`},
		{"T58", "SELECT INTERVAL 1 DAY AS k, INTERVAL 2 HOURS", "SELECT INTERVAL '1' DAY AS k, INTERVAL '2' HOUR"},
		{"T43", "SELECT 1.5BD AS k", "SELECT 1.5 AS k"},
		{"null-safe", "SELECT a IS NOT DISTINCT FROM b AS k FROM t", "SELECT a <=> b AS k FROM t"},
		{"T46", "SELECT a FROM t ORDER BY a ASC NULLS FIRST, b DESC NULLS LAST", "SELECT a FROM t ORDER BY a, b DESC"},
		{"T55", "SELECT id FROM t@v1", "SELECT id FROM t VERSION AS OF 1"},
		{"T57", "SELECT timestampadd(DAY, 1, d) AS k FROM t", "SELECT dateadd(day, 1, d) AS k FROM t"},
		{"rollup", "SELECT a, b, sum(c) AS s FROM t GROUP BY a, b WITH ROLLUP", "SELECT a, b, sum(c) AS s FROM t GROUP BY ROLLUP (a, b)"},
		{"stream", "SELECT id FROM STREAM(t)", "SELECT id FROM STREAM t"},
		{"not", "SELECT !a = b AS k FROM t", "SELECT NOT (a = b) AS k FROM t"},
		{"hex", "SELECT X'1a' AS k", "SELECT x'1A' AS k"},
	})
}

func TestSpellingApart(t *testing.T) {
	apart(t, DialectDuckDB, []pair{
		{"2.0 prints the type as written", "select v::int4 from t", "select v::integer from t"},
		{"2.0 prints the number as written", "select 1_000", "select 1000"},
		{"ASC is printed", "select sum(v) over (order by id asc) from t", "select sum(v) over (order by id) from t"},
		{"2.0 prints the field as written", "select extract(YEAR from d) from t", "select extract(year from d) from t"},
		{"T43", "select 1.0 as k", "select 1.00 as k"},
		{"T42", "select '1' == '1' || 'x' as k", "select '1' = '1' || 'x' as k"},
		{"versions differ", "select a ~ 'b' as k from t", "select a similar to 'b' as k from t"},
		{"a setting", "select a from t order by a", "select a from t order by a nulls last"},
		{"macros", "select [1] as k", "select list_value(1) as k"},
		{"macros", "select nm.upper() as k from t", "select upper(nm) as k from t"},
		{"a function of its own syntax", "select coalesce(null, 1) as k", `select "coalesce"(null, 1) as k`},
		{"a user's type", "select a::Mine as k from t", "select a::mine2 as k from t"},
	})
	apart(t, DialectDatabricks, []pair{
		{"T43", "SELECT 1L AS k", "SELECT 1 AS k"},
		{"T43", "SELECT 1BD AS k", "SELECT 1 AS k"},
		{"T43", "SELECT 1e5BD AS k", "SELECT 1e5 AS k"},
		{"T58", "SELECT INTERVAL 24 HOUR AS k", "SELECT INTERVAL 1 DAY AS k"},
		{"null-safe", "SELECT a IS DISTINCT FROM b AS k FROM t", "SELECT a <=> b AS k FROM t"},
		{"T44", "SELECT 1_000 AS k FROM t", "SELECT 1000 AS k FROM t"},
		{"T45", `SELECT r'a\nb' AS k`, `SELECT 'a\nb' AS k`},
		{"T46", "SELECT a FROM t ORDER BY a NULLS LAST", "SELECT a FROM t ORDER BY a"},
		{"T57", "SELECT date_add(d, 1) AS k FROM t", "SELECT date_add(DAY, 1, d) AS k FROM t"},
		{"length", "SELECT CAST(a AS VARCHAR(3)) AS k FROM t", "SELECT CAST(a AS STRING) AS k FROM t"},
		{"T60", "SELECT /*+ REPARTITION(3) */ a FROM t", "SELECT /*+ REPARTITION(4) */ a FROM t"},
	})
}

func TestShape(t *testing.T) {
	for _, dialect := range []string{DialectDuckDB, DialectDatabricks} {
		merges(t, dialect, []pair{
			{"FROM first", "from t select id where id = 1", "select id from t where id = 1"},
			{"FROM alone", "from t", "select * from t"},
			{"TABLE", "table t", "select * from t"},
			{"ALL", "select all id from t", "select id from t"},
			{"parentheses", "(select id from t)", "select id from t"},
			{"parentheses", "(select id from t) union all (select id from u)", "select id from t union all select id from u"},
			{"parentheses", "with c as (select 1 as x) (select x from c)", "with c as (select 1 as x) select x from c"},
			{"parentheses", "(select id from t order by id) limit 1", "select id from t order by id limit 1"},
			{"left to right", "(select 1 as a union select 2) union select 3", "select 1 as a union select 2 union select 3"},
			{"T49", "select 1 as a union all (select 2 intersect select 3)", "select 1 as a union all select 2 intersect select 3"},
			{"DISTINCT", "select 1 as a union distinct select 2", "select 1 as a union select 2"},
			{"INNER, OUTER", "select t.id from t inner join u on t.id = u.id left outer join v on v.id = t.id", "select t.id from t join u on t.id = u.id left join v on v.id = t.id"},
			{"joins", "select t.id from (t join u on t.id = u.id) join v on v.id = t.id", "select t.id from t join u on t.id = u.id join v on v.id = t.id"},
			{"LIMIT ALL", "select id from t limit all", "select id from t"},
			{"semicolon", "select id from t;", "select id from t"},
		})
		apart(t, dialect, []pair{
			{"T49", "select id from t union all select id from u limit 1", "select id from t union all (select id from u limit 1)"},
			{"T49", "select 1 as a except (select 1 union select 1)", "select 1 as a except select 1 union select 1"},
			{"T49", "(select 1 as a union select 2) intersect select 2", "select 1 as a union select 2 intersect select 2"},
			{"own WITH", "select 1 as a union all (with c as (select 2 as x) select x from c)", "with c as (select 2 as x) select 1 as a union all select x from c"},
			{"T38", "select t.id from t left join (u join v on u.id = v.id) on t.id = u.id", "select t.id from t left join u on t.id = u.id join v on u.id = v.id"},
			{"order inside", "(select id from t order by id limit 2) order by v", "select id from t order by v limit 2"},
		})
	}
	merges(t, DialectDuckDB, []pair{{"FETCH", "select id from t order by id fetch first row only", "select id from t order by id limit 1"}})
	merges(t, DialectDatabricks, []pair{{"CROSS", "SELECT t.id FROM t JOIN u", "SELECT t.id FROM t CROSS JOIN u"}})
}

func TestParens(t *testing.T) {
	for _, dialect := range []string{DialectDuckDB, DialectDatabricks} {
		merges(t, dialect, []pair{
			{"names", "select (id) from t where ((id) = (1))", "select id from t where id = 1"},
			{"levels", "select (a * b) + c as k, (a + b) + c as l from t", "select a * b + c as k, a + b + c as l from t"},
			{"calls", "select coalesce((a), ((b))) as k, (upper(c)) as l from t", "select coalesce(a, b) as k, upper(c) as l from t"},
			{"conditions", "select 1 as k from t where ((a = 1) and (b = 2)) or (c is null)", "select 1 as k from t where a = 1 and b = 2 or c is null"},
			{"subqueries", "select ((select max(v) from t)) as k", "select (select max(v) from t) as k"},
			{"lists", "select 1 as k from t where (a) in ((1), 2) and (b) between (1) and (2)", "select 1 as k from t where a in (1, 2) and b between 1 and 2"},
		})
		apart(t, dialect, []pair{
			{"levels", "select a * (b + c) as k from t", "select a * b + c as k from t"},
			{"right", "select a - (b - c) as k from t", "select a - b - c as k from t"},
			{"minus", "select -(1) as k", "select -1 as k"},
			{"OR in AND", "select 1 as k from t where a = 1 and (b = 2 or c = 3)", "select 1 as k from t where a = 1 and b = 2 or c = 3"},
			{"row", "select count(distinct (a, b)) as k from t", "select count(distinct a, b) as k from t"},
		})
	}
	merges(t, DialectDuckDB, []pair{
		{"one tree in both versions", "select a and (b and c), (a || b) || c as k from t", "select a and b and c, a || b || c as k from t"},
		{"no item of that name", "select (st).a as a from s", "select st.a as a from s"},
		{"LIKE under IS", "select (x not like y) is null as n from t", "select x not like y is null as n from t"},
	})
	apart(t, DialectDuckDB, []pair{
		{"printed", "select (st).a from s", "select st.a from s"},
		{"T16: an alias is found in parentheses only", "select st as r from s where (r).a = 1", "select st as r from s where r.a = 1"},
		{"an item of that name", "select (s).a as k from s", "select s.a as k from s"},
		{"T42", "select 4 | (1 & 3) as k", "select 4 | 1 & 3 as k"},
		{"versions differ", "select ('1' == '1') || 'x' as k", "select '1' == '1' || 'x' as k"},
		{"named argument", "select * from f((a = 1))", "select * from f(a = 1)"},
		{"printed", "select (nm).upper() from t", "select nm.upper() from t"},
	})
	merges(t, DialectDatabricks, []pair{
		{"-1 is one literal", "SELECT (-1)::STRING AS k", "SELECT -1::STRING AS k"},
		{"same level", "SELECT (a || b) + c AS k, (a = b) = c AS l FROM t", "SELECT a || b + c AS k, a = b = c AS l FROM t"},
		{"sets", "SELECT count(*) AS n FROM t GROUP BY GROUPING SETS ((id), (v))", "SELECT count(*) AS n FROM t GROUP BY GROUPING SETS (id, v)"},
	})
	apart(t, DialectDatabricks, []pair{
		{"T42", "SELECT (a LIKE 'x') = b AS k FROM t", "SELECT a LIKE 'x' = b AS k FROM t"},
		{"Spark prints the nesting", "SELECT a AND (b AND c) FROM t", "SELECT a AND b AND c FROM t"},
	})
}

// Spark reserves no word: IN (SELECT (a)) is a list that calls a function named select, which fails.
func TestSelectReadAsCall(t *testing.T) {
	for sql, level := range map[string]string{
		"SELECT 1 AS k FROM t WHERE a IN (SELECT (b))":        LevelText,
		"SELECT 1 AS k FROM t WHERE a IN (SELECT (b) + 1)":    LevelText,
		"SELECT 1 AS k FROM t WHERE a IN (SELECT (b) FROM u)": LevelQualified,
		"SELECT 1 AS k FROM t WHERE a IN (SELECT b)":          LevelQualified,
		"SELECT 1 AS k FROM t WHERE EXISTS (SELECT (b))":      LevelQualified,
	} {
		if r := Normalize(sql, Options{Dialect: DialectDatabricks}); r.Level != level {
			t.Errorf("%s: level %s, want %s", sql, r.Level, level)
		}
	}
}
