package versions

import (
	"context"
	"database/sql"
	"errors"
	"strings"
)

// errRows means that a statement answered with another number of rows or columns than it must.
var errRows = errors.New("the warehouse answered with another number of rows or columns than asked for")

// query runs a statement whose every value is text and returns its rows; width is the number of columns it must have. A NULL is an invalid
// sql.NullString.
func query(ctx context.Context, db *sql.DB, statement string, width int) ([][]sql.NullString, error) {
	rows, err := db.QueryContext(ctx, statement)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	if len(names) != width {
		return nil, errRows
	}
	var all [][]sql.NullString
	into := make([]any, width)
	for rows.Next() {
		row := make([]sql.NullString, width)
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

// queryRow is query for a statement that has exactly one row.
func queryRow(ctx context.Context, db *sql.DB, statement string, width int) ([]sql.NullString, error) {
	rows, err := query(ctx, db, statement, width)
	if err != nil {
		return nil, err
	}
	if len(rows) != 1 {
		return nil, errRows
	}
	return rows[0], nil
}

// identifier quotes a name the way DuckDB and every SQL standard engine does.
func identifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// literal quotes a text for DuckDB, where a backslash in plain quotes is a backslash.
func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
