package engine

// Action is build or reuse.
type Action string

// The two actions. The zero value is neither and must be treated as Build.
const (
	Build Action = "build"
	Reuse Action = "reuse"
)

// Decision is the answer of Decide.
type Decision struct {
	Action Action
	Reason Reason
	// Evidence says what was compared, for explain: one entry for each thing that decided, then and now. Hashes, versions and times only,
	// never a text of the user.
	Evidence []Evidence
}

// Evidence is one comparison behind a decision. Then is of the last build, Now of this run; empty means not known.
type Evidence struct {
	// What names the thing: "code_hash", "hash_version", "unrendered_hash", "config_hash", "relation", "target", "upstream main.orders",
	// "view main.stg", "definition main.stg", "columns main.orders", "built_at_ms" (Now is the clock), "lag_tolerance_ms".
	What string
	Then string
	Now  string
}

// verdict is what one rule says: a decision, or next.
type verdict struct {
	decided bool
	Decision
}

// next leaves the decision to the rules that follow.
var next verdict

func build(r Reason, e ...Evidence) verdict {
	return verdict{true, Decision{Action: Build, Reason: r, Evidence: e}}
}

func reuse(r Reason, e ...Evidence) verdict {
	return verdict{true, Decision{Action: Reuse, Reason: r, Evidence: e}}
}
