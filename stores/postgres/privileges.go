package postgres

import (
	"context"
	"database/sql"
	"errors"

	"hodor/stores/sqlstore"
)

// writable says which privilege the role lacks to write the state table, or to make it.
func writable(ctx context.Context, c *sql.Conn, t sqlstore.Table, exists bool) error {
	query, name := `SELECT CASE WHEN NOT has_table_privilege($1, 'INSERT') THEN 'the role ' || current_user || ' lacks INSERT on ' || $1 END`,
		sqlstore.DoubleQuote(t.Schema)+"."+sqlstore.DoubleQuote(t.Name)
	if !exists {
		query, name = `SELECT CASE
 WHEN NOT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)
  THEN CASE WHEN NOT has_database_privilege(current_database(), 'CREATE')
   THEN 'the role ' || current_user || ' lacks CREATE on the database ' || current_database() END
 WHEN NOT has_schema_privilege($1, 'CREATE') THEN 'the role ' || current_user || ' lacks CREATE on the schema ' || $1 END`, t.Schema
	}
	var missing sql.NullString
	if err := c.QueryRowContext(ctx, query, name).Scan(&missing); err != nil {
		return err
	}
	if missing.Valid {
		return errors.New(missing.String)
	}
	return nil
}
