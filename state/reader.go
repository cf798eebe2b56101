package state

import (
	"context"
	"maps"
	"sync"

	"hodor/engine"
	"hodor/session"
	"hodor/versions"
)

// Reads are the versions that a plan looked at, by relation key. They are what a saved plan is held against (S30), and what a record says of
// everything that the run did not build.
type Reads struct {
	Rows        map[string]engine.Version `json:"rows"`
	Definitions map[string]engine.Version `json:"definitions"`
	Columns     map[string]engine.Version `json:"columns"`
	Volatile    map[string]engine.Version `json:"volatile"`
	// Session is the fingerprint of the session (S19).
	Session string `json:"session"`
}

func newReads() Reads {
	return Reads{Rows: map[string]engine.Version{}, Definitions: map[string]engine.Version{}, Columns: map[string]engine.Version{}, Volatile: map[string]engine.Version{}}
}

// moved names the first thing that differs between two readings, "" if none does.
func (r Reads) moved(now Reads) string {
	for _, m := range []struct {
		what      string
		then, now map[string]engine.Version
	}{{"the data of", r.Rows, now.Rows}, {"the definition of", r.Definitions, now.Definitions}, {"the columns of", r.Columns, now.Columns}, {"the value of", r.Volatile, now.Volatile}} {
		if maps.Equal(m.then, m.now) {
			continue
		}
		for _, key := range sortedKeys(m.then) {
			if m.then[key] != m.now[key] {
				return m.what + " " + key
			}
		}
		for _, key := range sortedKeys(m.now) {
			if _, ok := m.then[key]; !ok {
				return m.what + " " + key
			}
		}
	}
	return ""
}

// sourceFact is what a measurement says of a source: that it is not to be trusted, or when it was last loaded.
type sourceFact struct {
	unknown  bool
	loadedAt string
}

// planReader stands between the session that plans and the warehouse: it keeps what was read, answers for relations that will be built, and lets a
// measurement turn known into unknown.
type planReader struct {
	versions.Reader
	sources map[string]sourceFact // by relation key
	// leftOut are relations whose nodes are to build and are left out of this run: their readers' records need the version as it stands.
	leftOut map[string]bool
	// everything: a hook at the start of the run may write any table.
	everything bool
	written    map[string]bool // relations that such a hook writes
	// noSession: what the hooks do to the session is not known.
	noSession bool

	mu     sync.Mutex
	reads  Reads
	tables map[string]bool           // will be built
	views  map[string]engine.Version // will be built, with their definition then
}

func (r *planReader) willBuildTable(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tables[key] = true
}

func (r *planReader) willBuildView(key string, definition engine.Version) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.views[key] = definition
}

func (r *planReader) built(key string) (table bool, definition engine.Version, view bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	definition, view = r.views[key]
	return r.tables[key], definition, view
}

func (r *planReader) keep(into map[string]engine.Version, key string, v engine.Version) engine.Version {
	r.mu.Lock()
	defer r.mu.Unlock()
	// A reader may answer with less than the whole token where it can prove that it stands; the longer one is the better evidence.
	if old, ok := into[key]; !ok || len(v) > len(old) || !v.Known() {
		into[key] = v
	}
	return v
}

// Rows implements versions.Reader.
func (r *planReader) Rows(ctx context.Context, rel versions.Relation, then engine.Version) engine.Version {
	table, _, _ := r.built(rel.Key)
	read := func() engine.Version {
		v := r.Reader.Rows(ctx, rel, then)
		if f, measured := r.sources[rel.Key]; measured {
			switch {
			case f.unknown:
				v = ""
			case !v.Known() && f.loadedAt != "":
				v = engine.Version("loaded_at:" + f.loadedAt)
			}
		}
		return r.keep(r.reads.Rows, rel.Key, v)
	}
	if table || r.everything || r.written[rel.Key] {
		if r.leftOut[rel.Key] || !table {
			read()
		}
		return session.Foreseen(rel.Key)
	}
	return read()
}

// Definition implements versions.Reader.
func (r *planReader) Definition(ctx context.Context, rel versions.Relation) engine.Version {
	if _, definition, view := r.built(rel.Key); view {
		if r.leftOut[rel.Key] {
			r.keep(r.reads.Definitions, rel.Key, r.Reader.Definition(ctx, rel))
		}
		return definition
	}
	return r.keep(r.reads.Definitions, rel.Key, r.Reader.Definition(ctx, rel))
}

// Columns implements versions.Reader. The columns of what will be built are not known before.
func (r *planReader) Columns(ctx context.Context, rel versions.Relation, then engine.Version) engine.Version {
	if table, _, view := r.built(rel.Key); table || view {
		if r.leftOut[rel.Key] {
			r.keep(r.reads.Columns, rel.Key, r.Reader.Columns(ctx, rel, then))
		}
		return ""
	}
	return r.keep(r.reads.Columns, rel.Key, r.Reader.Columns(ctx, rel, then))
}

// Stands implements versions.Reader.
func (r *planReader) Stands(ctx context.Context, rel versions.Relation) engine.Relation {
	if table, _, view := r.built(rel.Key); table || view {
		return engine.Present
	}
	return r.Reader.Stands(ctx, rel)
}

// Volatile implements versions.Reader.
func (r *planReader) Volatile(ctx context.Context, kind string) engine.Version {
	return r.keep(r.reads.Volatile, kind, r.Reader.Volatile(ctx, kind))
}

// Session implements versions.Reader.
func (r *planReader) Session(ctx context.Context) (versions.Session, error) {
	s, err := r.Reader.Session(ctx)
	if r.noSession {
		s.Fingerprint = ""
	}
	r.mu.Lock()
	r.reads.Session = s.Fingerprint
	r.mu.Unlock()
	return s, err
}

// snapshot returns a copy of what was read.
func (r *planReader) snapshot() Reads {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Reads{
		Rows: maps.Clone(r.reads.Rows), Definitions: maps.Clone(r.reads.Definitions), Columns: maps.Clone(r.reads.Columns),
		Volatile: maps.Clone(r.reads.Volatile), Session: r.reads.Session,
	}
}
