//go:build spark

package sparktest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"hodor/warehouse"
)

func TestSparkParses(t *testing.T) {
	s := Get(t)
	got := s.Parse(t,
		"with x as (select 1) select * from x join `Odd`.`a, b` y join (with z as (select 2) select * from z)",
		"select from",
		"OPTIMIZE a.t ZORDER BY (b)",
		"MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE",
		"select * from range(3)",
		"selec",
		"select 1; select 2",
	)
	want := []Parsed{
		{OK: true, Tables: [][]string{{"Odd", "a, b"}}, Kind: "UnresolvedWith"},
		{OK: true, Tables: [][]string{}},
		{OK: true, Targets: [][]string{{"a", "t"}}, Kind: "OptimizeTableCommand"},
		{OK: true, Tables: [][]string{{"t"}, {"s"}}, Kind: "MergeIntoTable"},
		{OK: true, Functions: [][]string{{"range"}}, Kind: "Project"},
		{},
		{},
	}
	for i, p := range got {
		w := want[i]
		if p.OK != w.OK || !slices.EqualFunc(p.Tables, w.Tables, slices.Equal) || !slices.EqualFunc(p.Targets, w.Targets, slices.Equal) ||
			!slices.EqualFunc(p.Functions, w.Functions, slices.Equal) || (p.Error == "") != p.OK {
			t.Errorf("%d: got %+v, want %+v", i, p, w)
		}
	}
}

func TestSparkRuns(t *testing.T) {
	s := Get(t)
	schema := s.Schema(t)
	s.Exec(t, "CREATE TABLE "+schema+".t (id INT, name STRING) USING delta", "INSERT INTO "+schema+".t VALUES (2, 'x'), (1, NULL)")
	text := func(v string) *string { return &v }
	r, err := s.Run(t.Context(), "SELECT id, name AS `a b`, map('b', 1, 'a', 2) AS m, -0.0D, X'00ff' FROM "+schema+".t ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	want := Result{
		Columns: []string{"id", "a b", "m", "-0.0", "X'00FF'"}, Types: []string{"int", "string", "map<string,int>", "double", "binary"},
		Rows: [][]*string{
			{text("1"), nil, text(`{"a":"2","b":"1"}`), text("-0.0"), text("00ff")},
			{text("2"), text("x"), text(`{"a":"2","b":"1"}`), text("-0.0"), text("00ff")},
		},
		Ordered: true,
	}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("got %+v\nwant %+v", r, want)
	}
	a, err := s.Query(t.Context(), "DESCRIBE HISTORY "+schema+".t LIMIT 1")
	if err != nil || len(a.Rows) != 1 || *a.Rows[0][slices.Index(a.Columns, "operation")] != "WRITE" {
		t.Errorf("the history: %+v, %v", a, err)
	}
	if *a.Rows[0][slices.Index(a.Columns, "operationParameters")] != `{"mode": "Append", "partitionBy": "[]"}` {
		t.Errorf("parameters: %s", *a.Rows[0][slices.Index(a.Columns, "operationParameters")])
	}
}

// TestSparkTellsApart: values that differ, of one type, have different texts.
func TestSparkTellsApart(t *testing.T) {
	s := Get(t)
	for _, values := range [][]string{
		{"0.0D", "-0.0D", "double('nan')", "double('inf')", "NULL"},
		{"array('1', NULL)", "array('1')", "array('1', 'null')", "array('1, null')", "array()", "NULL"},
		{"map('a', 1)", "map('a', NULL)", "map('a', 1, 'b', 2)", "map('a:1', 1)"},
		{"named_struct('a', 1, 'b', NULL)", "named_struct('a', NULL, 'b', 1)", "named_struct('a', NULL, 'b', NULL)", "NULL"},
		{"X''", "X'00'", "X'0000'", "NULL"},
		{"interval '1' month", "interval '1' year", "interval '0' month"},
		{"make_interval(0, 1)", "make_interval(0, 0, 0, 30)", "make_interval(0, 0, 0, 29, 24)"},
		{"parse_json('1')", "parse_json('\"1\"')", "parse_json('null')", "NULL"},
	} {
		seen := map[string]string{}
		for _, v := range values {
			r, err := s.Run(t.Context(), "SELECT "+v+" AS v")
			if err != nil {
				t.Errorf("%s: %v", v, err)
				continue
			}
			got := "NULL"
			if r.Rows[0][0] != nil {
				got = "text " + *r.Rows[0][0]
			}
			if other, ok := seen[got]; ok {
				t.Errorf("%s and %s are both %q", other, v, got)
			}
			seen[got] = v
		}
	}
}

func TestSparkSessions(t *testing.T) {
	one, two := Get(t), Get(t)
	one.Exec(t, "CREATE TEMPORARY VIEW v AS SELECT 1 AS a", "SET spark.sql.ansi.enabled = false", "SELECT * FROM v")
	_, err := two.Run(t.Context(), "SELECT * FROM v")
	if e, ok := errors.AsType[*Error](err); !ok || e.Condition != "TABLE_OR_VIEW_NOT_FOUND" {
		t.Errorf("another session's view: %v", err)
	}
	if _, err := two.Run(t.Context(), "SELECT cast('x' AS int)"); err == nil {
		t.Error("another session's setting counts")
	}
	one.Reset(t)
	for _, sql := range []string{"SELECT * FROM v", "SELECT cast('x' AS int)"} {
		if _, err := one.Run(t.Context(), sql); err == nil {
			t.Errorf("%s works after a reset", sql)
		}
	}
	_, err = one.Query(t.Context(), "SELECT nope")
	if _, ok := errors.AsType[*warehouse.StatementError](err); !ok {
		t.Errorf("as a host: %T %v", err, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := one.Run(ctx, "SELECT 1"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestSparkThrift(t *testing.T) {
	s := Get(t)
	port := s.Thrift(t)
	if again := Get(t).Thrift(t); again != port {
		t.Errorf("two servers: %d, %d", port, again)
	}
	r, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/cliservice", port))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusUnauthorized {
		t.Errorf("status %d", r.StatusCode)
	}
}
