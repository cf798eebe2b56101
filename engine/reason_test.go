package engine

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// TestReasonExamples runs the Example lines in the comments of reason.go: each must lead to the code above which it stands, and every code
// must have one.
func TestReasonExamples(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "reason.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	codes := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		codes++
		name := spec.Names[0].Name
		code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		examples := 0
		for line := range strings.Lines(spec.Doc.Text()) {
			input, ok := strings.CutPrefix(strings.TrimSpace(line), "Example: ")
			if !ok {
				continue
			}
			examples++
			in, asked := parse(t, input)
			if got := decide(asked, &in).Reason; string(got) != code {
				t.Errorf("%s: the example %q gives %s", name, input, got)
			}
		}
		if examples == 0 {
			t.Errorf("%s has no Example line", name)
		}
		return true
	})
	if codes != 16 {
		t.Errorf("found %d reason codes, want 16", codes)
	}
}
