package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"hodor/stores"
)

// Load is Store.Load: one statement.
func (s *Store) Load(ctx context.Context, scope stores.Scope, sinceMS int64) (*stores.Loaded, error) {
	return s.LoadBefore(ctx, scope, sinceMS, 0)
}

// LoadBefore is Reporter.LoadBefore. The statement is the SQL form of stores.Newest, as far as it picks rows; what makes a row void by itself
// is left to stores.Loaded.Add. The narrow columns are ranked first and the wide ones (JSON) fetched only for the rows that were picked; that these are joined by their time too lets a
// database skip the older parts of the table.
func (s *Store) LoadBefore(ctx context.Context, scope stores.Scope, sinceMS, beforeMS int64, keys ...string) (*stores.Loaded, error) {
	var out *stores.Loaded
	_, err := s.read(ctx, func(c *sql.Conn, l *layout, _ int) error {
		out = &stores.Loaded{Records: map[string]*stores.Record{}}
		return s.loadStatement(l, scope, sinceMS, beforeMS, keys).each(ctx, c, len(stores.Columns)+1, func(v []any) error {
			if n, err := integer(v[len(stores.Columns)]); err != nil || n != 0 {
				return err // overlapped by another build
			}
			r := &stores.Record{}
			if err := scan(r, v); err != nil {
				out.Reject(r.NodeKey)
				return nil //nolint:nilerr // a record that can't be read is no history, and no error
			}
			if r.ProjectName != scope.Project || r.TargetName != scope.Target {
				return nil // a collation of the database's own takes them for equal
			}
			out.Add(r.NodeKey, r)
			return nil
		})
	})
	if err != nil {
		if !errors.Is(err, stores.ErrUnavailable) && ctx.Err() == nil {
			err = fmt.Errorf("%w; if %s is not a state table, set HODOR_TABLE to another name", err, s.d.name(s.table))
			if file, ok := s.source.(interface{ Damaged() string }); ok {
				err = fmt.Errorf("%w; %s", err, file.Damaged())
			}
		}
		return nil, err
	}
	if out == nil {
		out = &stores.Loaded{Records: map[string]*stores.Record{}}
	}
	return out, nil
}

