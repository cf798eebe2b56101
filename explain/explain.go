package explain

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hodor/stores"
)

// SchemaVersion is that of the JSON answers; it rises when a key changes its meaning or goes.
const SchemaVersion = 1

// Store is what explanations read.
type Store interface {
	History(ctx context.Context, scope stores.Scope, q stores.Query) ([]stores.Record, error)
	stores.Reporter
}

// ErrNotFound is wrapped by errors that mean "there is no such record": the question was fine, the answer is no.
var ErrNotFound = errors.New("not found")

// Options narrow the question. Zero values do not.
type Options struct {
	Invocation string   // empty: the latest
	Nodes      []string // unique ids, names or relations; empty: all
	// Against is the invocation whose builds the run is held against, in place of the builds that it compared with itself.
	Against string
	// LookbackDays is hodor_lookback_days of the run: how old a build may be to count.
	LookbackDays int
	// Chain follows the changes upstream to where they began.
	Chain bool
}

// Answer is what Explain found. All times are epoch ms of the warehouse's clock.
type Answer struct {
	SchemaVersion int     `json:"schema_version"`
	Command       string  `json:"command"` // "explain"
	Project       string  `json:"project"`
	Target        string  `json:"target"`
	Invocation    string  `json:"invocation_id"`
	Mode          string  `json:"mode"`
	FirstMS       int64   `json:"first_recorded_at_ms"`
	LastMS        int64   `json:"last_recorded_at_ms"`
	Against       string  `json:"against,omitempty"`
	Built         int     `json:"built"`
	Reused        int     `json:"reused"`
	Nodes         []*Node `json:"nodes"`
}

// Node explains one record.
type Node struct {
	UniqueID   string `json:"unique_id"`
	NodeKey    string `json:"node_key"`
	Resource   string `json:"resource_type"`
	Kind       string `json:"kind"`
	Decision   string `json:"decision"`
	Reason     string `json:"reason"`
	Action     string `json:"action"`
	Status     string `json:"status"`
	RecordedMS int64  `json:"recorded_at_ms"`
	BuildMS    int64  `json:"build_ms,omitempty"`
	// Means says the reason in words, Change what would change the decision.
	Means  string `json:"means"`
	Change string `json:"change"`
	// Damaged: the record does not pass its checksum, so what follows may be wrong.
	Damaged bool `json:"damaged,omitempty"`
	// Then is the build that the node was held against; nil: none.
	Then       *Build     `json:"then"`
	Note       string     `json:"note,omitempty"` // with Against: what became of that run's build
	Hashes     []Hash     `json:"hashes"`
	Upstreams  []Upstream `json:"upstreams"`
	Views      []Hash     `json:"views"`
	Evidence   []Evidence `json:"evidence"`
	Why        string     `json:"why,omitempty"` // why the node is out of scope
	Tolerance  *Tolerance `json:"lag_tolerance,omitempty"`
	RequireAll bool       `json:"require_all,omitempty"`
	Cause      *Cause     `json:"cause,omitempty"` // with Options.Chain
	Lines      *Lines     `json:"diff,omitempty"`  // with --diff

	record, then *stores.Record
}

// Build is a build that counted.
type Build struct {
	Invocation string `json:"invocation_id"`
	BuiltMS    int64  `json:"built_at_ms"`
	BuildMS    int64  `json:"build_ms,omitempty"`
	Status     string `json:"status"`
}

// Hash is one identity then and now; empty: not known.
type Hash struct {
	Name string `json:"name"`
	Then string `json:"then"`
	Now  string `json:"now"`
	Same bool   `json:"same"`
}

// States of an upstream.
const (
	Same    = "same"
	Changed = "changed"
	Unknown = "unknown" // now, or at the last build
	New     = "new"     // the last build did not read it
	Gone    = "gone"    // the last build read it
)

