package normalize

import (
	"reflect"
	"slices"
	"testing"
)

// TestTrace: the traced passes, which go one by one, come to what the untraced ones come to, and each step starts where the one before ended.
func TestTrace(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range append(readCases(t, "testdata/pairs.jsonl"), readCases(t, "testdata/facts.jsonl")...) {
		for _, sql := range []string{c.A, c.B, c.SQL} {
			opt := Options{Dialect: c.Dialect, Catalog: "cat"}
			want := Normalize(sql, opt)
			got, steps := Trace(sql, opt)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: traced, it comes to another result\n%s\n%s\n%s", c.ID, sql, got.Normalized, want.Normalized)
			}
			last := sql
			for _, step := range steps {
				seen[step.Pass] = true
				if step.Before != last || step.After == last || step.Does == "" {
					t.Fatalf("%s: pass %s, %q\nbefore %s\nafter  %s\nlast   %s", c.ID, step.Pass, step.Does, step.Before, step.After, last)
				}
				last = step.After
			}
			if got.Level != LevelText && last != got.Normalized {
				t.Fatalf("%s: the last step is not the canonical text\n%s\n%s", c.ID, last, got.Normalized)
			}
		}
	}
	_, steps := Trace("select '"+testInvocation+"' as i", Options{Dialect: DialectDuckDB, InvocationID: testInvocation})
	for _, step := range steps {
		seen[step.Pass] = true
	}
	for pass := range passes {
		if !seen[pass] {
			t.Errorf("no text shows the pass %s", pass)
		}
	}
	if !slices.ContainsFunc(steps, func(s Step) bool { return s.Pass == "placeholder" }) {
		t.Errorf("the value of the run is no step: %v", steps)
	}
}
