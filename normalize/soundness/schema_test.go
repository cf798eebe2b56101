package soundness

import (
	"fmt"
	"strings"
)

// databases is the number of databases that every query runs on. The first has the columns that the queries are written for; the others lack
// some, have more, called like aliases, parameters and functions, and other types and orders.
const databases = 3

// settings make runs repeatable: one thread, rows in the order of insertion.
const settings = "set threads = 1\nset max_expression_depth = 500\nset timezone = 'UTC'"

// intruders are columns that queries do not know of, named like what they do know.
var intruders = []string{"a", "b", "t", "u", "x", "y", "i", "k", "q", "t1", "T2", "c1", "_t1", "lam", "main", "Odd", "z1", "z2", "sum", "upper", "count", "w",
	"col0", "n", "r0", "id", "ID2", "É", "é", "v", "row0", "g0", "k0", "val", "current_user", "unnest", "range", "element"}

// someOf are values of a kind, as SQL; NULL and duplicates come with the rows.
var someOf = map[kind][]string{
	kInt:    {"0", "1", "1", "2", "2", "3", "-1", "7", "null"},
	kStr:    {"'x'", "'X'", "'Y'", "'it''s'", "''", "'ü'", "'Ü'", "'a'", "'1'", "'2'", `'a\nb'`, "null", "'ab'", "'x'"},
	kDate:   {"date '2020-01-01'", "date '2021-05-05'", "date '2021-05-05'", "null", "date '1999-12-31'"},
	kDec:    {"1.50", "0.25", "2.00", "null", "-1.75"},
	kStruct: {"{'a': 1, 'b': 'q', 'Id': 5}", "{'a': null, 'b': '', 'Id': 0}", "null", "{'a': 2, 'b': 'x', 'Id': 1}"},
	kList:   {"[1, 2]", "[]", "null", "[3]", "[null]", "[2, 1, 2]"},
	kMap:    {"map {'a': 1, 'A': 2}", "map {}", "null", "map {'a': 7}"},
	kFloat:  {"'nan'::double", "0.0", "-0.0", "1.5", "null", "'inf'::double", "2.0"},
	kJSON:   {`'{"a": 1, "A": 2}'`, `'{"a": {"b": "x"}}'`, "null", `'[]'`},
	kStamp:  {"timestamp '2020-01-01 10:00:00'", "timestamp '2021-05-05 23:59:59.5'", "null"},
	kList2:  {"[{'a': 1}, {'a': 2}]", "[]", "null"},
}

// typesOf are the types of a kind: the first is the one that the queries are written for.
var typesOf = map[kind][]string{
	kInt:    {"int", "bigint", "smallint", "double", "hugeint"},
	kStr:    {"varchar", "varchar"},
	kDate:   {"date", "timestamp"},
	kDec:    {"decimal(5, 2)", "decimal(9, 3)", "double"},
	kStruct: {"struct(a int, b varchar, \"Id\" int)", "struct(\"Id\" int, b varchar, a int)"},
	kList:   {"int[]", "bigint[]"},
	kMap:    {"map(varchar, int)", "map(varchar, bigint)"},
	kFloat:  {"double", "float"},
	kJSON:   {"varchar", "varchar"},
	kStamp:  {"timestamp", "timestamptz"},
	kList2:  {"struct(a int)[]", "struct(a bigint)[]"},
}

// script writes the tables of the n-th database of a seed.
func script(seed uint64, n int) string {
	s := &source{seed: mix(seed*1000 + uint64(n) + 77)}
	pick := func(n int) int { return int(s.next() % uint64(n)) }
	var b strings.Builder
	for _, table := range tables {
		var cols []col
		seen := map[string]bool{}
		for _, c := range table.cols {
			if n == 0 || n == 1 && pick(8) > 0 || pick(3) > 0 {
				if n > 0 && pick(6) == 0 {
					c.name = strings.ToUpper(c.name)
				}
				cols = append(cols, c)
				seen[strings.ToLower(c.name)] = true
			}
		}
		if n > 0 || pick(2) == 0 {
			for range 1 + pick(3)*n {
				c := col{intruders[pick(len(intruders))], []kind{kInt, kInt, kStr}[pick(3)]}
				if n > 0 && !seen[strings.ToLower(c.name)] {
					cols = append(cols, c)
					seen[strings.ToLower(c.name)] = true
				}
			}
			if n > 0 {
				for i := len(cols) - 1; i > 0; i-- {
					j := pick(i + 1)
					cols[i], cols[j] = cols[j], cols[i]
				}
			}
		}
		if len(cols) == 0 {
			cols = []col{{"id", kInt}}
		}
		var list []string
		for _, c := range cols {
			ty := typesOf[c.kind][0]
			if n > 0 && pick(4) == 0 {
				ty = typesOf[c.kind][pick(len(typesOf[c.kind]))]
			}
			list = append(list, fmt.Sprintf("\"%s\" %s", c.name, ty))
		}
		fmt.Fprintf(&b, "create or replace table \"%s\"(%s)\n", table.name, strings.Join(list, ", "))
		rows := 2 + pick(4)
		if pick(10) == 0 {
			rows = 0
		}
		var last string
		for i := range rows {
			var values []string
			for _, c := range cols {
				pool := someOf[c.kind]
				values = append(values, pool[pick(len(pool))])
			}
			row := strings.Join(values, ", ")
			if i > 0 && pick(4) == 0 {
				row = last
			}
			last = row
			fmt.Fprintf(&b, "insert into \"%s\" values (%s)\n", table.name, row)
		}
	}
	return b.String()
}

// fillAll gives every database the tables of a seed.
func fillAll(e engine, seed uint64) error {
	for n := range databases {
		if err := e.fill(n, script(seed, n)); err != nil {
			return err
		}
	}
	return nil
}
