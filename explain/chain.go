package explain

import (
	"fmt"
	"slices"
	"strings"

	"hodor/stores"
)

// Cause is one link of the chain that led to a decision: a node or a table, what was found of it, and what lay behind that.
type Cause struct {
	Name       string `json:"name"`
	UniqueID   string `json:"unique_id,omitempty"`
	Kind       string `json:"kind,omitempty"` // table, view ..., or source for what no node makes
	Action     string `json:"action,omitempty"`
	Reason     string `json:"reason,omitempty"`
	What       string `json:"what"`                    // in words
	Invocation string `json:"invocation_id,omitempty"` // where another run than the explained one did it
	AtMS       int64  `json:"at_ms,omitempty"`
	Then       string `json:"then,omitempty"`
	Now        string `json:"now,omitempty"`
	// Again: the same link stands elsewhere in the tree, with what lies behind it.
	Again  bool     `json:"again,omitempty"`
	Causes []*Cause `json:"causes"`
}

// maxLookups bounds how often one chain asks for runs before the explained one.
const maxLookups = 12

// Roots are the links with nothing behind them: where it began. In the order of the tree, without duplicates.
func (c *Cause) Roots() []*Cause {
	var out []*Cause
	seen := map[string]bool{}
	var walk func(*Cause)
	walk = func(c *Cause) {
		if len(c.Causes) == 0 && !c.Again && !seen[c.Name] {
			seen[c.Name] = true
			out = append(out, c)
		}
		for _, d := range c.Causes {
			walk(d)
		}
	}
	walk(c)
	return out
}

// cause follows one record. then is the build that it was held against; seen holds the keys that the tree has already.
func (x *explainer) cause(r, then *stores.Record, seen map[string]bool) (*Cause, error) {
	f := FactsOf(r)
	c := &Cause{Name: r.NodeKey, UniqueID: r.UniqueID, Kind: kind(r, f), Action: r.Action, Reason: r.Reason, What: WordsFor(r.Reason).Means, Causes: []*Cause{}}
	if r.InvocationID != x.invocation {
		c.Invocation, c.AtMS = r.InvocationID, r.RecordedAtMS
	}
	if seen[r.NodeKey] {
		c.Again = true
		return c, nil
	}
	seen[r.NodeKey] = true
	switch r.Reason {
	case "new_upstream_data", "volatile_sql", "within_lag_tolerance", "unknown_upstream", "upstream_code_changed":
	default:
		for _, e := range f.Decided.Evidence {
			if e.What == "target" || e.What == "relation" {
				c.Then, c.Now = e.Then, e.Now
			}
		}
		return c, nil
	}
	all, err := x.behind(r, then, seen)
	c.Causes = all
	return c, err
}

// behind lists what changed among the things that a node reads, each under the view through which it is read.
func (x *explainer) behind(r, then *stores.Record, seen map[string]bool) ([]*Cause, error) {
	f := FactsOf(r)
	out := []*Cause{}
	direct := f.reads()
	views := map[string]*Cause{}
	for _, v := range compareViews(f, FactsOf(then), then != nil) {
		if v.Same || v.Now == "" && v.Then == "" {
			continue
		}
		if err := x.lookUp(r, then, []Upstream{{Name: v.Name, UniqueID: x.idOf(v.Name), State: Changed}}); err != nil {
			return nil, err
		}
		c, err := x.made(v.Name, v.Then, v.Now, r, then, seen)
		if err != nil {
			return nil, err
		}
		if c.Kind == "source" {
			c.Kind, c.What = "view", "its definition is another one, and no record says who changed it"
		}
		views[v.Name] = c
		out = append(out, c)
	}
	list := x.compareUpstreams(r, then, f.Decided.Unknown)
	if err := x.lookUp(r, then, list); err != nil {
		return nil, err
	}
	for _, u := range list {
		if u.State == Same {
			continue
		}
		var c *Cause
		var err error
		if u.State == Changed {
			c, err = x.made(u.Name, u.Then, u.Now, r, then, seen)
		} else {
			c = &Cause{Name: u.Name, UniqueID: u.UniqueID, Kind: "source", What: stateWords(u), Then: u.Then, Now: u.Now, Causes: []*Cause{}}
		}
		if err != nil {
			return nil, err
		}
		through := x.through(direct, f, u.Name)
		if through == "" {
			out = append(out, c)
			continue
		}
		if views[through] == nil {
			views[through] = &Cause{Name: through, UniqueID: x.idOf(through), Kind: "view", What: "passes it on", Causes: []*Cause{}}
			out = append(out, views[through])
		}
		views[through].Causes = append(views[through].Causes, c)
	}
	return out, nil
}

