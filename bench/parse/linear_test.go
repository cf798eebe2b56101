package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hodor/bench/parse/texts"
	"hodor/grammar"
)

// TestShapesAreLinear counts, for each shape, how many statements of the parser's code run on a text and on one twice as long:
// every loop and every look ahead is in the count. The build is instrumented as for test coverage.
func TestShapesAreLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("builds an instrumented parser")
	}
	dir := t.TempDir()
	steps := filepath.Join(dir, "steps")
	build := exec.Command("go", "build", "-cover", "-covermode=atomic", "-coverpkg=hodor/grammar,hodor/bench/parse/steps", "-o", steps,
		"hodor/bench/parse/steps")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tool, err := exec.Command("go", "tool", "-n", "covdata").Output()
	if err != nil {
		t.Fatal(err)
	}
	covdata := strings.TrimSpace(string(tool))
	counting := exec.Command(steps, dir, "500", "1000")
	counting.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir())
	counting.Stderr = os.Stderr
	out, err := counting.Output()
	if err != nil {
		t.Fatal(err)
	}
	type run struct {
		Shape, Dialect, Error, Folder string
		Size, Bytes                   int
	}
	var last run
	var before float64
	shapes := 0
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var r run
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		if r.Error != "" {
			t.Errorf("%s, %s: %s", r.Shape, r.Dialect, r.Error)
		}
		n, err := statementsRun(covdata, r.Folder)
		if err != nil {
			t.Fatal(err)
		}
		if r.Size == 500 {
			last, before = r, n
			continue
		}
		shapes++
		growth := (n / before) / (float64(r.Bytes) / float64(last.Bytes))
		if growth > 1.1 || n < float64(r.Size) {
			t.Errorf("%s, %s: %.0f steps for %d bytes, %.0f for %d", r.Shape, r.Dialect, before, last.Bytes, n, r.Bytes)
		}
	}
	if shapes < len(texts.Shapes) {
		t.Errorf("%d of %d shapes ran", shapes, len(texts.Shapes))
	}
}

// statementsRun sums the counts of the grammar's statements in a folder of coverage data.
func statementsRun(covdata, folder string) (sum float64, err error) {
	profile := filepath.Join(folder, "profile")
	if out, err := exec.Command(covdata, "textfmt", "-i", folder, "-o", profile).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	raw, err := os.ReadFile(profile)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(raw)) {
		if block, ok := strings.CutPrefix(line, "hodor/grammar/"); ok {
			var statements, count float64
			if _, err := fmt.Sscan(block[strings.IndexByte(block, ' '):], &statements, &count); err != nil {
				return 0, err
			}
			sum += statements * count
		}
	}
	return sum, nil
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
