//go:build unix

package dbt

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hodor/executor"
	"hodor/executor/executortest"
)

// script is what a scripted dbt does beside what its world says.
type script struct {
	World executortest.World
	// Version is what it says it is; 1.12.5 if empty.
	Version string
	// Before any node: Refuse prints this and exits with 2, leaving every file as it is.
	Refuse string
	// After building: NoResults writes no run_results.json, OldResults writes one of another run, BadResults writes half a JSON.
	NoResults, OldResults, BadResults bool
	// Raw is printed as it is before the nodes run; LongLine prints a line of that many bytes.
	Raw      string
	LongLine int
	// Exit is the exit status in the end, if not 0; KilledBy ends the process by that signal in the middle.
	Exit     int
	KilledBy int
	// Grandchild starts a process that keeps the pipes open. Hang waits until it is interrupted, HangHard until it is killed.
	Grandchild, Hang, HangHard bool
	// Stderr is how many bytes it writes to stderr while stdout is written.
	Stderr int
	// NoManifest leaves the manifest of a run unwritten.
	NoManifest bool
	// Freshness writes sources.json; FreshnessExit is the exit status of dbt source freshness.
	Freshness     bool
	FreshnessExit int
}

// scriptedDBT is the fake dbt: it runs the script in dir and exits.
func scriptedDBT(dir string, args []string) int {
	var s script
	raw, err := os.ReadFile(filepath.Join(dir, "script.json"))
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 9
	}
	calls, err := os.OpenFile(filepath.Join(dir, "calls.txt"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 9
	}
	fmt.Fprintln(calls, strings.Join(args, " "))
	calls.Close()
	environ := strings.Join(os.Environ(), "\n")
	_ = os.WriteFile(filepath.Join(dir, "environ.txt"), []byte(environ), 0o644)
	d := &scripted{script: s, dir: dir, args: args, id: newID()}
	return d.run()
}

type scripted struct {
	script
	dir  string
	args []string
	id   string
	out  []map[string]any // results
}

func (d *scripted) value(name string) []string {
	i := slices.Index(d.args, name)
	if i < 0 {
		return nil
	}
	var out []string
	for _, a := range d.args[i+1:] {
		if strings.HasPrefix(a, "--") {
			break
		}
		out = append(out, a)
	}
	return out
}

func (d *scripted) event(name, level, msg string, data map[string]any) {
	raw, _ := json.Marshal(map[string]any{
		"info": map[string]any{"name": name, "level": level, "msg": msg, "invocation_id": d.id}, "data": data,
	})
	fmt.Println(string(raw))
}

func (d *scripted) target() string { return d.value("--target-path")[0] }

func (d *scripted) write(name string, v any) {
	raw, _ := json.Marshal(v)
	_ = os.MkdirAll(d.target(), 0o755)
	_ = os.WriteFile(filepath.Join(d.target(), name), raw, 0o644)
}

func (d *scripted) run() int {
	version := d.Version
	if version == "" {
		version = "1.12.5"
	}
	d.event("MainReportVersion", "info", "Running with dbt="+version, map[string]any{"version": "=" + version})
	if d.Refuse != "" {
		d.event("MainEncounteredError", "error", d.Refuse, map[string]any{})
		return 2
	}
	if d.args[0] == "source" {
		if d.Freshness {
			d.write("sources.json", map[string]any{"metadata": map[string]any{"invocation_id": d.id, "dbt_schema_version": "https://schemas.getdbt.com/dbt/sources/v3.json"}, "results": []any{}})
		}
		return d.FreshnessExit
	}
	fmt.Print(d.Raw)
	if d.LongLine > 0 {
		fmt.Println(strings.Repeat("x", d.LongLine))
	}
	if !d.NoManifest {
		d.write("manifest.json", d.manifest())
	}
	if d.args[0] == "compile" {
		return d.Exit
	}
	return d.nodes()
}

// manifest is the world as dbt would describe it.
func (d *scripted) manifest() map[string]any {
	id := d.id
	if d.World.CoverageUnknown && d.args[0] != "compile" {
		id = "another run"
	}
	nodes, sources := map[string]any{}, map[string]any{}
	add := func(into map[string]any, id, kind, name string, parents []string) {
		into[id] = map[string]any{
			"name": name, "resource_type": kind, "package_name": "shop", "fqn": []string{"shop", name}, "original_file_path": "models/" + name + ".sql",
			"depends_on": map[string]any{"nodes": parents}, "config": map[string]any{"enabled": true, "materialized": "table"},
		}
	}
	ids := func(list []string) []string {
		out := []string{}
		for _, name := range list {
			out = append(out, d.idOf(name))
		}
		return out
	}
	for _, n := range d.World.Nodes {
		add(nodes, "model.shop."+n.ID, "model", n.ID, ids(n.Parents))
	}
	for _, c := range d.World.Checks {
		add(nodes, "test.shop."+c.ID, "test", c.ID, ids(c.Covers))
	}
	for _, s := range d.World.Sources {
		add(sources, "source.shop.raw."+s, "source", s, nil)
	}
	return map[string]any{"metadata": map[string]any{"invocation_id": id, "project_name": "shop", "dbt_version": "1.12.5", "adapter_type": "duckdb"}, "nodes": nodes, "sources": sources}
}

