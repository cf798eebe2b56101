package engine

// relationMissing builds a node whose relation is gone or of another type. Not seen counts as gone. For a test the caller says whether every
// relation that it tests, and its failures table with store_failures, are there (S22). Spec 5, rule 5.
func relationMissing(in *Input) verdict {
	if in.Relation == Present {
		return next
	}
	return build(RelationMissing, Evidence{What: "relation", Then: string(Present), Now: string(in.Relation)})
}
