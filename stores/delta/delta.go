package delta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"hodor/stores"
	"hodor/stores/sqlstore"
	"hodor/warehouse"
)

// Options name a store.
type Options struct {
	// Warehouse runs the statements; the store does not close it. nil: Connection says how to reach a SQL warehouse.
	Warehouse  *sql.DB
	Connection Connection
	// Database is the catalog and Schema the schema, both required: the table is in nobody's way only where somebody chose. The schema is never
	// created, which would need rights on the catalog. Table: empty means hodor_state.
	Database, Schema, Table string
	// ReadOnly forbids every write, the creation of tables included.
	ReadOnly bool
}

// Dialect is Delta on Databricks for sqlstore.DDL.
var Dialect = &dialect

var dialect = sqlstore.Dialect{
	Name: "Delta", Text: "STRING", Quote: quote, Literal: literal, MaxIdentifier: 255, Columns: columns,
	CreateSuffix: " USING DELTA CLUSTER BY (target_name, node_key)",
	// Two claims of one generation must not pass each other.
	CommitSuffix: " USING DELTA TBLPROPERTIES ('delta.isolationLevel' = 'Serializable')",
	MaxStatement: 4 << 20, Conflict: conflict, Final: final,
}

// Open returns the store that o names. It runs no statement: the first operation does.
func Open(o Options) (*sqlstore.Store, error) {
	for _, s := range [][2]string{{"hodor_schema", o.Schema}, {"hodor_database", o.Database}} {
		if s[1] == "" {
			return nil, fmt.Errorf("%w: the delta store needs %s (%s)", stores.ErrUnavailable, s[0], strings.ToUpper(s[0]))
		}
	}
	if o.Table == "" {
		o.Table = "hodor_state"
	}
	t := sqlstore.Table{Database: o.Database, Schema: o.Schema, Name: o.Table}
	from := source{db: o.Warehouse, close: func() error { return nil }, place: "Delta table " + o.Database + "." + o.Schema + "." + o.Table}
	if _, err := sqlstore.New(&dialect, from, t, true); err != nil { // the names, before a connection is asked for
		return nil, err
	}
	if from.db == nil {
		var err error
		if from.db, from.close, err = Connect(o.Connection, 2); err != nil {
			return nil, err
		}
	}
	return sqlstore.New(&dialect, from, t, o.ReadOnly)
}

// Grants returns the statements that let a principal use the tables of t: everybody may know what was decided, but who can write can force a
// reuse, so MODIFY is for the principals of the jobs alone (spec 8.2).
func Grants(t sqlstore.Table, jobs, readers string) []string {
	schema := quote(t.Database) + "." + quote(t.Schema)
	var list []string
	for _, to := range []string{jobs, readers} {
		list = append(list, "GRANT USE CATALOG ON CATALOG "+quote(t.Database)+" TO "+quote(to), "GRANT USE SCHEMA ON SCHEMA "+schema+" TO "+quote(to))
		rights := "SELECT"
		if to == jobs {
			rights = "SELECT, MODIFY"
		}
		for _, name := range []string{t.Name, t.Commit().Name} {
			list = append(list, "GRANT "+rights+" ON TABLE "+schema+"."+quote(name)+" TO "+quote(to))
		}
	}
	return list
}

// source gives out slots of the warehouse's handle.
type source struct {
	db    *sql.DB
	close func() error
	place string
}

func (s source) Place() string { return s.place }
func (s source) Close() error  { return s.close() }

func (s source) Conn(ctx context.Context, _ bool) (*sql.Conn, func() error, error) {
	c, err := s.db.Conn(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, fmt.Errorf("%w: %s can't be reached: %w", stores.ErrUnavailable, s.place, err)
	}
	return c, c.Close, nil
}

func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// literal writes a text as a literal of Spark. A dollar would begin a variable (${env:HOME} is put in before the text is parsed), and control
// characters are not at home in a statement, so both are written by number.
func literal(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('\'')
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
			i++
		case c == '$' || c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, c)
			i++
		default:
			_, n := utf8.DecodeRuneInString(s[i:])
			b.WriteString(s[i : i+n])
			i += n
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// columns asks for both tables in one statement that reads no row. Where that fails, one of them may be missing.
func columns(ctx context.Context, c *sql.Conn, t sqlstore.Table) (state, commit []string, err error) {
	name := func(t sqlstore.Table) string { return quote(t.Database) + "." + quote(t.Schema) + "." + quote(t.Name) }
	both, err := columnsOf(ctx, c, "SELECT s.*, 1 AS `|`, c.* FROM "+name(t)+" s CROSS JOIN "+name(t.Commit())+" c LIMIT 0")
	if err == nil {
		for i, column := range both {
			if column == "|" {
				return both[:i], both[i+1:], nil
			}
		}
		return nil, nil, errors.New("the warehouse answered with the columns of another statement")
	}
	if !missing(err) {
		return nil, nil, err
	}
	if state, err = columnsOf(ctx, c, "SELECT * FROM "+name(t)+" LIMIT 0"); err != nil && !missing(err) {
		return nil, nil, err
	}
	if commit, err = columnsOf(ctx, c, "SELECT * FROM "+name(t.Commit())+" LIMIT 0"); err != nil && !missing(err) {
		return nil, nil, err
	}
	return state, commit, nil
}

func columnsOf(ctx context.Context, c *sql.Conn, query string) ([]string, error) {
	rows, err := c.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for i := range names {
		names[i] = strings.ToLower(names[i])
	}
	return names, rows.Err()
}

// missing tells that a table is not there, or its schema.
func missing(err error) bool {
	return strings.Contains(err.Error(), "TABLE_OR_VIEW_NOT_FOUND") || strings.Contains(err.Error(), "SCHEMA_NOT_FOUND")
}

// conflicts are Delta Lake's names for "somebody else has written in between", of releases with and without error conditions. The same statement
// may succeed when it is run again on the new state of the table. A location that is not empty is one where somebody else creates the table right now.
var conflicts = regexp.MustCompile(`DELTA_CONCURRENT_|DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION|DELTA_METADATA_CHANGED|DELTA_PROTOCOL_CHANGED|DELTA_COMMIT_CONFLICT|` +
	`Concurrent(Append|DeleteRead|DeleteDelete|Write|Transaction|Modification)Exception|(Metadata|Protocol)ChangedException`)

func conflict(err error) bool {
	e, ok := errors.AsType[*warehouse.StatementError](err)
	return ok && conflicts.MatchString(e.Message)
}

// refusals are answers that stay the same however often one asks.
var refusals = regexp.MustCompile(`PERMISSION_DENIED|INSUFFICIENT_PERMISSIONS|UNAUTHORIZED|SCHEMA_NOT_FOUND|CATALOG_NOT_FOUND|NO_SUCH_CATALOG`)

func final(err error) bool {
	if errors.Is(err, ErrLogin) || errors.Is(err, warehouse.ErrGone) {
		return true
	}
	e, ok := errors.AsType[*warehouse.StatementError](err)
	return ok && refusals.MatchString(e.Message)
}
