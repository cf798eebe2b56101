package main

import (
	"testing"

	"hodor/bench/measure"
	"hodor/bench/parse/texts"
)

// TestNormalizeIsLinear counts, for each shape and query, the statements of the parser's and this package's code that run from text to hash and
// facts, and what is allocated, for texts of n, 2n and 4n.
func TestNormalizeIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("builds an instrumented program")
	}
	if grown := measure.Linear(t, "normalize", []string{"hodor/grammar", "hodor/normalize"}, 250, 500, 1000); grown < 2*len(texts.Growing()) {
		t.Errorf("only %d texts grew", grown)
	}
}
