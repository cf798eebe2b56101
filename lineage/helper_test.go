package lineage

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hodor/normalize"
	"hodor/project"
)

// world is a made-up project: nodes are added by one line each, facts by node id.
type world struct {
	t       *testing.T
	dialect string
	nodes   map[string]any
	sources map[string]any
	facts   map[string]Facts
	options Options
	asked   []string // views whose facts were asked for
}

func newWorld(t *testing.T, dialect string) *world {
	return &world{t: t, dialect: dialect, nodes: map[string]any{}, sources: map[string]any{}, facts: map[string]Facts{},
		options: Options{Dialect: dialect, Catalog: "shop", Schema: "main", Deferred: map[string]string{}}}
}

// add puts a node into the project: "table model.shop.a" with the ids of its parents. The first word is the materialization; more words are
// settings of its config as key=JSON.
func (w *world) add(what string, parents ...string) {
	words := strings.Fields(what)
	id := words[1]
	kind, name := strings.Split(id, ".")[0], id[strings.LastIndexByte(id, '.')+1:]
	config := map[string]any{"materialized": words[0], "state": map[string]any{}}
	if kind == "snapshot" {
		config["strategy"] = "check"
	}
	for _, word := range words[2:] {
		key, val, _ := strings.Cut(word, "=")
		config[key] = json.RawMessage(val)
	}
	q := `"`
	if w.dialect == "databricks" {
		q = "`"
	}
	entry := map[string]any{
		"resource_type": kind, "name": name, "config": config, "depends_on": map[string]any{"nodes": parents}, "language": "sql",
		"database": "shop", "schema": "main", "alias": name, "relation_name": fmt.Sprintf("%[1]sshop%[1]s.%[1]smain%[1]s.%[1]s%[2]s%[1]s", q, name),
	}
	switch {
	case kind == "source":
		entry["schema"], entry["identifier"] = "raw", name
		entry["relation_name"] = strings.Replace(entry["relation_name"].(string), "main", "raw", 1)
		entry["meta"] = config["meta"]
		w.sources[id] = entry
		return
	case words[0] == "ephemeral", kind == "test", kind == "function":
		delete(entry, "relation_name")
	}
	w.nodes[id] = entry
}

// body gives a node the facts of its compiled SQL: tables by dotted name, and whatever else by a prefix: path:, opaque:, and volatile calls as
// kind!use.
func (w *world) body(id string, reads ...string) {
	f := w.facts[id]
	body := facts(reads...)
	f.Body, f.Level = &body, normalize.LevelQualified
	w.facts[id] = f
}

func (w *world) hook(id, sql string, reads ...string) {
	f := w.facts[id]
	f.Hooks = append(f.Hooks, HookFacts{SQL: sql, Known: true, Facts: facts(reads...), Level: normalize.LevelQualified})
	w.facts[id] = f
}

func facts(reads ...string) normalize.Facts {
	var f normalize.Facts
	for _, r := range reads {
		word, rest, _ := strings.Cut(r, ":")
		kind, use, volatile := strings.Cut(r, "!")
		switch {
		case word == "path":
			f.Paths = append(f.Paths, rest)
		case word == "opaque":
			f.Opaque = append(f.Opaque, rest)
		case volatile:
			f.Volatile = append(f.Volatile, normalize.Volatile{Function: "f", Kind: kind, Use: use})
		default:
			f.Tables = append(f.Tables, strings.Split(r, "."))
		}
	}
	return f
}

// View implements Evidence.
func (w *world) View(n *project.Node) (Facts, bool) {
	w.asked = append(w.asked, n.UniqueID)
	f, ok := w.facts[n.UniqueID]
	return f, ok
}

func (w *world) resolver() *Resolver {
	w.t.Helper()
	raw, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"adapter_type": w.dialect, "project_name": "shop"}, "nodes": w.nodes, "sources": w.sources, "macros": map[string]any{},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	path := filepath.Join(w.t.TempDir(), "manifest.json")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		w.t.Fatal(err)
	}
	p, err := project.Load(path, "")
	if err != nil {
		w.t.Fatal(err)
	}
	return NewResolver(p, w.options, w)
}

// of resolves one node.
func (w *world) of(id string) Result {
	w.t.Helper()
	r := w.resolver()
	n := r.p.Nodes[id]
	if n == nil {
		w.t.Fatalf("%s is not in the project", id)
	}
	return r.Of(n, w.facts[id])
}

// names prints upstreams in short: tables by name, others with their kind in front where the name does not say it.
func names(list []Upstream) string {
	var out []string
	for _, u := range list {
		s := u.Name
		if u.Kind == Unknown {
			s = "?" + s
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func viewNames(list []View) string {
	var out []string
	for _, v := range list {
		out = append(out, v.Name)
	}
	return strings.Join(out, " ")
}
