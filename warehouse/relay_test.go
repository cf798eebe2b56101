package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"reflect"
	"sync/atomic"
	"testing"
)

type hostFunc func(ctx context.Context, sql string) (Answer, error)

func (f hostFunc) Query(ctx context.Context, sql string) (Answer, error) { return f(ctx, sql) }

func text(s string) *string { return &s }

func TestQuery(t *testing.T) {
	var got string
	db := Open(hostFunc(func(_ context.Context, sql string) (Answer, error) {
		got = sql
		return Answer{Columns: []string{"a", "a"}, Rows: [][]*string{{text("1"), nil}, {text(""), text("7")}}}, nil
	}), 1)
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), "select 1 -- é")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if names, _ := rows.Columns(); !reflect.DeepEqual(names, []string{"a", "a"}) {
		t.Errorf("columns %q", names)
	}
	type row struct {
		a sql.NullString
		b sql.NullInt64
	}
	var all []row
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.a, &r.b); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	want := []row{{a: sql.NullString{String: "1", Valid: true}}, {a: sql.NullString{Valid: true}, b: sql.NullInt64{Int64: 7, Valid: true}}}
	if !reflect.DeepEqual(all, want) || rows.Err() != nil {
		t.Errorf("got %+v, %v", all, rows.Err())
	}
	if got != "select 1 -- é" {
		t.Errorf("the host got %q", got)
	}
	if _, err := db.ExecContext(t.Context(), "create table t(a int)"); err != nil || got != "create table t(a int)" {
		t.Errorf("exec: %v, the host got %q", err, got)
	}
}

func TestErrors(t *testing.T) {
	answer, fail := Answer{}, error(nil)
	db := Open(hostFunc(func(context.Context, string) (Answer, error) { return answer, fail }), 1)
	defer db.Close()

	fail = &StatementError{Message: "no such table"}
	_, err := db.QueryContext(t.Context(), "x")
	if e, ok := errors.AsType[*StatementError](err); !ok || e.Message != "no such table" {
		t.Errorf("a refused statement: %v", err)
	}
	fail = ErrGone
	if _, err := db.ExecContext(t.Context(), "x"); !errors.Is(err, ErrGone) {
		t.Errorf("without host: %v", err)
	}
	fail = nil
	answer = Answer{Columns: []string{"a", "b"}, Rows: [][]*string{{text("1")}}}
	if _, err := db.QueryContext(t.Context(), "x"); err == nil {
		t.Error("a row that is too short is no error")
	}
	if _, err := db.QueryContext(t.Context(), "x", 1); err == nil {
		t.Error("a parameter is no error")
	}
	if _, err := db.BeginTx(t.Context(), nil); err == nil {
		t.Error("a transaction is no error")
	}
}

func TestCancelled(t *testing.T) {
	db := Open(hostFunc(func(ctx context.Context, _ string) (Answer, error) {
		<-ctx.Done()
		return Answer{}, ctx.Err()
	}), 1)
	defer db.Close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { _, err := db.QueryContext(ctx, "x"); done <- err }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestInFlightIsBounded(t *testing.T) {
	var now, most atomic.Int32
	step := make(chan struct{})
	db := Open(hostFunc(func(context.Context, string) (Answer, error) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		<-step
		now.Add(-1)
		return Answer{Columns: []string{}}, nil
	}), 2)
	defer db.Close()
	done := make(chan error)
	for range 8 {
		go func() { _, err := db.ExecContext(t.Context(), "x"); done <- err }()
	}
	for range 8 {
		step <- struct{}{}
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if most.Load() > 2 {
		t.Errorf("%d statements at once", most.Load())
	}
}
