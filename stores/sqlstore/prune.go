package sqlstore

import (
	"context"
	"database/sql"

	"hodor/stores"
)

// Prune is Store.Prune: it counts, and deletes what it has counted.
func (s *Store) Prune(ctx context.Context, scope stores.Scope, beforeMS int64, dryRun bool) (int64, error) {
	if !dryRun && s.readOnly {
		return 0, stores.ErrReadOnly
	}
	var n, newest int64
	count := func(e execer, l *layout) (err error) {
		if newest, err = s.newestMS(ctx, e, scope); err == nil {
			n, err = s.addOld(s.sql("SELECT COUNT(*) FROM "+s.d.name(s.table)), l, scope, beforeMS, newest).one(ctx, e)
		}
		return err
	}
	_, err := s.read(ctx, func(c *sql.Conn, l *layout, _ int) error { return count(c, l) })
	if err != nil || dryRun || n == 0 {
		return n, err
	}
	return n, s.write(ctx, func(c *sql.Conn, l *layout, _ int) error {
		return s.atomically(ctx, c, func(e execer) error {
			if err := count(e, l); err != nil {
				return err
			}
			return s.addOld(s.sql("DELETE FROM "+s.d.name(s.table)), l, scope, beforeMS, newest).exec(ctx, e)
		})
	})
}

// newestMS is when the newest record of scope was recorded: the clock by which a lost commit is old. The store has no other.
func (s *Store) newestMS(ctx context.Context, e execer, scope stores.Scope) (int64, error) {
	return s.sql("SELECT MAX(recorded_at_ms) FROM "+s.d.name(s.table)+" WHERE project_name = ? AND target_name = ?",
		stores.EscapeText(scope.Project), stores.EscapeText(scope.Target)).one(ctx, e)
}

// addOld appends the condition of the rows to prune.
func (s *Store) addOld(q *statement, l *layout, scope stores.Scope, beforeMS, newestMS int64) *statement {
	project, target := stores.EscapeText(scope.Project), stores.EscapeText(scope.Target)
	q.add(" WHERE project_name = ? AND target_name = ? AND (recorded_at_ms < ?", project, target, beforeMS)
	if !l.missing["commit_id"] {
		q.add(" OR (commit_id IS NOT NULL AND recorded_at_ms < ?", newestMS-stores.LostCommitMS)
		if l.commit {
			q.add(" AND commit_id NOT IN (SELECT MIN(commit_id) FROM "+s.d.name(s.table.Commit())+
				" WHERE project_name = ? AND target_name = ? AND commit_id IS NOT NULL GROUP BY generation HAVING COUNT(*) = 1)", project, target)
		}
		q.add(")")
	}
	return q.add(")")
}
