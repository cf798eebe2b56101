package dbt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"hodor/executor"
)

// Options of an executor. What is empty is read from dbt's environment variables, then left to dbt.
type Options struct {
	// DBT is the dbt command line: a path, or a name on PATH; "" is dbt.
	DBT string
	// ProjectDir is the folder of dbt_project.yml; "" looks for it as dbt does, in the working folder and above.
	ProjectDir string
	// ProfilesDir, Profile, Target and Vars are dbt's options of those names.
	ProfilesDir, Profile, Target, Vars string
	// TargetPath is where artifacts are, relative to the project's folder; "" is the project's own.
	TargetPath string
	// FullRefresh is the default of the request's.
	FullRefresh bool
	// Environ is the environment, os.Environ() if nil.
	Environ []string
	// Output takes what dbt prints; nil: nowhere. It must not be standard output, which carries reports.
	Output io.Writer
	// Grace is how long an interrupted dbt may take to end; 30 s if 0.
	Grace time.Duration
	// ExcludeChecks leaves these kinds of checks out of mode Build: "test", "unit_test".
	ExcludeChecks []string
}

// Executor runs one project's nodes with dbt. Create it with New.
type Executor struct {
	opt      Options
	env      []string
	out      output
	warnings []string
	project  string // absolute folder
	target   string // absolute target path
}

// New returns an executor for a project. It starts nothing.
func New(o Options) (*Executor, error) {
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	env, d, warnings, err := environment(o.Environ, dotenv())
	if err != nil {
		return nil, err
	}
	fill := func(into *string, from string) {
		if *into == "" {
			*into = from
		}
	}
	fill(&o.ProjectDir, d.ProjectDir)
	fill(&o.ProfilesDir, d.ProfilesDir)
	fill(&o.Profile, d.Profile)
	fill(&o.Target, d.Target)
	fill(&o.TargetPath, d.TargetPath)
	o.FullRefresh = o.FullRefresh || d.FullRefresh
	if o.Output == nil {
		o.Output = io.Discard
	}
	if o.Grace == 0 {
		o.Grace = 30 * time.Second
	}
	e := &Executor{opt: o, env: env, warnings: warnings, out: output{quiet: d.Quiet, json: d.LogFormat == "json", level: d.LogLevel}}
	if e.project, err = projectDir(o.ProjectDir); err != nil {
		return nil, err
	}
	if e.target, err = targetPath(e.project, o.TargetPath); err != nil {
		return nil, err
	}
	return e, nil
}

// Options returns the options with their defaults filled in.
func (e *Executor) Options() Options { return e.opt }

// Warnings are lines about settings of the environment that are overridden.
func (e *Executor) Warnings() []string { return e.warnings }

// ProjectDir is the project's absolute folder, TargetPath the absolute folder of its artifacts.
func (e *Executor) ProjectDir() string { return e.project }

// TargetPath is the absolute folder of dbt's artifacts.
func (e *Executor) TargetPath() string { return e.target }

// Environment is what dbt gets as its environment.
func (e *Executor) Environment() []string { return slices.Clone(e.env) }

func (e *Executor) artifact(name string) string { return filepath.Join(e.target, name) }

// projectDir finds the project as dbt does.
func projectDir(dir string) (string, error) {
	notThere := func(where string) error {
		return executor.Refusal("name the project's folder with --project-dir", "there is no dbt_project.yml in %s", where)
	}
	if dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", err
		}
		if !isFile(filepath.Join(abs, "dbt_project.yml")) {
			return "", notThere(abs)
		}
		return abs, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for d := here; ; d = filepath.Dir(d) {
		if isFile(filepath.Join(d, "dbt_project.yml")) {
			return d, nil
		}
		if d == filepath.Dir(d) {
			return "", notThere(here + " or above")
		}
	}
}

var targetPathKey = regexp.MustCompile(`(?m)^["']?target-path["']?\s*:\s*(.*?)\s*(?:#.*)?$`)

// targetPath is the absolute folder of artifacts: as asked for, else as dbt_project.yml says, else target.
func targetPath(project, asked string) (string, error) {
	if asked == "" {
		yml, err := os.ReadFile(filepath.Join(project, "dbt_project.yml"))
		if err != nil {
			return "", executor.Refusal("look at the file", "dbt_project.yml can't be read: %v", err)
		}
		asked = "target"
		if m := targetPathKey.FindStringSubmatch(string(yml)); m != nil && m[1] != "" {
			asked = strings.Trim(m[1], `"'`)
			if strings.ContainsAny(asked, "{&*!|>") {
				return "", executor.Refusal("name the folder with --target-path", "the target-path of dbt_project.yml is a template, which only dbt can render")
			}
		}
	}
	if filepath.IsAbs(asked) {
		return filepath.Clean(asked), nil
	}
	return filepath.Join(project, asked), nil
}

// Name implements executor.Executor.
func (e *Executor) Name() string { return "dbt" }

// Capabilities implements executor.Executor.
func (e *Executor) Capabilities() executor.Capabilities {
	return executor.Capabilities{Contract: executor.ContractVersion, RunEvents: true}
}

