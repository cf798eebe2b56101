package report

import (
	"cmp"
	"context"
	"hash/fnv"
	"slices"
	"time"

	"hodor/explain"
	"hodor/stores"
)

// Options of a report.
type Options struct {
	SinceMS, UntilMS int64    // epoch ms; records of a warehouse whose clock is ahead of UntilMS are counted all the same
	PricePerHour     *float64 // hodor_price_per_hour; nil: none
	LookbackDays     int
	Present          *explain.Present // the present SQL; nil: none
}

// Report is the object of `report --json`. Times are epoch ms, durations ms.
type Report struct {
	SchemaVersion int      `json:"schema_version"`
	Command       string   `json:"command"` // "report"
	Project       string   `json:"project"`
	Target        string   `json:"target"`
	SinceMS       int64    `json:"since_ms"`
	UntilMS       int64    `json:"until_ms"`
	Runs          int      `json:"runs"`
	Totals        Totals   `json:"totals"`
	PricePerHour  *float64 `json:"price_per_hour"`
	SavedMoney    *float64 `json:"saved_money"`
	Reasons       []Reason `json:"reasons"` // most frequent first
	Days          []Day    `json:"days"`    // oldest first, days without a run included
	Nodes         []*Node  `json:"nodes"`   // by time spent on builds, most first
	Unstable      []Moving `json:"unstable"`
	FalseReuses   []False  `json:"false_reuses"`
}

// Totals count records: one is one node in one run.
type Totals struct {
	Built  int `json:"built"`
	Reused int `json:"reused"`
	Failed int `json:"failed"` // builds that ended as an error, and tests that failed
	// WouldReuse: builds of which the rules said reuse (shadow mode). SavedMS and WouldSaveMS are what the last build of each such node took.
	WouldReuse  int   `json:"would_reuse"`
	SpentMS     int64 `json:"spent_ms"`
	SavedMS     int64 `json:"saved_ms"`
	WouldSaveMS int64 `json:"would_save_ms"`
}

// Reason counts one reason code.
type Reason struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
	Count    int    `json:"count"`
	MS       int64  `json:"ms"` // saved by reuses, spent by builds
}

// Day counts one day, UTC.
type Day struct {
	Date    string `json:"date"`
	Built   int    `json:"built"`
	Reused  int    `json:"reused"`
	SpentMS int64  `json:"spent_ms"`
	SavedMS int64  `json:"saved_ms"`
}

// Node sums up one node.
type Node struct {
	UniqueID string `json:"unique_id"`
	NodeKey  string `json:"node_key"`
	Resource string `json:"resource_type"`
	Built    int    `json:"built"`
	Reused   int    `json:"reused"`
	Failed   int    `json:"failed"`
	SpentMS  int64  `json:"spent_ms"`
	SavedMS  int64  `json:"saved_ms"`
	// Reasons counts the reasons of its builds, most frequent first.
	Reasons []Reason `json:"reasons"`
	// The newest record.
	LastMS     int64  `json:"last_recorded_at_ms"`
	LastAction string `json:"last_action"`
	LastReason string `json:"last_reason"`
	LastStatus string `json:"last_status"`

	events []event
}

// Moving is a node whose compiled SQL was another one on every run.
type Moving struct {
	UniqueID string          `json:"unique_id"`
	Runs     int             `json:"runs"`
	SpentMS  int64           `json:"spent_ms"`
	Places   []explain.Place `json:"places"` // the literals of the present text that differ from the run before
	Note     string          `json:"note,omitempty"`
}

// False is a build in shadow mode of which the rules said reuse although it changed something.
type False struct {
	UniqueID   string `json:"unique_id"`
	Invocation string `json:"invocation_id"`
	RecordedMS int64  `json:"recorded_at_ms"`
	Reason     string `json:"reason"`
	Then       string `json:"then"`
	Now        string `json:"now"`
	// Provable is false for tables on Delta: each build is a new version there, even of the same rows (spec section 14).
	Provable bool   `json:"provable"`
	Note     string `json:"note,omitempty"`
}

// event is what is kept of one record.
type event struct {
	ms     int64
	built  int64 // start of the build, 0 for a reuse
	took   int32 // of the build, ms; at most 24 days
	text   uint32
	reason int16
	action bool // build
	reuse  bool // the rules said so
	failed bool
}

