package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"hodor/stores"
)

// Table is the place of the state table. Database and Schema may be empty, then the name has fewer parts.
type Table struct {
	Database, Schema, Name string
}

// Commit is the place of the commit table that belongs to t.
func (t Table) Commit() Table {
	t.Name += "_commit"
	return t
}

// Dialect is what the store must know of a database. Nil functions and false flags mean that the database has no need of it.
type Dialect struct {
	Name string // for errors: "DuckDB"
	Text string // type of text columns: VARCHAR, TEXT, STRING
	// Quote quotes an identifier that stores.CheckIdentifier has passed.
	Quote func(string) string
	// Literal writes a text (escaped by stores.EscapeText) as a literal; nil: parameters $1, $2 ... are used.
	Literal func(string) string
	// MaxIdentifier is the longest name that is kept apart from others, bytes; 0: no limit that matters.
	MaxIdentifier int
	// Columns lists the columns of the state table and of the commit table, none where there is no such table; nil: information_schema is asked.
	Columns func(ctx context.Context, c *sql.Conn, t Table) (state, commit []string, err error)
	// CreateSchema: the schema is created if it is missing.
	CreateSchema bool
	// CreateSuffix follows the list of columns of the state table: "USING DELTA CLUSTER BY (target_name, node_key)".
	CreateSuffix string
	// CommitSuffix follows the list of columns of the commit table.
	CommitSuffix string
	// Index: the state table gets an index for Load.
	Index bool
	// Lateral: Load fetches each record by the index. Postgres joins a table without statistics in nested loops otherwise.
	Lateral bool
	// CommitKey: the commit table has a primary key, which decides who claims a generation. Without one MERGE does, and reading back.
	CommitKey bool
	// Transactions: all rows of one Append, and a prune, are one transaction.
	Transactions bool
	// Insert writes rows in a quicker way than one INSERT with all values.
	Insert func(ctx context.Context, c *sql.Conn, t Table, columns []string, rows [][]any) error
	// MaxStatement is how many bytes of values one INSERT takes at most, about; a larger row goes alone. 0: no limit that matters.
	MaxStatement int
	// Conflict tells errors that only say that another writer came in between: the operation is tried a few times more.
	Conflict func(error) bool
	// Writable says what stands against creating or writing the state table, without writing; nil: that can't be asked, and Probe does not.
	Writable func(ctx context.Context, c *sql.Conn, t Table, exists bool) error
	// Final tells errors that a second attempt on a fresh connection can't mend, e.g. a refused password.
	Final func(error) bool
}

// name is the quoted name of t.
func (d *Dialect) name(t Table) string {
	parts := make([]string, 0, 3)
	for _, p := range []string{t.Database, t.Schema, t.Name} {
		if p != "" {
			parts = append(parts, d.Quote(p))
		}
	}
	return strings.Join(parts, ".")
}

// DoubleQuote quotes an identifier as the SQL standard does.
func DoubleQuote(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// statement is SQL with its arguments.
type statement struct {
	d    *Dialect
	text strings.Builder
	args []any
}

// add appends SQL in which each ? stands for the next of values: a string that is escaped already, an int64, or nil. Nothing but our own SQL
// and checked identifiers may stand in format.
func (s *statement) add(format string, values ...any) *statement {
	for i := 0; i < len(format); i++ {
		if format[i] != '?' {
			s.text.WriteByte(format[i])
			continue
		}
		v := values[0]
		values = values[1:]
		if s.d.Literal == nil {
			s.args = append(s.args, v)
			s.text.WriteByte('$')
			s.text.WriteString(strconv.Itoa(len(s.args)))
			continue
		}
		switch v := v.(type) {
		case nil:
			s.text.WriteString("NULL")
		case int64:
			s.text.WriteString(strconv.FormatInt(v, 10))
		case string:
			s.text.WriteString(s.d.Literal(v))
		default:
			panic(fmt.Sprintf("sqlstore: a value of type %T", v))
		}
	}
	return s
}

// addKeys appends the condition that a row is of one of some nodes; none of them is no condition.
func (s *statement) addKeys(keys []string) {
	for i, key := range keys {
		if i == 0 {
			s.add(" AND node_key IN (?", stores.EscapeText(key))
		} else {
			s.add(", ?", stores.EscapeText(key))
		}
	}
	if len(keys) > 0 {
		s.add(")")
	}
}

// execer is a connection or a transaction.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func (s *statement) exec(ctx context.Context, c execer) error {
	_, err := c.ExecContext(ctx, s.text.String(), s.args...)
	return err
}

// each runs the query and hands over each row, values in the order of the columns. The values are only good during the call.
func (s *statement) each(ctx context.Context, c execer, columns int, row func([]any) error) error {
	rows, err := c.QueryContext(ctx, s.text.String(), s.args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if names, err := rows.Columns(); err != nil {
		return err
	} else if len(names) != columns { // some drivers answer with the columns of another statement
		return fmt.Errorf("the database answered %d columns instead of %d", len(names), columns)
	}
	values, dest := make([]any, columns), make([]any, columns)
	for i := range values {
		dest[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		if err := row(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// one runs a query of one row and one integer column.
func (s *statement) one(ctx context.Context, c execer) (int64, error) {
	n, seen := int64(0), 0
	err := s.each(ctx, c, 1, func(v []any) error {
		seen++
		var err error
		n, err = integer(v[0])
		return err
	})
	if err == nil && seen != 1 {
		err = fmt.Errorf("the database answered %d rows instead of one", seen)
	}
	return n, err
}

// integer reads an integer; NULL is 0. Some drivers hand numbers over as text.
func integer(v any) (int64, error) {
	switch v := v.(type) {
	case nil:
		return 0, nil
	case int64:
		return v, nil
	case int32:
		return int64(v), nil
	case []byte:
		return strconv.ParseInt(string(v), 10, 64)
	case string:
		return strconv.ParseInt(v, 10, 64)
	}
	return 0, fmt.Errorf("the database answered a %T instead of an integer", v)
}

// text reads a text; NULL is empty.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}
