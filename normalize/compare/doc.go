// Package compare says where two texts part, and why hodor keeps them apart.
//
// The canonical texts are laid out one clause a line (Lines), so that a line diff shows what changed. Reasons tries what a reader would call no
// change: it takes one kind of difference after another out of both texts (reasons.go) until they are equal. The kinds that it took are the
// reasons, each with the trap of docs/normalize.md that forbids to ignore it.
package compare
