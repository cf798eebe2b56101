// Package mutants proves that the simulation can see: each mutant takes one rule or clause out of the engine or of what feeds it, and the
// simulation must then find a wrong reuse, or too few right ones.
//
// The code that is shipped knows nothing of it. A mutant is an edit of source text that must fit exactly once; the test compiles the simulation with
// `go test -overlay`, so that the edited file exists for that one build only.
package mutants
