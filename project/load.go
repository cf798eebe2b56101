package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// StaleError tells that the manifest was written by another dbt invocation than the one that asks (run/start then answers -32003).
type StaleError struct {
	Path, Found, Want string
}

func (e *StaleError) Error() string {
	found := e.Found
	if found == "" {
		found = "no invocation"
	}
	return fmt.Sprintf("%s is of %s, not of this dbt invocation (%s); run without --no-write-json, or pass the manifest of this run", e.Path, found, e.Want)
}

// ReadError tells that the manifest can't be read or understood.
type ReadError struct {
	Path string
	Err  error
}

func (e *ReadError) Error() string {
	return fmt.Sprintf("%s can't be read as a dbt manifest: %v; run dbt parse and look at the file", e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *ReadError) Unwrap() error { return e.Err }

// Project is what one manifest says. It is read-only after Load and safe for concurrent use.
type Project struct {
	InvocationID string
	Name         string
	Adapter      string // adapter_type: databricks, duckdb, or another one that hodor does not serve
	DBTVersion   string
	// Nodes holds everything that can run or be read, by unique id, sources included.
	Nodes map[string]*Node
	// OnRunStart and OnRunEnd tell whether the project or a package has such hooks.
	OnRunStart, OnRunEnd bool
	// Warnings are one line each, to show once a run: wrong and ignored state settings.
	Warnings []string

	relations map[string][]*Node
	macros    *macros
}

// Load reads the manifest at path. If invocationID is not empty, the manifest must be of that invocation, else the error is a *StaleError;
// every other failure is a *ReadError.
func Load(path, invocationID string) (*Project, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &ReadError{path, err}
	}
	defer f.Close()
	p, err := read(f, invocationID)
	var stale *StaleError
	if errors.As(err, &stale) {
		stale.Path = path
		return nil, stale
	}
	if err != nil {
		return nil, &ReadError{path, err}
	}
	return p, nil
}

// read is Load on a stream. The entry buffer is reused; what a Node keeps is copied into chunks.
func read(r io.Reader, invocationID string) (*Project, error) {
	p := &Project{Nodes: map[string]*Node{}, relations: map[string][]*Node{}, macros: newMacros()}
	s := newStream(r)
	buf := make([]byte, 0, 4096)
	e := entry{raw: make([]byte, 0, 16<<10)}
	var keep arena
	var warn warnings
	seenMeta := false
	entries := func(f func(id string, e *entry) error) error {
		if c, err := s.next(); err != nil || c != '{' {
			if err != nil {
				return err
			}
			return s.skip()
		}
		return s.object(func(id string) error {
			if err := s.takeEntry(&e); err != nil {
				return err
			}
			return f(id, &e)
		})
	}
	add := func(id string, e *entry) error {
		n, err := newNode(id, e, &keep)
		if err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		if n != nil {
			p.Nodes[id] = n
		}
		return nil
	}
	err := s.object(func(section string) error {
		switch section {
		case "metadata":
			seenMeta = true
			var err error
			if buf, err = s.take(buf[:0]); err != nil {
				return err
			}
			m := value(buf)
			p.InvocationID, p.Name = m.get("invocation_id").str(), m.get("project_name").str()
			p.Adapter, p.DBTVersion = m.get("adapter_type").str(), m.get("dbt_version").str()
			if invocationID != "" && p.InvocationID != invocationID {
				return &StaleError{Found: p.InvocationID, Want: invocationID}
			}
			return nil
		case "nodes", "sources", "unit_tests", "functions":
			return entries(add)
		case "macros":
			return entries(p.macros.add)
		}
		return s.skip()
	})
	if err != nil {
		return nil, err
	}
	if !seenMeta {
		return nil, errors.New("it has no metadata")
	}
	p.finish(&warn)
	return p, nil
}

// finish fills in what needs the whole manifest: kinds by adapter, settings, relations.
func (p *Project) finish(warn *warnings) {
	p.macros.finish(p.Adapter)
	for _, n := range p.Nodes {
		p.classify(n)
		n.State = readState(n, warn)
		switch {
		case n.Resource == Operation:
			for _, tag := range n.rest.get("tags").strings() {
				p.OnRunStart = p.OnRunStart || tag == "on-run-start"
				p.OnRunEnd = p.OnRunEnd || tag == "on-run-end"
			}
		case n.Resource != Test && !n.Relation.IsZero():
			key := n.Relation.Key()
			p.relations[key] = append(p.relations[key], n)
		}
	}
	p.Warnings = warn.lines()
}

// At returns the models, seeds, snapshots and sources that stand under a relation key, in no order.
func (p *Project) At(key string) []*Node { return p.relations[key] }

