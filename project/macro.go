package project

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// macro is one entry of the manifest's macros.
type macro struct {
	id, name, pkg string
	sql           string
	calls         []string // depends_on.macros
	internal      bool     // of dbt or the adapter
}

// macros holds all macros of the manifest.
type macros struct {
	byID map[string]*macro
	// byName finds project and package macros by name and by name without its dispatch prefix.
	byName map[string][]*macro
	// known are the names that dbt and the adapter use, with and without prefix.
	known map[string]bool
	// overrides are the project and package macros that dbt may run in place of, or beside, its own (S20), by id.
	overrides []*macro
}

func newMacros() *macros {
	return &macros{byID: map[string]*macro{}, byName: map[string][]*macro{}, known: map[string]bool{}}
}

func (m *macros) add(id string, e *entry) error {
	x := &macro{id: id}
	ok := e.fields(func(key []byte, v value) {
		switch string(key) {
		case "name":
			x.name = v.str()
		case "package_name":
			x.pkg = v.str()
		case "macro_sql":
			x.sql = v.str()
		case "depends_on":
			x.calls = v.get("macros").strings()
		}
	})
	if !ok {
		return fmt.Errorf("%s: its entry is no object", id)
	}
	m.byID[id] = x
	return nil
}

// internalPackages are the packages whose macros are dbt's own or the adapter's.
func internalPackages(adapter string) map[string]bool {
	p := map[string]bool{"dbt": true, "dbt_" + adapter: true}
	if adapter == "databricks" {
		p["dbt_spark"] = true
	}
	return p
}

// finish sorts the macros into dbt's own and the project's and finds the overrides.
func (m *macros) finish(adapter string) {
	internal := internalPackages(adapter)
	for _, x := range m.byID {
		x.internal = internal[x.pkg]
		base := baseName(x.name)
		if x.internal {
			m.known[x.name], m.known[base] = true, true
			continue
		}
		m.byName[x.name] = append(m.byName[x.name], x)
		if base != x.name {
			m.byName[base] = append(m.byName[base], x)
		}
	}
	for _, x := range m.byID {
		if !x.internal && m.overridesBuiltin(x.name) {
			m.overrides = append(m.overrides, x)
		}
	}
	sort.Slice(m.overrides, func(i, j int) bool { return m.overrides[i].id < m.overrides[j].id })
}

// overridesBuiltin tells whether dbt may come to a macro by its name alone (S20): it bears the name of one of dbt's or the adapter's, with or
// without a dispatch prefix, or a name that dbt makes up from a strategy or materialization.
func (m *macros) overridesBuiltin(name string) bool {
	base := baseName(name)
	return m.known[name] || m.known[base] || isMaterialization(name) || isIncrementalStrategy(base) || isSnapshotStrategy(base)
}

func isMaterialization(name string) bool { return strings.HasPrefix(name, "materialization_") }

func isIncrementalStrategy(base string) bool {
	return strings.HasPrefix(base, "get_incremental_") && strings.HasSuffix(base, "_sql")
}

func isSnapshotStrategy(base string) bool {
	return strings.HasPrefix(base, "snapshot_") && strings.HasSuffix(base, "_strategy")
}

// baseName takes off the prefix by which dispatch finds an adapter's version of a macro (duckdb__x, default__x).
func baseName(name string) string {
	if i := strings.Index(name, "__"); i > 0 {
		return name[i+2:]
	}
	return name
}

// runsFor tells whether dbt may run an override for a node. Only names that dbt looks up for one kind of node are narrowed: materializations
// by their own name, generic tests, and the two families of strategies. Whatever another macro calls of them comes with the closure.
func (x *macro) runsFor(n *Node) bool {
	base := baseName(x.name)
	switch {
	case isMaterialization(x.name):
		return strings.HasPrefix(x.name, "materialization_"+n.Materialized+"_")
	case strings.HasPrefix(x.name, "test_"):
		return n.Resource == Test
	case isIncrementalStrategy(base):
		return n.Materialized == "incremental"
	case isSnapshotStrategy(base):
		return n.Resource == Snapshot
	}
	return true
}

// closure returns the roots and every project or package macro that they may reach, by id. dbt's list of calls lacks macros that are passed as
// values or dispatched by name, so any word of a text that names a macro counts as a call; a text that asks for macros under computed names
// reaches them all. withInternal also follows and returns dbt's own (the unrendered hash).
func (m *macros) closure(roots []*macro, texts []string, withInternal bool) []*macro {
	seen := map[*macro]bool{}
	var queue, out []*macro
	push := func(x *macro) {
		if x != nil && !seen[x] && (withInternal || !x.internal) {
			seen[x] = true
			queue = append(queue, x)
		}
	}
	reach := func(text string) {
		s := scanTemplate(text)
		if s.computedNames {
			for _, x := range m.byID {
				if !x.internal {
					push(x)
				}
			}
			return
		}
		for word := range s.words {
			for _, x := range m.byName[word] {
				push(x)
			}
		}
	}
	for _, x := range roots {
		push(x)
	}
	for _, t := range texts {
		reach(t)
	}
	for len(queue) > 0 {
		x := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		out = append(out, x)
		for _, id := range x.calls {
			push(m.byID[id])
		}
		if !x.internal {
			reach(x.sql)
		}
	}
	slices.SortFunc(out, func(a, b *macro) int { return strings.Compare(a.id, b.id) })
	return out
}

var (
	tableName = regexp.MustCompile("(?i)\\b(?:from|join)\\s+[\"`]?(\\w+)[\"`]?\\s*\\.\\s*[\\w\"`]")
	refOrCall = regexp.MustCompile(`\{[{%][^}%]*\b(?:ref|source)\s*\(`)
)

// namesTable tells whether a macro's text names a table of its own to read, written out or by ref or source, catalog views apart. A name that it is
// given, or makes in a variable, is not found.
func namesTable(text string) bool {
	for _, m := range tableName.FindAllStringSubmatch(text, -1) {
		switch strings.ToLower(m[1]) {
		case "information_schema", "system", "pg_catalog":
		default:
			return true
		}
	}
	return refOrCall.MatchString(text)
}

// sqlWords are the words by which a template runs SQL, or has the adapter change something, while a node is compiled.
var sqlWords = []string{
	"run_query", "statement", "add_query", "submit_python_job", "create_schema", "drop_schema", "drop_relation", "drop_relation_if_exists",
	"rename_relation", "truncate_relation", "create_table_as", "create_view_as", "load_csv_rows", "run_hooks", "expand_target_column_types",
}

// RunsSQLAtCompile tells whether a node's template, or a project's or package's macro that it may reach, runs SQL while the node is compiled, which
// may write (S15, S28). When unsure: true.
func (p *Project) RunsSQLAtCompile(n *Node) bool {
	var roots []*macro
	for _, id := range n.macros {
		if x := p.macros.byID[id]; x != nil {
			roots = append(roots, x)
		}
	}
	texts := []string{n.RawCode}
	for _, x := range p.macros.closure(roots, texts, false) {
		texts = append(texts, x.sql)
	}
	for _, text := range texts {
		if !hasJinja(text) {
			continue
		}
		t := scanTemplate(text)
		if t.computedNames {
			return true
		}
		for _, w := range sqlWords {
			if t.words[w] {
				return true
			}
		}
	}
	return false
}
