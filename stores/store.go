package stores

import (
	"context"
	"errors"
)

// ErrUnavailable is wrapped by every error that means "no store can be reached": locked, missing, unreadable, of a newer schema, or compiled
// out. The run then builds everything.
var ErrUnavailable = errors.New("state store unavailable")

// ErrNoRecordID is returned by Append for records of which one has no RecordID; nothing was written.
var ErrNoRecordID = errors.New("a record has no record_id")

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
	// a table, builds that overlap, one that began and has no end, S2, S3), the key has no history, never an older record.
	//
	// The caller asks Loaded.Of for a node's history (S1) and Loaded.DropFuture once it knows the warehouse's clock (S5).
	// newest.go has the rule in full. A place where nothing was ever written is an empty history, not an error.
	Load(ctx context.Context, scope Scope, sinceMS int64) (*Loaded, error)
	// Append writes records in one or several statements, at most 500 rows each, and gives them their checksums (it does not change records). It
	// creates the place and the tables if they are missing. After an error any part may have been written; the same records may be
	// appended again, a row that is there already is no harm.
	Append(ctx context.Context, records []Record) error
	// History returns records of scope, newest first (by the time of recording), at most q.Limit (0: all). They are returned as they were stored, so
	// a damaged one too: Record.Check tells.
	History(ctx context.Context, scope Scope, q Query) ([]Record, error)
	// Prune deletes the records of scope recorded before beforeMS (epoch ms) and returns their number; with dryRun it only counts. Records of
	// `state` runs that lost their claim, those with a commit id that no commit row names, go once they are a day older than the newest record
	// of the scope. Other scopes in the same table are never touched.
	Prune(ctx context.Context, scope Scope, beforeMS int64, dryRun bool) (int64, error)
	// Close releases the store. Records appended before are durable.
	Close() error
}

// Loaded is the history that a run starts from.
type Loaded struct {
	Records map[string]*Record // by node key
	// Void has, by node key, the newest build where it takes the node's history by itself: without a version or a time, or with no end recorded.
	Void map[string]*Record
	// Rejected counts rows that were left out: wrong checksum, broken JSON, from the future.
	Rejected int
	seen     map[string]string // by node key: the checksum of the first row that was looked at
}

// Query narrows History. Empty fields do not narrow.
type Query struct {
	InvocationID string
	NodeKey      string
	NodeKeys     []string // one of these
	UniqueID     string
	SinceMS      int64 // recorded at or after, epoch ms
	BeforeMS     int64 // recorded before, epoch ms
	Limit        int
}
