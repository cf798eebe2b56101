package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWireIsDocumented holds the types of api.go against the examples of docs/protocol.md: the examples of a method have every key that crosses
// the wire for it, and no other.
func TestWireIsDocumented(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "docs", "protocol.md"))
	must(t, err)
	versions := json.RawMessage(`{"dbt":"","adapter":"","python":""}`)
	for method, messages := range map[string][]any{
		"run/start":               {StartRequest{Versions: versions}, StartAnswer{}},
		"node/decide":             {DecideRequest{Hooks: &Hooks{}}, DecideAnswer{Need: "sql"}, DecideAnswer{Replay: &Replay{}, Ahead: []Ahead{{}}}},
		"node/built, node/tested": {BuiltRequest{}},
		"run/finish":              {FinishRequest{}, FinishAnswer{}},
	} {
		_, section, found := strings.Cut(string(raw), "\n### "+method+"\n")
		if !found {
			t.Errorf("docs/protocol.md has no section %s", method)
			continue
		}
		section, _, _ = strings.Cut(section, "\n##")
		var wire strings.Builder
		for _, m := range messages {
			text, err := json.Marshal(m)
			must(t, err)
			wire.Write(text)
		}
		inCode, inDoc := keys(wire.String()), keys(section)
		if !slices.Equal(inCode, inDoc) {
			t.Errorf("%s: the code has the keys\n%v\nand docs/protocol.md\n%v", method, inCode, inDoc)
		}
	}
}

// keys are the names in front of a colon in a JSON text, each once, sorted. Unique ids, which have dots, are none.
func keys(text string) []string {
	var found []string
	for _, m := range regexp.MustCompile(`"([a-z_]+)":`).FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	slices.Sort(found)
	return slices.Compact(found)
}
