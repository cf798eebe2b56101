package executor

import "slices"

// Settle finishes a report whose nodes have a build status and lists of checks: it sorts, sets FullyChecked, turns checks into the statuses of
// sources and, in Test mode, of nodes, and Succeeded. engineOK tells whether the engine itself ended as succeeded. Every executor ends its
// report with it, so that the words mean the same everywhere.
func Settle(req ExecutionRequest, r *ExecutionReport, engineOK bool) {
	r.EngineFailed = !engineOK
	r.Succeeded = engineOK && !r.Interrupted
	for _, list := range [][]NodeExecution{r.Nodes, r.Sources} {
		for i := range list {
			n := &list[i]
			for _, ids := range []*[]string{&n.ChecksPassed, &n.ChecksFailed, &n.ChecksSkipped} {
				if *ids == nil || req.Mode == BuildOnly {
					*ids = []string{}
				}
				slices.Sort(*ids)
				*ids = slices.Compact(*ids)
			}
			n.settle()
		}
	}
	checked := func(n *NodeExecution) {
		switch {
		case req.Mode == BuildOnly:
			n.Status = Skipped
		case len(n.ChecksFailed) > 0:
			n.Status = Failed
		case n.FullyChecked:
			n.Status = Success
		default:
			n.Status = Skipped
		}
	}
	for i := range r.Nodes {
		n := &r.Nodes[i]
		if req.Mode == Test {
			checked(n)
		} else if n.Status == "" {
			n.Status = Skipped
		}
		r.Succeeded = r.Succeeded && n.Status == Success && len(n.ChecksFailed) == 0
	}
	for i := range r.Sources {
		checked(&r.Sources[i])
		r.Succeeded = r.Succeeded && r.Sources[i].Status == Success
	}
	for i := range r.Checks {
		slices.Sort(r.Checks[i].Covers)
	}
	slices.SortFunc(r.Checks, func(a, b CheckExecution) int { return compare(a.ID, b.ID) })
	slices.Sort(r.Unrequested)
	r.Unrequested = slices.Compact(r.Unrequested)
	if r.Unrequested == nil {
		r.Unrequested = []string{}
	}
	if r.Sources == nil {
		r.Sources = []NodeExecution{}
	}
	if r.Checks == nil {
		r.Checks = []CheckExecution{}
	}
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
