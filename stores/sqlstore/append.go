package sqlstore

import (
	"context"
	"database/sql"
	"slices"

	"hodor/stores"
)

// maxRows is the largest number of rows in one statement (spec 15).
const maxRows = 500

// Append is Store.Append. A second attempt after a lost connection leaves out the records that are there already.
func (s *Store) Append(ctx context.Context, records []stores.Record) error {
	if slices.ContainsFunc(records, func(r stores.Record) bool { return r.RecordID == "" }) {
		return stores.ErrNoRecordID
	}
	if len(records) == 0 {
		return nil
	}
	names := make([]string, len(stores.Columns))
	for i := range stores.Columns {
		names[i] = stores.Columns[i].Name
	}
	return s.write(ctx, func(c *sql.Conn, _ *layout, attempt int) error {
		return s.atomically(ctx, c, func(e execer) error {
			for batch := range slices.Chunk(records, maxRows) {
				there := map[string]bool{}
				if attempt > 0 {
					var err error
					if there, err = s.present(ctx, e, batch); err != nil {
						return err
					}
				}
				for _, rows := range s.split(rowsOf(batch, there)) {
					if err := s.insert(ctx, c, e, names, rows); err != nil {
						return err
					}
				}
			}
			return nil
		})
	})
}

// rowsOf turns records into rows of values, leaving out those in there.
func rowsOf(records []stores.Record, there map[string]bool) [][]any {
	rows := make([][]any, 0, len(records))
	for i := range records {
		r := records[i]
		if there[r.RecordID] {
			continue
		}
		r.Checksum = r.Sum()
		row := make([]any, len(stores.Columns))
		for j := range stores.Columns {
			row[j] = stores.Columns[j].Value(&r)
		}
		rows = append(rows, row)
	}
	return rows
}

// split cuts rows into parts that one statement can hold.
func (s *Store) split(rows [][]any) [][][]any {
	if s.d.MaxStatement == 0 {
		return [][][]any{rows}
	}
	var parts [][][]any
	first, size := 0, 0
	for i, row := range rows {
		n := 0
		for _, v := range row {
			if t, ok := v.(string); ok {
				n += len(t)
			}
		}
		if i > first && size+n > s.d.MaxStatement {
			parts = append(parts, rows[first:i])
			first, size = i, 0
		}
		size += n
	}
	return append(parts, rows[first:])
}

// present returns which of the records stand in the table.
func (s *Store) present(ctx context.Context, e execer, records []stores.Record) (map[string]bool, error) {
	first, last := records[0].RecordedAtMS, records[0].RecordedAtMS
	for i := range records {
		first, last = min(first, records[i].RecordedAtMS), max(last, records[i].RecordedAtMS)
	}
	q := s.sql("SELECT record_id FROM "+s.d.name(s.table)+" WHERE recorded_at_ms BETWEEN ? AND ? AND record_id IN (", first, last)
	for i := range records {
		if i > 0 {
			q.add(", ")
		}
		q.add("?", stores.EscapeText(records[i].RecordID))
	}
	there := map[string]bool{}
	err := q.add(")").each(ctx, e, 1, func(v []any) error {
		id, err := stores.UnescapeText(text(v[0]))
		there[id] = true
		return err
	})
	return there, err
}

// insert writes rows into the state table.
func (s *Store) insert(ctx context.Context, c *sql.Conn, e execer, names []string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	if s.d.Insert != nil {
		return s.d.Insert(ctx, c, s.table, names, rows)
	}
	q := s.sql("INSERT INTO " + s.d.name(s.table) + " (")
	for i, name := range names {
		if i > 0 {
			q.add(", ")
		}
		q.add(s.d.Quote(name))
	}
	q.add(") VALUES ")
	for i, row := range rows {
		if i > 0 {
			q.add(", ")
		}
		for j, v := range row {
			if j == 0 {
				q.add("(?", v)
			} else {
				q.add(", ?", v)
			}
		}
		q.add(")")
	}
	return q.exec(ctx, e)
}
