package simulation

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// node is one entry of the manifest, sources included.
type node struct {
	id, resource, name, schema, alias string
	mat                               string // table, view, incremental, ephemeral, materialized_view; seed, snapshot, test
	query                             query
	extra                             []string // parents that no text reads
	rows                              [][2]int // of a seed
	crlf                              bool
	partition, dataType, tag          int // dataType and partition change what is made, tag does not
	hooks                             []hook
	hooksOnReuse                      bool
	lagMS                             int64
	all                               bool
	volatile                          string // evaluate_volatile_sql: auto, true, false
	severity                          string
	errorIf                           int // a test fails with more rows than this
	spelling                          int
	fullRefresh                       bool
	compileWrites                     bool // its compile writes into the audit table
	pointerMissing                    bool
}

// hook is a pre or post hook by what it does.
type hook struct {
	// what: grant; bump (writes its own table); max (own table, from another); var (own table, from a var); audit (writes a constant elsewhere); side
	// (makes a table of its own from another).
	what string
	k    int
	in   ref
	pre  bool
}

func (n *node) clone() *node {
	out := *n
	out.query, out.hooks, out.extra, out.rows = n.query.clone(), slices.Clone(n.hooks), slices.Clone(n.extra), slices.Clone(n.rows)
	return &out
}

// project is what a manifest is made of.
type project struct {
	nodes map[string]*node
	order []string // topological
	// override is a project macro in place of one of dbt's: 0 for none; it changes what tables are made like. overrideVar: it reads a var.
	override    int
	overrideVar bool
	k           int // the var
	warnError   bool
	// written is the manifest's text as it was written last, and what it was written of: most runs have the project of the run before. standsIn is the
	// file that holds it, but for the invocation's id.
	written, writtenOf, standsIn string
}

const catalog = "shop"

func (n *node) parts() [3]string { return [3]string{catalog, n.schema, n.alias} }
func (n *node) key() string      { return strings.Join([]string{catalog, n.schema, n.alias}, ".") }

// isTable tells whether a build makes a table.
func (n *node) isTable() bool {
	switch n.mat {
	case "table", "incremental", "seed", "snapshot":
		return true
	}
	return false
}

