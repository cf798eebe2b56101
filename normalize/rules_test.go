package normalize

import (
	"os"
	"strings"
	"testing"
)

// TestRules runs a pair for each forgiving rule and each thing that has to stay apart, in both dialects (testdata/rules.txt), more pairs that are one
// code (testdata/equal.txt), and pairs that look alike and are not (testdata/hostile.txt).
func TestRules(t *testing.T) {
	if one, apart := rulePairs(t, "testdata/rules.txt"); one < 80 || apart < 100 {
		t.Errorf("only %d and %d pairs", one, apart)
	}
	if one, _ := rulePairs(t, "testdata/equal.txt"); one < 39 {
		t.Errorf("only %d equal pairs", one)
	}
	if _, apart := rulePairs(t, "testdata/hostile.txt"); apart < 380 {
		t.Errorf("only %d hostile pairs", apart)
	}
}

// rulePairs runs the pairs of a file and counts those that are one code and those that are not.
func rulePairs(t *testing.T, file string) (same, different int) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	one := false
	for block := range strings.SplitSeq(strings.TrimSpace(string(raw)), "\n\n") {
		lines := strings.Split(block, "\n")
		switch {
		case strings.HasPrefix(lines[0], "#"):
		case lines[0] == "= one code" || lines[0] == "= apart":
			one = lines[0] == "= one code"
		case len(lines) != 3:
			t.Fatalf("no pair: %q", lines)
		case one:
			same++
			merges(t, lines[0], []pair{{"rule", lines[1], lines[2]}})
		default:
			different++
			apart(t, lines[0], []pair{{"rule", lines[1], lines[2]}})
		}
	}
	return same, different
}
