package sqlstore

import (
	"context"
	"database/sql"
	"strings"

	"hodor/stores"
)

// Prune is Store.Prune: it counts, and deletes what it has counted.
func (s *Store) Prune(ctx context.Context, scope stores.Scope, beforeMS int64, dryRun bool) (int64, error) {
	if !dryRun && s.readOnly {
		return 0, stores.ErrReadOnly
	}
	var n int64
	var old oldRows
	count := func(e execer, l *layout) (err error) {
		if old, err = s.findOld(ctx, e, l, scope, beforeMS); err == nil {
			n, err = old.addTo(s.sql("SELECT COUNT(*) FROM "+s.d.name(s.table))).one(ctx, e)
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
			return old.addTo(s.sql("DELETE FROM "+s.d.name(s.table))).exec(ctx, e)
		})
	})
}

// oldRows says which rows of a scope are to go: those from before a time, and those of commits that are lost. The ids of these are looked up
// first, since not every database takes a subquery in DELETE.
type oldRows struct {
	project, target string // escaped
	beforeMS        int64
	lostBeforeMS    int64
	lost            []any
}

// findOld reads what makes a row old.
func (s *Store) findOld(ctx context.Context, e execer, l *layout, scope stores.Scope, beforeMS int64) (oldRows, error) {
	old := oldRows{project: stores.EscapeText(scope.Project), target: stores.EscapeText(scope.Target), beforeMS: beforeMS}
	if l.missing["commit_id"] {
		return old, nil
	}
	table := s.d.name(s.table)
	// The newest record of the scope is the clock by which a lost commit is old. The store has no other.
	newest, err := s.sql("SELECT MAX(recorded_at_ms) FROM "+table+" WHERE project_name = ? AND target_name = ?", old.project, old.target).one(ctx, e)
	if err != nil {
		return old, err
	}
	old.lostBeforeMS = newest - stores.LostCommitMS
	q := s.sql("SELECT DISTINCT commit_id FROM "+table+" WHERE project_name = ? AND target_name = ? AND commit_id IS NOT NULL AND recorded_at_ms < ?",
		old.project, old.target, old.lostBeforeMS)
	if l.commit {
		q.add(" AND commit_id NOT IN (SELECT MIN(commit_id) FROM "+s.d.name(s.table.Commit())+
			" WHERE project_name = ? AND target_name = ? AND commit_id IS NOT NULL GROUP BY generation HAVING COUNT(*) = 1)", old.project, old.target)
	}
	err = q.each(ctx, e, 1, func(v []any) error {
		old.lost = append(old.lost, text(v[0])) // as it is stored
		return nil
	})
	return old, err
}

// addTo appends the condition of these rows.
func (o oldRows) addTo(q *statement) *statement {
	q.add(" WHERE project_name = ? AND target_name = ? AND (recorded_at_ms < ?", o.project, o.target, o.beforeMS)
	if len(o.lost) > 0 {
		q.add(" OR (recorded_at_ms < ? AND commit_id IN (?"+strings.Repeat(", ?", len(o.lost)-1)+"))", append([]any{o.lostBeforeMS}, o.lost...)...)
	}
	return q.add(")")
}
