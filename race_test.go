package hodor

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRacePackages: `make test-race` tests every package that starts a goroutine, by itself or in its tests.
func TestRacePackages(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("there is no make")
	}
	out, err := exec.Command("make", "-s", "race-packages").Output()
	if err != nil {
		t.Fatal(err)
	}
	tested, found := strings.Fields(string(out)), 0
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil || !starts(file) {
			return err
		}
		found++
		if dir := "./" + filepath.ToSlash(filepath.Dir(path)); !slices.Contains(tested, dir) {
			t.Errorf("%s starts goroutines, and make test-race leaves %s out", path, dir)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 20 {
		t.Errorf("%d files start goroutines", found)
	}
}

// starts tells whether a file has a go statement, or calls a function of the name Go with a function.
func starts(file *ast.File) bool {
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Go" && len(n.Args) == 1 {
				found = true
			}
		}
		return !found
	})
	return found
}
