package simulation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hodor/session"
	"hodor/stores"
)

// check compares a reuse with what a build would make now. A run may have read any of the states that others have left since it began, so
// each of them may justify the reuse (docs: a commit by someone else in the middle of a run waits for the next run).
func (w *world) check(r *run, f *flight, a session.DecideAnswer, before map[string][]*relation) {
	d, n := w.db, f.job.n
	why, feeds := "", false
	n.query.refs(func(r *ref) { feeds = feeds || r.hard == n.key() })
	switch {
	case feeds && n.mat == "incremental":
		return // after a swap of names it is fed with its own rows: each build makes others, by design (S6)
	// What a build is asked for, or due, whatever its data.
	case f.job.fullRefresh:
		why = "it is to be built in full"
	case r.flags.Empty:
		why = "the run makes empty tables"
	case n.pointerMissing:
		why = "its pointer view is missing"
	case n.mat == "view" && starred(f.job.compiled):
		why = "its columns follow those of what it reads"
	default:
		why = w.differs(d, f, a)
	}
	if why == "" {
		return
	}
	type option struct {
		key    string
		states []*relation
	}
	var options []option
	for key, states := range before {
		if len(states) > 0 {
			options = append(options, option{key, states})
		}
	}
	slices.SortFunc(options, func(a, b option) int { return strings.Compare(a.key, b.key) })
	tried := 0
	var try func(i int, d *database) bool
	try = func(i int, d *database) bool {
		if i == len(options) {
			tried++
			return w.differs(d, f, a) == ""
		}
		if try(i+1, d) {
			return true
		}
		for _, state := range options[i].states {
			if tried > 200 {
				return true
			}
			other := d.clone()
			other.set(options[i].key, state)
			if try(i+1, other) {
				return true
			}
		}
		return false
	}
	if len(options) > 0 && try(0, d) {
		return
	}
	w.fail("%s (%s, run %d) is reused with %s, but %s", f.job.n.id, f.job.n.mat, r.number, a.Reason, why)
	if list, err := w.store.History(context.Background(), stores.Scope{Project: "shop", Target: "dev"}, stores.Query{UniqueID: f.job.n.id}); err == nil {
		for _, rec := range list {
			w.say("record: %s %s %s, target %s, upstreams %s, facts %s", rec.InvocationID, rec.Action, rec.Status, deref(rec.DataVersion), deref(rec.Upstreams), deref(rec.SQLFacts))
		}
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// differs says how a build in d would differ from what stands there; "" if it would not, or if the settings let it.
func (w *world) differs(d *database, f *flight, a session.DecideAnswer) string {
	j := f.job
	j.env.db = d
	why := w.rebuilt(j, a)
	if why == "" {
		return ""
	}
	if j.n.volatile == "false" && changeable(w.expanded(d, j.compiled, 0)) {
		w.stats.Kept++
		return ""
	}
	switch {
	case a.Reason == "within_lag_tolerance":
		if j.n.mat == "test" {
			return why
		}
		return w.kept(j, d, func(b build) bool { return b.startMS <= d.nowMS && d.nowMS-b.startMS < j.n.lagMS }, why)
	case j.n.all && a.Reason == "no_new_data":
		return w.kept(j, d, func(b build) bool {
			some := false
			for key, now := range j.contents(d) {
				then, read := b.reads[key]
				if !read {
					return false // what that build did not read has no state that could be waited on
				}
				some = some || now == then
			}
			return some
		}, why)
	}
	return why
}

// kept looks for a build of the node that the settings let stand: of the same code, with the target as that build left it.
func (w *world) kept(j job, d *database, ok func(build) bool, why string) string {
	if what := w.unknowable(j, d); what != "" {
		return why + ", and nobody can know the version of " + what
	}
	means, _ := w.means(j)
	left := ""
	if r := d.rels[j.n.key()]; r != nil {
		left = r.whole()
	}
	for _, b := range w.built[j.n.id] {
		if b.means == means && (j.n.mat == "test" || b.left == left) && ok(b) {
			w.stats.Kept++
			return ""
		}
	}
	return why + " and no earlier build is like it"
}

// unknowable names something that the node reads and that has no version now, so that no setting may let it wait.
func (w *world) unknowable(j job, d *database) string {
	text := w.expanded(d, j.compiled, 0)
	for _, word := range []string{"{own}", "[file ", "{random}", "{started}", "{rowid}"} {
		if strings.Contains(text, word) {
			return word
		}
	}
	for key := range j.keys(d) {
		r, at := d.rels[key], w.at(key)
		_, filtered := d.filters[key]
		if r == nil || at == nil || filtered || r.isView && (at.resource == "source" || at.mat != "view") || at.mat == "materialized_view" {
			return key
		}
	}
	return ""
}

// changeable tells whether a query's text holds calls of which the value changes.
func changeable(text string) bool {
	for _, word := range []string{"{random}", "{started}", "{rowid}", "stamp now", "stamp started", "[day ", "[today "} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// rebuilt builds the node in a copy and compares.
func (w *world) rebuilt(j job, a session.DecideAnswer) string {
	standing := j.env.db.rels[j.n.key()]
	side := j.env.db.rels[strings.Join(partsOf(sideParts(j.n)), ".")]
	j = j.copyOf()
	j.failAt, j.empty, j.unbound = "", false, true
	if j.n.mat == "test" {
		o, err := j.test()
		switch {
		case err != nil:
			return "the test would break"
		case a.Replay == nil || a.Replay.Status != o.status || a.Replay.Failures != o.failures:
			return fmt.Sprintf("it would be %v, replayed is %+v", o, a.Replay)
		}
		return ""
	}
	if standing == nil {
		return "its relation is gone"
	}
	if j.n.mat == "materialized_view" {
		return "its kind is out of scope"
	}
	if err := j.run(); err != nil {
		return "a build would fail"
	}
	now := j.env.db.rels[j.n.key()]
	if now.isView != standing.isView {
		return "it is of another type"
	}
	if now.isView {
		if fixed(now.body) && now.started != standing.started {
			return "the view holds the literal of another run"
		}
		if now.body.text() != standing.body.text() {
			return "the view is another one: " + standing.body.text() + " would be " + now.body.text()
		}
		if !slices.Equal(now.frozen, standing.frozen) {
			return fmt.Sprintf("the view's columns %v would be %v", standing.frozen, now.frozen)
		}
	} else {
		skip := ""
		if j.n.volatile != "true" && stamped(j.compiled) {
			skip = "loaded_at"
		}
		then, now := standing.content, now.content
		if j.env.db.duckdb() && w.unfinished(standing) {
			then.props = now.props
		}
		if then, now := then.text(skip), now.text(skip); then != now {
			return fmt.Sprintf("its content\n%s\nwould be\n%s", then, now)
		}
	}
	for _, h := range j.n.hooks {
		if h.what == "side" && (side == nil || !w.unrecorded(side)) {
			if side == nil {
				return "what its hook makes is not there"
			}
			if now := j.env.db.rels[side.key()]; now.whole() != side.whole() {
				return "its hook would make " + now.whole() + " of " + side.whole()
			}
		}
	}
	return ""
}

// unrecorded tells whether a relation is of a build that may have left no record at all, not even that it began. Nothing then tells what its hooks left
// elsewhere (docs/when-reuse.md).
func (w *world) unrecorded(r *relation) bool {
	m := r.maker
	return m == nil || m.session == nil || m.number <= w.harmed || m.session.Session().NowMS == 0 ||
		m.storeFault == "open" || m.storeFault == "append" || m.storeFault == "part"
}

// unfinished tells whether a relation is of a build that may have no record of its end. Of such a one DuckDB does not show how it was configured.
func (w *world) unfinished(r *relation) bool {
	return w.unrecorded(r) || !r.maker.faultless || r.maker.flags.Empty
}

func partsOf(p [3]string) []string { return p[:] }

// fixed tells whether a query holds the run's start other than as a stamp.
func fixed(q query) bool {
	found := false
	for _, a := range q.arms {
		found = found || !a.star && a.expr.op == "started"
	}
	q = q.clone()
	q.refs(func(r *ref) { found = found || r.inner != nil && fixed(*r.inner) })
	return found
}

// starred tells whether a query takes all columns of a relation, whatever they are.
func starred(q query) bool {
	return slices.ContainsFunc(q.arms, func(a arm) bool { return a.star && (a.from.inner == nil || starred(*a.from.inner)) })
}

// stamped tells whether a column of a query is a stamp of its build, one of an ephemeral model's that it passes on included.
func stamped(q query) bool {
	return slices.ContainsFunc(q.arms, func(a arm) bool { return a.stamp != "" || a.star && a.from.inner != nil && stamped(*a.from.inner) })
}

// contents are what the node sees of all relations that it reads.
func (j job) contents(d *database) map[string]string {
	out := map[string]string{}
	for key := range j.keys(d) {
		if r := d.rels[key]; r != nil && !r.isView {
			out[key] = r.seen()
		}
	}
	return out
}

// stamps are the stamps of all relations that the node reads; -1 for what is not there.
func (j job) stamps(d *database) map[string]int {
	out := map[string]int{}
	for key := range j.keys(d) {
		out[key] = -1
		if r := d.rels[key]; r != nil {
			out[key] = r.stamp
		}
	}
	return out
}

// settles tells whether a node that reads all this can be reused at all once nothing changes.
func (w *world) settles(j job) bool {
	d, n := j.env.db, j.n
	text := w.expanded(d, j.compiled, 0)
	switch {
	case !n.isTable() && n.mat != "view" && n.mat != "test", n.fullRefresh, n.pointerMissing:
		return false
	case strings.Contains(text, "{random}") || strings.Contains(text, "{rowid}") || strings.Contains(text, "{started}") || strings.Contains(text, "[file ") || strings.Contains(text, "{own}"):
		return false
	case len(d.functions) > 0, len(d.filters) > 0:
		return false
	case (strings.Contains(text, "stamp now") || strings.Contains(text, "stamp started")) && (n.volatile == "true" || strings.Contains(text, "{shop.")):
		return false
	case n.mat == "view" && starred(j.compiled):
		return false
	}
	hard := false
	q := j.compiled.clone()
	q.refs(func(r *ref) {
		hard = hard || r.hard != "" || r.id == "this" && n.mat != "incremental" || r.inner != nil && strings.Contains(r.inner.text(), "hard")
	})
	for _, h := range n.hooks {
		if n.mat == "view" && h.what != "grant" && h.what != "audit" {
			return false
		}
	}
	for key := range j.keys(d) {
		r := d.rels[key]
		if r == nil {
			return false
		}
		at := w.at(key)
		if at == nil || at.resource == "source" && r.isView || at.mat == "materialized_view" {
			return false
		}
		if r.isView {
			if t, ok := w.truth[at.id]; !ok || t.target != r.stamp {
				return false
			}
		}
	}
	return !hard
}

// at returns the node that makes the relation of that key.
func (w *world) at(key string) *node {
	for _, n := range w.p.nodes {
		if n.key() == key && n.mat != "ephemeral" && n.resource != "test" {
			return n
		}
	}
	return nil
}
