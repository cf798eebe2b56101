package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hodor/internal/terminal"
	"hodor/stores"
)

// Past is what became of one node over time.
type Past struct {
	SchemaVersion int     `json:"schema_version"`
	Command       string  `json:"command"` // "history"
	Project       string  `json:"project"`
	Target        string  `json:"target"`
	UniqueID      string  `json:"unique_id"`
	NodeKey       string  `json:"node_key"`
	Built         int     `json:"built"`
	Reused        int     `json:"reused"`
	Events        []Event `json:"events"` // newest first
}

// Event is one record of a node.
type Event struct {
	RecordedMS int64  `json:"recorded_at_ms"`
	Invocation string `json:"invocation_id"`
	Mode       string `json:"mode"`
	Decision   string `json:"decision"`
	Reason     string `json:"reason"`
	Action     string `json:"action"`
	Status     string `json:"status"`
	BuildMS    int64  `json:"build_ms,omitempty"`
	// Version is the data version of the relation after the build, or at the reuse; Moved tells whether it is another one than at the event before.
	Version string `json:"data_version,omitempty"`
	Moved   bool   `json:"moved"`
	Damaged bool   `json:"damaged,omitempty"`
}

// PastOptions narrow History.
type PastOptions struct {
	Node         string
	SinceMS      int64
	Limit        int // 0: all
	LookbackDays int
}

// History lists the records of one node. The error wraps ErrNotFound where there are none, or where the name fits several nodes.
func History(ctx context.Context, store Store, scope stores.Scope, o PastOptions) (*Past, error) {
	r, err := find(ctx, store, scope, o)
	if err != nil {
		return nil, err
	}
	// A build may have a record of its beginning too.
	list, err := store.History(ctx, scope, stores.Query{UniqueID: r.UniqueID, SinceMS: o.SinceMS, Limit: 2 * o.Limit})
	if err != nil {
		return nil, err
	}
	if list = stores.Ended(list); o.Limit > 0 {
		list = list[:min(len(list), o.Limit)]
	}
	p := &Past{SchemaVersion: SchemaVersion, Command: "history", Project: scope.Project, Target: scope.Target, UniqueID: r.UniqueID, NodeKey: r.NodeKey, Events: []Event{}}
	for i := range list {
		r := &list[i]
		e := Event{
			RecordedMS: r.RecordedAtMS, Invocation: r.InvocationID, Mode: r.Mode, Decision: r.Decision, Reason: r.Reason, Action: r.Action, Status: r.Status,
			Version: deref(r.DataVersion), Damaged: r.Check() != nil,
		}
		if r.BuildMS != nil {
			e.BuildMS = *r.BuildMS
		}
		e.Moved = e.Version != "" && (i+1 == len(list) || e.Version != deref(list[i+1].DataVersion))
		switch {
		case r.Action == "reuse":
			p.Reused++
		case r.Status != stores.Begun:
			p.Built++
		}
		p.Events = append(p.Events, e)
	}
	return p, nil
}

// find looks for the node that the user named: a unique id is taken as it is; a name is looked for in the latest invocation, then among the
// builds that count.
func find(ctx context.Context, store Store, scope stores.Scope, o PastOptions) (*stores.Record, error) {
	var newest *stores.Record
	keep := func(r *stores.Record) error { c := *r; newest = &c; return nil }
	if err := store.Scan(ctx, scope, stores.Query{UniqueID: o.Node, Limit: 1}, keep); err != nil {
		return nil, err
	}
	if newest != nil {
		return newest, nil
	}
	if err := store.Scan(ctx, scope, stores.Query{Limit: 1}, keep); err != nil {
		return nil, err
	}
	if newest == nil {
		return nil, fmt.Errorf("%w: project %s, target %s has no records yet", ErrNotFound, scope.Project, scope.Target)
	}
	found := map[string]*stores.Record{}
	match := func(r *stores.Record) error {
		if Matches(r, o.Node) {
			c := *r
			found[r.UniqueID] = &c
		}
		return nil
	}
	if err := store.Scan(ctx, scope, stores.Query{InvocationID: newest.InvocationID}, match); err != nil {
		return nil, err
	}
	if len(found) == 0 {
		since := newest.RecordedAtMS - int64(max(1, o.LookbackDays))*dayMS
		if err := store.Scan(ctx, scope, stores.Query{SinceMS: since}, match); err != nil {
			return nil, err
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("%w: no record of a node called %q in project %s, target %s", ErrNotFound, o.Node, scope.Project, scope.Target)
	case 1:
		for _, r := range found {
			return r, nil
		}
	}
	var ids []string
	for id := range found {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return nil, fmt.Errorf("%w: %q fits %s; name one of them by its unique id", ErrNotFound, o.Node, strings.Join(ids, " and "))
}

// Print writes the history for people.
func (p *Past) Print(s *terminal.Screen) {
	s.Line(cell(terminal.Bold, "%s", p.UniqueID), cell("", ": %s built, %s reused", Count(int64(p.Built)), Count(int64(p.Reused))))
	s.Line()
	rows := make([][]terminal.Cell, 0, len(p.Events))
	for _, e := range p.Events {
		n := Node{Action: e.Action, Decision: e.Decision, Status: e.Status}
		word, style := n.word()
		took, moved := "", "same data"
		if e.Action == "build" && e.Status != stores.Begun {
			took = Duration(e.BuildMS)
		}
		switch {
		case e.Version == "":
			moved = ""
		case e.Moved:
			moved = Token(e.Version)
		}
		status := e.Status
		if e.Damaged {
			status += " (damaged)"
		}
		rows = append(rows, []terminal.Cell{
			cell("", "%s", Time(e.RecordedMS)), cell(style, "%s", word), cell("", "%s", e.Reason), cell("", "%s", took), cell("", "%s", status),
			cell(terminal.Dim, "%s", moved), cell(terminal.Dim, "%s", e.Invocation),
		})
	}
	s.Table([]terminal.Column{
		{Title: "WHEN"}, {Title: "DID"}, {Title: "REASON"}, {Title: "TOOK", Right: true}, {Title: "STATUS"}, {Title: "DATA", Shrink: true, Least: 9},
		{Title: "INVOCATION", Shrink: true, Least: 9},
	}, rows)
}
