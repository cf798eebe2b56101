package engine

import "strconv"

// noHistory builds a node without a record that counts. Spec 5, rule 4.
//
// The stores load only records that count (S1, S2); what a record must hold to be one is asked again here, since a field that is missing would
// otherwise have to be doubted in every rule: a start of the build that lies not in the future (S5; an unknown clock makes every start one
// of the future), a version of the target right after the build (S3), the outcome of a test (S1).
//
//	built 10:00, now 10:00:             next rule
//	built 10:00, now 09:59:59.999:      build
//	built 10:00, the clock is unknown:  build
func noHistory(in *Input) verdict {
	r := in.Record
	switch {
	case r == nil:
		return build(NoHistory)
	case r.BuiltAtMS <= 0 || r.BuiltAtMS > in.NowMS:
		return build(NoHistory, times(in))
	case in.Kind == KindTest && !r.Test.counts():
		return build(NoHistory, Evidence{What: "test_result"})
	case in.Kind != KindTest && !r.Target.Known():
		return build(NoHistory, Evidence{What: "target", Now: string(in.Target)})
	}
	return next
}

// counts tells whether t is an outcome that can be replayed: a test that passed, warned or failed, not one that broke (S1, S22).
func (t *TestResult) counts() bool {
	if t == nil {
		return false
	}
	switch t.Status {
	case "pass", "warn", "fail":
		return true
	}
	return false
}

// times is the evidence of the clock: the start of the last build, and now.
func times(in *Input) Evidence {
	return Evidence{What: "built_at_ms", Then: millis(in.Record.BuiltAtMS), Now: millis(in.NowMS)}
}

func millis(ms int64) string {
	if ms == 0 {
		return ""
	}
	return strconv.FormatInt(ms, 10)
}
