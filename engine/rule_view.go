package engine

import (
	"maps"
	"slices"
)

// selectStarView builds a view whose final SELECT * reads a relation directly: its columns follow those of the relation, of which its
// own text says nothing. Spec 5, rule 9; tests are exempt.
func selectStarView(in *Input) verdict {
	if in.Kind == KindView && in.SelectStarView {
		return build(SelectStarView)
	}
	return next
}

// frozenColumns builds a view of an engine that freezes columns and types when the view is made (Spark), unless the column hash of every
// relation that it reads is the recorded one. S18; stands before rule 10.
func frozenColumns(in *Input) verdict {
	if in.Kind != KindView || in.ViewsBindAnew {
		return next
	}
	then, now := in.Record.Columns, in.Columns
	if then == nil || now == nil {
		return build(UpstreamCodeChanged, Evidence{What: "columns"})
	}
	var e []Evidence
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if !same(then[name], now[name]) {
			e = append(e, Evidence{"columns " + name, string(then[name]), string(now[name])})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(then)) {
		if _, ok := now[name]; !ok {
			e = append(e, Evidence{What: "columns " + name, Then: string(then[name])})
		}
	}
	if len(e) > 0 {
		return build(UpstreamCodeChanged, e...)
	}
	return next
}

// viewUnchanged reuses a view: it stores no data, so new or unknown data upstream never makes it stale. Its code, config and definition
// were compared by the rules before. Spec 5, rule 10.
//
// What its hooks read is another matter (S7): they ran when the view was built. If anything of that is unknown or has moved, the view goes on
// to the rules of tables.
func viewUnchanged(in *Input) verdict {
	if in.Kind != KindView {
		return next
	}
	for i := range in.Upstreams {
		if u := &in.Upstreams[i]; !same(in.Record.Upstreams[u.Name], u.Now) {
			return next
		}
	}
	if len(unknownViews(in)) > 0 || len(changedViews(in)) > 0 {
		return next
	}
	return reuse(ViewUnchanged, Evidence{"target", string(in.Record.Target), string(in.Target)})
}
