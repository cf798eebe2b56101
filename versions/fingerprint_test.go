package versions

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"hodor/engine"
)

// unequal holds values of one type, no two of which are equal to a reader who looks at them through casts, typeof or order.
var unequal = []struct {
	typ    string
	values []string
}{
	{"BOOLEAN", []string{"true", "false", "NULL"}},
	{"TINYINT", []string{"0", "-1", "1", "127", "-128", "NULL"}},
	{"UBIGINT", []string{"0", "1", "18446744073709551615", "NULL"}},
	{"BIGINT", []string{"0", "-1", "1", "4294967296", "9223372036854775807", "NULL"}},
	{"HUGEINT", []string{"0", "-1", "1", "18446744073709551616", "18446744073709551617", "-18446744073709551617", "36893488147419103233", "NULL"}},
	{"UHUGEINT", []string{"0", "1", "18446744073709551616", "18446744073709551617", "340282366920938463463374607431768211455", "NULL"}},
	{"DECIMAL(5,2)", []string{"0", "-0.01", "0.01", "999.99", "NULL"}},
	{"DECIMAL(18,3)", []string{"0", "-0.001", "0.001", "NULL"}},
	{"DECIMAL(38,3)", []string{"0", "-0.001", "0.001", "18446744073709551.616", "18446744073709551.617", "NULL"}},
	{"DOUBLE", []string{"0.0", "'-0.0'", "'nan'", "'-nan'", "'inf'", "'-inf'", "5e-324", "0.1", "0.1::FLOAT", "NULL"}},
	{"FLOAT", []string{"0.0", "'-0.0'", "'nan'", "'-nan'", "'inf'", "0.1", "NULL"}},
	{"VARCHAR", []string{"''", "'a'", "'A'", "'NULL'", "chr(0)", "'a' || chr(0)", "' '", "'\u00e9'", "'e\u0301'", "'\u00df'", "'ss'", "'~'", "NULL"}},
	{"BLOB", []string{"''", `'\x00'`, `'\x00\x00'`, `'\x5Cx00'`, "'a'", "'A'", "NULL"}},
	{"BIT", []string{"'0'", "'00'", "'0000000'", "'00000000'", "'1'", "'01'", "'11111111'", "NULL"}},
	{"UUID", []string{"'00000000-0000-0000-0000-000000000000'", "'80000000-0000-0000-0000-000000000000'", "'00000000-0000-0001-0000-000000000001'",
		"'80000000-0000-0001-0000-000000000001'", "'12345678-1234-1234-9234-567812345678'", "NULL"}},
	{"DATE", []string{"'1970-01-01'", "'infinity'", "'-infinity'", "NULL"}},
	{"TIME", []string{"'00:00:00'", "'24:00:00'", "'00:00:00.000001'", "NULL"}},
	{"TIMETZ", []string{"'12:00:00+00'", "'13:00:00+01'", "'11:00:00-01'", "NULL"}},
	{"TIMESTAMP", []string{"'1970-01-01'", "'infinity'", "'-infinity'", "'1970-01-01 00:00:00.000001'", "NULL"}},
	{"TIMESTAMP_NS", []string{"'1970-01-01'", "'1970-01-01 00:00:00.000000001'", "NULL"}},
	{"TIMESTAMPTZ", []string{"'1970-01-01 00:00:00+00'", "'1970-01-01 01:00:00+00'", "'infinity'", "NULL"}},
	{"INTERVAL", []string{"'1 month'", "'30 days'", "'720 hours'", "'1 day'", "'24 hours'", "'1 hour'", "'1 year'", "'360 days'", "'0 days'",
		"'1 month -30 days'", "'1 day -24 hours'", "'-1 day'", "'1 microsecond'", "NULL"}},
	{"ENUM('a', 'A', 'NULL')", []string{"'a'", "'A'", "'NULL'", "NULL"}},
	{"JSON", []string{"'{}'", "'{ }'", "'null'", "'1'", "'1.0'", `'"a"'`, `'"A"'`, "NULL"}},
	{"INTEGER[]", []string{"[]", "[NULL]", "[NULL, NULL]", "[0]", "[0, 0]", "[1]", "[1, NULL]", "[NULL, 1]", "NULL"}},
	{"VARCHAR[]", []string{"[]", "[NULL]", "['']", "['NULL']", "['a,b']", "['a', 'b']", "['a, b']", "[NULL, 'NULL']", "['NULL', NULL]", "['[]']",
		"['a''']", `['a"']`, "['a']", "['A']", "['null']", "[' a']", `['a\']`, `['a\\']`, "NULL"}},
	{"INTEGER[][]", []string{"[]", "[[]]", "[NULL]", "[[NULL]]", "[[], []]", "[[1], [2]]", "[[1, 2]]", "[[1, 2], []]", "[[], [1, 2]]", "[NULL, []]",
		"[[], NULL]", "NULL"}},
	{"HUGEINT[]", []string{"[0]", "[-1]", "[0, -1]", "[-1, 0]", "NULL"}},
	{"DOUBLE[]", []string{"[0.0]", "['-0.0']", "['nan']", "[]", "NULL"}},
	{"INTERVAL[]", []string{"['1 month']", "['30 days']", "['1 day']", "NULL"}},
	{"INTEGER[2]", []string{"[NULL, NULL]", "[1, NULL]", "[NULL, 1]", "[0, 0]", "NULL"}},
	{"STRUCT(a INTEGER, b VARCHAR)", []string{"{'a': NULL, 'b': NULL}", "{'a': 1, 'b': NULL}", "{'a': 1, 'b': 'NULL'}", "{'a': 1, 'b': ''}", "{'a': 1, 'b': 'x'}",
		"{'a': 1, 'b': 'X'}", "NULL"}},
	{"STRUCT(a INTEGER[], b INTEGER[])", []string{"{'a': [], 'b': NULL}", "{'a': NULL, 'b': []}", "{'a': NULL, 'b': NULL}", "{'a': [NULL], 'b': []}", "NULL"}},
	{"STRUCT(a VARCHAR, b VARCHAR)", []string{"{'a': 'x, ''b'': y', 'b': 'z'}", "{'a': 'x', 'b': 'y, ''b'': z'}", "{'a': 'x', 'b': 'y'}", "NULL"}},
	{"MAP(VARCHAR, INTEGER)", []string{"MAP {}", "MAP {'a': NULL}", "MAP {'a': 1}", "MAP {'A': 1}", "MAP {'a': 1, 'b': 2}", "MAP {'b': 2, 'a': 1}", "MAP {'': NULL}", "NULL"}},
	{"UNION(a INTEGER, b INTEGER)", []string{"union_value(a := 1)", "union_value(b := 1)", "union_value(a := NULL::INTEGER)", "union_value(b := NULL::INTEGER)", "NULL"}},
	{"UNION(a INTEGER[], b INTEGER[])", []string{"union_value(a := []::INTEGER[])", "union_value(b := []::INTEGER[])", "union_value(a := NULL::INTEGER[])",
		"union_value(b := NULL::INTEGER[])", "union_value(a := [NULL]::INTEGER[])", "union_value(b := [NULL]::INTEGER[])", "NULL"}},
	{"UNION(a VARCHAR, b INTEGER)", []string{"union_value(a := '1')", "union_value(b := 1)", "NULL"}},
	{"UNION(a DOUBLE, b DOUBLE)[]", []string{"[union_value(a := 0.0::DOUBLE)]", "[union_value(b := 0.0::DOUBLE)]", "[union_value(a := '-0.0'::DOUBLE)]",
		"[union_value(b := '-0.0'::DOUBLE)]"}},
	{"UNION(a HUGEINT, b HUGEINT)", []string{"union_value(a := 0::HUGEINT)", "union_value(b := 0::HUGEINT)", "union_value(a := (-1)::HUGEINT)", "union_value(b := (-1)::HUGEINT)"}},
}

