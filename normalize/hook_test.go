package normalize

import (
	"strings"
	"testing"
)

// S7, S15: what provably reads nothing but this relation, and writes nothing but it.
func TestHook(t *testing.T) {
	this := []string{"cat", "sch", "t"}
	for _, c := range []struct {
		dialect, sql  string
		reads, writes bool
	}{
		{DialectDatabricks, "GRANT SELECT ON TABLE cat.sch.t TO `x`", false, false},
		{DialectDatabricks, "COMMENT ON TABLE cat.sch.t IS 'it''s; fine'", false, false},
		{DialectDatabricks, "ANALYZE TABLE cat.sch.t COMPUTE STATISTICS", false, false},
		{DialectDatabricks, "OPTIMIZE cat.sch.t ZORDER BY (id); VACUUM cat.sch.t", false, false},
		{DialectDatabricks, "INSERT INTO cat.ops.audit VALUES (1, 'x')", false, true},
		{DialectDatabricks, "INSERT INTO cat.ops.audit VALUES (1, current_timestamp())", true, true},
		{DialectDatabricks, "INSERT INTO cat.ops.audit SELECT count(*) FROM cat.sch.t", false, true},
		{DialectDatabricks, "INSERT INTO cat.sch.t SELECT * FROM cat.raw.u", true, false},
		{DialectDatabricks, "DELETE FROM sch.t WHERE id IS NULL", false, false},
		{DialectDatabricks, "DELETE FROM t WHERE id IS NULL", false, true},
		{DialectDatabricks, "MERGE INTO cat.sch.t USING cat.sch.s ON t.id = s.id WHEN MATCHED THEN DELETE", true, false},
		{DialectDatabricks, "DROP TABLE cat.sch.t", false, true},
		{DialectDatabricks, "USE CATALOG x", true, true},
		{DialectDatabricks, "SELECT 1", false, false},
		{DialectDatabricks, "SELECT f()", true, false},
		{DialectDatabricks, "CALL p()", true, true},
		{DialectDatabricks, "nonsense", true, true},
		{DialectDatabricks, " -- nothing\n", false, false},
		{DialectDuckDB, "insert into cat.sch.t values (1)", false, false},
		{DialectDuckDB, "insert into sch.t values (1)", false, true},
		{DialectDuckDB, "update cat.sch.t set a = 1 where b in (select b from cat.sch.u)", true, false},
		{DialectDuckDB, "vacuum; analyze", false, false},
		{DialectDuckDB, "create table cat.ops.x as select 1 as a", false, true},
		{DialectDuckDB, "create macro f(a) as a + 1", false, true},
		{DialectDuckDB, "attach 'x.db'", true, true},
		{DialectDuckDB, "with w as (insert into cat.ops.x values (1) returning a) select 1", true, true},
		{DialectDuckDB, "(with w as (truncate cat.sch.t) select 1)", true, true},
		{DialectDuckDB, "with w as (copy cat.sch.t to 'x.csv') select 1", true, true},
		{DialectDuckDB, "with w as (delete from cat.ops.x returning a) insert into cat.sch.t from w", true, true},
		{DialectDuckDB, "connect a", true, true},
		{DialectDuckDB, "disconnect", true, true},
		{DialectDuckDB, "load x as y", true, true},
		{DialectDuckDB, "show external resources", true, false},
		{DialectDuckDB, "'open", true, true},
	} {
		got := Hook(c.sql, Options{Dialect: c.dialect, Catalog: "cat", Schema: "sch"}, this)
		if got.Reads != c.reads || got.Writes != c.writes {
			t.Errorf("%s: %s: %+v", c.dialect, c.sql, got)
		}
	}
}