// Collect reads the records and sums them up.
func Collect(ctx context.Context, store explain.Store, scope stores.Scope, o Options) (*Report, error) {
	r := &Report{
		SchemaVersion: explain.SchemaVersion, Command: "report", Project: scope.Project, Target: scope.Target, SinceMS: o.SinceMS, UntilMS: o.UntilMS,
		PricePerHour: o.PricePerHour, Reasons: []Reason{}, Days: []Day{}, Nodes: []*Node{}, Unstable: []Moving{},
	}
	codes, err := r.scan(ctx, store, scope, o.SinceMS-int64(max(1, o.LookbackDays))*24*3_600_000)
	if err != nil {
		return nil, err
	}
	r.sumUp(codes)
	if o.PricePerHour != nil {
		money := *o.PricePerHour * float64(r.Totals.SavedMS) / 3_600_000
		r.SavedMoney = &money
	}
	if err := r.findUnstable(ctx, store, scope, o.Present); err != nil {
		return nil, err
	}
	r.FalseReuses, err = FalseReuses(ctx, store, scope, o.SinceMS)
	return r, err
}

// scan reads the events of every node. A reuse is worth what the last build before it took, which may lie before the window, so records of a
// longer time are read; only those of the window are counted.
func (r *Report) scan(ctx context.Context, store explain.Store, scope stores.Scope, fromMS int64) (codes []string, err error) {
	byID := map[string]*Node{}
	number := map[string]int16{}
	runs := map[string]bool{}
	err = store.Scan(ctx, scope, stores.Query{SinceMS: max(fromMS, 1)}, func(rec *stores.Record) error {
		inside := rec.RecordedAtMS >= r.SinceMS
		if rec.Status == stores.Begun {
			return nil // a build counts when it has ended
		}
		if !inside && (rec.Action != "build" || rec.BuildMS == nil) {
			return nil
		}
		n := byID[rec.UniqueID]
		if n == nil {
			n = &Node{UniqueID: rec.UniqueID, NodeKey: rec.NodeKey, Resource: rec.ResourceType, Reasons: []Reason{}}
			byID[rec.UniqueID] = n
		}
		code, ok := number[rec.Reason]
		if !ok {
			code = int16(len(codes))
			number[rec.Reason] = code
			codes = append(codes, rec.Reason)
		}
		e := event{ms: rec.RecordedAtMS, reason: code, action: rec.Action == "build", reuse: rec.Decision == "reuse"}
		if rec.BuildMS != nil {
			e.took = int32(min(max(*rec.BuildMS, 0), 1<<31-1))
		}
		if rec.BuiltAtMS != nil {
			e.built = *rec.BuiltAtMS
		}
		if rec.TextHash != nil {
			h := fnv.New32a()
			_, _ = h.Write([]byte(*rec.TextHash))
			e.text = max(h.Sum32(), 1)
		}
		e.failed = e.action && (rec.Status == "error" || rec.Status == "fail")
		n.events = append(n.events, e)
		if inside {
			runs[rec.InvocationID] = true
			r.UntilMS = max(r.UntilMS, rec.RecordedAtMS)
			if rec.RecordedAtMS >= n.LastMS {
				n.NodeKey, n.LastMS, n.LastAction, n.LastReason, n.LastStatus = rec.NodeKey, rec.RecordedAtMS, rec.Action, rec.Reason, rec.Status
			}
		}
		return nil
	})
	r.Runs = len(runs)
	for _, n := range byID {
		if n.LastMS > 0 {
			r.Nodes = append(r.Nodes, n)
		}
	}
	return codes, err
}

// sumUp counts the events of the window.
func (r *Report) sumUp(codes []string) {
	type key struct {
		reuse  bool
		reason int16
	}
	all := map[key]*Reason{}
	days := map[string]*Day{}
	count := func(m map[key]*Reason, k key, ms int64) {
		c := m[k]
		if c == nil {
			c = &Reason{Decision: "build", Reason: codes[k.reason]}
			if k.reuse {
				c.Decision = "reuse"
			}
			m[k] = c
		}
		c.Count++
		c.MS += ms
	}
	for _, n := range r.Nodes {
		slices.SortFunc(n.events, func(a, b event) int { return cmp.Compare(a.ms, b.ms) })
		own := map[key]*Reason{}
		worth := int64(0)
		for _, e := range n.events {
			if e.ms < r.SinceMS {
				worth = int64(e.took)
				continue
			}
			date := time.UnixMilli(e.ms).UTC().Format("2006-01-02")
			day := days[date]
			if day == nil {
				day = &Day{Date: date}
				days[date] = day
			}
			if e.action {
				took := int64(e.took)
				n.Built++
				day.Built++
				n.SpentMS += took
				day.SpentMS += took
				if e.failed {
					n.Failed++
				} else {
					worth = took
				}
				if e.reuse {
					r.Totals.WouldReuse++
					r.Totals.WouldSaveMS += took
				}
				count(own, key{e.reuse, e.reason}, took)
				count(all, key{e.reuse, e.reason}, took)
				continue
			}
			n.Reused++
			day.Reused++
			n.SavedMS += worth
			day.SavedMS += worth
			count(all, key{true, e.reason}, worth)
		}
		n.Reasons = sorted(own)
		r.Totals.Built += n.Built
		r.Totals.Reused += n.Reused
		r.Totals.Failed += n.Failed
		r.Totals.SpentMS += n.SpentMS
		r.Totals.SavedMS += n.SavedMS
	}
	r.Reasons = sorted(all)
	r.Days = everyDay(days)
	slices.SortFunc(r.Nodes, func(a, b *Node) int {
		return cmp.Or(cmp.Compare(b.SpentMS, a.SpentMS), cmp.Compare(b.Built, a.Built), cmp.Compare(a.UniqueID, b.UniqueID))
	})
}

