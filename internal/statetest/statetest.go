package statetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hodor/normalize"
	"hodor/stores"
)

// Node is one dbt node of the shop.
type Node struct {
	ID    string // unique id
	Kind  string // as in sql_facts, decided.kind
	SQL   string
	Views map[string]string // by key: unique id of the views that it reads through
	Reads []string          // keys of tables, and names such as volatile:date
	LagMS int64
}

// State is a store in the making.
type State struct {
	Records []stores.Record
	Dialect string
	// Versions are the present data versions by key; the zero value is unknown.
	Versions map[string]string

	mode, invocation string
	now              time.Time
	codes            map[string]string // by unique id: the code hash of the last build
	keepSQL          bool
	count            int
}

// Scope is where all records are.
var Scope = stores.Scope{Project: "shop", Target: "prod"}

// New returns an empty state.
func New(dialect string) *State {
	return &State{Dialect: dialect, Versions: map[string]string{}, codes: map[string]string{}}
}

// Run begins an invocation; at is a UTC time such as "2026-10-01 04:00".
func (s *State) Run(number int, at, mode string) {
	t, err := time.Parse("2006-01-02 15:04", at)
	if err != nil {
		panic(err)
	}
	s.now, s.mode = t, mode
	s.invocation = Invocation(number)
}

// Invocation is the id of a run.
func Invocation(number int) string { return fmt.Sprintf("4b0a52c3-64ae-4f3c-9c3b-%012d", number) }

// KeepSQL makes the records that follow keep canonical SQL.
func (s *State) KeepSQL() { s.keepSQL = true }

// Key is the node's key.
func (n *Node) Key() string {
	name := n.ID[strings.LastIndexByte(n.ID, '.')+1:]
	if n.Kind == "test" {
		return n.ID + "#" + strings.Repeat("7", 64)
	}
	return "shop.main." + name
}

// Option changes a record before it is added.
type Option func(*stores.Record)

// Status sets dbt's final status.
func Status(status string) Option { return func(r *stores.Record) { r.Status = status } }

// Decision sets what the rules said, where another thing was done.
func Decision(decision string) Option { return func(r *stores.Record) { r.Decision = decision } }

// Evidence adds to what the decision looked at.
func Evidence(what, then, now string) Option {
	return decided(func(d map[string]any) {
		list, _ := d["evidence"].([]any)
		d["evidence"] = append(list, map[string]string{"what": what, "then": then, "now": now})
	})
}

// Why says why a node is out of scope.
func Why(why string) Option { return decided(func(d map[string]any) { d["why"] = why }) }

func decided(change func(map[string]any)) Option {
	return func(r *stores.Record) {
		var facts map[string]any
		if err := json.Unmarshal([]byte(*r.SQLFacts), &facts); err != nil {
			panic(err)
		}
		change(facts["decided"].(map[string]any))
		r.SQLFacts = text(facts)
	}
}

// Build adds a build that took ms; version is what it left, "" for what stood before.
func (s *State) Build(n *Node, reason string, ms int64, version string, options ...Option) {
	r := s.record(n, "build", reason)
	built := s.now.UnixMilli()
	s.now = s.now.Add(time.Duration(ms) * time.Millisecond)
	r.RecordedAtMS, r.BuiltAtMS, r.BuildMS = s.now.UnixMilli(), &built, &ms
	r.Status = "success"
	switch {
	case n.Kind == "test":
		r.Status = "pass"
		r.TestResult = text(map[string]any{"status": "pass", "failures": 0, "message": ""})
	case version != "":
		s.Versions[n.Key()] = version
	}
	if n.Kind != "test" {
		if v := s.Versions[n.Key()]; v != "" {
			r.DataVersion = &v
		}
	}
	if r.CodeHash != nil {
		s.codes[n.ID] = *r.CodeHash
	}
	s.add(r, options)
}

// Reuse adds a reuse.
func (s *State) Reuse(n *Node, reason string, options ...Option) {
	r := s.record(n, "reuse", reason)
	r.RecordedAtMS, r.Status = s.now.UnixMilli(), "reused"
	if n.Kind == "test" {
		r.Status = "pass"
	} else if v := s.Versions[n.Key()]; v != "" {
		r.DataVersion = &v
	}
	s.add(r, options)
}

func (s *State) add(r stores.Record, options []Option) {
	for _, o := range options {
		o(&r)
	}
	s.now = s.now.Add(40 * time.Millisecond)
	r.Checksum = r.Sum()
	s.Records = append(s.Records, r)
}

func (s *State) record(n *Node, action, reason string) stores.Record {
	config := strings.Repeat("c0", 32)
	resource, _, _ := strings.Cut(n.ID, ".")
	s.count++
	r := stores.Record{
		RecordID: fmt.Sprintf("00000000-0000-4000-8000-%012d", s.count), InvocationID: s.invocation, ProjectName: Scope.Project, TargetName: Scope.Target,
		NodeKey: n.Key(), UniqueID: n.ID, ResourceType: resource, Mode: s.mode, Decision: action, Reason: reason, Action: action, HashVersion: normalize.Version,
		ConfigHash: &config, HodorVersion: "0.1.0",
	}
	facts := map[string]any{"dialect": s.Dialect, "catalog": "shop", "schema": "main"}
	d := map[string]any{"kind": n.Kind}
	if n.LagMS > 0 {
		d["lag_tolerance_ms"] = n.LagMS
	}
	if n.SQL != "" {
		a := normalize.Normalize(n.SQL, normalize.Options{Dialect: s.Dialect, Catalog: "shop", Schema: "main"})
		r.TextHash, r.CodeHash = &a.TextHash, &a.CodeHash
		facts["level"], facts["tables"], facts["paths"], facts["opaque"], facts["volatile"] = a.Level, a.Facts.Tables, a.Facts.Paths, a.Facts.Opaque, a.Facts.Volatile
		facts["literals"] = normalize.SaltLiterals(a.Literals)
		if s.keepSQL {
			facts["sql"] = a.Normalized
		}
	}
	views := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(n.Views)) {
		views[key] = map[string]string{"code": s.codes[n.Views[key]], "definition": s.Versions[key]}
	}
	if len(views) > 0 {
		facts["views"] = views
	}
	ups := map[string]string{}
	for _, key := range n.Reads {
		ups[key] = s.Versions[key]
	}
	facts["decided"] = d
	r.SQLFacts, r.Upstreams = text(facts), text(ups)
	return r
}

func text(v any) *string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	s := string(raw)
	return &s
}
