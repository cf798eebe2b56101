package engine

import (
	"maps"
	"slices"
	"strings"
)

// readsItself builds a table model that reads {{ this }}: each build has another input, the result of the one before. Incrementals and
// snapshots read their target by design, and rule 8 has compared it. S6.
func readsItself(in *Input) verdict {
	if !in.ReadsItself || in.Kind == KindIncremental || in.Kind == KindSnapshot {
		return next
	}
	return build(UnknownUpstream, Evidence{What: "upstream {{ this }}"})
}

// lineageUnknown builds a node of which it is not known what it reads, be it by its SQL or by hooks and header. S6, S7; stands before
// rule 10, since a view's hooks ran when it was built.
func lineageUnknown(in *Input) verdict {
	switch {
	case !in.LineageKnown:
		return build(UnknownUpstream, Evidence{What: "lineage"})
	case in.HooksUnknown:
		return build(UnknownUpstream, Evidence{What: "hooks"})
	}
	return next
}

// unknownUpstream builds a node that reads something without a known version: a table whose version can't be read, an opaque input, or a
// view without a record of its own or changed since (S9). Volatile values have their own rule and reason. Spec 5, rule 11.
func unknownUpstream(in *Input) verdict {
	e := unknownViews(in)
	for _, u := range in.Upstreams {
		if !u.volatile() && !u.Now.Known() {
			e = append(e, moved(in, u))
		}
	}
	if len(e) > 0 {
		return build(UnknownUpstream, e...)
	}
	return next
}

// upstreamCodeChanged builds a node that reads through a view with other code or another definition than at the node's last build. A view that
// has come in between since, or no longer is, counts the same. Spec 5, rule 12; S9.
func upstreamCodeChanged(in *Input) verdict {
	if e := changedViews(in); len(e) > 0 {
		return build(UpstreamCodeChanged, e...)
	}
	return next
}

// upstreamNotRecorded builds a node that reads something of which the record has no version, and one that no longer reads what it did: with
// all, an upstream without a version to compare would pass for one that has not changed. Stands after rule 12, which knows the cause if
// a view has brought it. S3.
func upstreamNotRecorded(in *Input) verdict {
	var e []Evidence
	read := make(map[string]bool, len(in.Upstreams))
	for _, u := range in.Upstreams {
		read[u.Name] = true
		if !u.volatile() && !in.Record.Upstreams[u.Name].Known() {
			e = append(e, moved(in, u))
		}
	}
	if in.Kind != KindView { // the record of a view may list what its query reads
		for _, name := range slices.Sorted(maps.Keys(in.Record.Upstreams)) {
			if u := (Upstream{Name: name}); !read[name] && !u.volatile() {
				e = append(e, moved(in, u))
			}
		}
	}
	if len(e) > 0 {
		return build(UnknownUpstream, e...)
	}
	return next
}

// unknownViews lists the views of which the present code or definition is not known.
func unknownViews(in *Input) []Evidence {
	var e []Evidence
	for _, v := range in.Views {
		if v.Code == "" {
			e = append(e, Evidence{"view " + v.Name, in.Record.Views[v.Name].Code, ""})
		} else if !v.Definition.Known() && !v.Ephemeral {
			e = append(e, Evidence{"definition " + v.Name, string(in.Record.Views[v.Name].Definition), ""})
		}
	}
	return e
}

// changedViews lists the views that differ from the record's.
func changedViews(in *Input) []Evidence {
	var e []Evidence
	read := make(map[string]bool, len(in.Views))
	for _, v := range in.Views {
		read[v.Name] = true
		then := in.Record.Views[v.Name]
		if !same(then.Code, v.Code) {
			e = append(e, Evidence{"view " + v.Name, then.Code, v.Code})
		} else if !v.Ephemeral && !same(then.Definition, v.Definition) {
			e = append(e, Evidence{"definition " + v.Name, string(then.Definition), string(v.Definition)})
		}
	}
	if in.Kind == KindView { // see upstreamNotRecorded
		return e
	}
	for _, name := range slices.Sorted(maps.Keys(in.Record.Views)) {
		if !read[name] {
			e = append(e, Evidence{"view " + name, in.Record.Views[name].Code, ""})
		}
	}
	return e
}

// volatile tells whether u stands for the value of a volatile call (spec 9.1, evaluate_volatile_sql).
func (u Upstream) volatile() bool {
	return strings.HasPrefix(u.Name, "volatile:")
}

// moved is the evidence of one upstream: its version then and now.
func moved(in *Input, u Upstream) Evidence {
	return Evidence{"upstream " + u.Name, string(in.Record.Upstreams[u.Name]), string(u.Now)}
}
