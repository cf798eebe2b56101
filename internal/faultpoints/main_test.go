package main

import (
	"go/parser"
	"go/token"
	"testing"
)

// TestPointsFit: each point has a name of its own and fits the sources as they are.
func TestPointsFit(t *testing.T) {
	list, err := points()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, p := range list {
		if names[p.name] {
			t.Errorf("two points are called %s", p.name)
		}
		names[p.name] = true
	}
	if len(list) < 40 {
		t.Errorf("%d points", len(list))
	}
	texts, err := edited("../..", list)
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range texts {
		if _, err := parser.ParseFile(token.NewFileSet(), file, text, 0); err != nil {
			t.Error(err)
		}
	}
}
