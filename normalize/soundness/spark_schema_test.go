package soundness

import (
	"fmt"
	"strings"
)

// sparkValues are values of a kind in Databricks' dialect.
var sparkValues = map[kind][]string{
	kInt:    {"0", "1", "1", "2", "2", "3", "-1", "7", "null"},
	kStr:    {"'x'", "'X'", "'Y'", "'it\\'s'", "''", "'ü'", "'a'", "'1'", "'2'", `'a\nb'`, "null", "'ab'"},
	kDate:   {"date '2020-01-01'", "date '2021-05-05'", "null", "date '1999-12-31'"},
	kDec:    {"1.50", "0.25", "2.00", "null", "-1.75"},
	kStruct: {"named_struct('a', 1, 'b', 'q', 'Id', 5)", "named_struct('a', cast(null as int), 'b', '', 'Id', 0)", "null", "named_struct('a', 2, 'b', 'x', 'Id', 1)"},
	kList:   {"array(1, 2)", "cast(array() as array<int>)", "null", "array(3)", "array(cast(null as int))", "array(2, 1, 2)"},
	kMap:    {"map('a', 1, 'A', 2)", "cast(map() as map<string, int>)", "null", "map('a', 7)"},
	kFloat:  {"double('nan')", "0.0D", "-0.0D", "1.5D", "null", "double('infinity')", "2.0D"},
	kJSON:   {`'{"a": 1, "A": 2}'`, `'{"a": {"b": "x"}}'`, "null", `'[]'`},
	kStamp:  {"timestamp '2020-01-01 10:00:00'", "timestamp '2021-05-05 23:59:59.5'", "null"},
	kList2:  {"array(named_struct('a', 1), named_struct('a', 2))", "null"},
}

// sparkTypes are the types of a kind: the first is the one that the queries are written for.
var sparkTypes = map[kind][]string{
	kInt:    {"int", "bigint", "smallint", "double"},
	kStr:    {"string"},
	kDate:   {"date", "timestamp"},
	kDec:    {"decimal(5, 2)", "decimal(9, 3)"},
	kStruct: {"struct<a: int, b: string, Id: int>"},
	kList:   {"array<int>", "array<bigint>"},
	kMap:    {"map<string, int>"},
	kFloat:  {"double", "float"},
	kJSON:   {"string"},
	kStamp:  {"timestamp", "timestamp_ntz"},
	kList2:  {"array<struct<a: int>>"},
}

// sparkDatabases is the number of sessions with other tables each; Spark is slow.
const sparkDatabases = 2

// sparkScript are the temporary views of the n-th session of a seed.
func sparkScript(seed uint64, n int) []string {
	s := &source{seed: mix(seed*1000 + uint64(n) + 177)}
	pick := func(n int) int { return int(s.next() % uint64(n)) }
	var out []string
	for _, table := range tables {
		var cols []col
		seen := map[string]bool{}
		for _, c := range table.cols {
			if n == 0 || pick(8) > 0 {
				cols = append(cols, c)
				seen[strings.ToLower(c.name)] = true
			}
		}
		if n > 0 {
			for range 1 + pick(4) {
				c := col{intruders[pick(len(intruders))], []kind{kInt, kInt, kStr}[pick(3)]}
				if !seen[strings.ToLower(c.name)] {
					cols = append(cols, c)
					seen[strings.ToLower(c.name)] = true
				}
			}
			for i := len(cols) - 1; i > 0; i-- {
				j := pick(i + 1)
				cols[i], cols[j] = cols[j], cols[i]
			}
		}
		rows := 2 + pick(3)
		where := ""
		if pick(10) == 0 {
			where = " where false"
		}
		var names, items, lines []string
		for i, c := range cols {
			ty := sparkTypes[c.kind][0]
			if n > 0 && pick(4) == 0 {
				ty = sparkTypes[c.kind][pick(len(sparkTypes[c.kind]))]
			}
			names = append(names, fmt.Sprintf("c_%d", i))
			items = append(items, fmt.Sprintf("cast(c_%d as %s) as `%s`", i, ty, c.name))
		}
		last := ""
		for i := range rows {
			var values []string
			for _, c := range cols {
				pool := sparkValues[c.kind]
				values = append(values, pool[pick(len(pool))])
			}
			line := "(" + strings.Join(values, ", ") + ")"
			if i > 0 && pick(4) == 0 {
				line = last
			}
			last = line
			lines = append(lines, line)
		}
		out = append(out, fmt.Sprintf("create or replace temporary view `%s` as select %s from values %s as rows(%s)%s", table.name, strings.Join(items, ", "),
			strings.Join(lines, ", "), strings.Join(names, ", "), where))
	}
	return out
}
