package grammar

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata")

// golden is one case of a file in testdata: a directive, SQL, a line of four dashes, the answer.
//
//	canonical  the canonical SQL; the laws of laws_test.go hold too
//	implied    the canonical SQL with all parentheses that the tree implies, and "diverges" where DuckDB's versions part
//	error      the error with its caret
type golden struct {
	line            int
	comment         string
	directive       string
	input, expected string
}

func readGolden(t testing.TB, path string) []golden {
	raw, err := os.ReadFile(path)
	if err != nil && t != nil {
		t.Fatal(err)
	}
	var out []golden
	lines := strings.Split(string(raw), "\n")
	for i := 0; i < len(lines); {
		var c golden
		for i < len(lines) && (lines[i] == "" || strings.HasPrefix(lines[i], "#")) {
			if lines[i] != "" {
				c.comment += lines[i] + "\n"
			}
			i++
		}
		if i >= len(lines) {
			break
		}
		c.line, c.directive = i+1, lines[i]
		i++
		start := i
		for i < len(lines) && lines[i] != "----" {
			i++
		}
		c.input = strings.Join(lines[start:i], "\n")
		i++
		start = min(i, len(lines))
		for i < len(lines) && lines[i] != "" {
			i++
		}
		c.expected = strings.Join(lines[start:min(i, len(lines))], "\n")
		out = append(out, c)
	}
	return out
}

func (c *golden) answer(t *testing.T, d Dialect) string {
	f, err := Parse(c.input, d)
	var e *ParseError
	if errors.As(err, &e) {
		if c.directive != "error" {
			t.Errorf("line %d: %v", c.line, err)
		}
		return e.Caret()
	}
	switch c.directive {
	case "canonical":
		if err := checkLaws(c.input, d); err != nil {
			t.Errorf("line %d: %v", c.line, err)
		}
		return Print(f, d)
	case "implied":
		text, diverges := parenthesized(f)
		if diverges {
			text += "\ndiverges"
		}
		return text
	case "error":
		t.Errorf("line %d: no error: %s", c.line, Print(f, d))
	default:
		t.Errorf("line %d: unknown directive %q", c.line, c.directive)
	}
	return ""
}

func TestGolden(t *testing.T) {
	files, _ := filepath.Glob("testdata/*/*.test")
	if len(files) == 0 {
		t.Fatal("no files in testdata")
	}
	for _, path := range files {
		d := map[string]Dialect{"databricks": Databricks, "duckdb": DuckDB}[filepath.Base(filepath.Dir(path))]
		dialects := []Dialect{d}
		if d == 0 {
			dialects = []Dialect{Databricks, DuckDB}
		}
		t.Run(path, func(t *testing.T) {
			cases := readGolden(t, path)
			var out strings.Builder
			for i := range cases {
				c := &cases[i]
				var got string
				for j, d := range dialects {
					answer := c.answer(t, d)
					if len(dialects) > 1 { // one answer for both: quotes are the only difference
						answer = strings.ReplaceAll(answer, "`", "\"")
					}
					if j > 0 && answer != got {
						t.Errorf("line %d: the dialects differ:\n\t%s\n\t%s", c.line, got, answer)
					}
					got = answer
				}
				if !*update && got != c.expected {
					t.Errorf("line %d: %s\n\tgot  %s\n\twant %s", c.line, c.input, got, c.expected)
				}
				if i > 0 {
					out.WriteString("\n")
				}
				fmt.Fprintf(&out, "%s%s\n%s\n----\n%s\n", c.comment, c.directive, c.input, got)
			}
			if *update && !t.Failed() {
				if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
