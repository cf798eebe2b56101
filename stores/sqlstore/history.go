package sqlstore

import (
	"context"
	"database/sql"
	"strconv"

	"hodor/stores"
)

// History is Store.History.
func (s *Store) History(ctx context.Context, scope stores.Scope, q stores.Query) ([]stores.Record, error) {
	var out []stores.Record
	_, err := s.read(ctx, func(c *sql.Conn, l *layout, _ int) error {
		out = nil
		st := s.sql("SELECT "+s.columnList(l, "")+" FROM "+s.d.name(s.table)+" WHERE project_name = ? AND target_name = ?",
			stores.EscapeText(scope.Project), stores.EscapeText(scope.Target))
		for _, f := range []struct{ column, value string }{
			{"invocation_id", q.InvocationID}, {"node_key", q.NodeKey}, {"unique_id", q.UniqueID},
		} {
			if f.value != "" {
				st.add(" AND "+f.column+" = ?", stores.EscapeText(f.value))
			}
		}
		if q.SinceMS > 0 {
			st.add(" AND recorded_at_ms >= ?", q.SinceMS)
		}
		if q.BeforeMS > 0 {
			st.add(" AND recorded_at_ms < ?", q.BeforeMS)
		}
		st.add(" ORDER BY recorded_at_ms DESC, record_id DESC")
		if q.Limit > 0 {
			st.add(" LIMIT " + strconv.Itoa(q.Limit))
		}
		return st.each(ctx, c, len(stores.Columns), func(v []any) error {
			var r stores.Record
			if scan(&r, v) != nil {
				r.Checksum = "" // what can't be read does not pass Check
			}
			out = append(out, r)
			return nil
		})
	})
	return out, err
}

// FalseReuses is Reporter.FalseReuses, the SQL form of stores.FalseReuses.
func (s *Store) FalseReuses(ctx context.Context, scope stores.Scope, sinceMS int64) ([]stores.FalseReuse, error) {
	var out []stores.FalseReuse
	_, err := s.read(ctx, func(c *sql.Conn, l *layout, _ int) error {
		out = nil
		q := s.sql("WITH ")
		s.addCommits(q, l, scope)
		q.add("builds AS (SELECT record_id, invocation_id, node_key, unique_id, reason, recorded_at_ms, built_at_ms, mode, decision,"+
			" CASE WHEN resource_type = 'test' THEN status ELSE data_version END AS outcome FROM "+s.d.name(s.table)+
			" WHERE project_name = ? AND target_name = ? AND action = 'build' AND status IN ('success', 'pass', 'warn', 'fail')"+
			" AND built_at_ms IS NOT NULL AND "+s.committed(l)+"),"+
			" pairs AS (SELECT b.*, LAG(outcome) OVER (PARTITION BY node_key ORDER BY built_at_ms, recorded_at_ms, record_id) AS previous FROM builds b)"+
			" SELECT record_id, invocation_id, node_key, unique_id, reason, recorded_at_ms, previous, outcome FROM pairs"+
			" WHERE mode = 'shadow' AND decision = 'reuse' AND recorded_at_ms >= ? AND outcome <> previous"+
			" ORDER BY recorded_at_ms DESC, record_id DESC",
			stores.EscapeText(scope.Project), stores.EscapeText(scope.Target), sinceMS)
		return q.each(ctx, c, 8, func(v []any) error {
			var f stores.FalseReuse
			for i, to := range []*string{&f.RecordID, &f.InvocationID, &f.NodeKey, &f.UniqueID, &f.Reason, nil, &f.Then, &f.Now} {
				if to == nil {
					continue
				}
				t, err := stores.UnescapeText(text(v[i]))
				if err != nil {
					return err
				}
				*to = t
			}
			at, err := integer(v[5])
			f.RecordedAtMS = at
			out = append(out, f)
			return err
		})
	})
	return out, err
}
