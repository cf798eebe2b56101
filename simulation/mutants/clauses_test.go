package mutants

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hodor/internal/enginetest"
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

// TestClausesWithDBT: the test with real dbt of each clause fails once the clause is taken out of the service by one of its mutants.
// HODOR_MUTANTS_DBT=all tries all clauses, HODOR_MUTANTS_DBT=S6,S7 some.
func TestClausesWithDBT(t *testing.T) {
	which := os.Getenv("HODOR_MUTANTS_DBT")
	if which == "" {
		t.Skip("some minutes a clause: HODOR_MUTANTS_DBT=all")
	}
	python, err := filepath.Abs(filepath.Join(root, ".venv", "bin", "python"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(python); err != nil {
		enginetest.Missing(t, "no Python environment .venv: make venv")
	}
	for n := 1; n <= clauses; n++ {
		clause := fmt.Sprint("S", n)
		if which != "all" && !slices.Contains(strings.Split(which, ","), clause) {
			continue
		}
		if alone[n] != "" || onSpark[n] {
			continue
		}
		t.Run(clause, func(t *testing.T) {
			for _, m := range list {
				if !slices.Contains(strings.Split(m.what, ", "), clause) {
					continue
				}
				failed := clauseFails(t, python, n, m)
				if failed != "" {
					t.Logf("%s: %s fails", m.name, failed)
					return
				}
				t.Logf("%s: no test fails", m.name)
			}
			t.Errorf("no mutant of %s makes its test with dbt fail", clause)
		})
	}
}

// onSpark are the clauses whose tests need Databricks SQL; make test-databricks has them.
var onSpark = map[int]bool{18: true, 25: true}

// failedTest finds a test that pytest lists as failed.
var failedTest = regexp.MustCompile(`(?m)^FAILED (\S+)`)

// clauseFails builds the service with a mutant and returns the first test of the clause that fails with it; "" if none does.
func clauseFails(t *testing.T, python string, n int, m mutant) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "hodor-sql")
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-overlay", overlay(t, m.edits), "-o", binary, "./cmd/hodor-sql")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cmd = exec.Command(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no", "-x", "tests/e2e", "-k", fmt.Sprintf("_s%d_", n))
	cmd.Dir = filepath.Join(root, "plugin")
	cmd.Env = append(os.Environ(), "HODOR_BINARY="+binary)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		t.Fatalf("pytest: %v\n%s", err, out)
	}
	if failed := failedTest.FindStringSubmatch(string(out)); failed != nil {
		return failed[1]
	}
	return ""
}
