package stores

import (
	"cmp"
	"context"
	"slices"
)

// Reporter answers what reports and explain ask.
type Reporter interface {
	// LoadBefore is Load as of an earlier time: what was recorded at or after beforeMS (epoch ms) is left out. With keys, only the history of these
	// nodes is loaded.
	LoadBefore(ctx context.Context, scope Scope, sinceMS, beforeMS int64, keys ...string) (*Loaded, error)
	// FalseReuses lists, newest first, the builds of shadow mode recorded at or after sinceMS that the rules would have reused although the
	// build changed something (spec 8.1, 14): another data version than the node's build before, or another outcome of a test.
	FalseReuses(ctx context.Context, scope Scope, sinceMS int64) ([]FalseReuse, error)
	// Scan hands the records that History would return to row, one at a time and without their JSON columns (nil, so Check can't pass), in no
	// order unless q has a limit: then they are the newest, newest first. An error of row ends the scan and is returned. The record is only
	// good during the call.
	Scan(ctx context.Context, scope Scope, q Query, row func(*Record) error) error
	// Scopes lists the scopes that have records, by project and target.
	Scopes(ctx context.Context) ([]Scope, error)
}

// FalseReuse is a build of which the rules said reuse, and what it changed.
type FalseReuse struct {
	RecordID, InvocationID, NodeKey, UniqueID, Reason string
	RecordedAtMS                                      int64
	Then, Now                                         string // data versions, or outcomes of a test
	SQLFacts                                          string // the record's sql_facts; empty for none
}

// FalseReuses is Reporter.FalseReuses over records of one scope.
func FalseReuses(records []Record, committed map[string]bool, sinceMS int64) []FalseReuse {
	byKey := map[string][]*Record{}
	for i := range records {
		r := &records[i]
		if r.Action == "build" && succeeded(r.Status) && r.BuiltAtMS != nil && (r.CommitID == nil || committed[*r.CommitID]) {
			byKey[r.NodeKey] = append(byKey[r.NodeKey], r)
		}
	}
	var out []FalseReuse
	for _, builds := range byKey {
		slices.SortFunc(builds, newer)
		for i, r := range builds {
			if i == 0 || r.Mode != "shadow" || r.Decision != "reuse" || r.RecordedAtMS < sinceMS {
				continue
			}
			then, now := outcome(builds[i-1]), outcome(r)
			if then != "" && now != "" && then != now {
				f := FalseReuse{r.RecordID, r.InvocationID, r.NodeKey, r.UniqueID, r.Reason, r.RecordedAtMS, then, now, ""}
				if r.SQLFacts != nil {
					f.SQLFacts = *r.SQLFacts
				}
				out = append(out, f)
			}
		}
	}
	slices.SortFunc(out, func(a, b FalseReuse) int {
		return cmp.Or(cmp.Compare(b.RecordedAtMS, a.RecordedAtMS), cmp.Compare(b.RecordID, a.RecordID))
	})
	return out
}

// outcome is what a build made: its data version, or the status of a test; empty: not known.
func outcome(r *Record) string {
	if r.ResourceType == "test" {
		return r.Status
	}
	if r.DataVersion == nil {
		return ""
	}
	return *r.DataVersion
}
