package lineage

import (
	"hodor/normalize"
	"hodor/project"
)

// Kind is what an upstream is, and so how its version is found.
type Kind string

// The kinds. Table and Path have data versions; the version of a Volatile upstream is the session's (date, session) or unknown (always);
// Unknown never has one.
const (
	Table    Kind = "table"
	Path     Kind = "path"
	Volatile Kind = "volatile"
	Unknown  Kind = "unknown"
)

// Upstream is one thing that a node reads.
type Upstream struct {
	// Name identifies it in records and in engine.Upstream: project.Key of the parts; "delta.`/x`"; "volatile:date"; for Unknown a word and a
	// colon in front ("opaque:read_csv", "path:'x.csv'", "table:main.t", "view:shop.main.v", "node:function.shop.f", "hooks:model.shop.a").
	Name string
	Kind Kind
	// Parts is the name of a Table as data: catalog, schema, identifier, as few as are known.
	Parts []string
	// NodeID is the unique id of the manifest's node or source that stands there, "" for deferred relations.
	NodeID string
	// Why says in a few words why an Unknown upstream is unknown.
	Why string
}

// View is a view of the manifest that a node reads through.
type View struct {
	NodeID string
	Name   string // key of its relation, as in engine.View
}

// Facts are what the parts of one node read.
type Facts struct {
	// Body holds the facts of the compiled SQL, Level its normalization level. nil is unknown, except for seeds, which have no SQL.
	Body  *normalize.Facts
	Level string
	// Hooks are the rendered pre and post hooks and the header, in any order.
	Hooks []HookFacts
}

// HookFacts is one hook or header after rendering.
type HookFacts struct {
	Header bool
	// SQL is the rendered text; Known is false where it could not be rendered, and then nothing else counts.
	SQL   string
	Known bool
	// Facts and Level are those of SQL.
	Facts normalize.Facts
	Level string
}

// Evidence supplies what is known of other nodes. It is called while the Resolver is locked and must not call back.
type Evidence interface {
	// View returns the facts of the view's last build or of this run's analysis of it; false if there are none (S9: then it is unknown).
	View(n *project.Node) (Facts, bool)
}

// Result is what one node reads. Lists are sorted by name and hold no duplicates.
type Result struct {
	Upstreams []Upstream
	// Views are the views between the node and its upstream tables, at any depth.
	Views []View
	// Direct holds the tables and views that the node names itself, unexpanded, with the kind Table (S18).
	Direct []Upstream
	// Others holds what else it names itself and what may have columns: hard-coded tables and parents that are no tables (Parts, if their names
	// are known), paths, opaque inputs (S18).
	Others []Upstream
	// ReadsItself: the body or header reads the node's own relation (S6: a table model that does builds).
	ReadsItself bool
	// HooksUnknown: a hook or header can't be analysed or has opaque inputs; for a view also one that reads anything (S7).
	HooksUnknown bool
	// Read holds the keys of the relations that are read in place of deferred parents, by the parent's id; for project.NodeKey.
	Read map[string]string
}
