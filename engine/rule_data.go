package engine

// volatileUnknown builds a node that reads a volatile value which can't be compared: one that is another on every call (volatile:always), one
// that the record lacks, a date that could not be read. Neither lag_tolerance nor all lets it pass, since what is not known never allows a
// reuse. S24 to S27.
func volatileUnknown(in *Input) verdict {
	var e []Evidence
	for _, u := range in.Upstreams {
		if u.volatile() && !(u.Now.Known() && in.Record.Upstreams[u.Name].Known()) {
			e = append(e, moved(in, u))
		}
	}
	if len(e) == 0 {
		return next
	}
	c := compare(in)
	return build(c.reason(), append(e, c.changed...)...)
}

// noNewData reuses a node that has nothing new to read: no upstream changed, or with require_fresh_data_from: all not all of them did. Only
// equality counts, never order: a table that was dropped and made again has changed. No upstreams at all: nothing can be new (S6).
// Spec 5, rule 13.
//
// all waits for data, so volatile values are not among those that it waits for, unless the node reads nothing else:
//
//	all; a changed, b not:                            reuse
//	all; a and b changed, the date did not:           next rule
//	all; reads only the date, which changed:          next rule
func noNewData(in *Input) verdict {
	c := compare(in)
	if c.tables+c.volatiles == 0 {
		return reuse(NoNewData, c.all...)
	}
	if in.RequireAll && c.total > 0 && c.tables < c.total {
		return reuse(NoNewData, c.all...)
	}
	return next
}

// withinLagTolerance reuses a node whose last build is younger than lag_tolerance, though an upstream changed. The age counts from the start
// of the last real build; a reuse does not reset it. For tests lag_tolerance is always 0. Spec 5, rule 14.
//
//	built 10:00, lag 45m, now 10:44:59.999: reuse
//	built 10:00, lag 45m, now 10:45:        next rule
func withinLagTolerance(in *Input) verdict {
	if in.Kind == KindTest || in.NowMS-in.Record.BuiltAtMS >= in.LagToleranceMS {
		return next
	}
	lag := Evidence{What: "lag_tolerance_ms", Now: millis(in.LagToleranceMS)}
	return reuse(WithinLagTolerance, append(compare(in).changed, times(in), lag)...)
}

// newUpstreamData builds: something that the node reads has changed, and no rule allows to wait. Spec 5, rule 15.
func newUpstreamData(in *Input) verdict {
	c := compare(in)
	return build(c.reason(), c.changed...)
}

// comparison is what became of the upstreams since the last build.
type comparison struct {
	all, changed []Evidence
	total        int // upstreams that are not volatile
	tables       int // how many of them changed
	volatiles    int // volatile upstreams that changed
}

// reason is volatile_sql when nothing but volatile values changed.
func (c *comparison) reason() Reason {
	if c.tables > 0 {
		return NewUpstreamData
	}
	return VolatileSQL
}

// compare compares every upstream with the record; unknown versions count as changed.
func compare(in *Input) comparison {
	c := comparison{all: make([]Evidence, 0, len(in.Upstreams))}
	for _, u := range in.Upstreams {
		e := moved(in, u)
		c.all = append(c.all, e)
		if !u.volatile() {
			c.total++
		}
		if same(in.Record.Upstreams[u.Name], u.Now) {
			continue
		}
		c.changed = append(c.changed, e)
		if u.volatile() {
			c.volatiles++
		} else {
			c.tables++
		}
	}
	return c
}