// parents are depends_on.nodes.
func (n *node) parents() []string {
	var ids []string
	add := func(id string) {
		if id != "" && id != "this" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	n.query.refs(func(r *ref) { add(r.id) })
	for _, h := range n.hooks {
		add(h.in.id)
	}
	for _, id := range n.extra {
		add(id)
	}
	return ids
}

// compile resolves the refs of a node's query, as dbt does right before it runs. stands tells which relations dbt knows of; fullRefresh and a
// missing table make an incremental model compile as for the first time.
func (p *project) compile(n *node, stands map[string]string, fullRefresh bool) query {
	q := n.query.clone()
	itself := stands[n.key()] == "table"
	for i := range q.arms {
		a := &q.arms[i]
		a.where = slices.DeleteFunc(a.where, func(c cond) bool {
			return c.in.id == "this" && (!itself || n.mat == "incremental" && fullRefresh)
		})
	}
	q.refs(func(r *ref) { p.resolve(n, r) })
	return q
}

func (p *project) resolve(n *node, r *ref) {
	switch {
	case r.id == "this":
		r.parts = n.parts()
	case r.hard != "":
		copy(r.parts[:], strings.Split(r.hard, "."))
	default:
		parent := p.nodes[r.id]
		r.parts = parent.parts()
		if parent.mat == "ephemeral" {
			inner := p.compile(parent, nil, false)
			r.inner = &inner
		}
	}
}

// hookSQL is a hook's text; rendered is what the host sends for it, or the source that stands in the manifest.
func (p *project) hookSQL(d *database, n *node, h hook, rendered bool) string {
	this, k := "{{ this }}", "{{ var('k') }}"
	if rendered {
		this, k = d.quoted(n.parts()), fmt.Sprint(p.k)
	}
	in := h.in
	if h.in != (ref{}) {
		p.resolve(n, &in)
	}
	from := d.quoted(in.parts)
	switch h.what {
	case "grant":
		return fmt.Sprintf("grant select on %s to reader_%d", this, h.k)
	case "bump":
		return fmt.Sprintf("update %s set v = v + %d where id = 1", this, h.k)
	case "max":
		return fmt.Sprintf("update %s set v = (select max(v) from %s)", this, from)
	case "var":
		return fmt.Sprintf("update %s set v = %s where id = 1", this, k)
	case "audit":
		return fmt.Sprintf("insert into %s values (%d, %d)", d.quoted(auditParts), h.k, h.k)
	case "side":
		return fmt.Sprintf("create or replace table %s as select max(v) as v from %s", d.quoted(sideParts(n)), from)
	}
	panic("no such hook: " + h.what)
}

var auditParts = [3]string{catalog, "raw", "audit"}

const auditKey = catalog + ".raw.audit"

func sideParts(n *node) [3]string { return [3]string{catalog, "main", "side_" + n.name} }

// manifest writes the manifest and the seeds' files; it returns the manifest's path.
func (p *project) manifest(dir string, d *database, invocation string) (string, error) {
	of := fmt.Sprint(dir, p.override, p.overrideVar, p.k)
	for _, id := range p.order {
		of += fmt.Sprintf(" %p", p.nodes[id])
	}
	if of != p.writtenOf {
		text, err := p.manifestText(dir, d)
		if err != nil {
			return "", err
		}
		p.written, p.writtenOf, p.standsIn = text, of, ""
	}
	path := filepath.Join(dir, "manifest.json")
	if p.standsIn == path { // the file system takes longer for a new one than the service for its run
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return "", err
		}
		_, err = f.WriteAt([]byte(invocation), int64(strings.Index(p.written, anyInvocation)))
		return path, errors.Join(err, f.Close())
	}
	p.standsIn = path
	return path, os.WriteFile(path, []byte(strings.Replace(p.written, anyInvocation, invocation, 1)), 0o644)
}

// anyInvocation is as long as an invocation's id.
const anyInvocation = "@@@@@@@@@@@@ invocation @@@@@@@@@@@@"