func (s *Store) loadStatement(l *layout, scope stores.Scope, sinceMS, beforeMS int64, keys []string) *statement {
	project, target := stores.EscapeText(scope.Project), stores.EscapeText(scope.Target)
	table := s.d.name(s.table)
	q := s.sql("WITH ")
	s.addCommits(q, l, scope)
	q.add("builds AS (SELECT record_id, node_key, unique_id, invocation_id, recorded_at_ms,"+
		" CASE WHEN built_at_ms BETWEEN 0 AND ? THEN built_at_ms END AS start_ms,"+
		" CASE WHEN NOT (built_at_ms BETWEEN 0 AND ?) THEN NULL WHEN "+l.column("build_ms")+" BETWEEN 0 AND ? THEN built_at_ms + "+l.column("build_ms")+
		" WHEN recorded_at_ms > built_at_ms THEN recorded_at_ms ELSE built_at_ms END AS end_ms,"+
		" CASE WHEN status = 'begun' THEN 0 ELSE 1 END AS ended,"+
		" CASE WHEN recorded_at_ms >= ? AND status IN ('success', 'pass', 'warn', 'fail', 'begun') AND "+s.committed(l)+" THEN 1 ELSE 0 END AS counts"+
		" FROM "+table+" WHERE project_name = ? AND target_name = ? AND action = 'build' AND recorded_at_ms >= ?",
		int64(stores.MaxMS), int64(stores.MaxMS), int64(stores.MaxMS), sinceMS, project, target, sinceMS-stores.OverlapSlackMS)
	if beforeMS > 0 {
		q.add(" AND recorded_at_ms < ?", beforeMS)
	}
	q.addKeys(keys)
	// No join of builds with itself: a planner without statistics takes nested loops for it, minutes for 10,000 nodes. Instead the times and ids of
	// the newest build are handed to all builds of its node, by the same pass that ranks them.
	q.add("), ranked AS (SELECT b.*, ROW_NUMBER() OVER w AS place, " + newestOf("start_ms") + ", " + newestOf("end_ms") + ", " +
		newestOf("invocation_id") + ", " + newestOf("unique_id") + " FROM builds b WINDOW w AS (PARTITION BY node_key ORDER BY counts DESC," +
		" CASE WHEN start_ms IS NULL THEN 0 ELSE 1 END, start_ms DESC, ended DESC, recorded_at_ms DESC, record_id DESC))," +
		" newest AS (SELECT node_key, MAX(CASE WHEN place = 1 THEN record_id END) AS record_id, MAX(CASE WHEN place = 1 THEN recorded_at_ms END)" +
		" AS recorded_at_ms, MAX(CASE WHEN (invocation_id <> newest_invocation_id OR unique_id <> newest_unique_id)" +
		" AND start_ms <= newest_end_ms AND end_ms >= newest_start_ms THEN 1 ELSE 0 END) AS overlapped" +
		" FROM ranked GROUP BY node_key HAVING MAX(counts) = 1)" +
		" SELECT " + s.columnList(l, "r.") + ", n.overlapped FROM newest n ")
	const same = "r.recorded_at_ms = n.recorded_at_ms AND r.record_id = n.record_id AND r.node_key = n.node_key AND r.project_name = ? AND r.target_name = ?"
	if s.d.Lateral {
		return q.add("CROSS JOIN LATERAL (SELECT * FROM "+table+" r WHERE "+same+" OFFSET 0) r", project, target)
	}
	return q.add("JOIN "+table+" r ON "+same, project, target)
}

// newestOf is a column that has, on all builds of a node, a value of the newest.
func newestOf(column string) string { return "FIRST_VALUE(" + column + ") OVER w AS newest_" + column }

// addCommits appends the CTE of the commit ids that count: those of a generation with exactly one row.
func (s *Store) addCommits(q *statement, l *layout, scope stores.Scope) {
	if l.commit {
		q.add("commits AS (SELECT MIN(commit_id) AS id FROM "+s.d.name(s.table.Commit())+
			" WHERE project_name = ? AND target_name = ? GROUP BY generation HAVING COUNT(*) = 1), ",
			stores.EscapeText(scope.Project), stores.EscapeText(scope.Target))
	}
}

// committed is the condition that a row has no commit id, or one that counts.
func (s *Store) committed(l *layout) string {
	switch {
	case l.missing["commit_id"]:
		return "1 = 1"
	case !l.commit:
		return "commit_id IS NULL"
	}
	return "(commit_id IS NULL OR commit_id IN (SELECT id FROM commits))"
}

// column is the name of a column, or NULL in a table that was made before there was one.
func (l *layout) column(name string) string {
	if !l.missing[name] {
		return name
	}
	for i := range stores.Columns {
		if c := &stores.Columns[i]; c.Name == name && c.Int {
			return "CAST(NULL AS BIGINT)"
		}
	}
	return "NULL"
}

// columnList lists all columns in order; prefix is that of the table.
func (s *Store) columnList(l *layout, prefix string) string {
	parts := make([]string, len(stores.Columns))
	for i := range stores.Columns {
		name := stores.Columns[i].Name
		if l.missing[name] {
			parts[i] = l.column(name)
		} else {
			parts[i] = prefix + s.d.Quote(name)
		}
	}
	return strings.Join(parts, ", ")
}

// scan fills r from the values of columnList. It fills all that it can, and returns the first error.
func scan(r *stores.Record, v []any) error {
	var first error
	for i := range stores.Columns {
		if err := stores.Columns[i].SetValue(r, v[i]); err != nil && first == nil {
			first = err
		}
	}
	return first
}
