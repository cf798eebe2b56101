package mutants

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// root is the repository's.
const root = "../.."

// seeds is how many histories a mutant may survive at most.
const seeds = 2_000

// share is the part of the list that every `go test` tries: one in so many. HODOR_MUTANTS=all tries all, HODOR_MUTANTS=S15 those of a clause.
const share = 20

// TestMutants: the simulation fails with each.
func TestMutants(t *testing.T) {
	which := os.Getenv("HODOR_MUTANTS")
	if testing.Short() && which == "" {
		t.Skip("each mutant is compiled")
	}
	clean := build(t, nil)
	for i, m := range list {
		if m.dbt {
			continue
		}
		if which == "" && i%share != 0 || which != "" && which != "all" && !strings.Contains(m.what, which) && !strings.Contains(m.name, which) {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			if m.by[0] != "" {
				if out, failed := test(t, compile(t, m.by[0], m.edits), m.by[1]); !failed {
					t.Errorf("%s: %s of %s passes:\n%s", m.what, m.by[1], m.by[0], out)
				}
				return
			}
			n := seeds
			if m.few {
				n = 500
			}
			out, failed := run(t, build(t, m.edits), "1", n, m.focus)
			first, _, _ := strings.Cut(strings.TrimSpace(out), "\n        ")
			switch {
			case !failed:
				t.Errorf("%s: %d histories and no failure", m.what, n)
			case m.few != strings.Contains(out, "less than 98%"):
				t.Errorf("%s: it fails, but not as it should: %s", m.what, first)
			case !m.few && !strings.Contains(out, "is reused with"):
				t.Errorf("%s: it fails, but not by a wrong reuse: %s", m.what, first)
			default:
				t.Logf("%s: %s", m.what, first)
			}
			if seed := history.FindStringSubmatch(out); seed != nil {
				if out, failed := run(t, clean, seed[1], 1, m.focus); failed {
					t.Errorf("the history fails without the mutant too:\n%s", out)
				}
			}
		})
	}
}

// history finds the seed of a failure.
var history = regexp.MustCompile(`history (\d+):`)

// test runs a test of a compiled package and tells whether it failed.
func test(t *testing.T, binary, name string) (string, bool) {
	t.Helper()
	cmd := exec.Command(binary, "-test.run", "^"+name+"$", "-test.timeout", "10m")
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "no tests to run") {
		t.Fatalf("there is no %s", name)
	}
	return string(out), err != nil
}

func build(t *testing.T, edits []edit) string { return compile(t, "./simulation", edits) }

// overlay writes the edited files and returns the list of them that `go build -overlay` reads.
func overlay(t *testing.T, edits []edit) string {
	t.Helper()
	dir := t.TempDir()
	edited := map[string]string{}
	for i, e := range edits {
		path, err := filepath.Abs(filepath.Join(root, e.file))
		if err != nil {
			t.Fatal(err)
		}
		at := path
		if other := edited[path]; other != "" {
			at = other
		}
		text, err := os.ReadFile(at)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), e.old); n != 1 {
			t.Fatalf("the text to replace in %s is there %d times:\n%s", e.file, n, e.old)
		}
		edited[path] = filepath.Join(dir, fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(edited[path], []byte(strings.Replace(string(text), e.old, e.new, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := json.Marshal(map[string]any{"Replace": edited})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestEditsFit: every edit fits the sources as they are, whether or not its mutant is tried now.
func TestEditsFit(t *testing.T) {
	for _, m := range list {
		t.Run(m.name, func(t *testing.T) { overlay(t, m.edits) })
	}
}

// compile compiles the tests of a package with the edits in place.
func compile(t *testing.T, pkg string, edits []edit) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "mutant.test")
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay(t, edits), "-o", binary, pkg)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go test -c: %v\n%s", err, out)
	}
	return binary
}

// run plays histories and tells whether they failed.
func run(t *testing.T, binary, seed string, histories int, focus string) (string, bool) {
	t.Helper()
	cmd := exec.Command(binary, "-test.run", "^TestHistories$", "-test.timeout", "60m")
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HODOR_SIMULATION_SEED="+seed, "HODOR_SIMULATION_HISTORIES="+strconv.Itoa(histories), "HODOR_SIMULATION_FOCUS="+focus)
	out, err := cmd.CombinedOutput()
	return string(out), err != nil
}

// TestListCovers: every rule that can be taken out and every clause that lives in Go has a mutant.
func TestListCovers(t *testing.T) {
	has := map[string]bool{}
	names := map[string]bool{}
	for _, m := range list {
		for _, w := range strings.Split(m.what, ", ") {
			has[w] = true
		}
		if names[m.name] {
			t.Errorf("two mutants are called %q", m.name)
		}
		names[m.name] = true
	}
	for i := 2; i <= 15; i++ {
		if !has[fmt.Sprint("rule ", i)] {
			t.Errorf("rule %d has no mutant", i)
		}
	}
	for i := 1; i <= clauses; i++ {
		if !has[fmt.Sprint("S", i)] {
			t.Errorf("S%d has no mutant", i)
		}
	}
	if len(list) < 40 {
		t.Errorf("%d mutants", len(list))
	}
}
