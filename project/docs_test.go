package project

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of keys in the docs")

// TestKeysInSettingsDoc holds the table of docs/settings.md to Keys.
func TestKeysInSettingsDoc(t *testing.T) {
	const file, open, end = "../docs/settings.md", "<!-- keys: written by `go test ./project -update` -->\n", "<!-- /keys -->"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), open)
	have, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the marks of the table of keys", file)
	}
	want := keysTable()
	if have == want {
		return
	}
	if !*update {
		t.Fatalf("%s: the table of keys is not that of Keys; run `go test ./project -update`", file)
	}
	if err := os.WriteFile(file, []byte(before+open+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

func keysTable() string {
	var b strings.Builder
	b.WriteString("\n| key | where | counts | why |\n|---|---|---|---|\n")
	for _, k := range Keys {
		counts := "no"
		if k.In {
			counts = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Name, k.Where, counts, k.Why)
	}
	return b.String() + "\n"
}
