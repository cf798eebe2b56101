package confirm

import (
	"os"
	"strings"
	"testing"

	"hodor/grammar"
)

var syntaxEscapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\f`, "\f", `\v`, "\v", `\u00a0`, "\u00a0",
	`\u2003`, "\u2003", `\u2009`, "\u2009", `\u3000`, "\u3000")

// syntaxTexts returns the texts of grammar's testdata/syntax that an engine can confirm: those that parse and those that don't.
func syntaxTexts(t *testing.T, d grammar.Dialect) (good, bad []string) {
	t.Helper()
	raw, err := os.ReadFile("../testdata/syntax/" + d.String() + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		mark, sql, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch sql = syntaxEscapes.Replace(sql); mark {
		case "+":
			good = append(good, sql)
		case "-":
			bad = append(bad, sql)
		}
	}
	if len(good) < 150 || len(bad) < 100 {
		t.Fatalf("%d texts that parse, %d that don't", len(good), len(bad))
	}
	return good, bad
}

// checkSyntax asks engines about the texts of testdata/syntax: what stands behind + is read by one of them, what stands behind - by
// none.
func checkSyntax(t *testing.T, d grammar.Dialect, engines ...func([]string) []string) {
	t.Helper()
	good, bad := syntaxTexts(t, d)
	read := func(texts []string) []bool {
		out := make([]bool, len(texts))
		for _, engine := range engines {
			for i, answer := range engine(texts) {
				out[i] = out[i] || answer == ""
			}
		}
		return out
	}
	for i, ok := range read(good) {
		if !ok {
			t.Errorf("no engine reads %s", good[i])
		}
	}
	for i, ok := range read(bad) {
		if ok {
			t.Errorf("an engine reads %s", bad[i])
		}
	}
}