func stateWords(u Upstream) string {
	switch u.State {
	case Gone:
		return "is read no more"
	case New:
		return "was not read at the last build"
	}
	return u.Why
}

// through names the view by which a table comes in that the SQL itself does not name; "" where it does, or where that is not known.
func (x *explainer) through(direct []string, f Facts, table string) string {
	if slices.Contains(direct, table) {
		return ""
	}
	for _, key := range direct {
		if _, view := f.Views[key]; !view {
			continue
		}
		for _, r := range []*stores.Record{x.byKey[key], x.loaded.Records[key]} {
			if _, ok := upstreams(r)[table]; ok {
				return key
			}
		}
	}
	return ""
}

// made says how a relation came to its present version: the build in this run, the newest build since the last one of the reader, or something
// outside.
func (x *explainer) made(key, was, is string, reader, since *stores.Record, seen map[string]bool) (*Cause, error) {
	if r := x.byKey[key]; r != nil && r.Action == "build" && reader.InvocationID == x.invocation {
		c, err := x.cause(r, x.loaded.Of(r.NodeKey, r.UniqueID), seen)
		if c != nil {
			c.Then, c.Now = was, is
		}
		return c, err
	}
	c := &Cause{Name: key, UniqueID: x.idOf(key), Kind: "source", What: Difference(was, is), Then: was, Now: is, AtMS: x.versionMS(key, is), Causes: []*Cause{}}
	if strings.HasPrefix(key, "volatile:") {
		c.What = "its value is another one"
		if is == "" {
			c.What = "it is another value on every call"
		} else if !strings.Contains(is, ":") && len(is) <= 10 {
			c.What = fmt.Sprintf("%s → %s", was, is)
		}
		return c, nil
	}
	if c.UniqueID == "" || since == nil {
		return c, nil
	}
	if seen[key] {
		c.Again = true
		return c, nil
	}
	build, base, err := x.builtEarlier(key, is)
	if err != nil || build == nil {
		switch {
		case err != nil:
		case x.lookups == maxLookups:
			c.What += "; in a run before this one (`explain -s` of that node tells more)"
		default:
			c.What += "; not by a build that is recorded"
		}
		return c, err
	}
	c, err = x.cause(build, base, seen)
	if c != nil {
		c.Then, c.Now = was, is
	}
	return c, err
}

// lookUp reads what became, in runs before the explained one, of the changed upstreams of a reader since its last build and for some days before: one
// query for all of them, over a short part of the store, which keeps records by time.
func (x *explainer) lookUp(reader, since *stores.Record, list []Upstream) error {
	var keys []string
	for _, u := range list {
		made := x.byKey[u.Name]
		inThisRun := made != nil && made.Action == "build" && reader.InvocationID == x.invocation
		if u.State == Changed && u.UniqueID != "" && !inThisRun && x.earlier[u.Name] == nil {
			keys = append(keys, u.Name)
		}
	}
	if since == nil || len(keys) == 0 || x.lookups == maxLookups {
		return nil
	}
	x.lookups++
	found, err := x.store.History(x.ctx, x.scope, stores.Query{NodeKeys: keys, SinceMS: *since.BuiltAtMS - 8*dayMS, BeforeMS: reader.RecordedAtMS})
	for _, r := range found {
		if r.Action == "build" && r.BuiltAtMS != nil {
			x.earlier[r.NodeKey] = append(x.earlier[r.NodeKey], r)
		}
	}
	return err
}

// builtEarlier finds the build that left a version, and the one before it, in what lookUp has read; nil where there is none.
func (x *explainer) builtEarlier(key, version string) (build, base *stores.Record, err error) {
	list := x.earlier[key]
	for i := range list {
		r := &list[i]
		if deref(r.DataVersion) != version && deref(r.CodeHash) != version {
			continue
		}
		if base = goodBuild(list[i+1:], r.UniqueID); base != nil || x.lookups == maxLookups {
			return r, base, nil
		}
		x.lookups++
		older, err := x.store.History(x.ctx, x.scope, stores.Query{NodeKey: key, SinceMS: x.sinceMS(r.RecordedAtMS), BeforeMS: *r.BuiltAtMS})
		return r, goodBuild(older, r.UniqueID), err
	}
	return nil, nil, nil
}

// goodBuild returns the newest successful build of a node among records, newest first.
func goodBuild(list []stores.Record, uniqueID string) *stores.Record {
	for i := range list {
		if b := &list[i]; b.Action == "build" && b.BuiltAtMS != nil && b.Status == "success" && b.UniqueID == uniqueID {
			return b
		}
	}
	return nil
}