// What DuckDB 2.0 alone reads: a query that writes, keys that aggregate, joins whose columns no text shows.
func TestNewerDuckFacts(t *testing.T) {
	for _, c := range []struct{ sql, tables, opaque, volatile string }{
		{"with w as (insert into s.x select * from s.y returning a) select a from w", "s.y", "statement", ""},
		{"create table z as with w as (delete from s.x where a < now() returning a) select a from w", "", "statement", "now always deciding"},
		{"with w as (copy s.x to 'f.csv') select 1", "s.x", "statement", ""},
		{"with w as (copy (select * from s.y) to 'f.csv') select 1", "s.y", "statement", ""},
		{"with w as (truncate s.x) select 1", "", "statement", ""},
		{"with recursive r(k, v) using key (k, max(v)) as (select k, now() as v from s.y union all select k, v from r) select k, v from r", "s.y", "",
			"now always deciding"},
		{"with recursive r(k, v) using key (k, arg_max(v, random())) as (select k, v from s.y) select k from r", "s.y", "", "random always deciding"},
		{"with recursive r(k, v) using key (k, own(v)) as (select k, v from s.y) select k from r", "s.y", "own", ""},
		{"select a from s.x join by (type semi) s.y on x.a = y.a", "s.x s.y", "", ""},
		{"select a from s.x join by (type mark) s.y on x.a = y.a", "s.x s.y", "join by", ""},
		{"select a from s.x join by (type right_anti) s.y using (a)", "s.x s.y", "join by", ""},
	} {
		r := Normalize(c.sql, Options{Dialect: DialectDuckDB})
		var tables, volatile []string
		for _, x := range r.Facts.Tables {
			tables = append(tables, strings.Join(x, "."))
		}
		for _, v := range r.Facts.Volatile {
			volatile = append(volatile, v.Function+" "+v.Kind+" "+v.Use)
		}
		if strings.Join(tables, " ") != c.tables || strings.Join(r.Facts.Opaque, " ") != c.opaque || strings.Join(volatile, ", ") != c.volatile {
			t.Errorf("%s: %+v", c.sql, r.Facts)
		}
	}
}

// Statements other than queries: what their queries read, not what they fill.
func TestStatementFacts(t *testing.T) {
	for _, c := range []struct {
		dialect, sql, tables, volatile string
		star                           bool
	}{
		{DialectDatabricks, "WITH c AS (SELECT * FROM raw.a) INSERT INTO t SELECT * FROM c", "raw.a", "", true},
		{DialectDatabricks, "FROM raw.a INSERT INTO t SELECT id INSERT INTO u SELECT *", "raw.a", "", true},
		{DialectDatabricks, "UPDATE t SET a = now() WHERE b IN (SELECT b FROM u)", "u", "now always deciding", false},
		{DialectDatabricks, "CREATE TABLE t CLONE raw.a VERSION AS OF 3", "raw.a", "", false},
		{DialectDatabricks, "CREATE TABLE t LIKE raw.a", "raw.a", "", false},
		{DialectDatabricks, "INSERT INTO t SELECT id, now() AS at FROM raw.a", "raw.a", "now always stamp", false},
		{DialectDatabricks, "INSERT INTO t REPLACE WHERE d >= current_date() SELECT * FROM raw.a", "raw.a", "current_date date deciding", true},
		{DialectDatabricks, "MERGE INTO t USING (SELECT id, now() AS at FROM raw.a) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, at) VALUES (s.id, s.at)",
			"raw.a", "now always deciding", false},
		{DialectDuckDB, "with c as (select 1 as x) update t set a = (select x from c) from u where t.id = u.id", "u", "", false},
		{DialectDuckDB, "delete from t using u where t.id = u.id", "u", "", false},
		{DialectDuckDB, "insert into t select * from u on conflict (id) do update set a = excluded.a", "u", "", true},
	} {
		f := codeOf(t, c.dialect, c.sql).Facts
		if got := joinTables(f.Tables); got != c.tables || f.SelectStar != c.star {
			t.Errorf("%s: tables %q, star %t", c.sql, got, f.SelectStar)
		}
		if got := volatileOf(t, c.dialect, c.sql); got != c.volatile {
			t.Errorf("%s: volatile %q", c.sql, got)
		}
	}
	merges(t, DialectDatabricks, []pair{
		{"queries inside", "INSERT INTO t SELECT x.id FROM raw.a x", "insert into t select id from raw.a y"},
		{"the source of several", "FROM raw.a INSERT INTO t SELECT ID WHERE id > 1", "from raw.a insert into t select ID where id > 1"},
	})
	apart(t, DialectDatabricks, []pair{
		{"a variable of a script", "BEGIN DECLARE v INT; SELECT v AS k FROM t; END", "BEGIN DECLARE v INT; SELECT t.v AS k FROM t; END"},
		{"a parameter of a function", "CREATE FUNCTION f(v INT) RETURNS INT RETURN (SELECT max(v) FROM t)", "CREATE FUNCTION f(v INT) RETURNS INT RETURN (SELECT max(t.v) FROM t)"},
		{"another target", "INSERT INTO t SELECT 1", "INSERT INTO u SELECT 1"},
		{"the target's alias is written where it is used", "DELETE FROM t a WHERE a.id = 1", "DELETE FROM t b WHERE a.id = 1"},
	})
}