func (d *scripted) idOf(name string) string {
	if slices.Contains(d.World.Sources, name) {
		return "source.shop.raw." + name
	}
	return "model.shop." + name
}

// nodes runs what is selected.
func (d *scripted) nodes() int {
	raw, _ := json.Marshal(d.manifest())
	m, err := readManifest(strings.NewReader(string(raw)))
	if err != nil {
		return 9
	}
	selected := map[string]bool{}
	for _, selector := range d.value("--select") {
		var criteria []criterion
		kind := ""
		for _, part := range strings.Split(selector, ",") {
			method, value, _ := strings.Cut(part, ":")
			if method == "resource_type" {
				kind = value
			} else {
				criteria = append(criteria, criterion{method, value})
			}
		}
		for _, n := range m.indexed().intersect(criteria, kind) {
			selected[n.ID] = true
			for _, check := range m.Checks(n.ID) {
				selected[check] = true
			}
		}
	}
	failed := map[string]bool{}
	tests := func(covered string) {
		for _, c := range d.World.Checks {
			id := "test.shop." + c.ID
			done := slices.ContainsFunc(d.out, func(r map[string]any) bool { return r["unique_id"] == id })
			if d.args[0] != "build" && d.args[0] != "test" || slices.Contains(d.args, "--exclude-resource-type") || done || c.NotRun || !selected[id] || !slices.Contains(c.Covers, covered) {
				continue
			}
			status := "pass"
			if c.Fails {
				status = "fail"
				for _, covered := range c.Covers {
					failed[covered] = true
				}
			}
			d.result(id, status)
		}
	}
	for _, s := range d.World.Sources {
		tests(s)
	}
	if d.Hang || d.HangHard {
		return d.hang()
	}
	for i, n := range d.World.Nodes {
		id := "model.shop." + n.ID
		if !selected[id] && !n.Extra {
			continue
		}
		if d.KilledBy > 0 && i > 0 {
			_ = syscall.Kill(os.Getpid(), syscall.Signal(d.KilledBy))
			time.Sleep(time.Minute)
		}
		if d.args[0] == "test" {
			tests(n.ID)
			continue
		}
		status := "success"
		if slices.ContainsFunc(n.Parents, func(p string) bool { return failed[p] }) {
			failed[n.ID], status = true, "skipped"
		} else {
			d.event("LogStartLine", "info", "START "+n.ID, map[string]any{"node_info": map[string]any{"unique_id": id, "node_status": "started"}})
			if n.Fails {
				failed[n.ID], status = true, "error"
			} else {
				_ = os.MkdirAll(filepath.Join(d.dir, "marks"), 0o755)
				_ = os.WriteFile(filepath.Join(d.dir, "marks", n.ID+"_"+d.id), nil, 0o644)
			}
			d.event("LogModelResult", "info", status+" "+n.ID, map[string]any{"node_info": map[string]any{"unique_id": id, "node_status": status}})
		}
		if !n.Unreported {
			d.result(id, status)
		}
		if status == "success" {
			tests(n.ID)
		}
	}
	return d.end(failed)
}

func (d *scripted) result(id, status string) {
	now := time.Now().UTC()
	d.out = append(d.out, map[string]any{
		"unique_id": id, "status": status, "failures": 0, "execution_time": 0.01, "compiled_code": "select 1",
		"timing": []any{map[string]any{"name": "execute", "started_at": now.Add(-time.Millisecond), "completed_at": now}},
	})
}

func (d *scripted) end(failed map[string]bool) int {
	if d.Stderr > 0 {
		fmt.Fprintln(os.Stderr, strings.Repeat("e", d.Stderr))
	}
	id := d.id
	if d.OldResults {
		id = "an older run"
	}
	switch {
	case d.NoResults:
	case d.BadResults:
		_ = os.WriteFile(filepath.Join(d.target(), "run_results.json"), []byte(`{"metadata": {"invo`), 0o644)
	default:
		d.write("run_results.json", map[string]any{
			"metadata": map[string]any{"invocation_id": id, "dbt_schema_version": "https://schemas.getdbt.com/dbt/run-results/v6.json"}, "results": d.out,
		})
	}
	if d.Grandchild {
		sleeper, err := os.StartProcess("/bin/sleep", []string{"sleep", "30"}, &os.ProcAttr{Files: []*os.File{nil, os.Stdout, os.Stderr}})
		if err == nil {
			_ = sleeper.Release()
		}
	}
	if d.Exit != 0 {
		return d.Exit
	}
	if len(failed) > 0 {
		return 1
	}
	return 0
}

