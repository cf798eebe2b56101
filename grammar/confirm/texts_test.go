package confirm

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hodor/grammar"
)

// own returns the texts of grammar's testdata that parse in the dialect.
func own(t *testing.T, d grammar.Dialect) (out []string) {
	t.Helper()
	for _, folder := range []string{"common", d.String(), "statements/" + d.String()} {
		files, _ := filepath.Glob("../testdata/" + folder + "/*.test")
		for _, path := range files {
			for _, input := range goldenInputs(t, path) {
				if strings.HasPrefix(folder, "statements") { // one a line
					out = append(out, strings.Split(input, "\n")...)
				} else {
					out = append(out, input)
				}
			}
		}
	}
	good, _ := syntaxTexts(t, d)
	if out = append(out, good...); len(out) < 200 {
		t.Fatalf("only %d texts", len(out))
	}
	return out
}

// shared returns the texts of the dialect in the shared cases, if they lie beside the repository.
func shared(d grammar.Dialect) (out []string) {
	for _, name := range []string{"cases/accept.jsonl", "cases/pairs.jsonl", "cases/facts.jsonl", "oracle/mutants.jsonl", "oracle/" + d.String() + ".jsonl"} {
		f, err := os.Open("../../../shared/" + name)
		if err != nil {
			continue
		}
		s := bufio.NewScanner(f)
		s.Buffer(nil, 1<<24)
		for s.Scan() {
			var c struct{ Dialect, SQL, A, B string }
			if json.Unmarshal(s.Bytes(), &c) != nil || c.Dialect != d.String() && !strings.HasPrefix(name, "oracle/"+d.String()) {
				continue
			}
			for _, sql := range []string{c.SQL, c.A, c.B} {
				if sql != "" {
					out = append(out, sql)
				}
			}
		}
		f.Close()
	}
	files, _ := filepath.Glob("../../../shared/cases/bugs/*.sql")
	for _, name := range files {
		raw, _ := os.ReadFile(name)
		if head, body, _ := strings.Cut(string(raw), "\n"); strings.Contains(head, "dialect: "+d.String()) {
			out = append(out, bugParts.Split(body, -1)...)
		}
	}
	return out
}

var bugParts = regexp.MustCompile(`(?m)^-- ====.*$`)

// goldenInputs returns the SQL of the cases that parse.
func goldenInputs(t *testing.T, path string) (out []string) {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(raw), "\n\n") {
		lines := strings.Split(block, "\n")
		for len(lines) > 0 && strings.HasPrefix(lines[0], "#") {
			lines = lines[1:]
		}
		if len(lines) < 2 || lines[0] == "error" {
			continue
		}
		sql, _, _ := strings.Cut(strings.Join(lines[1:], "\n"), "\n----")
		out = append(out, sql)
	}
	return out
}

// checkPrinted gives what hodor prints of each text to an engine's parser, which answers with an error a text, "" for none, and
// asks about the text itself where it refuses. What is printed has to parse wherever the text does; at least that many do.
func checkPrinted(t *testing.T, d grammar.Dialect, texts []string, least int, engine func([]string) []string) {
	t.Helper()
	var from, printed []string
	for _, text := range texts {
		if f, err := grammar.Parse(text, d); err == nil {
			from, printed = append(from, text), append(printed, grammar.Print(f, d))
		}
	}
	answers := engine(printed)
	var suspects, refused []string
	for i, answer := range answers {
		if answer != "" {
			suspects, refused = append(suspects, from[i]), append(refused, fmt.Sprintf("%.200s\n\t%.300s", answer, printed[i]))
		}
	}
	for i, answer := range engine(suspects) {
		if answer == "" {
			t.Errorf("what is printed does not parse: %s\n\t%.300s", refused[i], suspects[i])
		}
	}
	read := len(printed) - len(suspects)
	t.Logf("%d of %d texts are read by the engine", read, len(printed))
	if read < least || len(answers) != len(printed) {
		t.Errorf("the engine reads %d texts of %d", read, len(answers))
	}
}
