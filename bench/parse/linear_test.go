package main

import (
	"testing"

	"hodor/bench/measure"
	"hodor/bench/parse/texts"
	"hodor/grammar"
)

// TestShapesAreLinear counts, for each shape and query, how many statements of the parser's code run on a text and on one twice as long.
func TestShapesAreLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("builds an instrumented parser")
	}
	if grown := measure.Linear(t, "parse", []string{"hodor/grammar"}, 500, 1000); grown < len(texts.Growing()) {
		t.Errorf("only %d texts grew", grown)
	}
}

// TestSetsParse checks that every text of the sets is SQL to hodor, and that a seed makes the same texts again.
func TestSetsParse(t *testing.T) {
	again := texts.Sets(40)
	for i, set := range texts.Sets(40) {
		for k, text := range set.Texts {
			if _, err := grammar.Parse(text.SQL, set.Dialect); err != nil {
				t.Errorf("%s, %s: %v\n%s", set.Name, text.Name, err, text.SQL)
			}
			if text != again[i].Texts[k] {
				t.Fatalf("%s, %s: another text", set.Name, text.Name)
			}
		}
	}
	for _, d := range []grammar.Dialect{grammar.Databricks, grammar.DuckDB} {
		f, err := grammar.Parse(texts.Large(1e6, d).SQL, d)
		if err != nil || len(f.Source) < 1e6 {
			t.Errorf("%s: %v", d, err)
		}
	}
}
