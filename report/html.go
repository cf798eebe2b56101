package report

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"hodor/explain"
	"hodor/stores"
)

//go:embed page.html
var page []byte

// Graph is what the page shows of the lineage: the nodes of the report with what they read at first hand.
type Graph struct {
	Invocation string               `json:"invocation_id"`
	Reads      map[string][]string  `json:"reads"` // by unique id: keys of relations, and names such as volatile:date
	Kinds      map[string]string    `json:"kinds"`
	Evidence   map[string][]string  `json:"evidence"` // of the latest run
	Words      map[string][2]string `json:"words"`    // by reason code: what it means, what would change it
}

// Lineage reads the records that tell what each node reads: the builds that count, and those of the latest run, which also has the evidence.
func Lineage(ctx context.Context, store explain.Store, scope stores.Scope, r *Report, lookbackDays int) (*Graph, error) {
	g := &Graph{Reads: map[string][]string{}, Kinds: map[string]string{}, Evidence: map[string][]string{}, Words: map[string][2]string{}}
	loaded, err := store.LoadBefore(ctx, scope, r.SinceMS-int64(max(1, lookbackDays))*24*3_600_000, r.UntilMS+1)
	if err != nil {
		return nil, err
	}
	for _, rec := range loaded.Records {
		g.Reads[rec.UniqueID], g.Kinds[rec.UniqueID] = explain.Reads(rec), explain.Kind(rec)
	}
	a, err := explain.Explain(ctx, store, scope, explain.Options{LookbackDays: lookbackDays})
	switch {
	case errors.Is(err, explain.ErrNotFound):
		return g, nil
	case err != nil:
		return nil, err
	}
	g.Invocation = a.Invocation
	for _, n := range a.Nodes {
		g.Reads[n.UniqueID], g.Kinds[n.UniqueID], g.Evidence[n.UniqueID] = n.Reads(), n.Kind, n.Summary()
	}
	for _, n := range r.Nodes {
		w := explain.WordsFor(n.LastReason)
		g.Words[n.LastReason] = [2]string{w.Means, w.Change}
	}
	return g, nil
}

// WriteHTML writes the report as one page that needs nothing else: no network, no other file.
func WriteHTML(w io.Writer, r *Report, g *Graph) error {
	data, err := json.Marshal(struct { // <, > and & come out escaped, so nothing in it can end the element
		Report *Report `json:"report"`
		Graph  *Graph  `json:"graph"`
	}{r, g})
	if err != nil {
		return err
	}
	mark := []byte("__DATA__")
	at := bytes.Index(page, mark)
	_, err = w.Write(slices.Concat(page[:at], data, page[at+len(mark):]))
	return err
}
