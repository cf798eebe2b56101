// Package engine decides: facts about one node and its last build in, build or reuse with a reason out. It is pure: no I/O, no clock, no
// store (purity_test.go enforces it by its imports). The rules are those of spec section 5 in that order, with the clauses of when reuse is
// allowed (docs/when-reuse.md, S1-S30) worked in.
//
// Law: removing evidence never turns build into reuse. Every field's zero value therefore means "not known".
package engine
