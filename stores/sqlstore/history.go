package sqlstore

import (
	"context"
	"database/sql"
	"maps"
	"strconv"

	"hodor/stores"
)

// History is Store.History.
func (s *Store) History(ctx context.Context, scope stores.Scope, q stores.Query) ([]stores.Record, error) {
	var out []stores.Record
	_, err := s.read(ctx, func(c *sql.Conn, l *layout, _ int) error {
		out = nil
		st := s.historyStatement(s.columnList(l, ""), scope, q)
		s.newestFirst(st, q)
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

// Scan is Reporter.Scan.
func (s *Store) Scan(ctx context.Context, scope stores.Scope, q stores.Query, row func(*stores.Record) error) error {
	handed := false
	var failed error // after the first row: it can't be done again
	_, err := s.read(ctx, func(c *sql.Conn, l *layout, _ int) error {
		if failed != nil {
			return failed
		}
		narrow := *l
		narrow.missing = maps.Clone(l.missing)
		for _, column := range stores.Columns {
			if column.JSON {
				narrow.missing[column.Name] = true
			}
		}
		st := s.historyStatement(s.columnList(&narrow, ""), scope, q)
		if q.Limit > 0 {
			s.newestFirst(st, q)
		}
		err := st.each(ctx, c, len(stores.Columns), func(v []any) error {
			handed = true
			var r stores.Record
			if scan(&r, v) != nil {
				r.Checksum = ""
			}
			return row(&r)
		})
		if handed {
			failed = err
		}
		return err
	})
	return err
}

func (s *Store) historyStatement(columns string, scope stores.Scope, q stores.Query) *statement {
	st := s.sql("SELECT "+columns+" FROM "+s.d.name(s.table)+" WHERE project_name = ? AND target_name = ?",
		stores.EscapeText(scope.Project), stores.EscapeText(scope.Target))
	for _, f := range []struct{ column, value string }{
		{"invocation_id", q.InvocationID}, {"node_key", q.NodeKey}, {"unique_id", q.UniqueID},
	} {
		if f.value != "" {
			st.add(" AND "+f.column+" = ?", stores.EscapeText(f.value))
		}
	}
	st.addKeys(q.NodeKeys)
	if q.SinceMS > 0 {
		st.add(" AND recorded_at_ms >= ?", q.SinceMS)
	}
	if q.BeforeMS > 0 {
		st.add(" AND recorded_at_ms < ?", q.BeforeMS)
	}
	return st
}

func (s *Store) newestFirst(st *statement, q stores.Query) {
	st.add(" ORDER BY recorded_at_ms DESC, record_id DESC")
	if q.Limit > 0 {
		st.add(" LIMIT " + strconv.Itoa(q.Limit))
	}
}

// Scopes is Reporter.Scopes.
func (s *Store) Scopes(ctx context.Context) ([]stores.Scope, error) {
	var out []stores.Scope
	_, err := s.read(ctx, func(c *sql.Conn, _ *layout, _ int) error {
		out = nil
		q := s.sql("SELECT DISTINCT project_name, target_name FROM " + s.d.name(s.table) + " ORDER BY project_name, target_name")
		return q.each(ctx, c, 2, func(v []any) error {
			project, err := stores.UnescapeText(text(v[0]))
			if err != nil {
				return err
			}
			target, err := stores.UnescapeText(text(v[1]))
			out = append(out, stores.Scope{Project: project, Target: target})
			return err
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
		q.add("builds AS (SELECT record_id, invocation_id, node_key, unique_id, reason, recorded_at_ms, built_at_ms, mode, decision, sql_facts,"+
			" CASE WHEN resource_type = 'test' THEN status ELSE data_version END AS outcome FROM "+s.d.name(s.table)+
			" WHERE project_name = ? AND target_name = ? AND action = 'build' AND status IN ('success', 'pass', 'warn', 'fail')"+
			" AND built_at_ms IS NOT NULL AND "+s.committed(l)+"),"+
			" pairs AS (SELECT b.*, LAG(outcome) OVER (PARTITION BY node_key ORDER BY built_at_ms, recorded_at_ms, record_id) AS previous FROM builds b)"+
			" SELECT record_id, invocation_id, node_key, unique_id, reason, recorded_at_ms, previous, outcome, sql_facts FROM pairs"+
			" WHERE mode = 'shadow' AND decision = 'reuse' AND recorded_at_ms >= ? AND outcome <> previous"+
			" ORDER BY recorded_at_ms DESC, record_id DESC",
			stores.EscapeText(scope.Project), stores.EscapeText(scope.Target), sinceMS)
		return q.each(ctx, c, 9, func(v []any) error {
			var f stores.FalseReuse
			for i, to := range []*string{&f.RecordID, &f.InvocationID, &f.NodeKey, &f.UniqueID, &f.Reason, nil, &f.Then, &f.Now, &f.SQLFacts} {
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
