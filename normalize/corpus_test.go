package normalize

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// sharedOracle has statements of the engines' own tests; without it the test has nothing to do.
const sharedOracle = "../../shared/oracle"

// TestCorpus runs statements of both engines' tests: nearly all that parse reach level qualified, and normalizing the canonical text gives it again.
func TestCorpus(t *testing.T) {
	parsed, qualified := 0, 0
	for _, name := range []string{"duckdb.jsonl", "databricks.jsonl"} {
		f, err := os.Open(filepath.Join(sharedOracle, name))
		if err != nil {
			t.Skip("no corpus beside the repository")
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<24)
		for n := 0; lines.Scan(); n++ {
			if testing.Short() && n%10 != 0 {
				continue
			}
			var c struct{ ID, Dialect, SQL string }
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			r := Normalize(c.SQL, Options{Dialect: c.Dialect})
			if r.Level == LevelText {
				continue
			}
			parsed++
			if r.Level == LevelQualified {
				qualified++
			}
			if again := Normalize(r.Normalized, Options{Dialect: c.Dialect}); again.CodeHash != r.CodeHash || again.Normalized != r.Normalized {
				t.Errorf("%s is not stable\n%s\n%s\n%s", c.ID, c.SQL, r.Normalized, again.Normalized)
			}
		}
	}
	t.Logf("%d of %d statements are qualified", qualified, parsed)
	if qualified*1000 < parsed*995 {
		t.Errorf("%d of %d statements are qualified, want 99.5 %%", qualified, parsed)
	}
}
