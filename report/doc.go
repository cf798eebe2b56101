// Package report sums up what the records of some weeks say: how much was reused and built, why, and what that saved; which nodes are built most
// often; which are built because their SQL is another one on every run; and where a reuse would have been wrong (spec section 14).
//
// A report reads the records once, without their JSON columns, in one pass: Collect holds some bytes for each, so a million is no burden. The
// terminal form is text.go, the page html.go.
package report
