package project

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"

	"hodor/engine"
)

// Context holds what the run knows beyond the manifest and what hashes may depend on (S21, S22). Values enter hashes and nothing else.
type Context struct {
	// Vars, Target and Selected are hashes (or any other identity) of all vars, of the target and of the selected resources. Where a text reads one
	// that is empty, the node's config hash is unknown.
	Vars, Target, Selected string
	// Threads is the number of threads, as text: part of dbt's target object, but not of Target, since it changes from run to run.
	Threads string
	// Flags is a canonical text of dbt's flags and command.
	Flags string
	// WarnError is a canonical text of --warn-error and its options, StoreFailures the flag of that name. Both belong to tests only.
	WarnError     string
	StoreFailures bool
	// Dispatch is a canonical text of the dispatch: setting of dbt_project.yml, which decides whose macro dbt takes (see Dispatch).
	Dispatch string
	// Env looks up an environment variable, Environ lists them all; nil: the process's own.
	Env     func(string) (string, bool)
	Environ func() []string
}

// Hasher computes config and unrendered hashes of one project in one run. It is safe for concurrent use and reads the environment at most once
// for each text that asks for it.
type Hasher struct {
	p   *Project
	ctx Context

	mu        sync.Mutex
	overrides map[string]*macroPart // by what narrows them, see runsFor
	hooks     map[string]*macroPart // by the text of the hooks
	graph     string
}

// macroPart is what a set of macros adds to a config hash.
type macroPart struct {
	macros []*macro
	reads  reads
	// sum covers the macros' texts and the values that they read of the run; unknown if one of those is.
	sum     string
	unknown bool
}

// NewHasher returns a Hasher for the run that ctx describes.
func (p *Project) NewHasher(ctx Context) *Hasher {
	if ctx.Env == nil {
		ctx.Env = os.LookupEnv
	}
	if ctx.Environ == nil {
		ctx.Environ = os.Environ
	}
	return &Hasher{p: p, ctx: ctx, overrides: map[string]*macroPart{}, hooks: map[string]*macroPart{}}
}

