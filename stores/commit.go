package stores

import (
	"context"
	"errors"
)

// ErrReadOnly is returned by the writing methods of a store that was opened read-only.
var ErrReadOnly = errors.New("state store was opened read-only")

// Commit is one row of the commit table: a finished `state` run.
type Commit struct {
	Scope      Scope
	Generation int64 // 1, 2, ... in each scope
	CommitID   string
	AtMS       int64 // epoch ms
}

// Committer is the head of a scope and how it moves on. The head is the commit of the highest generation.
//
// A planner reads Head first and Load after it: what was committed in between is then in the records, and its claim of the next generation
// fails; the other way round it would succeed though the plan never saw the commit.
type Committer interface {
	// Head returns the head of scope; Generation 0 where nothing was ever committed.
	Head(ctx context.Context, scope Scope) (Commit, error)
	// Claim makes c the head if no other commit has its generation, and tells whether c is the head of that generation now. After an error it is
	// not known who is: ask again with the same c. Records with c's id must have been appended before.
	Claim(ctx context.Context, c Commit) (bool, error)
}

// Committed tells which commit ids the commit table names: those of generations with exactly one row (two writers that both believe to have
// won count as none).
func Committed(rows []Commit, scope Scope) map[string]bool {
	ids := map[int64][]string{}
	for _, c := range rows {
		if c.Scope == scope {
			ids[c.Generation] = append(ids[c.Generation], c.CommitID)
		}
	}
	named := map[string]bool{}
	for _, id := range ids {
		if len(id) == 1 {
			named[id[0]] = true
		}
	}
	return named
}

// LostCommitMS is how much older than the newest record of its scope a record with an unnamed commit id must be for Prune to remove it, ms.
const LostCommitMS = 24 * 3600 * 1000
