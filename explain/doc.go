// Package explain says from the records why a run decided as it did (spec 9.3). It takes no decision and repeats none: what a record says stands,
// and the evidence is what the record and the one before it hold. It only reads the store.
//
// Explain answers for one invocation: each of its records is held against the newest build that counted when the run began, which is what the
// run itself compared with. chain.go follows what changed upstream to where it began, through runs before this one where a table was built in
// one of those. Lines is the diff of one node: which hash parted, and in the present text, where. History lists a node's builds and reuses.
//
// The answers are plain data, printed as JSON (docs/schemas/) or by text.go.
package explain
