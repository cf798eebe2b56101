package explain

import (
	"fmt"

	"hodor/stores"
)

// loadAgainst reads the builds of the invocation that the run is held against.
func (x *explainer) loadAgainst() error {
	list, err := x.store.History(x.ctx, x.scope, stores.Query{InvocationID: x.options.Against})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return fmt.Errorf("%w: project %s, target %s has no record of invocation %s", ErrNotFound, x.scope.Project, x.scope.Target, x.options.Against)
	}
	list = stores.Ended(list)
	x.against = make(map[string]*stores.Record, len(list))
	for i := range list {
		x.against[list[i].NodeKey] = &list[i]
	}
	return nil
}

// thatRuns returns that run's build of the node of r, and why it is or is not what r was held against in truth (newest). A build that does not
// count is no base of a comparison; nil then. Where that run built nothing, newest is.
func (x *explainer) thatRuns(r, newest *stores.Record) (*stores.Record, string) {
	b := x.against[r.NodeKey]
	switch {
	case b == nil:
		return newest, "that run had no such node"
	case b.UniqueID != r.UniqueID:
		return nil, fmt.Sprintf("that run built this relation as %s, and a record never passes to another node", b.UniqueID)
	case b.Action != "build":
		return newest, fmt.Sprintf("that run did not build it but reused it (%s)", b.Reason)
	case b.Status == stores.Begun:
		return nil, "that run began to build it and recorded no end, so it does not count"
	case b.BuiltAtMS == nil:
		return nil, "its build in that run does not say when it began, and so does not count"
	case b.RecordedAtMS >= x.records[0].RecordedAtMS:
		return b, "that run built it after this run had begun"
	case newest != nil && newest.RecordID == b.RecordID:
		return b, "that build is what this run compared with"
	}
	switch b.Status {
	case "success", "pass", "warn", "fail":
	default:
		return nil, fmt.Sprintf("its build in that run ended as %s, and so does not count", b.Status)
	}
	switch {
	case b.RecordedAtMS < x.sinceMS(x.records[0].RecordedAtMS):
		return b, fmt.Sprintf("that build is older than the lookback window of %d days", x.options.LookbackDays)
	case b.Check() != nil:
		return nil, "the record of that build is damaged, and so does not count"
	case b.DataVersion == nil && b.ResourceType != "test":
		return b, "the version of its relation could not be read after that build, so it does not count"
	case newest != nil:
		return b, fmt.Sprintf("it was built again since, by %s at %s, and the newest build is what counts", newest.InvocationID, Time(*newest.BuiltAtMS))
	}
	return b, "that build does not count: another build of the same relation ran at the same time, or a newer one has no version"
}
