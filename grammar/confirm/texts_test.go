package confirm

import (
	"bufio"
	"encoding/json"
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
	if len(out) < 200 {
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

// checkPrinted gives each text that hodor reads, and what hodor prints of it, to an engine's parser, which answers with an error
// a text, "" for none. What is printed has to parse wherever the text does. Least is the number of texts that must.
func checkPrinted(t *testing.T, d grammar.Dialect, texts []string, least int, engine func([]string) []string) {
	t.Helper()
	var both []string
	for _, text := range texts {
		if f, err := grammar.Parse(text, d); err == nil {
			both = append(both, text, grammar.Print(f, d))
		}
	}
	answers := engine(both)
	if len(answers) != len(both) {
		t.Fatalf("%d answers to %d texts", len(answers), len(both))
	}
	read := 0
	for i := 0; i < len(both); i += 2 {
		if answers[i] != "" {
			continue
		}
		read++
		if answers[i+1] != "" {
			t.Errorf("what is printed does not parse: %.200s\n\t%.300s\n\t%.300s", answers[i+1], both[i], both[i+1])
		}
	}
	t.Logf("%d of %d texts are read by the engine", read, len(both)/2)
	if read < least {
		t.Errorf("the engine reads %d texts only", read)
	}
}
