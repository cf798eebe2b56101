package mutants

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// clauses is how many clauses docs/when-reuse.md has: S1 to S30.
const clauses = 30

// alone are the clauses that no dbt run here can show, since no engine but Databricks itself has what they are about: the scripted test that shows
// them instead.
var alone = map[int]string{12: "versions/databricks_test.go"}

// TestEveryClauseHasATest: each clause has a line in docs/when-reuse.md, and a test with real dbt that has its number in the name.
func TestEveryClauseHasATest(t *testing.T) {
	read := func(patterns ...string) string {
		var text []byte
		for _, p := range patterns {
			files, err := filepath.Glob(filepath.Join(root, p))
			if err != nil || len(files) == 0 {
				t.Fatalf("%s: %v, %v", p, files, err)
			}
			for _, f := range files {
				b, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				text = append(text, b...)
			}
		}
		return string(text)
	}
	lines, tests := read("docs/when-reuse.md"), read("plugin/tests/e2e/test_*.py", "plugin/tests/lake/test_*.py")
	for n := 1; n <= clauses; n++ {
		if !regexp.MustCompile(fmt.Sprintf(`(?m)^\| S%d \|`, n)).MatchString(lines) {
			t.Errorf("S%d has no line in docs/when-reuse.md", n)
		}
		if file := alone[n]; file != "" {
			if !regexp.MustCompile(fmt.Sprintf(`\bS%d\b`, n)).MatchString(read(file)) {
				t.Errorf("S%d is not named in %s", n, file)
			}
			continue
		}
		if !regexp.MustCompile(fmt.Sprintf(`(?m)^def test_\w*s%d_`, n)).MatchString(tests) {
			t.Errorf("S%d has no test in plugin/tests/e2e or plugin/tests/lake", n)
		}
	}
	if regexp.MustCompile(fmt.Sprintf(`(?m)^\| S%d \|`, clauses+1)).MatchString(lines) {
		t.Errorf("docs/when-reuse.md has more than %d clauses", clauses)
	}
}
