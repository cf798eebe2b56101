//go:build unix

package dbt

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hodor/internal/enginetest"
)

// lister is one Python process with dbt in it: it parses projects and answers what dbt ls lists for selectors. A line of JSON each way.
const lister = `
import contextlib, io, json, os, sys
out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
from dbt.cli.main import dbtRunner
manifest = None
for line in sys.stdin:
    ask = json.loads(line)
    common = ["--project-dir", ask["dir"], "--profiles-dir", ask["dir"], "--log-level", "none", "--log-level-file", "none", "--no-send-anonymous-usage-stats"]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        if "select" not in ask:
            r = dbtRunner().invoke(["parse", *common, "--no-partial-parse"])
            manifest = r.result
        else:
            r = dbtRunner(manifest=manifest).invoke(["ls", *common, "--indirect-selection", "eager", "--output", "json", "--output-keys", "unique_id", "--select", *ask["select"]])
    answer = {"ok": bool(r.success), "error": str(r.exception or "")}
    if "select" in ask and r.success:
        answer["ids"] = sorted(json.loads(x)["unique_id"] for x in r.result)
    print(json.dumps(answer), file=out, flush=True)
`

// venv returns the interpreter of an environment at the root of the repository.
func venv(t testing.TB, name string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("HODOR_TEST_VENVS"); dir != "" {
		root = dir
	}
	python := filepath.Join(root, name, "bin", "python")
	if _, err := os.Stat(python); err != nil {
		enginetest.Missing(t, "no Python environment %s: make venv venv-next", name)
	}
	return python
}

type realDBT struct {
	t   testing.TB
	in  io.Writer
	out *bufio.Reader
}

func startDBT(t testing.TB, name string) *realDBT {
	cmd := exec.Command(venv(t, name), "-c", lister)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PYTHONUTF8=1", "HOME="+t.TempDir())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	return &realDBT{t, in, bufio.NewReaderSize(out, 1<<20)}
}

type answer struct {
	OK    bool
	Error string
	IDs   []string
}

func (d *realDBT) ask(v map[string]any) answer {
	d.t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.in.Write(append(raw, '\n')); err != nil {
		d.t.Fatal(err)
	}
	line, err := d.out.ReadBytes('\n')
	if err != nil {
		d.t.Fatalf("dbt's process ended: %v", err)
	}
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		d.t.Fatal(err)
	}
	return a
}

// hostile are parts of names that collide with each other, with folders, packages and dbt's own syntax.
var hostile = []string{
	"shop", "stripe", "orders", "a", "b", "a_b", "v1", "x.y", "x", "y", "my name", "a,b", "plus+", "+1", "at@", "co:lon", "st*r", "[ab]", "q?", "größe", "tag:x",
	"fqn", "this", "models", "staging", "d.e.f", "-dash", "1", "a-b", "path:x",
}

// world is a random project of files.
type world struct {
	r     *rand.Rand
	files map[string]string
}

func (w *world) name() string {
	n := hostile[w.r.IntN(len(hostile))]
	if w.r.IntN(4) == 0 {
		n += hostile[w.r.IntN(len(hostile))]
	}
	return n
}

// pack writes a package's models, seeds, snapshots, tests and sources below root.
func (w *world) pack(root, pkg string) {
	taken := map[string]bool{}
	fresh := func() string {
		for i := 0; ; i++ {
			n := w.name()
			if i > 20 {
				n += strconv.Itoa(i)
			}
			if !taken[n] {
				taken[n] = true
				return n
			}
		}
	}
	var yml strings.Builder
	yml.WriteString("sources:\n  - name: raw\n    tables:\n      - name: t1\n        columns: [{name: id, data_tests: [not_null, unique]}]\n      - name: t2\n")
	var models strings.Builder
	var all []string
	for range 4 + w.r.IntN(8) {
		dir := "models"
		for range w.r.IntN(4) {
			dir += "/" + w.name()
		}
		n := fresh()
		w.files[root+dir+"/"+n+".sql"] = "{{ config(schema='" + pkg + "') }} select 1 as id"
		all = append(all, n)
		if w.r.IntN(3) == 0 {
			fmt.Fprintf(&models, "  - name: %s\n    columns: [{name: id, data_tests: [not_null]}]\n", strconv.Quote(n))
		}
	}
	if w.r.IntN(2) == 0 { // a versioned model, whose files are named after versions
		n := "ver" + strconv.Itoa(w.r.IntN(9))
		dir := "models/" + w.name()
		w.files[root+dir+"/"+n+"_v1.sql"] = "{{ config(schema='" + pkg + "') }} select 1 as id"
		w.files[root+dir+"/"+n+"_v2.sql"] = "{{ config(schema='" + pkg + "') }} select 1 as id"
		fmt.Fprintf(&models, "  - name: %s\n    versions: [{v: 1}, {v: 2}]\n", n)
		if w.r.IntN(2) == 0 && !taken[n+"_v1"] {
			taken[n+"_v1"] = true
		}
	}
	if models.Len() > 0 {
		yml.WriteString("models:\n" + models.String())
	}
	if w.r.IntN(2) == 0 && len(all) > 0 {
		fmt.Fprintf(&yml, "unit_tests:\n  - name: %s\n    model: %s\n    given: []\n    expect: {rows: [{id: 1}]}\n", strconv.Quote(w.name()), strconv.Quote(all[0]))
	}
	w.files[root+"models/schema.yml"] = yml.String()
	for range w.r.IntN(3) {
		w.files[root+"seeds/"+w.name()+"/"+fresh()+".csv"] = "id\n1\n"
	}
	for range w.r.IntN(2) {
		n := "snap" + strconv.Itoa(w.r.IntN(100))
		w.files[root+"snapshots/"+w.name()+".sql"] = "{% snapshot " + n + " %}{{ config(unique_key='id', strategy='check', check_cols='all', schema='" + pkg + "') }} select 1 as id{% endsnapshot %}"
	}
	if w.r.IntN(2) == 0 {
		w.files[root+"tests/"+fresh()+".sql"] = "select * from {{ source('raw', 't1') }} where false"
	}
	w.files[root+"dbt_project.yml"] = "name: " + pkg + "\nversion: '1.0'\nprofile: p\nseeds: {+schema: " + pkg + "}\nflags: {require_resource_names_without_spaces: false, send_anonymous_usage_stats: false}\n"
}

