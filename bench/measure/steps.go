package measure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Steps is one text as bench/steps writes it to standard output; its counts are in Folder.
type Steps struct {
	Name, Dialect, Error, Folder string
	Size, Bytes                  int    // of the text: how many of something, and bytes
	Allocated                    uint64 // bytes
}

// heap is what was allocated for each byte of the text.
func (s Steps) heap() float64 { return float64(s.Allocated) / float64(s.Bytes) }

// deep names the queries in which a name is looked for through a level for each subquery, as the engines do: a query nested a thousand levels deep still
// takes no more than stepsDeep steps a byte.
var deep = map[string]bool{"subqueries with bare names from outside": true, "correlated subqueries of the outermost": true}

const stepsDeep = 600

// The bounds on the growth beside that of the text: of steps from one size to the next, and of what is allocated from the first size to the last, since
// that jumps where a slice or a map grows. Less than heapFew bytes for each byte of text never count.
const (
	stepGrowth = 1.1
	heapGrowth = 1.5
	heapFew    = 40
)

// Linear fails for each text of texts.Growing for which a step (parse, normalize) runs more of the statements of packages, or allocates more, than
// in proportion to the text's length. Every loop, look ahead and look-up in the code is in the count; what the runtime does by itself, copying,
// shows in the memory. The build is instrumented as for test coverage. It returns the number of texts that grew at all.
func Linear(t *testing.T, step string, packages []string, sizes ...int) int {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "steps")
	build := exec.Command("go", "build", "-cover", "-covermode=atomic", "-coverpkg="+strings.Join(packages, ",")+",hodor/bench/steps", "-o", program,
		"hodor/bench/steps")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tool, err := exec.Command("go", "tool", "-n", "covdata").Output()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{step, dir}
	for _, n := range sizes {
		args = append(args, strconv.Itoa(n))
	}
	counting := exec.Command(program, args...)
	counting.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir())
	counting.Stderr = os.Stderr
	out, err := counting.Output()
	if err != nil {
		t.Fatal(err)
	}
	var first, last Steps
	var before float64
	grown := 0
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var r Steps
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		if r.Error != "" {
			t.Errorf("%s, %s: %s", r.Name, r.Dialect, r.Error)
		}
		n, err := statementsRun(strings.TrimSpace(string(tool)), dir, r.Folder, packages)
		if err != nil {
			t.Fatal(err)
		}
		if r.Size == sizes[0] {
			first = r
		} else {
			bound := stepGrowth * before / float64(last.Bytes) * float64(r.Bytes)
			if deep[r.Name] {
				bound = stepsDeep * float64(r.Bytes)
			}
			if n > bound || n < float64(r.Size) {
				t.Errorf("%s, %s: %.0f steps for %d bytes, %.0f for %d", r.Name, r.Dialect, before, last.Bytes, n, r.Bytes)
			}
			if heap := r.heap(); heap > heapFew && heap > heapGrowth*first.heap() {
				t.Errorf("%s, %s: %.0f bytes allocated for each of %d bytes, %.0f of %d", r.Name, r.Dialect, first.heap(), first.Bytes, heap, r.Bytes)
			}
			grown++
		}
		last, before = r, n
	}
	return grown
}

// statementsRun sums the counts of the packages' statements in a folder of counters; meta is that of their description.
func statementsRun(covdata, meta, folder string, packages []string) (sum float64, err error) {
	profile := filepath.Join(folder, "profile")
	if out, err := exec.Command(covdata, "textfmt", "-pkg", strings.Join(packages, ","), "-i", meta+","+folder, "-o", profile).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	raw, err := os.ReadFile(profile)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(raw)) {
		for _, p := range packages {
			if block, ok := strings.CutPrefix(line, p+"/"); ok {
				words := strings.Fields(block)
				if len(words) != 3 {
					return 0, fmt.Errorf("a line of the profile is %q", line)
				}
				statements, err := strconv.ParseFloat(words[1], 64)
				if err != nil {
					return 0, err
				}
				count, err := strconv.ParseFloat(words[2], 64)
				if err != nil {
					return 0, err
				}
				sum += statements * count
			}
		}
	}
	return sum, nil
}
