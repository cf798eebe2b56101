package project

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"hodor/internal/enginetest"
)

// parsed lets the dbt of an environment parse the fixture project, without hodor's plugin, and loads the manifest.
func parsed(t *testing.T, environment string) *Project {
	t.Helper()
	dbt, err := filepath.Abs("../" + environment + "/bin/dbt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dbt); err != nil {
		enginetest.Missing(t, "no %s (make venv venv-next)", environment)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/shop")); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(dbt, "--no-send-anonymous-usage-stats", "parse", "--profiles-dir", ".", "--target", "duckdb")
	run.Dir = dir
	run.Env = append(os.Environ(), "HODOR_MODE=off")
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	manifest, err := os.Open(filepath.Join(dir, "target", "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer manifest.Close()
	p, err := read(manifest, "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Hashes are the same whichever dbt-core 1.12 has parsed the project, so that an upgrade builds nothing.
func TestHashesAcrossVersionsOfDbt(t *testing.T) {
	older, newer := parsed(t, ".venv"), parsed(t, ".venv-next")
	if older.DBTVersion == newer.DBTVersion {
		t.Fatalf("both are dbt-core %s", older.DBTVersion)
	}
	hashes := func(p *Project) map[string][2]string {
		h := p.NewHasher(testContext(nil))
		out := map[string][2]string{}
		for id, n := range p.Nodes {
			out[id] = [2]string{h.Config(n), h.Unrendered(n)}
		}
		return out
	}
	want, got := hashes(older), hashes(newer)
	if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
		t.Errorf("other nodes: %v and %v", slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
	}
	for id, h := range got {
		if h != want[id] {
			t.Errorf("the config or unrendered hash of %s is another one in dbt-core %s", id, newer.DBTVersion)
		}
	}
	if len(want) < 20 {
		t.Errorf("only %d nodes", len(want))
	}
}
