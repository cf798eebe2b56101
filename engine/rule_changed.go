package engine

// codeChanged builds a node whose code is not the recorded one. Hashes of two hash versions can't be compared, so another version is other
// code; an unknown hash equals nothing. With compare_unrendered_code the code counts as changed only if the rendered and the unrendered hash
// both differ. Spec 5, rule 6; section 6.
//
//	rendered equal,  unrendered differs: next rule
//	rendered differs, unrendered equal:  next rule with compare_unrendered_code, else build
//	both differ:                         build
func codeChanged(in *Input) verdict {
	then, now := in.Record.Hashes, in.Now
	if !same(then.Version, now.Version) {
		return build(CodeChanged, Evidence{"hash_version", then.Version, now.Version})
	}
	if same(then.Code, now.Code) {
		return next
	}
	code := Evidence{"code_hash", then.Code, now.Code}
	if !in.CompareUnrendered {
		return build(CodeChanged, code)
	}
	if same(then.Unrendered, now.Unrendered) {
		return next
	}
	return build(CodeChanged, code, Evidence{"unrendered_hash", then.Unrendered, now.Unrendered})
}

// configChanged builds a node whose configuration is not the recorded one. Spec 5, rule 7.
func configChanged(in *Input) verdict {
	then, now := in.Record.Hashes.Config, in.Now.Config
	if same(then, now) {
		return next
	}
	return build(ConfigChanged, Evidence{"config_hash", then, now})
}

// targetModified builds a node whose target was written outside its own builds: the version read now differs from the one recorded right
// after the last build. A version that can't be read counts as different (S17). A test writes no target that could be compared. Spec 5,
// rule 8.
//
//	record 7@1792465200000, now 9@1792470000000: build
//	record 7@1792465200000, now unknown:         build
//	OPTIMIZE in between, same token:             next rule
func targetModified(in *Input) verdict {
	if in.Kind == KindTest && !in.KeepsFailures || same(in.Record.Target, in.Target) {
		return next
	}
	return build(TargetModified, Evidence{"target", string(in.Record.Target), string(in.Target)})
}

// same tells whether a and b are both known and equal. Everything that is compared for equality goes through here: the empty value equals
// nothing, not even itself.
func same[T ~string](a, b T) bool {
	return a != "" && a == b
}