// Upstream is one thing that a node read, with its data version at the last build and now.
type Upstream struct {
	Name     string `json:"name"`
	UniqueID string `json:"unique_id,omitempty"` // where a node of this run makes it
	State    string `json:"state"`
	Then     string `json:"then"`
	Now      string `json:"now"`
	ThenMS   int64  `json:"then_ms,omitempty"` // when the version came to be, where that is known
	NowMS    int64  `json:"now_ms,omitempty"`
	Why      string `json:"why,omitempty"` // why it is unknown
}

// Tolerance is lag_tolerance at the decision.
type Tolerance struct {
	MS     int64 `json:"ms"`
	AgeMS  int64 `json:"age_ms"`  // of the last build
	LeftMS int64 `json:"left_ms"` // below 0: it had run out
}

const dayMS = 24 * 60 * 60 * 1000

// Explain answers for one invocation of scope. Errors wrap ErrNotFound where the invocation or a node has no record.
func Explain(ctx context.Context, store Store, scope stores.Scope, o Options) (*Answer, error) {
	x := &explainer{ctx: ctx, store: store, scope: scope, options: o}
	if err := x.load(); err != nil {
		return nil, err
	}
	a := &Answer{
		SchemaVersion: SchemaVersion, Command: "explain", Project: scope.Project, Target: scope.Target, Invocation: x.invocation,
		Mode: x.records[0].Mode, FirstMS: x.records[0].RecordedAtMS, LastMS: x.records[len(x.records)-1].RecordedAtMS, Against: o.Against,
		Nodes: []*Node{},
	}
	found := make([]bool, len(o.Nodes))
	for i := range x.records {
		r := &x.records[i]
		switch {
		case r.Action == "reuse":
			a.Reused++
		case r.Status != stores.Begun:
			a.Built++
		}
		wanted := len(o.Nodes) == 0 && (o.Against == "" || r.Action == "build")
		for j, name := range o.Nodes {
			if Matches(r, name) {
				wanted, found[j] = true, true
			}
		}
		if !wanted {
			continue
		}
		n, err := x.node(r)
		if err != nil {
			return nil, err
		}
		a.Nodes = append(a.Nodes, n)
	}
	if i := slices.Index(found, false); i >= 0 {
		return nil, fmt.Errorf("%w: invocation %s has no record of %q; --invocation names another one, `history` lists those of a node", ErrNotFound, x.invocation, o.Nodes[i])
	}
	return a, nil
}

// explainer is one question on its way.
type explainer struct {
	ctx     context.Context
	store   Store
	scope   stores.Scope
	options Options

	invocation string
	records    []stores.Record           // of the invocation, in the order of recording
	byKey      map[string]*stores.Record // the same
	loaded     *stores.Loaded            // what the run compared with
	against    map[string]*stores.Record // builds of Options.Against

	// See chain.go: how often runs before this one were asked, and the records found, by node.
	lookups int
	earlier map[string][]stores.Record
}

// load reads the invocation and what it compared with.
func (x *explainer) load() error {
	x.invocation = x.options.Invocation
	if x.invocation == "" {
		err := x.store.Scan(x.ctx, x.scope, stores.Query{Limit: 1}, func(r *stores.Record) error {
			x.invocation = r.InvocationID
			return nil
		})
		if err != nil {
			return err
		}
		if x.invocation == "" {
			return fmt.Errorf("%w: project %s, target %s has no records yet; run dbt with hodor on or in shadow mode", ErrNotFound, x.scope.Project, x.scope.Target)
		}
	}
	var err error
	if x.records, err = x.store.History(x.ctx, x.scope, stores.Query{InvocationID: x.invocation}); err != nil {
		return err
	}
	if len(x.records) == 0 {
		return fmt.Errorf("%w: project %s, target %s has no record of invocation %s", ErrNotFound, x.scope.Project, x.scope.Target, x.invocation)
	}
	x.records = stores.Ended(x.records)
	slices.Reverse(x.records)
	x.byKey = make(map[string]*stores.Record, len(x.records))
	for i := range x.records {
		x.byKey[x.records[i].NodeKey] = &x.records[i]
	}
	first := x.records[0].RecordedAtMS
	if x.loaded, err = x.store.LoadBefore(x.ctx, x.scope, x.sinceMS(first), first, x.needed()...); err != nil {
		return err
	}
	if x.options.Against != "" {
		return x.loadAgainst()
	}
	return nil
}

