package state

import (
	"encoding/json"
	"fmt"
	"slices"

	"hodor/engine"
	"hodor/executor"
)

// PlanVersion is the version of the plan's document (docs/schemas/plan.json).
const PlanVersion = 1

// Plan says what a run would build, what it would reuse, and why.
type Plan struct {
	SchemaVersion int    `json:"schema_version"`
	Command       string `json:"command"`
	Project       string `json:"project"`
	Target        string `json:"target"`
	// MadeAtMS is the warehouse's clock, epoch ms.
	MadeAtMS int64 `json:"made_at_ms"`
	// Head is the state that the plan was made against.
	Head Head `json:"head"`
	// HashVersion and Manifest say by what and from what it was made.
	HashVersion string `json:"hash_version"`
	Manifest    string `json:"manifest_invocation_id"`
	// Options narrow the plan; they hold when it is run.
	Options PlanOptions `json:"options"`
	// Nodes are all models, seeds and snapshots, parents first.
	Nodes []PlanNode `json:"nodes"`
	// Build is the BUILD set, in the order of Nodes; LeftOut are nodes that are to build and that the options leave out.
	Build   []executor.NodeRef `json:"build"`
	LeftOut []LeftOut          `json:"left_out"`
	// Sources are the sources with tests that a node of Build reads.
	Sources []executor.NodeRef `json:"sources"`
	// Reads are the versions that the plan looked at.
	Reads    Reads    `json:"reads"`
	Warnings []string `json:"warnings"`
}

// Head is the newest commit of a scope; generation 0 is none.
type Head struct {
	Generation int64  `json:"generation"`
	CommitID   string `json:"commit_id"`
}

// PlanOptions narrow what is built.
type PlanOptions struct {
	FullRefresh   bool     `json:"full_refresh"`
	Select        []string `json:"select"`
	Exclude       []string `json:"exclude"`
	ResourceTypes []string `json:"resource_types"`
	TrustLoadedAt bool     `json:"trust_loaded_at"`
}

// PlanNode is what is planned for one node.
type PlanNode struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	ResourceType string `json:"resource_type"`
	Materialized string `json:"materialized"`
	// Action is build or reuse, Reason the code behind it, Evidence what was compared, Note the same in short.
	Action   engine.Action `json:"action"`
	Reason   engine.Reason `json:"reason"`
	Evidence []Evidence    `json:"evidence"`
	Note     string        `json:"note"`
	// Built: it has a record that counts. Tested: all its tests would be replayed now, as passed. Tests are their ids.
	Built  bool     `json:"built"`
	Tested bool     `json:"tested"`
	Tests  []string `json:"tests"`
	// Identity is a hash over code and configuration, "" if not known.
	Identity string `json:"identity"`
	// LastBuildMS is how long the last build took, 0 if not known.
	LastBuildMS int64 `json:"last_build_ms"`
	// Parents are the nodes that it reads, for showing the plan as a tree.
	Parents []string `json:"parents"`
}

// Evidence is one comparison behind a decision.
type Evidence struct {
	What string `json:"what"`
	Then string `json:"then"`
	Now  string `json:"now"`
}

// LeftOut is a node that is to build and is not built by this run.
type LeftOut struct {
	ID     string        `json:"id"`
	Name   string        `json:"name"`
	Reason engine.Reason `json:"reason"`
	Why    string        `json:"why"`
}

// Save is the plan's document.
func (p *Plan) Save() ([]byte, error) {
	raw, err := json.MarshalIndent(p, "", " ")
	return append(raw, '\n'), err
}

// LoadPlan reads a plan's document.
func LoadPlan(raw []byte) (*Plan, error) {
	var p Plan
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, fail(RequestRefused, "make it with state plan --out", err, "the plan can't be read")
	}
	if p.SchemaVersion != PlanVersion {
		return nil, fail(RequestRefused, "make it again with state plan --out", nil, "the plan has version %d; %d is known", p.SchemaVersion, PlanVersion)
	}
	return &p, nil
}

// stale says why a saved plan must not run any more, "" if it may: the head, the code or what was read moved, or the BUILD set would be another one
// (S30).
func (p *Plan) stale(now *Plan) string {
	switch {
	case p.Project != now.Project || p.Target != now.Target:
		return fmt.Sprintf("it is of %s, target %s; this is %s, target %s", p.Project, p.Target, now.Project, now.Target)
	case p.HashVersion != now.HashVersion:
		return "it was made by another version of hodor"
	case p.Head != now.Head:
		return fmt.Sprintf("it was made against generation %d of the state; now it is %d", p.Head.Generation, now.Head.Generation)
	}
	if p.Reads.Session != now.Reads.Session {
		return "the session's settings moved" // they are in every configuration hash
	}
	then := map[string]*PlanNode{}
	for i := range p.Nodes {
		then[p.Nodes[i].ID] = &p.Nodes[i]
	}
	for i := range now.Nodes {
		n := &now.Nodes[i]
		old := then[n.ID]
		switch {
		case old == nil:
			return n.ID + " is new"
		case old.Identity != n.Identity:
			return "the code or configuration of " + n.ID + " is another one"
		}
		delete(then, n.ID)
	}
	for id := range then {
		return id + " is gone"
	}
	if what := p.Reads.moved(now.Reads); what != "" {
		return what + " moved"
	}
	if !slices.Equal(p.Build, now.Build) {
		return "another set of nodes would be built"
	}
	return ""
}
