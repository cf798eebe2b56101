package simulation

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"hodor/stores"
	"hodor/stores/memory"
)

// plain is a world without chance in it: a source, a seed, a view, tables, an incremental model, a snapshot and a test, all settled.
func plain(t *testing.T) *world {
	t.Helper()
	w := newWorld(1, t.TempDir(), []string{"duckdb"})
	if err := w.seeds(); err != nil {
		t.Fatal(err)
	}
	for id, n := range w.p.nodes {
		if n.resource != "source" {
			delete(w.p.nodes, id)
		}
	}
	add := func(resource, mat, name, from string) {
		n := &node{id: resource + ".shop." + name, resource: resource, name: name, schema: "main", alias: name, mat: mat, severity: "error"}
		if mat == "seed" {
			n.rows = [][2]int{{1, 4}}
		} else {
			n.query = query{arms: []arm{{from: ref{id: from}, expr: expr{"add", 1}}}}
		}
		w.p.nodes[n.id] = n
	}
	add("seed", "seed", "r", "")
	add("model", "view", "a", "source.shop.raw.s1")
	add("model", "table", "b", "model.shop.a")
	add("model", "table", "c", "seed.shop.r")
	add("model", "incremental", "d", "model.shop.b")
	add("snapshot", "snapshot", "e", "source.shop.raw.s2")
	add("test", "test", "f", "model.shop.b")
	w.p.sort()
	for range 3 {
		w.all(t)
	}
	if got := w.all(t); len(got) != 7 {
		t.Fatalf("only %v are settled", got)
	}
	return w
}

// all runs everything and returns what was reused.
func (w *world) all(t *testing.T) map[string]bool {
	t.Helper()
	before := len(w.log)
	w.do(step{"run", 1})
	if w.wrong != "" {
		t.Fatal(w.wrong)
	}
	reused := map[string]bool{}
	for _, line := range w.log[before:] {
		if _, rest, ok := strings.Cut(line, ": "); ok && strings.Contains(rest, " is reuse,") {
			id, _, _ := strings.Cut(rest, " ")
			reused[id] = true
		}
	}
	return reused
}

