package warehouse

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// Answer is what the host found: column names, and rows of text or nil for NULL. Every row has a value for each column.
type Answer struct {
	Columns []string    `json:"columns"`
	Rows    [][]*string `json:"rows"`
}

// Host runs one statement on the warehouse. It returns a *StatementError if the warehouse refused or failed it, an error that wraps ErrGone if
// there is no host any more, or the context's error. Several calls may be in flight.
type Host interface {
	Query(ctx context.Context, sql string) (Answer, error)
}

// ErrGone means that no statement can be run any more: dbt closed the connection.
var ErrGone = errors.New("dbt's connection to the warehouse is gone")

// StatementError is the warehouse's refusal of a statement, in its own words. The statement is not part of it.
type StatementError struct{ Message string }

func (e *StatementError) Error() string { return "the warehouse refused the statement: " + e.Message }

// Open returns a handle whose statements host runs. At most maxInFlight run at once (hodor_metadata_threads). Closing the handle closes nothing
// of the host's.
func Open(host Host, maxInFlight int) *sql.DB {
	db := sql.OpenDB(connector{host})
	db.SetMaxOpenConns(max(1, maxInFlight))
	db.SetMaxIdleConns(max(1, maxInFlight))
	return db
}

type connector struct{ host Host }

func (c connector) Connect(context.Context) (driver.Conn, error) { return conn(c), nil }
func (c connector) Driver() driver.Driver                        { return relay{} }

type relay struct{}

// Open is there for the interface; relay has no data source names.
func (relay) Open(string) (driver.Conn, error) {
	return nil, errors.New("relay has no data source names; use warehouse.Open")
}

type conn struct{ host Host }

var (
	_ driver.QueryerContext = conn{}
	_ driver.ExecerContext  = conn{}
)

// QueryContext hands the statement to the host.
func (c conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if len(args) > 0 {
		return nil, errors.New("relay takes no parameters; write literals into the statement")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a, err := c.host.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	for i, r := range a.Rows {
		if len(r) != len(a.Columns) {
			return nil, fmt.Errorf("dbt answered row %d with %d values for %d columns", i+1, len(r), len(a.Columns))
		}
	}
	return &rows{answer: a}, nil
}

// ExecContext runs the statement and drops what it returns; how many rows it touched is not known.
func (c conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if _, err := c.QueryContext(ctx, query, args); err != nil {
		return nil, err
	}
	return driver.ResultNoRows, nil
}

func (c conn) Prepare(query string) (driver.Stmt, error) { return stmt{c, query}, nil }
func (c conn) Close() error                              { return nil }

// Begin fails: each statement runs on its own.
func (c conn) Begin() (driver.Tx, error) {
	return nil, errors.New("relay has no transactions; each statement runs on its own")
}

type stmt struct {
	conn conn
	sql  string
}

func (s stmt) Close() error  { return nil }
func (s stmt) NumInput() int { return 0 }

func (s stmt) Exec([]driver.Value) (driver.Result, error) {
	return s.conn.ExecContext(context.Background(), s.sql, nil)
}

func (s stmt) Query([]driver.Value) (driver.Rows, error) {
	return s.conn.QueryContext(context.Background(), s.sql, nil)
}

func (s stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.QueryContext(ctx, s.sql, args)
}

func (s stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.conn.ExecContext(ctx, s.sql, args)
}

type rows struct {
	answer Answer
	next   int
}

func (r *rows) Columns() []string { return r.answer.Columns }
func (r *rows) Close() error      { return nil }

func (r *rows) Next(dest []driver.Value) error {
	if r.next == len(r.answer.Rows) {
		return io.EOF
	}
	for i, v := range r.answer.Rows[r.next] {
		if v == nil {
			dest[i] = nil
		} else {
			dest[i] = *v
		}
	}
	r.next++
	return nil
}
