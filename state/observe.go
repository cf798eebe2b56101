package state

import (
	"context"
	"fmt"
	"sync"
	"time"

	"hodor/engine"
	"hodor/normalize"
	"hodor/versions"
)

// window is when a node was built in this run, on this machine's clock; zero where dbt did not say.
type window struct {
	id         string
	start, end time.Time
}

// ceilMS is the first whole millisecond at or after t, epoch ms.
func ceilMS(t time.Time) int64 { return t.Add(time.Millisecond - 1).UnixMilli() }

// observeReader stands between the session that records and the warehouse, after dbt has ended. It answers with versions that a record may hold, and
// notes a doubt where there is none:
//
//   - what this run did not build: as the plan read it, since it was read before;
//   - what it built: as it stands now, if it must have stood like that when the reader began (a parent) or when the build ended (the target).
//     On Delta the latest change must lie in the build's own window. On DuckDB nobody else can write while dbt runs, so it is enough that no
//     node of the run may have written elsewhere (S28).
type observeReader struct {
	versions.Reader
	planned Reads
	session versions.Session
	built   map[string]window // by relation key
	duckdb  bool
	// untrusted says why nothing that is read after dbt ended may be recorded; "" if it may.
	untrusted string
	// toWarehouse converts this machine's clock to the warehouse's, epoch ms.
	toWarehouse func(int64) int64

	// The node whose record is made.
	key   string // its relation
	start time.Time

	mu    sync.Mutex
	doubt string
}

// begin turns to the next record.
func (r *observeReader) begin(key string, start time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.key, r.start, r.doubt = key, start, ""
}

// doubts says why the record must not be kept, "" if it may.
func (r *observeReader) doubts() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.doubt
}

func (r *observeReader) unsure(format string, args ...any) engine.Version {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.doubt == "" {
		r.doubt = fmt.Sprintf(format, args...)
	}
	return ""
}

// usable tells whether what the run built under a key may be read now.
func (r *observeReader) usable(key string) (w window, ok bool) {
	w = r.built[key]
	switch {
	case r.untrusted != "":
		r.unsure("%s", r.untrusted)
	case w.start.IsZero() || w.end.IsZero():
		r.unsure("dbt did not say when %s was built", w.id)
	case key != r.key && w.end.After(r.start):
		r.unsure("%s was built at the same time", w.id)
	default:
		return w, true
	}
	return w, false
}

// asPlanned is the version that the plan read.
func (r *observeReader) asPlanned(from map[string]engine.Version, key string) engine.Version {
	v, ok := from[key]
	if !ok {
		return r.unsure("%s was not read before the run", key)
	}
	return v
}

// Rows implements versions.Reader.
func (r *observeReader) Rows(ctx context.Context, rel versions.Relation, _ engine.Version) engine.Version {
	if _, built := r.built[rel.Key]; !built {
		return r.asPlanned(r.planned.Rows, rel.Key)
	}
	w, ok := r.usable(rel.Key)
	if !ok {
		return ""
	}
	v := r.Reader.Rows(ctx, rel, "")
	if r.duckdb {
		return v
	}
	changed, ok := versions.ChangedAt(v)
	if !ok {
		return r.unsure("the version of %s can't be read", rel.Key)
	}
	start, end := r.toWarehouse(w.start.UnixMilli()), r.toWarehouse(ceilMS(w.end))
	if changed > end || changed < start && rel.Key != r.key {
		return r.unsure("the latest change of %s is not of this run", rel.Key)
	}
	return v
}

// Definition implements versions.Reader.
func (r *observeReader) Definition(ctx context.Context, rel versions.Relation) engine.Version {
	if _, built := r.built[rel.Key]; !built {
		return r.asPlanned(r.planned.Definitions, rel.Key)
	}
	if _, ok := r.usable(rel.Key); !ok {
		return ""
	}
	return r.Reader.Definition(ctx, rel)
}

// Columns implements versions.Reader.
func (r *observeReader) Columns(ctx context.Context, rel versions.Relation, _ engine.Version) engine.Version {
	if r.duckdb {
		return ""
	}
	if _, built := r.built[rel.Key]; !built {
		return r.asPlanned(r.planned.Columns, rel.Key)
	}
	if _, ok := r.usable(rel.Key); !ok {
		return ""
	}
	return r.Reader.Columns(ctx, rel, "")
}

// Volatile implements versions.Reader: what it was before the run.
func (r *observeReader) Volatile(_ context.Context, kind string) engine.Version {
	if kind != "date" && kind != "session" {
		return ""
	}
	return r.asPlanned(r.planned.Volatile, kind)
}

// Session implements versions.Reader: the clock of now, the settings of before.
func (r *observeReader) Session(ctx context.Context) (versions.Session, error) {
	s, err := r.Reader.Session(ctx)
	s.Fingerprint, s.UserFunctions = r.session.Fingerprint, r.session.UserFunctions
	return s, err
}

func isDuckDB(adapter string) bool { return adapter == normalize.DialectDuckDB }
