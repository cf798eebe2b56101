package sqlstore

import (
	"context"
	"database/sql"

	"hodor/stores"
)

// Head is Committer.Head. A generation that two writers hold has no id, but the next one comes after it all the same.
func (s *Store) Head(ctx context.Context, scope stores.Scope) (stores.Commit, error) {
	head := stores.Commit{Scope: scope}
	_, err := s.read(ctx, func(c *sql.Conn, l *layout, _ int) error {
		head = stores.Commit{Scope: scope}
		if !l.commit {
			return nil
		}
		commits := s.d.name(s.table.Commit())
		project, target := stores.EscapeText(scope.Project), stores.EscapeText(scope.Target)
		q := s.sql("SELECT generation, commit_id, at_ms FROM "+commits+" WHERE project_name = ? AND target_name = ? AND generation ="+
			" (SELECT MAX(generation) FROM "+commits+" WHERE project_name = ? AND target_name = ?)", project, target, project, target)
		rows := 0
		return q.each(ctx, c, 3, func(v []any) (err error) {
			rows++
			if head.Generation, err = integer(v[0]); err != nil {
				return err
			}
			if head.AtMS, err = integer(v[2]); err != nil {
				return err
			}
			head.CommitID, err = stores.UnescapeText(text(v[1]))
			if rows > 1 {
				head.CommitID = ""
			}
			return err
		})
	})
	return head, err
}

// Claim is Committer.Claim. Whatever became of the statement (a key that is taken, a lost connection, a concurrent write), what stands in the
// table afterwards decides; only if that can't be read, or nothing stands there, the error is returned.
func (s *Store) Claim(ctx context.Context, c stores.Commit) (bool, error) {
	won := false
	err := s.write(ctx, func(conn *sql.Conn, _ *layout, _ int) error {
		ids, err := s.holders(ctx, conn, c)
		if err != nil {
			return err
		}
		var failed error
		if len(ids) == 0 {
			failed = s.claimStatement(c).exec(ctx, conn)
			if ids, err = s.holders(ctx, conn, c); err != nil {
				return err
			}
		}
		if len(ids) == 0 {
			return failed
		}
		won = len(ids) == 1 && ids[0] == c.CommitID
		return nil
	})
	return won && err == nil, err
}

func (s *Store) claimStatement(c stores.Commit) *statement {
	commits := s.d.name(s.table.Commit())
	values := []any{stores.EscapeText(c.Scope.Project), stores.EscapeText(c.Scope.Target), c.Generation, stores.EscapeText(c.CommitID), c.AtMS}
	const columns = "(project_name, target_name, generation, commit_id, at_ms)"
	if s.d.CommitKey {
		return s.sql("INSERT INTO "+commits+" "+columns+" VALUES (?, ?, ?, ?, ?)", values...)
	}
	return s.sql("MERGE INTO "+commits+" t USING (SELECT ? AS project_name, ? AS target_name, ? AS generation, ? AS commit_id, ? AS at_ms) s"+
		" ON t.project_name = s.project_name AND t.target_name = s.target_name AND t.generation = s.generation"+
		" WHEN NOT MATCHED THEN INSERT "+columns+" VALUES (s.project_name, s.target_name, s.generation, s.commit_id, s.at_ms)", values...)
}

// holders returns the commit ids that stand at the generation of c.
func (s *Store) holders(ctx context.Context, conn *sql.Conn, c stores.Commit) ([]string, error) {
	var ids []string
	q := s.sql("SELECT commit_id FROM "+s.d.name(s.table.Commit())+" WHERE project_name = ? AND target_name = ? AND generation = ?",
		stores.EscapeText(c.Scope.Project), stores.EscapeText(c.Scope.Target), c.Generation)
	err := q.each(ctx, conn, 1, func(v []any) error {
		id, err := stores.UnescapeText(text(v[0]))
		ids = append(ids, id)
		return err
	})
	return ids, err
}
