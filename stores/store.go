package stores

import (
	"context"
	"errors"
)

// ErrUnavailable is wrapped by every error that means "no store can be reached": locked, missing, unreadable, of a newer schema, or compiled
// out. The run then builds everything.
var ErrUnavailable = errors.New("state store unavailable")

// Scope names the records of one dbt project and target. Records of other scopes in the same table are never read or touched.
type Scope struct {
	Project string
	Target  string
}

// Store keeps records. Implementations are safe for concurrent use. Every method returns an error rather than a part of the answer: a row that
// fails its checksum is left out of Load and counted in Loaded.Rejected, because a lost record costs one build and a wrong one a wrong reuse.
type Store interface {
	// Load returns, for each node key of scope, the newest record that may count as history among those recorded at or after sinceMS (epoch ms):
	// action build, status success, pass, warn or fail, and a right checksum (S1); where the newest build of a node is void (no data version for
	// a table, builds that overlap, S2, S3), the key has no history, never an older record.
	Load(ctx context.Context, scope Scope, sinceMS int64) (*Loaded, error)
	// Append writes records in one or several statements, at most 500 rows each. After an error any part may have been written.
	Append(ctx context.Context, records []Record) error
	// History returns records of scope, newest first, at most limit (0: all).
	History(ctx context.Context, scope Scope, q Query) ([]Record, error)
	// Prune deletes the records of scope recorded before beforeMS and returns their number; with dryRun it only counts.
	Prune(ctx context.Context, scope Scope, beforeMS int64, dryRun bool) (int64, error)
	// Close releases the store. Records appended before are durable.
	Close() error
}

// Loaded is the history that a run starts from.
type Loaded struct {
	Records map[string]*Record // by node key
	// Rejected counts rows that were left out: wrong checksum, broken JSON, from the future.
	Rejected int
}

// Query narrows History. Empty fields do not narrow.
type Query struct {
	InvocationID string
	NodeKey      string
	UniqueID     string
	BeforeMS     int64
	Limit        int
}