func (w *world) records(t *testing.T) []stores.Record {
	t.Helper()
	list, err := w.store.History(context.Background(), stores.Scope{Project: "shop", Target: "dev"}, stores.Query{})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// holding is a store of these records, as they are, checksums included.
func holding(t *testing.T, list []stores.Record) *memory.Store {
	t.Helper()
	m := &memory.Store{}
	if err := m.Append(context.Background(), list); err != nil {
		t.Fatal(err)
	}
	i := 0
	m.Damage(func(rec *stores.Record) { *rec = list[i]; i++ })
	return m
}

// newestBuild returns the place of a node's history.
func newestBuild(list []stores.Record, id string) int {
	best := -1
	for i, rec := range list {
		if rec.UniqueID == id && rec.Action == "build" && (best < 0 || *rec.BuiltAtMS > *list[best].BuiltAtMS) {
			best = i
		}
	}
	return best
}

// TestNoReuseWithoutChecksum changes every column of every node's history, one at a time: that node builds.
func TestNoReuseWithoutChecksum(t *testing.T) {
	w := plain(t)
	list := w.records(t)
	text := func(s string) *string { return &s }
	number := func(n int64) *int64 { return &n }
	changes := map[string]func(r *stores.Record){
		"recorded_at_ms": func(r *stores.Record) { r.RecordedAtMS++ }, "project_name": func(r *stores.Record) { r.ProjectName = "other" },
		"target_name": func(r *stores.Record) { r.TargetName = "prod" }, "node_key": func(r *stores.Record) { r.NodeKey += "x" },
		"unique_id": func(r *stores.Record) { r.UniqueID += "x" }, "resource_type": func(r *stores.Record) { r.ResourceType = "analysis" },
		"mode": func(r *stores.Record) { r.Mode = "shadow" }, "decision": func(r *stores.Record) { r.Decision = "reuse" },
		"reason": func(r *stores.Record) { r.Reason = "volatile_sql" }, "action": func(r *stores.Record) { r.Action = "reuse" },
		"status": func(r *stores.Record) { r.Status = "warn" }, "text_hash": func(r *stores.Record) { r.TextHash = text("0") },
		"code_hash": func(r *stores.Record) { r.CodeHash = text("0") }, "unrendered_hash": func(r *stores.Record) { r.UnrenderedHash = text("") },
		"config_hash": func(r *stores.Record) { r.ConfigHash = nil }, "hash_version": func(r *stores.Record) { r.HashVersion = "0" },
		"sql_facts": func(r *stores.Record) { r.SQLFacts = text("{}") }, "data_version": func(r *stores.Record) { r.DataVersion = text("1") },
		"data_changed_at_ms": func(r *stores.Record) { r.DataChangedAtMS = number(7) }, "built_at_ms": func(r *stores.Record) { r.BuiltAtMS = number(*r.BuiltAtMS + 1) },
		"upstreams": func(r *stores.Record) { r.Upstreams = text(`{"a":"b"}`) }, "test_result": func(r *stores.Record) { r.TestResult = text(`{"status":"pass"}`) },
		"hodor_version": func(r *stores.Record) { r.HodorVersion = "9" }, "commit_id": func(r *stores.Record) { r.CommitID = text("1") },
		"build_ms": func(r *stores.Record) { r.BuildMS = number(-7) }, "checksum": func(r *stores.Record) { r.Checksum = "1:" },
		"invocation_id": func(r *stores.Record) { r.InvocationID = "x" }, "record_id": func(r *stores.Record) { r.RecordID = "y" },
	}
	for _, c := range stores.Columns {
		if changes[c.Name] == nil {
			t.Errorf("no change of the column %s is tried", c.Name)
		}
	}
	for name, change := range changes {
		for _, id := range w.p.order {
			at := newestBuild(list, id)
			if at < 0 {
				continue
			}
			damaged := slices.Clone(list)
			change(&damaged[at])
			// Without the records before it: an older history of the same content would be a right one.
			damaged = slices.DeleteFunc(damaged, func(r stores.Record) bool { return r.UniqueID == id && r.RecordID != damaged[at].RecordID })
			w.store = holding(t, damaged)
			if w.all(t)[id] {
				t.Errorf("%s: another %s, and it is reused", id, name)
			}
		}
	}
}

// TestHostileRows: whatever else stands in the state table, no run fails, and the model finds no wrong reuse.
func TestHostileRows(t *testing.T) {
	long := 4 << 20
	if os.Getenv("HODOR_LONG") != "" {
		long = 100 << 20
	}
	text := func(s string) *string { return &s }
	sealed := func(change func(r *stores.Record)) func([]stores.Record) []stores.Record {
		return func(list []stores.Record) []stores.Record {
			for i := range list {
				change(&list[i])
				list[i].Checksum = list[i].Sum()
			}
			return list
		}
	}
	for _, c := range []struct {
		name   string
		change func([]stores.Record) []stores.Record
		reused int // how many nodes may be at most; -1: all
	}{
		{"swapped between nodes", func(list []stores.Record) []stores.Record {
			first := list[0]
			for i := range list {
				other := first
				if i+1 < len(list) {
					other = list[i+1]
				}
				list[i].UniqueID, list[i].NodeKey = other.UniqueID, other.NodeKey
			}
			return list
		}, 0},
		{"there twice", func(list []stores.Record) []stores.Record { return append(list, list...) }, -1},
		{"there twice, and unlike", func(list []stores.Record) []stores.Record {
			again := slices.Clone(list)
			for i := range again {
				again[i].CodeHash = text("0")
				again[i].Checksum = again[i].Sum()
			}
			return append(list, again...)
		}, 0},
		{"cut", sealed(func(r *stores.Record) {
			for _, s := range []**string{&r.SQLFacts, &r.Upstreams, &r.TestResult} {
				if *s != nil {
					*s = text((**s)[:len(**s)/2])
				}
			}
		}), 0},
		{"of other types", sealed(func(r *stores.Record) { r.SQLFacts, r.Upstreams = text(`[1,2]`), text(`{"shop.raw.s1":[1]}`) }), 0},
		{"deep", sealed(func(r *stores.Record) { r.Upstreams = text(strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20)) }), 0},
		{"from the future", sealed(func(r *stores.Record) {
			at := int64(9_000_000_000_000)
			r.RecordedAtMS = at
			if r.BuiltAtMS != nil {
				r.BuiltAtMS = &at
			}
		}), 0},
		{"at no time", sealed(func(r *stores.Record) {
			at, took := int64(math.MinInt64), int64(math.MaxInt64)
			if r.BuiltAtMS != nil {
				r.BuiltAtMS, r.BuildMS = &at, &took
			}
		}), 0},
		{"of another project", sealed(func(r *stores.Record) { r.ProjectName = "other" }), 0},
		{"of another target", sealed(func(r *stores.Record) { r.TargetName = "prod" }), 0},
		{"of another hash version", sealed(func(r *stores.Record) { r.HashVersion = "0" }), 0},
		{"huge", func(list []stores.Record) []stores.Record {
			at := newestBuild(list, "model.shop.b")
			list[at].SQLFacts = text(`{"views":{"` + strings.Repeat("x", long) + `":{}}}`)
			list[at].Checksum = list[at].Sum()
			return list
		}, 6},
		{"huge upstreams", func(list []stores.Record) []stores.Record {
			var b strings.Builder
			b.WriteString(`{"":""`)
			for i := 0; b.Len() < long; i++ {
				fmt.Fprintf(&b, `,"shop.raw.t%d":"%d"`, i, i)
			}
			at := newestBuild(list, "model.shop.c")
			list[at].Upstreams = text(b.String() + "}")
			list[at].Checksum = list[at].Sum()
			return list
		}, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := plain(t)
			w.store = holding(t, c.change(w.records(t)))
			got := w.all(t)
			if c.reused >= 0 && len(got) > c.reused {
				t.Errorf("%d nodes are reused: %v", len(got), got)
			}
			if c.reused < 0 && len(got) != 7 {
				t.Errorf("only %v are reused", got)
			}
			w.all(t) // and so is the run after it
		})
	}
}
