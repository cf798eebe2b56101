package normalize

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestGolden shows canonical texts and facts. What changes here changes code hashes too, which TestHashes watches.
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

const hashesFile = "testdata/hashes.txt"

// TestHashes pins code hash and text hash of the texts in pairs.jsonl under the hash version of the file's first line. A change of output needs a
// new Version: records of the old one then count as other code, once, instead of being compared with what they can't be compared with. The file is
// rewritten (-update) only under a new version, or where texts were added.
func TestHashes(t *testing.T) {
	var now []string
	for _, c := range readCases(t, "testdata/pairs.jsonl") {
		for _, side := range []struct{ name, sql string }{{"a", c.A}, {"b", c.B}} {
			r := Normalize(side.sql, Options{Dialect: c.Dialect})
			now = append(now, fmt.Sprintf("%s.%s %s %s", c.ID, side.name, r.CodeHash[:24], r.TextHash[:16]))
		}
	}
	version, before := readHashes(t)
	changed := 0
	for _, line := range now {
		id, hashes, _ := strings.Cut(line, " ")
		if was, ok := before[id]; version == Version && ok && was != hashes {
			t.Errorf("%s has another hash under hash version %s: raise normalize.Version (docs/normalize.md), then -update", id, Version)
			if changed++; changed == 10 {
				t.FailNow()
			}
		}
	}
	if t.Failed() {
		return
	}
	if *update {
		text := "hash_version " + Version + "\n" + strings.Join(now, "\n") + "\n"
		if err := os.WriteFile(hashesFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if version != Version {
		t.Errorf("%s is of hash version %q, the code of %q: -update", hashesFile, version, Version)
	}
	if len(before) != len(now) {
		t.Errorf("%s has %d texts, pairs.jsonl %d: -update", hashesFile, len(before), len(now))
	}
}

func readHashes(t *testing.T) (version string, hashes map[string]string) {
	t.Helper()
	hashes = map[string]string{}
	f, err := os.Open(hashesFile)
	if err != nil {
		if *update {
			return "", hashes
		}
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, rest, _ := strings.Cut(lines.Text(), " ")
		if name == "hash_version" {
			version = rest
			continue
		}
		hashes[name] = rest
	}
	return version, hashes
}
