package project

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"
)

type object = map[string]any

// fixture returns the manifest of an adapter as a tree to change.
func fixture(t testing.TB, adapter string) object {
	t.Helper()
	raw, err := os.ReadFile("testdata/manifest_" + adapter + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var m object
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	return m
}

// loaded reads a manifest tree as Load would.
func loaded(t testing.TB, m object) *Project {
	t.Helper()
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	p, err := read(bytes.NewReader(raw), "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// at walks into a tree: at(m, "nodes", "model.shop.orders", "config").
func at(t testing.TB, m object, path ...string) object {
	t.Helper()
	for _, key := range path {
		next, ok := m[key].(object)
		if !ok {
			t.Fatalf("nothing under %s", strings.Join(path, "/"))
		}
		m = next
	}
	return m
}

func node(t testing.TB, p *Project, id string) *Node {
	t.Helper()
	n := p.Nodes[id]
	if n == nil {
		t.Fatalf("%s is not in the project", id)
	}
	return n
}

// testContext is a run in which everything is known and the environment is what the test says.
func testContext(env map[string]string) Context {
	return Context{
		Vars: "vars", Target: "target", Threads: "4", Flags: "flags", Selected: "selected",
		Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		Environ: func() []string {
			var all []string
			for k, v := range env {
				all = append(all, k+"="+v)
			}
			return all
		},
	}
}

// configHash is the config hash of one node of a manifest tree.
func configHash(t testing.TB, m object, id string) string {
	t.Helper()
	p := loaded(t, m)
	h := p.NewHasher(testContext(nil)).Config(node(t, p, id))
	if len(h) != 64 {
		t.Fatalf("config hash of %s is %q", id, h)
	}
	return h
}

// addMacro puts a project macro into a manifest tree. calls are what dbt would find in it.
func addMacro(m object, pkg, name, sql string, calls ...string) {
	ids := []any{}
	for _, c := range calls {
		ids = append(ids, c)
	}
	m["macros"].(object)["macro."+pkg+"."+name] = object{
		"name": name, "package_name": pkg, "unique_id": "macro." + pkg + "." + name, "macro_sql": sql,
		"depends_on": object{"macros": ids},
	}
}

// small is a manifest tree with one node of the DuckDB fixture and one macro of dbt.
func small(t testing.TB, id string) object {
	t.Helper()
	smallOnce.Do(func() {
		m := fixture(t, "duckdb")
		for k := range m["macros"].(object) {
			if k != "macro.dbt.create_table_as" {
				delete(m["macros"].(object), k)
			}
		}
		smallTree = m
	})
	raw, err := json.Marshal(object{
		"metadata": smallTree["metadata"], "macros": smallTree["macros"], "nodes": object{id: at(t, smallTree, "nodes", id)},
	})
	if err != nil {
		t.Fatal(err)
	}
	var m object
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

var (
	smallOnce sync.Once
	smallTree object
)