// Config is the config hash of a node (spec 6, S20-S23) with extra parts of the caller's, such as the session fingerprint (S19); each counts,
// in their order. "" is unknown.
func (h *Hasher) Config(n *Node, extra ...string) string {
	over, hooks := h.overridesFor(n), h.hooksOf(n)
	if over.unknown || hooks.unknown {
		return ""
	}
	var read reads
	read.merge(over.reads)
	read.merge(hooks.reads)

	b := make([]byte, 0, 2048)
	b = appendString(b, "hodor config 1")
	b = appendString(b, string(n.Resource))
	b = appendString(b, n.Language)
	if on := n.config.get("persist_constraints"); !on.null() && string(on) != "false" {
		// dbt-databricks then takes constraints from meta.
		addTo(&read.config, "meta")
		read.columnMeta = true
	}
	b = appendConfig(b, n, read)
	b = appendColumns(b, n, read)
	b = appendCanon(b, orNothing(n.constraints), false)
	if n.Version != "" && n.IsLatest() {
		b = appendString(b, "latest version")
	}
	if n.Kind == engine.KindTest {
		b = appendString(b, h.ctx.WarnError)
		if n.StoreFailures == nil && h.ctx.StoreFailures {
			b = appendString(b, "--store-failures")
		}
	}
	b = appendModel(b, n, read)
	b = appendString(b, over.sum)
	b = appendString(b, hooks.sum)
	for _, x := range extra {
		b = appendString(b, x)
	}
	return sum(b)
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// appendConfig takes the keys of node.config that are in, and those that are out where something reads them.
func appendConfig(b []byte, n *Node, read reads) []byte {
	all := read.allConfig || read.allModel || read.model["config"]
	var room [64]field
	fields := room[:0]
	n.config.fields(func(key []byte, v value) {
		rule, known := configRule[string(key)]
		if known && (rule.core && v.null() || !rule.In && !all && !read.config[rule.Name]) {
			return
		}
		fields = append(fields, field{keyName(key, rule), v})
	})
	sortFields(fields)
	b = append(b, '{')
	for _, f := range fields {
		b = appendCanon(appendString(b, f.key), f.val, all || read.config[f.key])
	}
	return append(b, '}')
}

// keyName is the key as a string, without a copy where the table has it.
func keyName(key []byte, rule KeyRule) string {
	if rule.Name != "" {
		return rule.Name
	}
	if bytes.IndexByte(key, '\\') >= 0 {
		key = appendUnescaped(nil, key)
	}
	return string(key)
}

// appendColumns takes the columns that say more than a name, a description or tests (S23), in their order, which a contract turns into the order
// of the table's columns.
func appendColumns(b []byte, n *Node, read reads) []byte {
	if read.allModel || read.model["columns"] {
		return appendCanon(b, n.columns, true)
	}
	b = append(b, '{')
	var room [16]field
	n.columns.fields(func(_ []byte, column value) {
		var name value
		fields := room[:0]
		column.fields(func(key []byte, v value) {
			rule, known := columnRule[string(key)]
			switch {
			case rule.Name == "name":
				name = v
			case rule.Name == "config":
				v.fields(func(key []byte, v value) {
					if k := string(key); k != "meta" && k != "tags" && !v.empty() {
						fields = append(fields, field{"config." + k, v})
					}
				})
			case v.empty(), known && !rule.In && !(read.columnMeta && rule.Name == "meta"):
			default:
				fields = append(fields, field{keyName(key, rule), v})
			}
		})
		if len(fields) == 0 {
			return
		}
		sortFields(fields)
		b = appendCanon(b, name, false)
		for _, f := range fields {
			b = appendCanon(appendString(b, f.key), f.val, false)
		}
		b = append(b, ';')
	})
	return append(b, '}')
}

func orNothing(v value) value {
	if v.empty() {
		return nil
	}
	return v
}

// appendModel adds what a text reads of the model object beyond its config and columns.
func appendModel(b []byte, n *Node, read reads) []byte {
	if read.allModel {
		for _, f := range sortedFields(n.rest) {
			b = appendAttribute(appendString(b, f.key), f.key, f.val)
		}
		return appendString(appendCanon(b, n.unrendered, true), n.RawCode)
	}
	names := sortedKeys(read.model)
	for _, name := range names {
		switch name {
		case "config", "columns", "compiled_code", "compiled_sql", "compiled", "extra_ctes", "injected_sql":
		case "unrendered_config":
			b = appendCanon(appendString(b, name), n.unrendered, true)
		case "constraints":
		case "test_metadata":
			b = appendCanon(appendString(b, name), n.testMeta, true)
		default:
			v := n.rest.get(name)
			b = appendAttribute(appendString(b, name), name, v)
			if v.absent() {
				b = appendString(b, n.RawCode) // raw_code, raw_sql, checksum, or a method
			}
		}
	}
	return b
}

// appendAttribute takes one attribute of a model. dbt fills the lists of what a model reads from sets: their order is another one at each parse.
func appendAttribute(b []byte, name string, v value) []byte {
	switch name {
	case "refs", "sources", "metrics", "functions":
		return appendSet(b, v)
	case "depends_on":
		return appendSet(appendSet(b, v.get("nodes")), v.get("macros"))
	}
	return appendCanon(b, v, true)
}

func appendSet(b []byte, v value) []byte {
	var items []string
	v.items(func(x value) { items = append(items, string(appendCanon(nil, x, true))) })
	sort.Strings(items)
	for _, x := range items {
		b = appendString(b, x)
	}
	return append(b, ';')
}

// overridesFor returns the part of the overriding macros that dbt may run for a node.
func (h *Hasher) overridesFor(n *Node) *macroPart {
	key := string(n.Resource) + " " + n.Materialized
	h.mu.Lock()
	defer h.mu.Unlock()
	if part := h.overrides[key]; part != nil {
		return part
	}
	var roots []*macro
	for _, x := range h.p.macros.overrides {
		if x.runsFor(n) {
			roots = append(roots, x)
		}
	}
	part := h.part(roots, nil)
	// What such a macro reads by itself is in no compiled SQL.
	part.unknown = part.unknown || slices.ContainsFunc(roots, func(x *macro) bool { return namesTable(x.sql) })
	h.overrides[key] = part
	return part
}

// hooksOf returns the part of a node's hooks.
func (h *Hasher) hooksOf(n *Node) *macroPart {
	if len(n.Hooks) == 0 {
		return &macroPart{}
	}
	var texts []string
	for _, hook := range n.Hooks {
		if hasJinja(hook.SQL) {
			texts = append(texts, hook.SQL)
		}
	}
	key := strings.Join(texts, "\x00")
	h.mu.Lock()
	defer h.mu.Unlock()
	part := h.hooks[key]
	if part == nil {
		part = h.part(nil, texts)
		h.hooks[key] = part
	}
	return part
}

// part hashes a closure of macros and the values that it and the texts read. The caller holds h.mu.
func (h *Hasher) part(roots []*macro, texts []string) *macroPart {
	part := &macroPart{macros: h.p.macros.closure(roots, texts, false)}
	for _, t := range texts {
		part.reads.merge(scanTemplate(t).reads)
	}
	b := appendString(nil, h.ctx.Dispatch)
	for _, x := range part.macros {
		part.reads.merge(scanTemplate(x.sql).reads)
		b = appendString(appendString(b, x.id), x.sql)
	}
	r := part.reads
	need := func(name, val string) {
		part.unknown = part.unknown || val == ""
		b = appendString(appendString(b, name), val)
	}
	if r.vars {
		need("vars", h.ctx.Vars)
	}
	if r.target {
		need("target", h.ctx.Target)
	}
	if r.threads {
		need("threads", h.ctx.Threads)
	}
	if r.flags {
		need("flags", h.ctx.Flags)
	}
	if r.selected {
		need("selected", h.ctx.Selected)
	}
	if r.graph {
		need("graph", h.graphSum())
	}
	if r.allEnv {
		all := append([]string(nil), h.ctx.Environ()...)
		sort.Strings(all)
		for _, e := range all {
			b = appendString(b, e)
		}
	}
	for _, name := range sortedKeys(r.env) {
		val, set := h.ctx.Env(name)
		b = appendString(b, name)
		if set {
			b = appendString(append(b, '='), val)
		}
	}
	part.sum = sum(b)
	return part
}

// graphSum covers the whole project as a macro sees it through graph.
func (h *Hasher) graphSum() string {
	if h.graph == "" {
		ids := make([]string, 0, len(h.p.Nodes))
		for id := range h.p.Nodes {
			ids = append(ids, id)
		}
		sort.Strings(ids)
		hash := sha256.New()
		var b []byte
		for _, id := range ids {
			n := h.p.Nodes[id]
			b = appendString(b[:0], id)
			b = appendModel(b, n, reads{allModel: true})
			for _, v := range []value{n.config, n.columns, n.constraints, n.testMeta} {
				b = appendCanon(b, v, true)
			}
			hash.Write(b)
		}
		h.graph = hex.EncodeToString(hash.Sum(nil))
	}
	return h.graph
}

// Unrendered is the hash of a node's unrendered code (spec 6), used with compare_unrendered_code: raw code, unrendered config, the text of every
// macro that it may reach, and the same of ephemeral parents, whose code is inlined. "" (unknown) for seeds, which have no code to compare.
func (h *Hasher) Unrendered(n *Node) string {
	if n.Resource == Seed || n.Resource == Source {
		return ""
	}
	b := appendString(nil, "hodor unrendered 1")
	seen := map[string]bool{}
	var texts []string
	var roots []*macro
	var take func(n *Node)
	take = func(n *Node) {
		if seen[n.UniqueID] {
			return
		}
		seen[n.UniqueID] = true
		b = appendString(appendString(b, n.UniqueID), n.RawCode)
		b = appendCanon(b, n.unrendered, false)
		b = appendCanon(b, n.testMeta, false)
		texts = append(texts, n.RawCode)
		for _, id := range n.macros {
			if x := h.p.macros.byID[id]; x != nil {
				roots = append(roots, x)
			}
		}
		for _, id := range n.Parents {
			if parent := h.p.Nodes[id]; parent != nil && parent.Kind == KindEphemeral {
				take(parent)
			}
		}
	}
	take(n)
	for _, x := range h.p.macros.closure(roots, texts, true) {
		b = appendString(appendString(b, x.id), x.sql)
	}
	return sum(b)
}

// Dispatch returns a canonical text of the dispatch: block of a dbt_project.yml, comments and blank lines left out; for a file in flow style, all of
// it. The manifest does not hold this setting, though it decides whose macro dbt takes (S20).
func Dispatch(projectYML string) string {
	var b strings.Builder
	in := false
	for i, line := range strings.Split(strings.ReplaceAll(projectYML, "\r\n", "\n"), "\n") {
		trimmed := strings.TrimSpace(line)
		if i == 0 && strings.HasPrefix(trimmed, "{") {
			return projectYML
		}
		if trimmed == "" || trimmed[0] == '#' {
			continue
		}
		if c := line[0]; c != ' ' && c != '\t' && c != '-' {
			key, _, _ := strings.Cut(trimmed, ":")
			in = strings.Trim(strings.TrimSpace(key), `"'`) == "dispatch"
		}
		if in {
			b.WriteString(strings.TrimRight(line, " \t"))
			b.WriteByte('\n')
		}
	}
	return b.String()
}
