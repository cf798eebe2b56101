//go:build cgo

package duckdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"

	driverduckdb "github.com/duckdb/duckdb-go/v2"

	"hodor/stores/sqlstore"
)

// attached is the name under which the file is attached.
const attached = "hodor"

// Open returns the store that o names. It opens nothing: the first operation does.
func Open(o Options) (*sqlstore.Store, error) {
	o, path, err := o.fill()
	if err != nil {
		return nil, err
	}
	t := sqlstore.Table{Database: attached, Schema: o.Schema, Name: o.Table}
	return sqlstore.New(&dialect, &source{file: fileOf(path), shown: o.Path, wait: o.Wait, hold: o.Hold}, t, o.ReadOnly)
}

// dialect is Dialect with what needs the driver.
var dialect = func() sqlstore.Dialect {
	d := *Dialect
	d.Columns, d.Insert = columns, insert
	d.Writable = func(context.Context, *sql.Conn, sqlstore.Table, bool) error { return nil } // the file could be attached for writing
	return d
}()

// columns asks DuckDB's own list of columns, which is cheaper than information_schema. Names are compared without case, as DuckDB does.
func columns(ctx context.Context, c *sql.Conn, t sqlstore.Table) (state, commit []string, err error) {
	rows, err := c.QueryContext(ctx, "SELECT lower(table_name), column_name FROM duckdb_columns() WHERE database_name = $1"+
		" AND lower(schema_name) = lower($2) AND lower(table_name) IN (lower($3), lower($4)) ORDER BY column_index",
		t.Database, t.Schema, t.Name, t.Commit().Name)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return nil, nil, err
		}
		if table == strings.ToLower(t.Name) {
			state = append(state, column)
		} else {
			commit = append(commit, column)
		}
	}
	return state, commit, rows.Err()
}

// insert uses DuckDB's appender, which takes part in the transaction of the connection: parsing 500 rows of values costs ten times as much.
func insert(ctx context.Context, c *sql.Conn, t sqlstore.Table, names []string, rows [][]any) error {
	return c.Raw(func(conn any) error {
		a, err := driverduckdb.NewAppenderWithColumns(conn.(driver.Conn), t.Database, t.Schema, t.Name, names)
		if err != nil {
			return err
		}
		values := make([]driver.Value, len(names))
		for _, row := range rows {
			for i, v := range row {
				values[i] = v
			}
			if err := a.AppendRow(values...); err != nil {
				return errors.Join(err, a.Close())
			}
		}
		return a.CloseWithCancel(ctx)
	})
}