// hang waits for a signal. Interrupted, it writes what it has, as dbt does; HangHard ignores that.
func (d *scripted) hang() int {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	for _, n := range d.World.Nodes[:1] {
		id := "model.shop." + n.ID
		d.event("LogStartLine", "info", "START "+n.ID, map[string]any{"node_info": map[string]any{"unique_id": id, "node_status": "started"}})
		_ = os.MkdirAll(filepath.Join(d.dir, "marks"), 0o755)
		_ = os.WriteFile(filepath.Join(d.dir, "marks", n.ID+"_"+d.id), nil, 0o644)
		d.result(id, "success")
	}
	_ = os.WriteFile(filepath.Join(d.dir, "hanging"), nil, 0o644)
	for {
		<-stop
		if !d.HangHard {
			return d.end(nil) + 2
		}
	}
}

// scriptedBench makes an executor whose dbt is scripted.
type scriptedBench struct {
	dir string
	ex  *Executor
	t   testing.TB
}

func newScripted(t testing.TB, s script) *scriptedBench {
	dir := t.TempDir()
	b := &scriptedBench{dir: dir, t: t}
	b.script(s)
	must(t, os.WriteFile(filepath.Join(dir, "dbt_project.yml"), []byte("name: shop\n"), 0o644))
	self, err := os.Executable()
	must(t, err)
	b.ex, err = New(Options{DBT: self, ProjectDir: dir, Environ: []string{"SCRIPTED_DBT=" + dir, "PATH=" + os.Getenv("PATH")}, Grace: 2 * time.Second})
	must(t, err)
	return b
}

func (b *scriptedBench) script(s script) {
	raw, err := json.Marshal(s)
	must(b.t, err)
	must(b.t, os.WriteFile(filepath.Join(b.dir, "script.json"), raw, 0o644))
}

// marks returns what was built since the last call.
func marks(dir string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(dir, "marks"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		name, _, _ := strings.Cut(e.Name(), "_")
		out = append(out, name)
		if err := os.Remove(filepath.Join(dir, "marks", e.Name())); err != nil {
			return nil, err
		}
	}
	slices.Sort(out)
	return slices.Compact(out), err
}

// called returns the command lines since the last call.
func called(dir string) ([]string, error) {
	path := filepath.Join(dir, "calls.txt")
	raw, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err == nil {
		err = os.Remove(path)
	}
	return strings.Split(strings.TrimSpace(string(raw)), "\n"), err
}

// scriptedHarness makes scripted benches for the conformance suite.
type scriptedHarness struct{ t testing.TB }

func (h scriptedHarness) New(w executortest.World) (*executortest.Bench, error) {
	b := newScripted(h.t, script{World: w})
	return prepared(b.ex, b.dir, w)
}

// prepared makes a bench of an executor whose dbt leaves marks and calls in dir.
func prepared(ex *Executor, dir string, w executortest.World) (*executortest.Bench, error) {
	if _, err := ex.Prepare(h(), executor.PrepareRequest{}); err != nil {
		return nil, err
	}
	if _, err := called(dir); err != nil {
		return nil, err
	}
	return &executortest.Bench{
		Executor: ex,
		Ref: func(id string) executor.NodeRef {
			if slices.Contains(w.Sources, id) {
				return executor.NodeRef{ID: "source.shop.raw." + id, Name: id}
			}
			return executor.NodeRef{ID: "model.shop." + id, Name: id}
		},
		Check: func(id string) string { return "test.shop." + id },
		Built: func() ([]string, error) { return marks(dir) },
		Ran:   func() (bool, error) { c, err := called(dir); return len(c) > 0, err },
	}, nil
}

func (scriptedHarness) ForbiddenArgs() [][]string {
	return [][]string{{"--select", "b"}, {"-sb"}, {"--model=b"}, {"--empty"}, {"--state", "x"}, {"--resource-type=seed"}, {"--target-path", "x"}, {"--vars", "{}"}, {"+b"}, {"-xs"}}
}

func (scriptedHarness) WithoutEvents(b *executortest.Bench) executor.Executor {
	return silent{b.Executor}
}

// silent takes the capability run_events away.
type silent struct{ executor.Executor }

func (s silent) Capabilities() executor.Capabilities {
	c := s.Executor.Capabilities()
	c.RunEvents = false
	return c
}

func TestConformanceScripted(t *testing.T) { executortest.Run(t, scriptedHarness{t}) }