// TestUnequalValues makes a table of one row for each value of each type and shows that no two have one token, among them every pair that
// hash() calls equal. Alone, a value stands for what a changed row does to a table of any size.
func TestUnequalValues(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		equalHashes := 0
		for i, u := range unequal {
			var creates, selects []string
			for j, v := range u.values {
				creates = append(creates, fmt.Sprintf("create table v%d_%d as select (%s)::%s as c", i, j, v, u.typ))
				selects = append(selects, fmt.Sprintf("select %d as j, hash(c)::varchar as h from v%d_%d", j, i, j))
			}
			w.exec(strings.Join(creates, ";"))
			a, err := w.host.Query(context.Background(), strings.Join(selects, " union all ")+" order by j")
			if err != nil {
				t.Fatal(err)
			}
			hashes := map[string]bool{}
			for _, r := range a.Rows {
				if hashes[*r[1]] {
					equalHashes++
				}
				hashes[*r[1]] = true
			}
		}
		for i, u := range unequal {
			tokens := map[engine.Version]string{}
			for j, v := range u.values {
				token := w.reader.Rows(context.Background(), inMain(fmt.Sprintf("v%d_%d", i, j)), "")
				if !token.Known() {
					t.Errorf("%s %s: no version", u.typ, v)
					continue
				}
				// The tables have different names and so different DDL: compare what is in front of the columns' part.
				rows, _, _ := strings.Cut(string(token), "#")
				if other, ok := tokens[engine.Version(rows)]; ok {
					t.Errorf("%s: %s and %s have one token", u.typ, other, v)
				}
				tokens[engine.Version(rows)] = v
			}
		}
		if equalHashes < 30 {
			t.Errorf("hash() called only %d of the values equal to another; the test has lost its point", equalHashes)
		}
	})
}