func (p *project) manifestText(dir string, d *database) (string, error) {
	nodes, sources := map[string]any{}, map[string]any{}
	for _, n := range p.nodes {
		config := map[string]any{"materialized": n.mat, "enabled": true, "tags": []string{fmt.Sprint(n.tag)}, "meta": map[string]any{"tag": n.tag}}
		state := map[string]any{"lag_tolerance": n.lagMS / 1000, "execute_hooks_on_any_reuse": n.hooksOnReuse}
		if n.all {
			state["require_fresh_data_from"] = "all"
		}
		if n.volatile != "" {
			state["evaluate_volatile_sql"] = n.volatile
		}
		config["state"] = state
		if n.partition != 0 {
			config["partition_by"] = []string{fmt.Sprintf("p%d", n.partition)}
		}
		if n.fullRefresh {
			config["full_refresh"] = true
		}
		switch n.mat {
		case "incremental":
			config["unique_key"] = "id"
			config["incremental_strategy"] = "delete+insert"
			if !d.duckdb() {
				config["incremental_strategy"] = "merge"
			}
		case "snapshot":
			config["strategy"], config["unique_key"], config["check_cols"] = "check", "id", "all"
		case "test":
			config["severity"] = n.severity
			config["error_if"] = fmt.Sprintf(">%d", n.errorIf)
		}
		for _, h := range n.hooks {
			place := "post-hook"
			if h.pre {
				place = "pre-hook"
			}
			list, _ := config[place].([]any)
			config[place] = append(list, map[string]any{"sql": p.hookSQL(d, n, h, false), "transaction": true})
		}
		columns := map[string]any{"v": map[string]any{"name": "v", "description": fmt.Sprint("says ", n.tag)}}
		if n.dataType != 0 {
			columns["v"].(map[string]any)["data_type"] = fmt.Sprintf("decimal(%d,0)", n.dataType)
		}
		entry := map[string]any{
			"name": n.name, "resource_type": n.resource, "package_name": "shop", "language": "sql", "raw_code": n.query.text(),
			"database": catalog, "schema": n.schema, "alias": n.alias, "identifier": n.alias, "source_name": "raw", "config": config, "columns": columns,
			"depends_on":         map[string]any{"nodes": n.parents(), "macros": []string{}},
			"original_file_path": "seeds/" + n.name + ".csv", "root_path": dir,
		}
		if n.resource != "test" && n.mat != "ephemeral" {
			entry["relation_name"] = d.quoted(n.parts())
		}
		if n.resource == "source" {
			sources[n.id] = entry
		} else {
			nodes[n.id] = entry
		}
		if n.resource == "seed" {
			if err := os.WriteFile(filepath.Join(dir, "seeds", n.name+".csv"), []byte(n.csv()), 0o644); err != nil {
				return "", err
			}
		}
	}
	macros := map[string]any{"macro.dbt.create_table_as": map[string]any{"name": "create_table_as", "package_name": "dbt", "macro_sql": "{% macro %}"}}
	if p.override != 0 {
		reads := ""
		if p.overrideVar {
			reads = "{{ var('k') }}"
		}
		macros["macro.shop.create_table_as"] = map[string]any{
			"name": "default__create_table_as", "package_name": "shop", "macro_sql": fmt.Sprintf("{%% macro %%} like %d %s", p.override, reads)}
	}
	raw, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"invocation_id": anyInvocation, "project_name": "shop", "adapter_type": d.dialect, "dbt_version": "1.12.5"},
		"nodes":    nodes, "sources": sources, "macros": macros,
	})
	return string(raw), err
}

func (n *node) csv() string {
	end := "\n"
	if n.crlf {
		end = "\r\n"
	}
	text := "id,v" + end
	for _, r := range n.rows {
		text += fmt.Sprintf("%d,%d%s", r[0], r[1], end)
	}
	return text
}

// props is what configuration and macros make of a node's table.
func (p *project) props(n *node) string {
	return fmt.Sprintf("partition %d type %d like %s", n.partition, n.dataType, p.like())
}

// like is what the overriding macro does.
func (p *project) like() string {
	if p.override != 0 && p.overrideVar {
		return fmt.Sprint(p.override, " with ", p.k)
	}
	return fmt.Sprint(p.override)
}

// hookText is what a node's hooks mean, for the model's own comparison.
func (p *project) hookText(d *database, n *node) string {
	var b strings.Builder
	for _, h := range n.hooks {
		fmt.Fprint(&b, h.pre, " ", p.hookSQL(d, n, h, true), ";")
	}
	return b.String()
}

// readers lists the nodes that read id, directly or not.
func (p *project) readers(id string) map[string]bool {
	out := map[string]bool{}
	for _, other := range p.order {
		for _, parent := range p.nodes[other].parents() {
			if parent == id || out[parent] {
				out[other] = true
			}
		}
	}
	return out
}

// ids returns the nodes of some kinds, in order.
func (p *project) ids(ok func(*node) bool) []string {
	var out []string
	for _, id := range p.order {
		if ok(p.nodes[id]) {
			out = append(out, id)
		}
	}
	return out
}

// sort puts the nodes into topological order; ties keep the order of ids.
func (p *project) sort() {
	p.order = p.order[:0]
	done := map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		if done[id] {
			return
		}
		done[id] = true
		for _, parent := range p.nodes[id].parents() {
			visit(parent)
		}
		p.order = append(p.order, id)
	}
	for _, id := range slices.Sorted(maps.Keys(p.nodes)) {
		visit(id)
	}
}
