package engine

// fullRefresh builds what the user asked to build anew. Spec 5, rule 2.
func fullRefresh(in *Input) verdict {
	if in.FullRefresh {
		return build(FullRefresh)
	}
	return next
}

// unsupported builds what is out of scope: every kind that is not listed here, so also one that a later version adds and this one does not
// know. Spec 5, rule 3.
func unsupported(in *Input) verdict {
	switch in.Kind {
	case KindTable, KindIncremental, KindView, KindSeed, KindSnapshot, KindTest:
		return next
	}
	return build(Unsupported)
}

// reuseForbidden builds where the run as a whole allows no reuse, with the code that the caller names. S4.
func reuseForbidden(in *Input) verdict {
	if in.NoReuse != "" {
		return build(in.NoReuse)
	}
	return next
}
