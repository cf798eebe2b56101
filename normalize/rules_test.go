package normalize

import (
	"os"
	"strings"
	"testing"
)

// TestRules runs a pair for each forgiving rule and each thing that has to stay apart, in both dialects (testdata/rules.txt).
func TestRules(t *testing.T) {
	raw, err := os.ReadFile("testdata/rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	one, count := false, map[bool]int{}
	for block := range strings.SplitSeq(strings.TrimSpace(string(raw)), "\n\n") {
		lines := strings.Split(block, "\n")
		switch {
		case strings.HasPrefix(lines[0], "#"):
		case lines[0] == "= one code" || lines[0] == "= apart":
			one = lines[0] == "= one code"
		case len(lines) != 3:
			t.Fatalf("no pair: %q", lines)
		case one:
			count[true]++
			merges(t, lines[0], []pair{{"rule", lines[1], lines[2]}})
		default:
			count[false]++
			apart(t, lines[0], []pair{{"rule", lines[1], lines[2]}})
		}
	}
	if count[true] < 80 || count[false] < 100 {
		t.Errorf("only %d and %d pairs", count[true], count[false])
	}
}