func sorted[K comparable](m map[K]*Reason) []Reason {
	out := make([]Reason, 0, len(m))
	for _, c := range m {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Decision, b.Decision))
	})
	return out
}

// everyDay lists the days from the first to the last that has a run.
func everyDay(days map[string]*Day) []Day {
	if len(days) == 0 {
		return []Day{}
	}
	dates := make([]string, 0, len(days))
	for date := range days {
		dates = append(dates, date)
	}
	at, _ := time.Parse("2006-01-02", slices.Min(dates))
	last := slices.Max(dates)
	var out []Day
	for date := at.Format("2006-01-02"); date <= last; date = at.Format("2006-01-02") {
		if day := days[date]; day != nil {
			out = append(out, *day)
		} else {
			out = append(out, Day{Date: date})
		}
		at = at.AddDate(0, 0, 1)
	}
	return out
}

// leastRuns is how many runs a node must have for "on every run" to mean something; maxPlaces bounds the nodes that are looked at closely.
const (
	leastRuns = 3
	maxPlaces = 50
)

// findUnstable lists the nodes whose text was another one on each run, those that cost most first.
func (r *Report) findUnstable(ctx context.Context, store explain.Store, scope stores.Scope, present *explain.Present) error {
	for _, n := range r.Nodes {
		runs, moved := 0, true
		before := uint32(0)
		for _, e := range n.events {
			if e.ms < r.SinceMS || e.text == 0 {
				continue
			}
			moved = moved && e.text != before
			before = e.text
			runs++
		}
		if runs < leastRuns || !moved {
			continue
		}
		m := Moving{UniqueID: n.UniqueID, Runs: runs, SpentMS: n.SpentMS, Places: []explain.Place{}}
		if len(r.Unstable) < maxPlaces {
			list, err := store.History(ctx, scope, stores.Query{UniqueID: n.UniqueID, Limit: 6})
			if err != nil {
				return err
			}
			m.Places, m.Note = places(n.UniqueID, stores.Ended(list), present)
		}
		r.Unstable = append(r.Unstable, m)
	}
	return nil
}

// places finds the literals of the present text that are other ones than those of the newest record of another text.
func places(uniqueID string, list []stores.Record, present *explain.Present) ([]explain.Place, string) {
	for i := range list {
		found, ok := present.Changed(uniqueID, explain.FactsOf(&list[i]))
		switch {
		case !ok && i == 0 && present == nil:
			return []explain.Place{}, "no present text: --target-path names dbt's target folder"
		case !ok:
			continue
		case len(found) > 0:
			return found, ""
		}
	}
	return []explain.Place{}, "not a literal, or more than literals"
}

// FalseReuses lists the wrong decisions of shadow mode since a time, newest first (spec 8.1, 14).
func FalseReuses(ctx context.Context, store explain.Store, scope stores.Scope, sinceMS int64) ([]False, error) {
	list, err := store.FalseReuses(ctx, scope, sinceMS)
	if err != nil {
		return nil, err
	}
	out := []False{}
	for _, f := range list {
		facts := explain.ParseFacts(f.SQLFacts)
		one := False{
			UniqueID: f.UniqueID, Invocation: f.InvocationID, RecordedMS: f.RecordedAtMS, Reason: f.Reason, Then: f.Then, Now: f.Now, Provable: true,
		}
		if facts.Dialect == "databricks" {
			switch facts.Decided.Kind {
			case "table", "seed", "":
				one.Provable = false
				one.Note = "not provable: on Delta every build of a table is a new version, even of the same rows"
			}
		}
		out = append(out, one)
	}
	return out, nil
}
