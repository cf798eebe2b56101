package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"hodor/stores"
)

// layout is what stands in the database.
type layout struct {
	state, commit bool            // the tables exist
	missing       map[string]bool // columns that an older hodor did not have
	complete      bool            // both tables, all columns
}

// inspect looks at the tables. One that a newer hodor has made, or that is no state table at all, is an error: its rows could not be understood.
func (s *Store) inspect(ctx context.Context, c *sql.Conn) (*layout, error) {
	list := s.d.Columns
	if list == nil {
		list = s.fromInformationSchema
	}
	state, commit, err := list(ctx, c, s.table)
	if err != nil {
		return nil, err
	}
	l := &layout{state: len(state) > 0, commit: len(commit) > 0, missing: map[string]bool{}}
	if l.state {
		if l.missing, err = s.compare(s.table, stores.Columns, state); err != nil {
			return nil, err
		}
	}
	if l.commit {
		if _, err := s.compare(s.table.Commit(), stores.CommitColumns, commit); err != nil {
			return nil, err
		}
	}
	l.complete = l.state && l.commit && len(l.missing) == 0
	return l, nil
}

// compare holds the columns of a table against those that it should have and returns the missing ones.
func (s *Store) compare(t Table, want []stores.Column, have []string) (map[string]bool, error) {
	missing := map[string]bool{}
	for _, c := range want {
		if slices.Contains(have, c.Name) {
			continue
		}
		if !c.Added {
			return nil, fmt.Errorf("%w: %s: %s is no state table, it has no column %s; set HODOR_TABLE to another name",
				stores.ErrUnavailable, s.source.Place(), s.d.name(t), c.Name)
		}
		missing[c.Name] = true
	}
	for _, name := range have {
		if !slices.ContainsFunc(want, func(c stores.Column) bool { return c.Name == name }) {
			return nil, fmt.Errorf("%w: %s: %s has a column %q that this hodor does not know, a newer one made it; update hodor, or set HODOR_TABLE to another name",
				stores.ErrUnavailable, s.source.Place(), s.d.name(t), name)
		}
	}
	return missing, nil
}

// fromInformationSchema lists columns as the SQL standard has it; names are compared as they were quoted.
func (s *Store) fromInformationSchema(ctx context.Context, c *sql.Conn, t Table) (state, commit []string, err error) {
	q := s.sql("SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = ? AND table_name IN (?, ?) ORDER BY ordinal_position",
		t.Schema, t.Name, t.Commit().Name)
	err = q.each(ctx, c, 2, func(v []any) error {
		if text(v[0]) == t.Name {
			state = append(state, text(v[1]))
		} else {
			commit = append(commit, text(v[1]))
		}
		return nil
	})
	return state, commit, err
}

// create makes what is missing. Another process may do the same at the same moment, and then a statement fails though all is well in the end:
// the tables are looked at again before an error is believed.
func (s *Store) create(ctx context.Context, c *sql.Conn, l *layout) (*layout, error) {
	var failed error
	for _, q := range s.missing(l) {
		if _, err := c.ExecContext(ctx, q); err != nil && failed == nil {
			failed = err
		}
	}
	l, err := s.inspect(ctx, c)
	switch {
	case err != nil:
		return nil, err
	case l.complete:
		return l, nil
	case failed != nil:
		return nil, fmt.Errorf("%w: %s: %s can't be created or upgraded: %w; `ddl` prints the statements for someone who may",
			stores.ErrUnavailable, s.source.Place(), s.d.name(s.table), failed)
	}
	return nil, fmt.Errorf("%w: %s: %s was created and is not there", stores.ErrUnavailable, s.source.Place(), s.d.name(s.table))
}

// missing returns the statements that complete a layout.
func (s *Store) missing(l *layout) []string {
	var list []string
	if !l.state || !l.commit {
		list = append(list, ddl(s.d, s.table, !l.state, !l.commit)...)
	}
	for i := range stores.Columns {
		if c := &stores.Columns[i]; l.state && l.missing[c.Name] {
			list = append(list, fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s", s.d.name(s.table), s.d.Quote(c.Name), s.d.typeOf(c)))
		}
	}
	return list
}

// DDL returns the statements that create the state table and the commit table, for `ddl` and for the store itself.
func DDL(d *Dialect, t Table) []string { return ddl(d, t, true, true) }

func ddl(d *Dialect, t Table, state, commit bool) []string {
	var list []string
	if d.CreateSchema && t.Schema != "" {
		list = append(list, "CREATE SCHEMA IF NOT EXISTS "+d.name(Table{Database: t.Database, Name: t.Schema}))
	}
	if state {
		list = append(list, "CREATE TABLE IF NOT EXISTS "+d.name(t)+" ("+d.columns(stores.Columns)+")"+d.CreateSuffix)
		if d.Index {
			list = append(list, "CREATE INDEX IF NOT EXISTS "+d.Quote(t.Name+"_load")+" ON "+d.name(t)+" (project_name, target_name, node_key, recorded_at_ms)")
		}
	}
	if commit {
		columns := d.columns(stores.CommitColumns)
		if d.CommitKey {
			columns += ", PRIMARY KEY (project_name, target_name, generation)"
		}
		list = append(list, "CREATE TABLE IF NOT EXISTS "+d.name(t.Commit())+" ("+columns+")"+d.CommitSuffix)
	}
	return list
}

func (d *Dialect) columns(list []stores.Column) string {
	parts := make([]string, len(list))
	for i := range list {
		parts[i] = d.Quote(list[i].Name) + " " + d.typeOf(&list[i])
	}
	return strings.Join(parts, ", ")
}

func (d *Dialect) typeOf(c *stores.Column) string {
	if c.Int {
		return "BIGINT"
	}
	return d.Text
}
