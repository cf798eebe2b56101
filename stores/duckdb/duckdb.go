//go:build cgo

package duckdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

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

// columns asks for the two tables by name. DuckDB's lists of columns, information_schema among them, bind every view that DuckDB itself has before
// they answer, which takes ten times as long. A plain query of the table would read a file where the table's name is csv or parquet and there is none.
func columns(ctx context.Context, c *sql.Conn, t sqlstore.Table) (state, commit []string, err error) {
	if state, err = columnsOf(ctx, c, t); err == nil {
		commit, err = columnsOf(ctx, c, t.Commit())
	}
	return state, commit, err
}

func columnsOf(ctx context.Context, c *sql.Conn, t sqlstore.Table) ([]string, error) {
	name := sqlstore.DoubleQuote(t.Database) + "." + sqlstore.DoubleQuote(t.Schema) + "." + sqlstore.DoubleQuote(t.Name)
	rows, err := c.QueryContext(ctx, "SELECT name FROM pragma_table_info($1) ORDER BY cid", name)
	if e, ok := errors.AsType[*driverduckdb.Error](err); ok && e.Type == driverduckdb.ErrorTypeCatalog {
		return nil, nil // there is no such table, or no such schema
	}
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var column string
		if err := rows.Scan(&column); err != nil {
			return nil, err
		}
		list = append(list, column)
	}
	return list, rows.Err()
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
