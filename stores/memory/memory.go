package memory

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"hodor/stores"
)

// Store keeps records in memory. The zero value is an empty store; it is safe for concurrent use.
type Store struct {
	mu      sync.Mutex
	records []stores.Record
	commits []stores.Commit
}

var (
	_ stores.Store     = (*Store)(nil)
	_ stores.Committer = (*Store)(nil)
	_ stores.Reporter  = (*Store)(nil)
)

// Load is Store.Load.
func (s *Store) Load(ctx context.Context, scope stores.Scope, sinceMS int64) (*stores.Loaded, error) {
	return s.LoadBefore(ctx, scope, sinceMS, 0)
}

// LoadBefore is Reporter.LoadBefore.
func (s *Store) LoadBefore(ctx context.Context, scope stores.Scope, sinceMS, beforeMS int64, keys ...string) (*stores.Loaded, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	records := s.scoped(scope)
	if len(keys) > 0 {
		records = slices.DeleteFunc(records, func(r stores.Record) bool { return !slices.Contains(keys, r.NodeKey) })
	}
	return stores.Newest(records, stores.Committed(s.commits, scope), sinceMS, beforeMS), nil
}

// Append is Store.Append.
func (s *Store) Append(ctx context.Context, records []stores.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if slices.ContainsFunc(records, func(r stores.Record) bool { return r.RecordID == "" }) {
		return stores.ErrNoRecordID
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range records {
		r.Checksum = r.Sum()
		s.records = append(s.records, r)
	}
	return nil
}

// Damage changes the stored records as change says and leaves their checksums alone, as a disk or a stranger would.
func (s *Store) Damage(change func(*stores.Record)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.records {
		change(&s.records[i])
	}
}

// History is Store.History.
func (s *Store) History(ctx context.Context, scope stores.Scope, q stores.Query) ([]stores.Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.DeleteFunc(s.scoped(scope), func(r stores.Record) bool {
		return q.InvocationID != "" && r.InvocationID != q.InvocationID || q.NodeKey != "" && r.NodeKey != q.NodeKey ||
			len(q.NodeKeys) > 0 && !slices.Contains(q.NodeKeys, r.NodeKey) ||
			q.UniqueID != "" && r.UniqueID != q.UniqueID || r.RecordedAtMS < q.SinceMS || q.BeforeMS > 0 && r.RecordedAtMS >= q.BeforeMS
	})
	slices.SortFunc(all, func(a, b stores.Record) int {
		return cmp.Or(cmp.Compare(b.RecordedAtMS, a.RecordedAtMS), cmp.Compare(b.RecordID, a.RecordID))
	})
	if q.Limit > 0 && len(all) > q.Limit {
		all = all[:q.Limit]
	}
	return all, nil
}

// Prune is Store.Prune.
func (s *Store) Prune(ctx context.Context, scope stores.Scope, beforeMS int64, dryRun bool) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	committed, newest := stores.Committed(s.commits, scope), int64(0)
	for _, r := range s.scoped(scope) {
		newest = max(newest, r.RecordedAtMS)
	}
	kept := make([]stores.Record, 0, len(s.records))
	for _, r := range s.records {
		lost := r.CommitID != nil && !committed[*r.CommitID] && r.RecordedAtMS < newest-stores.LostCommitMS
		if r.ProjectName != scope.Project || r.TargetName != scope.Target || r.RecordedAtMS >= beforeMS && !lost {
			kept = append(kept, r)
		}
	}
	n := int64(len(s.records) - len(kept))
	if !dryRun {
		s.records = kept
	}
	return n, nil
}

// Head is Committer.Head.
func (s *Store) Head(ctx context.Context, scope stores.Scope) (stores.Commit, error) {
	if err := ctx.Err(); err != nil {
		return stores.Commit{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	head := stores.Commit{Scope: scope}
	for _, c := range s.commits {
		if c.Scope == scope && c.Generation > head.Generation {
			head = c
		}
	}
	return head, nil
}

// Claim is Committer.Claim.
func (s *Store) Claim(ctx context.Context, c stores.Commit) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.commits {
		if o.Scope == c.Scope && o.Generation == c.Generation {
			return o.CommitID == c.CommitID, nil
		}
	}
	s.commits = append(s.commits, c)
	return true, nil
}

// FalseReuses is Reporter.FalseReuses.
func (s *Store) FalseReuses(ctx context.Context, scope stores.Scope, sinceMS int64) ([]stores.FalseReuse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return stores.FalseReuses(s.scoped(scope), stores.Committed(s.commits, scope), sinceMS), nil
}

// Scan is Reporter.Scan.
func (s *Store) Scan(ctx context.Context, scope stores.Scope, q stores.Query, row func(*stores.Record) error) error {
	list, err := s.History(ctx, scope, q)
	if err != nil {
		return err
	}
	for i := range list {
		r := &list[i]
		r.SQLFacts, r.Upstreams, r.TestResult = nil, nil, nil
		if err := row(r); err != nil {
			return err
		}
	}
	return nil
}

// Scopes is Reporter.Scopes.
func (s *Store) Scopes(ctx context.Context) ([]stores.Scope, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []stores.Scope
	for _, r := range s.records {
		if scope := (stores.Scope{Project: r.ProjectName, Target: r.TargetName}); !slices.Contains(out, scope) {
			out = append(out, scope)
		}
	}
	slices.SortFunc(out, func(a, b stores.Scope) int {
		return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.Target, b.Target))
	})
	return out, nil
}

// Close is Store.Close; the records stay, so a test may go on with the same store.
func (s *Store) Close() error { return nil }

// scoped returns copies of the records of scope.
func (s *Store) scoped(scope stores.Scope) []stores.Record {
	var out []stores.Record
	for _, r := range s.records {
		if r.ProjectName == scope.Project && r.TargetName == scope.Target {
			out = append(out, r)
		}
	}
	return out
}
