package grammar

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// checkLaws checks what holds for every text that parses: what is printed parses to an equal tree and prints the same, and
// the spans of parts lie inside their parent's.
func checkLaws(sql string, d Dialect) error {
	f, err := Parse(sql, d)
	if err != nil {
		return nil
	}
	text := Print(f, d)
	g, err := Parse(text, d)
	if err != nil {
		return fmt.Errorf("what is printed does not parse: %w\n\t%s", err, text)
	}
	if again := Print(g, d); again != text {
		return fmt.Errorf("printing is not stable:\n\t%s\n\t%s", text, again)
	}
	if !Equal(f, g) {
		return fmt.Errorf("the printed text is another tree:\n\t%s", text)
	}
	if err := checkSpans(f); err != nil {
		return fmt.Errorf("%w\n\t%s", err, sql)
	}
	return checkSpans(g)
}

func checkSpans(f *File) error {
	var stack []Span
	var err error
	WalkLeave(f, func(n Node) bool {
		s := n.Bounds()
		if err != nil || s == (Span{}) {
			stack = append(stack, stack[max(0, len(stack)-1)])
			return true
		}
		if s.Start > s.End || int(s.End) > len(f.Source) {
			err = fmt.Errorf("%T has the span %v", n, s)
		}
		if len(stack) > 0 {
			if up := stack[len(stack)-1]; s.Start < up.Start || s.End > up.End {
				err = fmt.Errorf("%T %v lies outside its parent %v: %q", n, s, up, s.Text(f.Source))
			}
		}
		stack = append(stack, s)
		return true
	}, func(Node) { stack = stack[:len(stack)-1] })
	return err
}

// everySharedText calls f with every query of the shared cases.
func everySharedText(t testing.TB, f func(id, sql string, d Dialect)) {
	t.Helper()
	for _, name := range []string{"cases/accept.jsonl", "cases/pairs.jsonl", "cases/facts.jsonl", "oracle/mutants.jsonl",
		"oracle/databricks.jsonl", "oracle/duckdb.jsonl"} {
		for _, c := range readShared(t, name) {
			for _, sql := range []string{c.SQL, c.A, c.B} {
				if sql != "" {
					f(c.ID, sql, c.dialect())
				}
			}
		}
	}
	files, _ := filepath.Glob(filepath.Join(sharedFolder, "cases/bugs/*.sql"))
	part := regexp.MustCompile(`(?m)^-- ====.*$`)
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		head, body, _ := strings.Cut(string(raw), "\n")
		d := Databricks
		if strings.Contains(head, "dialect: duckdb") {
			d = DuckDB
		}
		for _, sql := range part.Split(body, -1) {
			f(filepath.Base(name), strings.TrimSpace(sql), d)
		}
	}
}

func TestSharedLaws(t *testing.T) {
	var out *os.File
	if name := os.Getenv("HODOR_PRINTED"); name != "" {
		out, _ = os.Create(name)
		defer out.Close()
	}
	n := 0
	everySharedText(t, func(id, sql string, d Dialect) {
		n++
		if err := checkLaws(sql, d); err != nil {
			t.Errorf("%s %s: %v\n\t%.400s", id, d, err, strings.ReplaceAll(sql, "\n", "\\n"))
			return
		}
		if f, err := Parse(sql, d); err == nil && out != nil {
			if err := json.NewEncoder(out).Encode(map[string]string{"id": id, "dialect": d.String(), "sql": Print(f, d), "from": sql}); err != nil {
				t.Error(err)
			}
		}
	})
	t.Logf("%d texts", n)
}