func (w *world) write(t *testing.T, dir string) {
	for name, text := range w.files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Random projects with hostile names: whatever set of nodes is wanted, dbt lists exactly it for the selectors, or they are refused before anything
// runs. HODOR_SELECT_PROJECTS is how many (make test-e2e: 120).
func TestSelectionAgainstDBT(t *testing.T) {
	projects := 10
	if n, err := strconv.Atoi(os.Getenv("HODOR_SELECT_PROJECTS")); err == nil {
		projects = n
	}
	d := startDBT(t, ".venv")
	exact, refused, parsed := 0, 0, 0
	for seed := range projects {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		w := &world{r: r, files: map[string]string{}}
		w.pack("", "shop")
		if r.IntN(2) == 0 {
			w.pack("dbt_packages/stripe/", "stripe")
			w.files["packages.yml"] = "packages: [{local: dbt_packages/stripe}]\n"
		}
		w.files["profiles.yml"] = "p: {target: t, outputs: {t: {type: duckdb, path: x.duckdb}}}\n"
		dir := t.TempDir()
		w.write(t, dir)
		if a := d.ask(map[string]any{"dir": dir}); !a.OK {
			if parsed == 0 && seed > 20 {
				t.Fatalf("no project of %d is one that dbt parses: %s", seed, a.Error)
			}
			t.Logf("project %d: %.300s", seed, a.Error)
			continue
		}
		parsed++
		m, err := ReadManifest(filepath.Join(dir, "target", "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		var nodes, sources []string
		for _, id := range m.order {
			switch n := m.Nodes[id]; {
			case buildable[n.Type]:
				nodes = append(nodes, id)
			case n.Type == "source":
				sources = append(sources, id)
			}
		}
		for trial := range 3 {
			want := map[string]bool{}
			density := []int{2, 5, 1}[trial]
			for _, id := range nodes {
				if r.IntN(density) == 0 {
					want[id] = true
				}
			}
			ids := keys(want)
			if trial == 1 {
				for _, s := range sources {
					ids = append(ids, m.Checks(s)...)
				}
				slices.Sort(ids)
				ids = slices.Compact(ids)
			}
			if len(ids) == 0 {
				continue
			}
			selectors, err := m.Select(ids)
			if err != nil {
				refused++
				continue
			}
			expected := map[string]bool{}
			for _, id := range ids {
				expected[id] = true
				for _, check := range m.Checks(id) {
					expected[check] = true
				}
			}
			a := d.ask(map[string]any{"dir": dir, "select": selectors})
			if !a.OK {
				t.Fatalf("project %d: dbt ls --select %q fails: %s", seed, selectors, a.Error)
			}
			if got := keys(expected); !slices.Equal(a.IDs, got) {
				t.Fatalf("project %d: --select %q\nlists %q\nwanted %q", seed, selectors, a.IDs, got)
			}
			exact++
		}
	}
	t.Logf("%d projects parsed of %d, %d selections exact, %d refused", parsed, projects, exact, refused)
	if parsed < projects/2 || exact < projects {
		t.Errorf("too few: %d projects parsed of %d, %d selections exact, %d refused", parsed, projects, exact, refused)
	}
}

// Scattered nodes, half of each folder: as many selectors as nodes, and dbt lists exactly these. HODOR_SELECT_NODES is how many; dbt takes a quarter of an
// hour for 10000.
func TestScatteredAgainstDBT(t *testing.T) {
	long(t)
	count := 1000
	if n, err := strconv.Atoi(os.Getenv("HODOR_SELECT_NODES")); err == nil {
		count = n
	}
	w := &world{files: map[string]string{
		"profiles.yml":    "p: {target: t, outputs: {t: {type: duckdb, path: x.duckdb}}}\n",
		"dbt_project.yml": "name: shop\nversion: '1.0'\nprofile: p\nflags: {send_anonymous_usage_stats: false}\n",
	}}
	var ids []string
	for i := range count {
		w.files[fmt.Sprintf("models/f%d/a%d.sql", i, i)] = "select 1 as id"
		w.files[fmt.Sprintf("models/f%d/b%d.sql", i, i)] = "select 1 as id"
		ids = append(ids, fmt.Sprintf("model.shop.a%d", i))
	}
	slices.Sort(ids)
	dir := t.TempDir()
	w.write(t, dir)
	d := startDBT(t, ".venv")
	if a := d.ask(map[string]any{"dir": dir}); !a.OK {
		t.Fatal(a.Error)
	}
	m, err := ReadManifest(filepath.Join(dir, "target", "manifest.json"))
	must(t, err)
	selectors, err := m.Select(ids)
	must(t, err)
	if a := d.ask(map[string]any{"dir": dir, "select": selectors}); !a.OK || !slices.Equal(a.IDs, ids) {
		t.Errorf("%d selectors list %d nodes, %d are wanted: %s", len(selectors), len(a.IDs), len(ids), a.Error)
	}
}

func keys(m map[string]bool) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