// TestTableChanges changes one table step by step; each step is a change or is none.
func TestTableChanges(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.exec(`create table t(id integer, name varchar, v hugeint)`, `insert into t values (1, 'a', 0), (2, 'b', 5), (2, 'b', 5)`)
		last := w.reader.Rows(context.Background(), inMain("t"), "")
		if !last.Known() {
			t.Fatal("no version")
		}
		for _, step := range []struct {
			sql     string
			changes bool
		}{
			{"select 1", false},
			{"checkpoint", false},
			{"insert into t select * from t where false", false},
			{"comment on table t is 'x'", false},
			{"create or replace table t as select * from t order by id desc", true}, // HUGEINT and all stay; so does the DDL: see below
			{"update t set v = -1 where v = 0", true},
			{"update t set name = 'B' where id = 1", true},
			{"delete from t where rowid = (select min(rowid) from t where id = 2)", true},
			{"insert into t values (2, 'b', 5)", true},
			{"alter table t rename column name to nom", true},
			{"alter table t alter column id type bigint", true},
			{"alter table t add column w integer", true},
			{"create or replace table t as select nom, id, v, w from t", true},
			{"alter table t alter column nom type varchar collate nocase", true},
			{"update t set nom = upper(nom)", true},
			{"delete from t", true},
		} {
			w.exec(step.sql)
			w.reader.Invalidate(inMain("t"))
			now := w.reader.Rows(context.Background(), inMain("t"), "")
			if strings.Contains(step.sql, "order by id desc") {
				if now != last {
					t.Errorf("%s: the order of rows is a change: %s, %s", step.sql, last, now)
				}
				continue
			}
			if !now.Known() || (now != last) != step.changes {
				t.Errorf("%s: change %v, but %s, then %s", step.sql, step.changes, last, now)
			}
			last = now
		}
		w.exec("drop table t")
		w.reader.InvalidateAll()
		if v := w.reader.Rows(context.Background(), inMain("t"), ""); v.Known() {
			t.Errorf("a dropped table has the version %s", v)
		}
	})
}

// TestSumsAreOrderFree compares tables of some thousand rows in two orders and with two rows' values swapped.
func TestSumsAreOrderFree(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.exec("create schema x", "create schema y", "create schema z",
			"create table x.t as select i::integer as a, (i * 7)::varchar as b, i / 3 as c from range(5000) r(i)",
			"create table y.t as select * from x.t order by a desc",
			"create table z.t as select a, case a when 17 then '126' when 18 then '119' else b end as b, c from x.t")
		var v []string
		for _, s := range []string{"x", "y", "z"} {
			rows, _, _ := strings.Cut(string(w.reader.Rows(context.Background(), rel("memory", s, "t"), "")), "#")
			v = append(v, rows)
		}
		if v[0] == "" || v[0] != v[1] {
			t.Errorf("two orders: %s and %s", v[0], v[1])
		}
		if v[2] == "" || v[0] == v[2] {
			t.Errorf("two values swapped between rows: %s both times", v[0])
		}
	})
}

func TestVariant(t *testing.T) {
	for typ, want := range map[string]bool{
		"VARIANT": true, "VARIANT[]": true, "STRUCT(x VARIANT, y INTEGER)": true, "STRUCT(y INTEGER, x VARIANT)": true, "MAP(VARCHAR, VARIANT)": true,
		"STRUCT(variant VARCHAR)": false, `STRUCT("VARIANT" INTEGER)`: false, "ENUM('VARIANT', 'b')": false, "ENUM('it''s VARIANT')": false, "VARCHAR": false,
		`STRUCT("a""VARIANT" VARIANT)`: true,
	} {
		if hasVariant(typ) != want {
			t.Errorf("%s: %v", typ, !want)
		}
	}
	each(t, func(t *testing.T, w *world) {
		w.exec("create table t as select 1::integer::variant as c")
		if v := w.reader.Rows(context.Background(), inMain("t"), ""); v.Known() {
			t.Errorf("a table with a VARIANT has the version %s", v)
		}
	})
}