// base are the arguments that every command gets. What dbt_project.yml may have set under flags: is beaten here too.
func (e *Executor) base(command []string, out output) []string {
	level := "info"
	if out.level == "debug" {
		level = "debug"
	}
	args := append(slices.Clone(command), "--project-dir", e.project, "--target-path", e.target, "--log-format", "json", "--log-level", level,
		"--no-quiet", "--no-use-colors", "--write-json", "--partial-parse-file-diff", "--no-defer", "--no-favor-state", "--no-use-v2-parser",
		"--indirect-selection", "eager")
	for _, o := range []struct{ name, value string }{
		{"--profiles-dir", e.opt.ProfilesDir}, {"--profile", e.opt.Profile}, {"--target", e.opt.Target}, {"--vars", e.opt.Vars},
	} {
		if o.value != "" {
			args = append(args, o.name, o.value)
		}
	}
	switch command[0] {
	case "compile":
		return append(args, "--no-empty", "--introspect")
	case "run", "build", "seed", "snapshot":
		return append(args, "--no-empty")
	}
	return args
}

// Prepare implements executor.Executor: dbt source freshness, if sources are to be measured, then dbt compile. In this order, since freshness
// rewrites the compiled manifest.
func (e *Executor) Prepare(ctx context.Context, req executor.PrepareRequest) (executor.PrepareReport, error) {
	var r executor.PrepareReport
	pass, out, err := arguments(req.EngineArgs, e.out)
	if err != nil {
		return r, err
	}
	r.Warnings = slices.Clone(e.warnings)
	sources := ""
	if req.MeasureSources {
		var warning string
		if sources, warning, err = e.freshness(ctx, pass, out); err != nil {
			return r, err
		}
		if warning != "" {
			r.Warnings = append(r.Warnings, warning)
		}
		r.SourcesMeasured = sources != ""
	}
	path := e.artifact("manifest.json")
	before := invocationOf(path)
	end, err := e.start(ctx, append(e.base([]string{"compile"}, out), forCommand("compile", pass)...), &console{out: e.opt.Output, show: out})
	if err != nil {
		return r, err
	}
	switch {
	case end.interrupted:
		return r, &executor.Error{Code: executor.NotPrepared, Text: "stopped while dbt compiled the project; nothing was built", Err: context.Cause(ctx)}
	case end.killed:
		return r, &executor.Error{Code: executor.NotPrepared, Text: "dbt was killed while it compiled the project; nothing was built" + quoted(end.words), Hint: "is there enough memory?"}
	case end.exit != 0:
		return r, &executor.Error{Code: executor.NotPrepared, Text: fmt.Sprintf("dbt compile failed with exit status %d; nothing was built%s", end.exit, quoted(end.words)), Hint: "correct the project and run it again"}
	}
	after := invocationOf(path)
	if after == "" || after == before || end.invocationID != "" && after != end.invocationID {
		return r, &executor.Error{Code: executor.NotPrepared, Text: "dbt compile left no manifest of its own in " + e.target, Hint: "does another dbt write there? Give each its own --target-path"}
	}
	r.Artifacts = executor.Artifacts{Manifest: path, Sources: sources, RunID: after, RunStartedAt: end.startedAt}
	return r, nil
}

// freshness measures the sources. It returns the path of the measurements, or "" and why there are none: a file that was there before does not count.
func (e *Executor) freshness(ctx context.Context, pass []string, out output) (path, warning string, err error) {
	path = e.artifact("sources.json")
	before := invocationOf(path)
	end, err := e.start(ctx, append(e.base([]string{"source", "freshness"}, out), forCommand("source", pass)...), &console{out: e.opt.Output, show: out})
	if err != nil {
		return "", "", err
	}
	if end.interrupted {
		return "", "", &executor.Error{Code: executor.NotPrepared, Text: "stopped while dbt measured the sources; nothing was built", Err: context.Cause(ctx)}
	}
	after := invocationOf(path)
	if after == "" || after == before || end.invocationID != "" && after != end.invocationID {
		return "", fmt.Sprintf("dbt source freshness ended with status %d and left no measurements; sources count as not measured%s.", end.exit, quoted(end.words)), nil
	}
	return path, "", nil
}

func quoted(words string) string {
	if words == "" {
		return ""
	}
	return ": " + words
}

// errNoResults is what is said of a run that left no results.
var errNoResults = errors.New("it left no run_results.json of this run")

// RelayArguments are dbt's options for a process that loads the same project in the same way: where it is, what it is run with, and what changes the
// meaning of its tests.
func (e *Executor) RelayArguments(engineArgs []string) ([]string, error) {
	pass, _, err := arguments(engineArgs, e.out)
	if err != nil {
		return nil, err
	}
	args := []string{"--project-dir", e.project, "--target-path", e.target, "--partial-parse-file-diff", "--no-defer", "--no-favor-state", "--no-use-v2-parser", "--no-empty"}
	for _, o := range []struct{ name, value string }{
		{"--profiles-dir", e.opt.ProfilesDir}, {"--profile", e.opt.Profile}, {"--target", e.opt.Target}, {"--vars", e.opt.Vars},
	} {
		if o.value != "" {
			args = append(args, o.name, o.value)
		}
	}
	for _, a := range pass {
		name, _, _ := strings.Cut(a, "=")
		switch name {
		case "--store-failures", "--warn-error", "--warn-error-options":
			args = append(args, a)
		}
	}
	return args, nil
}
