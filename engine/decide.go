package engine

// rule is one row of the table in spec section 5, or a clause of docs/when-reuse.md that stands between two rows.
type rule struct {
	name  string
	check func(*Input) verdict
}

// rules are all rules, in the order in which they are asked; the first that decides has the last word. Rule 1 (shadow) is the caller's: it
// builds whatever the decision is.
var rules = []rule{
	{"rule 2: full_refresh", fullRefresh},
	{"rule 3: unsupported", unsupported},
	{"S4: reuse forbidden", reuseForbidden},
	{"rule 4: no_history", noHistory},
	{"rule 5: relation_missing", relationMissing},
	{"rule 6: code_changed", codeChanged},
	{"rule 7: config_changed", configChanged},
	{"rule 8: target_modified", targetModified},
	{"rule 9: select_star_view", selectStarView},
	{"S6: reads itself", readsItself},
	{"S7: lineage or hooks unknown", lineageUnknown},
	{"S18: frozen columns", frozenColumns},
	{"rule 10: view_unchanged", viewUnchanged},
	{"rule 11: unknown_upstream", unknownUpstream},
	{"rule 12: upstream_code_changed", upstreamCodeChanged},
	{"S3: upstream not recorded", upstreamNotRecorded},
	{"S24: volatile value unknown", volatileUnknown},
	{"rule 13: no_new_data", noNewData},
	{"rule 14: within_lag_tolerance", withinLagTolerance},
	{"rule 15: new_upstream_data", newUpstreamData},
}

// Decide says whether the node that in describes may be reused, and why. It is pure and safe for concurrent use; it neither keeps nor
// changes in.
//
// Law: a decision to build stays one when any evidence in in is taken away (law_test.go).
func Decide(in Input) Decision {
	return decide(rules, &in)
}

func decide(rules []rule, in *Input) Decision {
	for _, r := range rules {
		if v := r.check(in); v.decided {
			return v.Decision
		}
	}
	return Decision{Action: Build, Reason: HodorError}
}
