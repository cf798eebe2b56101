package normalize

import (
	"encoding/json"
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestGolden pins the canonical texts. A change here changes code hashes: raise Version with it, so that records of the old hashes count as
// other code instead of being compared.
func TestGolden(t *testing.T) {
	if *update {
		if err := flag.Set("rewrite", "true"); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob("testdata/golden/*.txt")
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		dialect := strings.TrimSuffix(filepath.Base(file), ".txt")
		datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
			r := Normalize(d.Input, Options{Dialect: dialect})
			out := ""
			if r.Level != LevelQualified {
				out = "level " + r.Level + ": " + r.Error.Message + "\n"
			}
			switch d.Cmd {
			case "canonical":
				return out + strings.TrimSuffix(r.Normalized, "\n") + "\n"
			case "facts":
				data, err := json.Marshal(r.Facts)
				if err != nil {
					t.Fatal(err)
				}
				// A key a line.
				return out + strings.ReplaceAll(string(data), `],"`, "],\n\"") + "\n"
			}
			t.Fatalf("%s: unknown directive %s", d.Pos, d.Cmd)
			return ""
		})
	}
}
