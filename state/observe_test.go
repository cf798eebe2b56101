package state

import (
	"context"
	"strings"
	"testing"
	"time"

	"hodor/engine"
	"hodor/versions"
)

// told is a warehouse that answers one version for every table.
type told struct {
	versions.Reader
	v engine.Version
}

func (r told) Rows(context.Context, versions.Relation, engine.Version) engine.Version { return r.v }
func (r told) Definition(context.Context, versions.Relation) engine.Version           { return r.v }
func (r told) Columns(context.Context, versions.Relation, engine.Version) engine.Version {
	return r.v
}

// What a record may say on Delta of what its run built: the latest change of a parent must lie in the parent's own window, and the target may not have
// been written after its build. The warehouse's clock is an hour ahead.
func TestWindowsOnDelta(t *testing.T) {
	at := func(ms int64) time.Time { return time.UnixMilli(ms) }
	const hour = 3_600_000
	for _, c := range []struct {
		name   string
		key    string // what is read; the record is that of "child", built from 5000 to 6000
		parent window
		v      engine.Version
		doubt  string
	}{
		{"a parent, changed while it was built", "parent", window{"p", at(1000), at(2000)}, "7@3601500#c", ""},
		{"at its very ends", "parent", window{"p", at(1000), at(2000)}, "7@3601000#c", ""},
		{"changed before", "parent", window{"p", at(1000), at(2000)}, "7@3600999#c", "not of this run"},
		{"changed after", "parent", window{"p", at(1000), at(2000)}, "7@3602001#c", "not of this run"},
		{"a parent that was built beside", "parent", window{"p", at(1000), at(5001)}, "7@3601500#c", "at the same time"},
		{"of which dbt said nothing", "parent", window{id: "p"}, "7@3601500#c", "did not say when"},
		{"of no known version", "parent", window{"p", at(1000), at(2000)}, "", "can't be read"},
		{"not by a commit", "parent", window{"p", at(1000), at(2000)}, "v1.5:3@x#y", "can't be read"},
		{"the target, changed while it was built", "child", window{}, "7@3605500#c", ""},
		{"a build that wrote nothing", "child", window{}, "7@3600001#c", ""},
		{"the target, written after", "child", window{}, "7@3606001#c", "not of this run"},
		{"what was not built, as planned", "source", window{}, "9@9#c", ""},
		{"what the plan did not read", "other", window{}, "9@9#c", "not read before"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &observeReader{
				Reader: told{v: c.v}, planned: Reads{Rows: map[string]engine.Version{"source": "1@1#c"}}, toWarehouse: func(ms int64) int64 { return ms + hour },
				built: map[string]window{"parent": c.parent, "child": {"c", at(5000), at(6000)}},
			}
			r.begin("child", at(5000))
			got := r.Rows(context.Background(), versions.Relation{Key: c.key}, "")
			why := r.doubts()
			if c.doubt == "" && (why != "" || !got.Known()) || c.doubt != "" && (!strings.Contains(why, c.doubt) || got.Known()) {
				t.Errorf("version %q, doubt %q; want the doubt %q", got, why, c.doubt)
			}
			if c.key == "source" && got != "1@1#c" {
				t.Errorf("version %q, the plan read 1@1#c", got)
			}
			r.begin("next", at(7000))
			if r.doubts() != "" {
				t.Error("a doubt stays for the next record")
			}
		})
	}
}

// On DuckDB no commit tells who wrote when: where a node may have written elsewhere, nothing that is read after the run is trusted.
func TestUntrustedOnDuckDB(t *testing.T) {
	r := &observeReader{
		Reader: told{v: "v1.5:3@x#y"}, duckdb: true, built: map[string]window{"child": {"c", time.UnixMilli(1), time.UnixMilli(2)}},
		planned: Reads{Rows: map[string]engine.Version{"source": "s"}, Volatile: map[string]engine.Version{"date": "2026-10-20"}},
	}
	r.begin("child", time.UnixMilli(1))
	ctx := context.Background()
	if v := r.Rows(ctx, versions.Relation{Key: "child"}, ""); !v.Known() || r.doubts() != "" {
		t.Errorf("%q, %q", v, r.doubts())
	}
	r.untrusted = "model.a may have written other tables"
	if v := r.Rows(ctx, versions.Relation{Key: "source"}, ""); v != "s" || r.doubts() != "" {
		t.Errorf("what the plan read is trusted: %q, %q", v, r.doubts())
	}
	if v := r.Definition(ctx, versions.Relation{Key: "child"}); v.Known() || r.doubts() != r.untrusted {
		t.Errorf("%q, %q", v, r.doubts())
	}
	r.begin("child", time.UnixMilli(1))
	if v := r.Volatile(ctx, "date"); v != "2026-10-20" || r.Volatile(ctx, "always").Known() || r.doubts() != "" {
		t.Errorf("volatile values: %q, %q", v, r.doubts())
	}
	if r.Volatile(ctx, "session").Known() || r.doubts() == "" {
		t.Error("a value that the plan did not read is known")
	}
}
