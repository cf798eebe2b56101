package stores

import (
	"cmp"
	"math"
	"slices"
)

// This file says which record of a node counts as its history, in Go: package memory uses it as it stands, and the conformance suite holds the
// SQL of the other stores against it.
//
// Of a key's records, candidates are those with action build and status success, pass, warn, fail or begun, recorded at or after the start of the
// window, and without a commit id or with one that the commit table names. The newest candidate, by the start of its build, is the history
// of the key, or there is none: where the newest is void, an older one never takes its place, since what stands in the warehouse is
// the newest's work (S2). It is void if
//
//   - it does not say when it was built, or has no data version and is no test (S3);
//   - it is only begun (Begun);
//   - another build of the same node, whatever became of it and whether it is committed or not, ran at the same time in another invocation, or
//     under another unique id (S2);
//   - it is damaged (Check).
//
// A failed build is no candidate and voids nothing by itself: what it did to the target shows in the target's version (spec 5, rule 8). What it did
// elsewhere shows in nothing, and there the record that it began does.

// Begun is the status of a record that is written before a build begins which may write other tables than its own: a run that is killed, and a build
// that fails, would leave no trace of those. Until the build's own record stands, which has the same start, it is the newest of its node.
const Begun = "begun"

// OverlapSlackMS is how far before the window builds are still looked at for overlaps with the newest one, ms.
const OverlapSlackMS = 24 * 3600 * 1000

// MaxMS is the largest time and duration that is taken for one, ms: a damaged row must not make an addition overflow, which some
// databases answer with an error for the whole query.
const MaxMS = 1_000_000_000_000_000

// Newest returns the history of each node key among records, which must all be of one scope. beforeMS, if above 0, leaves out what was recorded
// at or after it. It keeps pointers into records.
func Newest(records []Record, committed map[string]bool, sinceMS, beforeMS int64) *Loaded {
	byKey, byID := map[string][]*Record{}, map[string][]*Record{}
	for i := range records {
		r := &records[i]
		byID[r.RecordID] = append(byID[r.RecordID], r)
		if r.Action == "build" && r.RecordedAtMS >= sinceMS-OverlapSlackMS && (beforeMS <= 0 || r.RecordedAtMS < beforeMS) {
			byKey[r.NodeKey] = append(byKey[r.NodeKey], r)
		}
	}
	out := &Loaded{Records: map[string]*Record{}}
	for key, builds := range byKey {
		var newest *Record
		for _, r := range builds {
			counts := r.RecordedAtMS >= sinceMS && (succeeded(r.Status) || r.Status == Begun) && (r.CommitID == nil || committed[*r.CommitID])
			if counts && (newest == nil || newer(r, newest) > 0) {
				newest = r
			}
		}
		if newest == nil {
			continue
		}
		// One that can't be placed in time is void by itself.
		if start, _ := window(newest); start != math.MaxInt64 && slices.ContainsFunc(builds, func(r *Record) bool { return overlap(newest, r) }) {
			continue
		}
		for _, r := range byID[newest.RecordID] {
			if r.NodeKey == key && r.RecordedAtMS == newest.RecordedAtMS {
				out.Add(key, r)
			}
		}
	}
	return out
}

// Add takes the newest candidate of a key into the history, unless it is void by itself. A second one for the same key can only come from
// a record that was written twice; unless it is equal to the first, the key loses its history.
func (l *Loaded) Add(key string, r *Record) {
	if sum, again := l.seen[key]; again {
		if sum != r.Checksum {
			l.Reject(key)
		}
		return
	}
	if l.seen == nil {
		l.seen = map[string]string{}
	}
	l.seen[key] = r.Checksum
	start, _ := window(r)
	switch {
	case start == math.MaxInt64 || r.Status == Begun || r.DataVersion == nil && r.ResourceType != "test":
		if l.Void == nil {
			l.Void = map[string]*Record{}
		}
		l.Void[key] = r
	case r.Check() != nil:
		l.Reject(key)
	default:
		l.Records[key] = r
	}
}

// Reject counts a row that was left out, and leaves its key without history.
func (l *Loaded) Reject(key string) {
	l.Rejected++
	delete(l.Records, key)
	delete(l.Void, key)
	if l.seen == nil {
		l.seen = map[string]string{}
	}
	l.seen[key] = ""
}

// Of returns the history of a node, nil for none. A record never passes to another unique id, even under the same relation (S1).
func (l *Loaded) Of(nodeKey, uniqueID string) *Record {
	if r := l.Records[nodeKey]; r != nil && r.UniqueID == uniqueID {
		return r
	}
	return nil
}

// DropFuture rejects the newest records, void ones too, that were built or recorded after nowMS, the warehouse's clock in epoch ms (S5). It returns the
// later of the two times of each, by node key.
func (l *Loaded) DropFuture(nowMS int64) map[string]int64 {
	dropped := map[string]int64{}
	for _, list := range []map[string]*Record{l.Records, l.Void} {
		for key, r := range list {
			at := r.RecordedAtMS
			if r.BuiltAtMS != nil {
				at = max(at, *r.BuiltAtMS)
			}
			if at > nowMS {
				dropped[key] = at
				l.Reject(key)
			}
		}
	}
	return dropped
}

func succeeded(status string) bool {
	switch status {
	case "success", "pass", "warn", "fail":
		return true
	}
	return false
}

// window is the time in which r was built, both ends included, epoch ms. A build without a length ends when it was recorded; one
// without a start can't be placed and counts as the latest.
func window(r *Record) (start, end int64) {
	if r.BuiltAtMS == nil || *r.BuiltAtMS < 0 || *r.BuiltAtMS > MaxMS {
		return math.MaxInt64, math.MaxInt64
	}
	start = *r.BuiltAtMS
	if r.BuildMS == nil || *r.BuildMS < 0 || *r.BuildMS > MaxMS {
		return start, max(start, r.RecordedAtMS)
	}
	return start, start + *r.BuildMS
}

// overlap tells whether b was built while a was, by someone else.
func overlap(a, b *Record) bool {
	if a.InvocationID == b.InvocationID && a.UniqueID == b.UniqueID {
		return false
	}
	aStart, aEnd := window(a)
	bStart, bEnd := window(b)
	return bStart <= aEnd && bEnd >= aStart
}

// newer orders the builds of one key by time, one that is only begun before its own end; the rest of the order only makes it total.
func newer(a, b *Record) int {
	aStart, _ := window(a)
	bStart, _ := window(b)
	return cmp.Or(cmp.Compare(aStart, bStart), cmp.Compare(ended(a), ended(b)), cmp.Compare(a.RecordedAtMS, b.RecordedAtMS), cmp.Compare(a.RecordID, b.RecordID))
}

func ended(r *Record) int {
	if r.Status == Begun {
		return 0
	}
	return 1
}

// Ended leaves out of records those that only say that a build began of which they have the end.
func Ended(records []Record) []Record {
	type build struct{ invocation, id string }
	over := map[build]bool{}
	for i := range records {
		if r := &records[i]; r.Status != Begun {
			over[build{r.InvocationID, r.UniqueID}] = true
		}
	}
	return slices.DeleteFunc(records, func(r Record) bool { return r.Status == Begun && over[build{r.InvocationID, r.UniqueID}] })
}