// newNode reads one entry; nil for resource types that hodor has no use for.
func newNode(id string, e *entry, keep *arena) (*Node, error) {
	n := &Node{UniqueID: id}
	var database, schema, alias, identifier, originalPath, rootPath, meta, sourceMeta value
	rest := keep.scratch[:0]
	ok := e.fields(func(key []byte, v value) {
		switch string(key) {
		case "name":
			n.Name = v.str()
		case "resource_type":
			n.Resource = Resource(v.str())
		case "package_name":
			n.Package = v.str()
		case "language":
			n.Language = v.str()
		case "raw_code":
			n.RawCode = v.str()
		case "relation_name":
			n.RelationName = v.str()
		case "depends_on":
			v.fields(func(key []byte, v value) {
				switch string(key) {
				case "nodes":
					n.Parents = v.strings()
				case "macros":
					n.macros = v.strings()
				}
			})
		case "version":
			n.Version = versionText(v)
		case "latest_version":
			n.LatestVersion = versionText(v)
		case "config":
			n.config = keep.copy(v)
			return
		case "columns":
			n.columns = keep.copy(v)
			return
		case "constraints":
			n.constraints = keep.copy(v)
			return
		case "unrendered_config":
			n.unrendered = keep.copy(v)
			return
		case "test_metadata":
			n.testMeta = keep.copy(v)
			return
		case "database":
			database = v
		case "schema":
			schema = v
		case "alias":
			alias = v
		case "identifier":
			identifier = v
		case "original_file_path":
			originalPath = v
		case "root_path":
			rootPath = v
			return
		case "meta":
			meta = v
		case "source_meta":
			sourceMeta = v
		}
		if !perRun[string(key)] {
			rest = append(append(append(append(append(rest, ','), '"'), key...), '"', ':'), v...)
		}
	})
	if !ok {
		return nil, errors.New("its entry is no object")
	}
	switch n.Resource {
	case Model, Seed, Snapshot, Test, UnitTest, Operation, Function, Source:
	default:
		return nil, nil
	}
	cfg := n.readConfig()
	if !cfg.enabled {
		return nil, nil
	}
	if len(rest) > 0 {
		rest[0] = '{'
		rest = append(rest, '}')
		n.rest, keep.scratch = keep.copy(rest), rest
	}
	if n.Resource == Source {
		alias = identifier
		for _, m := range []value{meta, sourceMeta, cfg.meta} {
			n.External = n.External || !m.get("external_location").null() || !m.get("plugin").null()
		}
	}
	switch {
	case n.Resource == UnitTest || n.Resource == Operation || n.Materialized == "ephemeral":
	case n.Resource == Source && !cfg.meta.get("external_location").null():
	default:
		n.Relation = relationOf(n.RelationName, database.str(), schema.str(), alias.str())
	}
	if n.Resource == Seed {
		n.SeedPath = filepath.Join(rootPath.str(), originalPath.str())
	}
	return n, nil
}

// perRun names the fields of an entry that change without the node changing, or that are kept elsewhere; they are no part of what a macro can
// see of the model for the hash (S21).
var perRun = map[string]bool{
	"created_at": true, "build_path": true, "compiled_path": true, "compiled": true, "compiled_code": true, "extra_ctes": true,
	"extra_ctes_injected": true, "root_path": true, "raw_code": true, "checksum": true, "defer_relation": true,
}

// relationOf takes the name that dbt prints, since include and quote policies are applied in it, else the parts.
func relationOf(printed, database, schema, alias string) Relation {
	if parts, ok := ParseName(printed); ok {
		return Relation{parts}
	}
	if printed != "" || alias == "" {
		return Relation{}
	}
	var parts []string
	for _, p := range []string{database, schema, alias} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return Relation{parts}
}

// versionText prints a version as dbt compares it: the number or the string.
func versionText(v value) string {
	if v.null() {
		return ""
	}
	if v.isString() {
		return v.str()
	}
	return string(v)
}

// settings is what newNode needs of a config beyond the fields of Node.
type settings struct {
	enabled bool
	meta    value
}

// readConfig takes what Node gives out of the config object, in one pass.
func (n *Node) readConfig() settings {
	out := settings{enabled: true}
	var strategy, storeAs value
	n.config.fields(func(key []byte, v value) {
		switch string(key) {
		case "enabled":
			if on, ok := v.boolean(); ok {
				out.enabled = on
			}
		case "meta":
			out.meta = v
		case "state":
			n.stateBlock = v
		case "unique_key":
			n.keyed = !v.empty()
		case "materialized":
			n.Materialized = v.str()
		case "incremental_strategy":
			if n.Resource == Model {
				strategy = v
			}
		case "strategy":
			if n.Resource == Snapshot {
				strategy = v
			}
		case "full_refresh":
			n.FullRefresh = boolPointer(v)
		case "store_failures":
			n.StoreFailures = boolPointer(v)
		case "store_failures_as":
			storeAs = v
		case "latest_version_pointer":
			n.Pointer = boolPointer(v.get("enabled"))
		case "sql_header":
			n.Header = v.str()
		case "pre-hook", "pre_hook":
			n.Hooks = append(n.Hooks, readHooks("pre", v)...)
		case "post-hook", "post_hook":
			n.Hooks = append(n.Hooks, readHooks("post", v)...)
		}
	})
	n.Strategy = strategy.str()
	n.FailuresView = n.Resource == Test && storeAs.str() == "view"
	if n.StoreFailures == nil && !storeAs.null() {
		stores := storeAs.str() != "ephemeral"
		n.StoreFailures = &stores
	}
	return out
}

func readHooks(when string, v value) []Hook {
	var hooks []Hook
	v.items(func(h value) {
		hook := Hook{When: when, Transaction: true}
		if h.isString() {
			hook.SQL = h.str()
		} else {
			hook.SQL = h.get("sql").str()
			if t, ok := h.get("transaction").boolean(); ok {
				hook.Transaction = t
			}
		}
		hooks = append(hooks, hook)
	})
	return hooks
}

func boolPointer(v value) *bool {
	if b, ok := v.boolean(); ok {
		return &b
	}
	return nil
}

// arena copies bytes into chunks that grow to 1 MB, so that ten thousand nodes are not fifty thousand allocations.
type arena struct{ chunk, scratch []byte }

func (a *arena) copy(v value) value {
	if len(v) == 0 {
		return nil
	}
	if len(v) > cap(a.chunk)-len(a.chunk) {
		a.chunk = make([]byte, 0, max(min(max(2*cap(a.chunk), 32<<10), 1<<20), len(v)))
	}
	start := len(a.chunk)
	a.chunk = append(a.chunk, v...)
	return bytes.TrimRight(a.chunk[start:len(a.chunk):len(a.chunk)], " \t\r\n")
}
