package versions

import (
	"context"
	"fmt"
	"sync"
	"time"

	"hodor/engine"
)

// Relation is a table, view or path to ask about.
type Relation struct {
	// Key is its canonical name (project.Key of Parts, or "delta.`/x`"); relations of one key share one version.
	Key string
	// Parts are catalog, schema and identifier as data, never quoted. Fewer than three are never enough to know what a name means.
	Parts []string
	// Path is the path of a Delta table without a name; Parts is empty then.
	Path string
}

// Reader reads versions of one warehouse for one run. It is safe for concurrent use. No method returns an error where the answer can be
// "unknown": the reason goes to Options.Log.
type Reader interface {
	// Rows returns the version of a table's rows, column names, types and order; unknown for views and for whatever can't be read. then is the
	// version that a record holds, or "": a reader may return it unread where it can prove that it still stands. With "" the version is complete
	// and fit to be recorded.
	Rows(ctx context.Context, r Relation, then engine.Version) engine.Version
	// Definition returns the version of a view's definition; unknown for anything but a view. It says nothing about the view's rows.
	Definition(ctx context.Context, r Relation) engine.Version
	// Stands tells whether a table or view of that name is in the warehouse; the zero value where that can't be told.
	Stands(ctx context.Context, r Relation) engine.Relation
	// Columns returns the version of a relation's column names, types and order alone (S18); unknown where the warehouse binds views anew at each
	// use, and nothing needs it. then is the recorded version of the relation's rows, or "", as in Rows.
	Columns(ctx context.Context, r Relation, then engine.Version) engine.Version
	// Volatile returns the value of a kind of volatile call now: "date" or "session" (S24); unknown for any other kind.
	Volatile(ctx context.Context, kind string) engine.Version
	// Session reads the clock and the session once a run.
	Session(ctx context.Context) (Session, error)
	// Invalidate makes what is known of one relation stale (S15). A read that has begun is not kept (S16).
	Invalidate(r Relation)
	// InvalidateAll makes every version stale.
	InvalidateAll()
	// Reads returns how many versions were read from the warehouse.
	Reads() int
}

// Session is what is read of the warehouse when a run starts.
type Session struct {
	// NowMS is the warehouse's clock when Read was taken, epoch ms.
	NowMS int64
	// Asked is when the statement was sent, and Taken when it was answered, with the monotonic clock. The warehouse's clock now is not before NowMS and
	// the time since Taken, and not after NowMS and the time since Asked (S5): a warehouse that had to be started answers minutes later.
	Asked, Taken time.Time
	// Fingerprint is a hash over the settings, and on DuckDB the user's types, that may change what a statement means or returns (S19).
	Fingerprint string
	// UserFunctions are the names of the user's functions, macros and operators, in lower case and sorted; one of a built-in's name hides it (S8).
	UserFunctions []string
	// Descending: ORDER BY without ASC or DESC does not mean ASC (DuckDB's default_order), so texts that differ in that word are different code.
	Descending bool
	// Engine is the engine's version.
	Engine string
}

// Options of a reader.
type Options struct {
	// Log takes one line for each version that could not be read. nil: nowhere.
	Log func(format string, args ...any)
	// Catalog is the default catalog, for names of two parts (Databricks); "": not known.
	Catalog string
	// Now is time.Now, but for tests.
	Now func() time.Time
}

// unknowns logs why something is unknown, once each: a table that many nodes read is asked for as often.
type unknowns struct {
	mu   sync.Mutex
	seen map[string]bool
}

func (u *unknowns) log(o Options, what, key string, err error) {
	if o.Log == nil {
		return
	}
	line := fmt.Sprintf("%s of %s is unknown: %v", what, key, err)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.seen[line] {
		return
	}
	if u.seen == nil {
		u.seen = map[string]bool{}
	}
	u.seen[line] = true
	o.Log("%s", line)
}

func (o Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}
