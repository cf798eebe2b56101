package soundness

import (
	"context"
	"database/sql"
	"fmt"
	"sort"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
)

// outcome is what a query gives on one database: names and types of its columns, and its rows as a multiset.
type outcome struct {
	columns string
	rows    string
	err     string
}

// engine is one DuckDB with several databases of the same tables, each with another schema and other rows.
type engine struct {
	db    *sql.DB
	conns []*sql.Conn
}

func newEngine(t testing.TB, schemas []string) *engine {
	t.Helper()
	e := &engine{}
	for _, schema := range schemas {
		db, err := sql.Open("duckdb", "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		conn, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, statement := range strings.Split("set threads = 1; set max_expression_depth = 500;"+schema, ";\n") {
			if strings.TrimSpace(statement) == "" {
				continue
			}
			if _, err := conn.ExecContext(context.Background(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		e.conns = append(e.conns, conn)
	}
	return e
}

// run executes one query on the n-th database.
func (e *engine) run(n int, query string) outcome {
	rows, err := e.conns[n].QueryContext(context.Background(), query)
	if err != nil {
		return outcome{err: err.Error()}
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return outcome{err: err.Error()}
	}
	var columns []string
	for _, ty := range types {
		columns = append(columns, ty.Name()+" "+ty.DatabaseTypeName())
	}
	var lines []string
	values := make([]any, len(types))
	for i := range values {
		values[i] = new(any)
	}
	for rows.Next() {
		if err := rows.Scan(values...); err != nil {
			return outcome{err: err.Error()}
		}
		var line []string
		for _, v := range values {
			line = append(line, fmt.Sprintf("%T:%v", *v.(*any), *v.(*any)))
		}
		lines = append(lines, strings.Join(line, "|"))
	}
	if err := rows.Err(); err != nil {
		return outcome{err: err.Error()}
	}
	sort.Strings(lines)
	return outcome{columns: strings.Join(columns, ", "), rows: strings.Join(lines, "\n")}
}

// schemas are the databases: the second has more columns in another order and other cases, the third fewer.
var schemas = []string{
	`
create table t(id int, a int, b varchar, s struct(a int, b varchar, "Id" int), l int[], m map(varchar, int), x int);
insert into t values (1, 1, 'x', {'a': 1, 'b': 'q', 'Id': 5}, [1, 2], map {'a': 1, 'A': 2}, 3), (2, null, 'Y', null, [], map {}, 1),
  (3, 3, 'it''s', {'a': null, 'b': '', 'Id': 0}, null, map {'a': 7}, 2), (2, 1, null, {'a': 2, 'b': 'x', 'Id': 1}, [3], null, null);
create table u(id int, a int, c decimal(5, 2), t int, "Nm" varchar);
insert into u values (1, 2, 1.50, 1, 'x'), (2, 2, null, 3, 'a\nb'), (4, null, 0.25, null, null);
create table v(a int, b int, d date, k varchar, t1 int);
insert into v values (1, 2, date '2020-01-01', 'x', 4), (3, 3, null, 'Y', 1), (null, 1, date '2021-05-05', null, 0);
create table "Odd"("Select" int, "a b" varchar, id int, v int, c1 int);
insert into "Odd" values (1, 'x', 1, 2, 3), (2, 'y', null, 4, 1), (null, null, 3, 1, 2)
`,
	`
create table t(x int, y int, "ID" int, "A" int, "B" varchar, m map(varchar, int), l int[], s struct("Id" int, b varchar, a int), k int);
insert into t values (3, 9, 1, 1, 'x', map {'a': 1}, [2], {'Id': 5, 'b': 'q', 'a': 1}, 4), (1, 8, 2, null, 'Y', map {'A': 3}, [], null, 5),
  (2, 7, 7, 2, null, null, null, {'Id': 1, 'b': null, 'a': 3}, null);
create table u("Nm" varchar, t int, c decimal(5, 2), id int, a int, b int, x int);
insert into u values ('x', 1, 2.25, 2, 2, 1, 1), ('Y', 2, null, 1, 1, 2, 5), (null, null, 0.5, 7, null, 3, null);
create table v(t1 int, k varchar, d date, "B" int, a int, id int, v int);
insert into v values (1, 'x', date '2022-02-02', 1, 3, 2, 2), (2, 'it''s', null, 2, null, 1, 1);
create table "Odd"(c1 int, v int, "Select" int, "a b" varchar, "Id" int, a int, t int);
insert into "Odd" values (1, 2, 3, 'x', 1, 2, 3), (3, 2, 1, null, 2, 1, null)
`,
	`
create table t(id int, b varchar, l int[], m map(varchar, int));
insert into t values (1, 'x', [1], map {'a': 1}), (2, null, null, null);
create table u(id int, t int, "Nm" varchar, q int);
insert into u values (1, 1, 'x', 2), (3, 2, 'y', 3);
create table v(a int, d date, k varchar, z int);
insert into v values (1, date '2020-01-01', 'x', 1), (2, null, 'k', 2);
create table "Odd"("Select" int, id int, c1 int);
insert into "Odd" values (1, 1, 2), (2, null, 1)
`,
}
