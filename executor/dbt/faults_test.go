//go:build unix

package dbt

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hodor/executor"
	"hodor/executor/executortest"
)

var three = executortest.World{Nodes: []executortest.Node{{ID: "a"}, {ID: "b"}, {ID: "c", Parents: []string{"b"}}}}

func request(mode executor.Mode, ids ...string) executor.ExecutionRequest {
	req := executor.ExecutionRequest{Mode: mode}
	for _, id := range ids {
		req.Nodes = append(req.Nodes, executor.NodeRef{ID: "model.shop." + id, Name: id})
	}
	return req
}

// start prepares a scripted project, then lets it follow the script.
func start(t *testing.T, s script) *scriptedBench {
	t.Helper()
	b := newScripted(t, script{World: s.World})
	_, err := b.ex.Prepare(context.Background(), executor.PrepareRequest{})
	must(t, err)
	// A first run leaves results of another invocation behind.
	_, err = b.ex.Execute(context.Background(), request(executor.BuildOnly, "a"), nil)
	must(t, err)
	b.script(s)
	return b
}

func statuses(r executor.ExecutionReport) string {
	var out []string
	for _, n := range r.Nodes {
		out = append(out, string(n.Status))
	}
	return strings.Join(out, " ")
}

// What goes wrong with dbt, and what the error says. Row 10: a run that was killed leaves no results. Row 11: a compile error leaves those of the
// run before. Row 21: the work is done and the print of the result breaks.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		script script
		code   executor.Code // "" for a report
		text   string        // in the error
		want   string        // statuses of the report, or of the partial one
	}{
		{"rows 10, 24: killed in the middle", script{KilledBy: 9}, executor.Unreadable, "was killed", "success skipped skipped"},
		{"row 10: no results file", script{NoResults: true}, executor.Unreadable, "run_results.json", "success success success"},
		{"row 11: a compile error leaves the results of the run before", script{Refuse: "Compilation Error in model a"}, executor.NotStarted, "before it built anything: Compilation Error in model a", ""},
		{"row 11: results of another run", script{OldResults: true}, executor.Unreadable, "another run", "success success success"},
		{"row 21: half a results file", script{BadResults: true}, executor.Unreadable, "no valid JSON", "success success success"},
		{"row 21: everything built, exit status 1 all the same", script{Exit: 1}, "", "", "success success success"},
		{"row 20: letters beyond ASCII, half a line at the end", script{Raw: "größe \xff\xfe 🦆\n{\"info\": {\"na"}, "", "", "success success success"},
		{"row 22: a line of 20 MB", script{LongLine: 20 << 20}, "", "", "success success success"},
		{"row 25: much on both streams", script{Stderr: 4 << 20, LongLine: 4 << 20}, "", "", "success success success"},
		{"row 24: a grandchild keeps the pipes open", script{Grandchild: true}, "", "", "success success success"},
		{"an unknown version of dbt", script{Version: "1.9.4"}, executor.NotStarted, "is dbt 1.9.4, which is not known", ""},
		{"dbt 2", script{Version: "2.0.0"}, executor.NotStarted, "is dbt 2.0.0", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.script.World = three
			b := start(t, c.script)
			r, err := b.ex.Execute(context.Background(), request(executor.BuildOnly, "a", "b", "c"), nil)
			if c.code == "" {
				must(t, err)
				if got := statuses(r); got != c.want {
					t.Errorf("statuses %s, want %s", got, c.want)
				}
				if r.Succeeded != (c.script.Exit == 0) || r.EngineFailed != (c.script.Exit != 0) {
					t.Errorf("succeeded %v, engine failed %v", r.Succeeded, r.EngineFailed)
				}
				return
			}
			if !executor.IsCode(err, c.code) || !strings.Contains(err.Error(), c.text) {
				t.Fatalf("error %v, want %s with %q", err, c.code, c.text)
			}
			if e := err.(*executor.Error); c.want != "" && (e.Partial == nil || statuses(*e.Partial) != c.want || e.Partial.Succeeded) {
				t.Errorf("partial report %+v, want %s", e.Partial, c.want)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	b := start(t, script{World: three})
	b.ex.opt.DBT = filepath.Join(b.dir, "nowhere", "dbt")
	_, err := b.ex.Execute(context.Background(), request(executor.BuildOnly, "a"), nil)
	if !executor.IsCode(err, executor.NotStarted) || !strings.Contains(err.Error(), "--dbt") {
		t.Errorf("dbt is missing: %v", err)
	}
	must(t, os.Remove(filepath.Join(b.dir, "target", "manifest.json")))
	_, err = b.ex.Execute(context.Background(), request(executor.BuildOnly, "a"), nil)
	if !executor.IsCode(err, executor.NotStarted) || !strings.Contains(err.Error(), "no manifest") {
		t.Errorf("no manifest: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(b.dir, "target", "manifest.json"), []byte(`{"metadata": {`), 0o644))
	if _, err = b.ex.Execute(context.Background(), request(executor.BuildOnly, "a"), nil); !executor.IsCode(err, executor.NotStarted) {
		t.Errorf("half a manifest: %v", err)
	}
	if _, err := New(Options{ProjectDir: t.TempDir(), Environ: []string{}}); !executor.IsCode(err, executor.Refused) {
		t.Errorf("no project: %v", err)
	}
	b = start(t, script{World: three, Refuse: "Compilation Error: no such macro"})
	if _, err := b.ex.Prepare(context.Background(), executor.PrepareRequest{}); !executor.IsCode(err, executor.NotPrepared) || !strings.Contains(err.Error(), "no such macro") {
		t.Errorf("a project that does not compile: %v", err)
	}
	b = start(t, script{World: three, NoManifest: true})
	if _, err := b.ex.Prepare(context.Background(), executor.PrepareRequest{}); !executor.IsCode(err, executor.NotPrepared) {
		t.Errorf("a compile that leaves the manifest of before: %v", err)
	}
}

// Row 24: an interrupt reaches dbt, which writes what it has; a dbt that does not end is killed with its whole group.
func TestInterrupt(t *testing.T) {
	for name, hard := range map[string]bool{"dbt ends": false, "dbt does not end": true} {
		t.Run(name, func(t *testing.T) {
			b := start(t, script{World: three, Hang: !hard, HangHard: hard})
			ctx, cancel := context.WithCancel(context.Background())
			go func() {
				for range 600 {
					if isFile(filepath.Join(b.dir, "hanging")) {
						break
					}
					time.Sleep(50 * time.Millisecond)
				}
				cancel()
			}()
			r, err := b.ex.Execute(ctx, request(executor.BuildOnly, "a", "b", "c"), nil)
			if hard {
				if !executor.IsCode(err, executor.Unreadable) {
					t.Fatalf("error %v", err)
				}
				return
			}
			must(t, err)
			if got := statuses(r); got != "success skipped skipped" || !r.Interrupted || r.Succeeded {
				t.Errorf("statuses %s, interrupted %v, succeeded %v", got, r.Interrupted, r.Succeeded)
			}
		})
	}
}

// Rows 12 and 17: dbt retry and dbt deps are never run; each run says what it selects, and one process runs at a time.
func TestCommands(t *testing.T) {
	b := start(t, script{World: executortest.World{Nodes: three.Nodes, Checks: []executortest.Check{{ID: "ta", Covers: []string{"a"}}}}})
	_, err := called(b.dir)
	must(t, err)
	for _, c := range []struct {
		mode executor.Mode
		ids  []string
		want string
		with []string
	}{
		{executor.BuildOnly, []string{"a", "b"}, "run", nil},
		{executor.Build, []string{"a"}, "build", nil},
		{executor.Test, []string{"a"}, "test", nil},
		{executor.BuildOnly, []string{"a"}, "run", []string{"--fail-fast", "--threads", "3"}},
	} {
		req := request(c.mode, c.ids...)
		req.EngineArgs = c.with
		_, err := b.ex.Execute(context.Background(), req, nil)
		must(t, err)
		calls, err := called(b.dir)
		must(t, err)
		if len(calls) != 1 {
			t.Fatalf("dbt was called %d times: %q", len(calls), calls)
		}
		words := strings.Fields(calls[0])
		for _, never := range []string{"retry", "deps", "--state"} {
			if slices.Contains(words, never) {
				t.Errorf("%s has the word %s", calls[0], never)
			}
		}
		for _, always := range []string{"--select", "--target-path " + filepath.Join(b.dir, "target") + " ", "--write-json", "--partial-parse-file-diff", "--no-defer", "--no-favor-state", "--indirect-selection eager", "--log-format json"} {
			if !strings.Contains(calls[0], always) {
				t.Errorf("%s lacks %s", calls[0], always)
			}
		}
		if words[0] != c.want {
			t.Errorf("mode %s of %v is dbt %s, want %s", c.mode, c.ids, words[0], c.want)
		}
	}
	req := request(executor.BuildOnly, "a")
	req.FullRefresh = true
	args, err := b.ex.Arguments(req)
	must(t, err)
	if !slices.Contains(args, "--full-refresh") {
		t.Errorf("no --full-refresh in %q", args)
	}
}

// Row 20: whatever the machine's code page, dbt writes UTF-8. HODOR_MODE is off inside.
func TestEnvironmentOfDBT(t *testing.T) {
	b := start(t, script{World: three})
	raw, err := os.ReadFile(filepath.Join(b.dir, "environ.txt"))
	must(t, err)
	for _, want := range []string{"PYTHONUTF8=1", "PYTHONIOENCODING=utf-8", "HODOR_MODE=off", "DBT_EMPTY=\n", "DBT_ENGINE_SAMPLE=\n"} {
		if !strings.Contains(string(raw)+"\n", want) {
			t.Errorf("the environment of dbt lacks %q", want)
		}
	}
}

// dbt source freshness runs before dbt compile, and only its own results count.
func TestFreshness(t *testing.T) {
	b := start(t, script{World: three, Freshness: true, FreshnessExit: 1})
	_, err := called(b.dir)
	must(t, err)
	r, err := b.ex.Prepare(context.Background(), executor.PrepareRequest{MeasureSources: true})
	must(t, err)
	if !r.SourcesMeasured || r.Artifacts.Sources == "" {
		t.Errorf("measured sources, of which some are stale, are not measured: %+v", r)
	}
	calls, err := called(b.dir)
	must(t, err)
	if len(calls) != 2 || !strings.HasPrefix(calls[0], "source freshness") || !strings.HasPrefix(calls[1], "compile") {
		t.Errorf("calls %q", calls)
	}
	b.script(script{World: three, FreshnessExit: 2}) // leaves the file of before
	if r, err = b.ex.Prepare(context.Background(), executor.PrepareRequest{MeasureSources: true}); err != nil || r.SourcesMeasured || len(r.Warnings) == 0 {
		t.Errorf("a measurement of before counts: %+v, %v", r, err)
	}
	if r, err = b.ex.Prepare(context.Background(), executor.PrepareRequest{}); err != nil || r.SourcesMeasured {
		t.Errorf("nothing was asked for: %+v, %v", r, err)
	}
}
