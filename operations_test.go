package hodor

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// seen are operations that go wrong in the field, of the stores, the readers of versions and the drivers: a number, and what happens.
var seen = map[int]string{
	27: "the DuckDB file is open for writing elsewhere",
	28: "another program keeps the DuckDB file open for long",
	30: "DuckDB's hash function gives other values after an upgrade",
	31: "the order of rows differs by machine",
	32: "hash functions of extensions keep state",
	34: "a statement is retried on a decision made from old data",
	35: "compaction runs beside the writer",
	37: "history is kept for thirty days",
	38: "an old checkpoint makes newer versions unreadable",
	40: "OPTIMIZE makes a version",
	41: "SET TBLPROPERTIES makes a version",
	42: "a MERGE with deletion vectors says that it deleted nothing",
	44: "the driver's timeout does not hold",
	45: "the driver panics on cancel, or on a malformed URL",
	47: "the driver leaks goroutines, and pings",
	48: "the driver answers with the columns of another result, or ends a result early",
	50: "the driver sends telemetry",
	51: "the client gives up, the warehouse finishes an hour later",
	52: "cancelling blocks past the deadline",
	54: "a wrong token is tried again and again",
	55: "a pool keeps the first short-lived token",
	57: "workers use the token of another",
}

// named finds the numbers in names of tests and of their cases: "TestOperations27Locked", "TestSparkOperations37and38ShortHistory",
// "TestOperations30to32Fingerprint", "optimize (operations 40)".
var named = regexp.MustCompile(`func Test\w*?Operations(\d+)(?:(and|to)(\d+))?|"[^"]*\(operations (\d+)\)"`)

// TestOperationsHaveTests: each of them has a test that bears its number, and no test bears a number that is none.
func TestOperationsHaveTests(t *testing.T) {
	found := map[int][]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") || path == "operations_test.go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			first, _ := strconv.Atoi(m[1] + m[4])
			last := first
			if m[3] != "" {
				last, _ = strconv.Atoi(m[3])
			}
			for n := first; n <= last; n++ {
				if m[2] != "and" || n == first || n == last {
					found[n] = append(found[n], path)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for n, what := range seen {
		if len(found[n]) == 0 {
			t.Errorf("%d has no test: %s", n, what)
		}
	}
	for n, where := range found {
		if seen[n] == "" {
			t.Errorf("%d is none of the list: %v", n, where)
		}
	}
}

// TestOperationsAreAll compares the list with the one that it comes from, where that is at hand.
func TestOperationsAreAll(t *testing.T) {
	text, err := os.ReadFile("../shared/cases/operations.md")
	if err != nil {
		t.Skip(err)
	}
	rows := regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(string(text), -1)
	n := 0
	for _, row := range rows {
		number, _ := strconv.Atoi(row[1])
		if number < 27 { // of the executor and the protocol
			continue
		}
		n++
		if seen[number] == "" {
			t.Errorf("row %d is missing", number)
		}
	}
	if n != len(seen) {
		t.Errorf("%d rows, and %d in the list", n, len(seen))
	}
}