// maxKeys is how many nodes are asked for by their keys; beyond that all are loaded.
const maxKeys = 400

// needed lists the keys of the nodes in question and of all that they read, or none where everything is needed.
func (x *explainer) needed() []string {
	if len(x.options.Nodes) == 0 {
		return nil
	}
	var keys []string
	seen := map[string]bool{}
	add := func(key string) {
		if !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	for i := range x.records {
		r := &x.records[i]
		if slices.ContainsFunc(x.options.Nodes, func(name string) bool { return Matches(r, name) }) {
			add(r.NodeKey)
		}
	}
	for i := 0; i < len(keys) && len(keys) <= maxKeys; i++ {
		r := x.byKey[keys[i]]
		for _, key := range slices.Sorted(maps.Keys(upstreams(r))) {
			add(key)
		}
		for _, key := range slices.Sorted(maps.Keys(FactsOf(r).Views)) {
			add(key)
		}
	}
	if len(keys) == 0 || len(keys) > maxKeys {
		return nil
	}
	return keys
}

// sinceMS is the start of the window of a run that began at ms.
func (x *explainer) sinceMS(ms int64) int64 {
	return ms - int64(max(1, x.options.LookbackDays))*dayMS
}

// node explains one record.
func (x *explainer) node(r *stores.Record) (*Node, error) {
	then, note := x.loaded.Of(r.NodeKey, r.UniqueID), ""
	if x.options.Against != "" {
		then, note = x.thatRuns(r, then)
	}
	n := x.compare(r, then)
	n.Note = note
	if x.options.Chain {
		x.lookups, x.earlier = 0, map[string][]stores.Record{}
		cause, err := x.cause(r, then, map[string]bool{})
		if err != nil {
			return nil, err
		}
		n.Cause = cause
	}
	return n, nil
}

// compare holds a record against a build.
func (x *explainer) compare(r, then *stores.Record) *Node {
	f, g := FactsOf(r), FactsOf(then)
	words := WordsFor(r.Reason)
	n := &Node{
		UniqueID: r.UniqueID, NodeKey: r.NodeKey, Resource: r.ResourceType, Kind: kind(r, f), Decision: r.Decision, Reason: r.Reason, Action: r.Action,
		Status: r.Status, RecordedMS: r.RecordedAtMS, Means: words.Means, Change: words.Change, Damaged: r.Check() != nil,
		Hashes: []Hash{}, Upstreams: []Upstream{}, Views: []Hash{}, Evidence: f.Decided.Evidence, Why: f.Decided.Why, RequireAll: f.Decided.RequireAll,
		record: r, then: then,
	}
	if n.Evidence == nil {
		n.Evidence = []Evidence{}
	}
	if r.BuildMS != nil {
		n.BuildMS = *r.BuildMS
	}
	old := stores.Record{}
	if then != nil {
		old = *then
		n.Then = &Build{Invocation: then.InvocationID, BuiltMS: *then.BuiltAtMS, Status: then.Status}
		if then.BuildMS != nil {
			n.Then.BuildMS = *then.BuildMS
		}
		if f.Decided.LagToleranceMS > 0 && r.ResourceType != "test" {
			at := r.RecordedAtMS
			if r.BuiltAtMS != nil {
				at = *r.BuiltAtMS // a build is recorded when it ends, and was decided when it began
			}
			age := at - *then.BuiltAtMS
			n.Tolerance = &Tolerance{MS: f.Decided.LagToleranceMS, AgeMS: age, LeftMS: f.Decided.LagToleranceMS - age}
		}
	}
	n.hash("hash_version", orNil(old.HashVersion), orNil(r.HashVersion), true)
	n.hash("text_hash", old.TextHash, r.TextHash, false)
	n.hash("code_hash", old.CodeHash, r.CodeHash, false)
	n.hash("unrendered_hash", old.UnrenderedHash, r.UnrenderedHash, false)
	n.hash("config_hash", old.ConfigHash, r.ConfigHash, false)
	n.Upstreams = x.compareUpstreams(r, then, f.Decided.Unknown)
	n.Views = compareViews(f, g, then != nil)
	return n
}

// hash adds a pair of hashes; one that neither side has is left out, and so is one that says nothing as long as it is the same.
func (n *Node) hash(name string, then, now *string, quiet bool) {
	h := Hash{Name: name, Then: deref(then), Now: deref(now)}
	h.Same = h.Then == h.Now && h.Now != ""
	if h.Then == "" && h.Now == "" || quiet && (h.Same || n.Then == nil) {
		return
	}
	n.Hashes = append(n.Hashes, h)
}

func (x *explainer) compareUpstreams(r, then *stores.Record, unknown map[string]string) []Upstream {
	now, old := upstreams(r), upstreams(then)
	names := make([]string, 0, len(now)+len(old))
	for name := range now {
		names = append(names, name)
	}
	for name := range old {
		if _, ok := now[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	out := make([]Upstream, 0, len(names))
	for _, name := range names {
		u := Upstream{Name: name, Then: old[name], Now: now[name], Why: unknown[name], UniqueID: x.idOf(name)}
		_, read := now[name]
		_, was := old[name]
		switch {
		case !read:
			u.State = Gone
		case u.Now == "":
			u.State = Unknown
		case then != nil && !was:
			u.State = New
		case then != nil && u.Then == "":
			u.State = Unknown
		case u.Then == u.Now:
			u.State = Same
		case then == nil:
			u.State = New
		default:
			u.State = Changed
		}
		u.ThenMS, u.NowMS = x.versionMS(name, u.Then), x.versionMS(name, u.Now)
		if u.State == Unknown && u.Why == "" {
			u.Why = whyUnknown(name, u)
		}
		out = append(out, u)
	}
	return out
}

// whyUnknown says what an upstream without a version is, where the record does not.
func whyUnknown(name string, u Upstream) string {
	switch kind, rest, _ := strings.Cut(name, ":"); kind {
	case "opaque":
		return "what " + rest + " reads can't be traced"
	case "volatile":
		return "it is another value on every call"
	case "view":
		return "no build of this view counts, or it was changed since"
	}
	if u.Now != "" {
		return "its version was not known at the last build"
	}
	return "its version can't be read: no table of this kind, no rights, or no change in its history"
}

// compareViews lists the code and, where it differs alone, the definition of each view between the node and its tables.
func compareViews(now, then Facts, known bool) []Hash {
	names := make([]string, 0, len(now.Views))
	for name := range now.Views {
		names = append(names, name)
	}
	for name := range then.Views {
		if _, ok := now.Views[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	out := make([]Hash, 0, len(names))
	for _, name := range names {
		a, b := then.Views[name], now.Views[name]
		h := Hash{Name: name, Then: a.Code, Now: b.Code}
		h.Same = known && a.Code == b.Code && a.Definition == b.Definition && b.Code != ""
		if known && a.Code == b.Code && !h.Same {
			h.Then, h.Now = a.Definition, b.Definition
		}
		out = append(out, h)
	}
	return out
}

// idOf is the unique id of the node that makes a relation, as far as this run or the history knows it.
func (x *explainer) idOf(key string) string {
	if r := x.byKey[key]; r != nil {
		return r.UniqueID
	}
	if r := x.loaded.Records[key]; r != nil {
		return r.UniqueID
	}
	return ""
}

// versionMS is when a data version of a relation came to be: from the token, or from the build that left it; 0 where neither tells.
func (x *explainer) versionMS(key, token string) int64 {
	if token == "" {
		return 0
	}
	if ms, ok := changedAt(token); ok {
		return ms
	}
	for _, r := range []*stores.Record{x.byKey[key], x.loaded.Records[key]} {
		if r != nil && r.Action == "build" && r.BuiltAtMS != nil && deref(r.DataVersion) == token {
			return *r.BuiltAtMS
		}
	}
	return 0
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
