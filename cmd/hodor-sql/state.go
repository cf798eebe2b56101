package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"hodor/executor/dbt"
	"hodor/internal/version"
	"hodor/session"
	"hodor/state"
	"hodor/stores"
	"hodor/stores/postgres"
)

func stateCommand() *cli.Command {
	sub := func(name, usage, description string, flags ...cli.Flag) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, ArgsUsage: "[-- engine arguments]", Description: description, Flags: append(flags, stateFlags()...),
			Action: func(c *cli.Context) error { return stateAction(c, name) },
		}
	}
	return &cli.Command{
		Name:  "state",
		Usage: "plan and run exactly the nodes that must be built, from outside dbt",
		Description: examples(
			"state plan", "what would be built, and why, from what is compiled",
			"state run --dry-run", "the same after compiling",
			"state run --threads 8", "build it, and record what succeeded",
			"state build --exclude stg_orders", "models, seeds and snapshots with their tests, less one",
			"state plan --out plan.json; hodor-sql state run --plan plan.json", "plan now, run later, if nothing moved",
			"state test", "test what was built and not yet tested",
			"state run -- --fail-fast --log-level debug", "options for dbt itself stand behind --",
		),
		Subcommands: []*cli.Command{
			sub("compile", "prepare the project and plan it", examples(
				"state compile", "compile, and say what would be built",
				"state compile --source-freshness", "measure the sources first",
			), prepareFlags(narrowFlags()...)...),
			sub("plan", "plan from what is compiled", examples(
				"state plan --tree", "what would be built, as a tree",
				"state plan --explain dim_customers", "what was compared for one node",
				"state plan --json --out plan.json", "for a program, and for a later run",
			), planFlags(narrowFlags()...)...),
			sub("run", "build what must be built, as dbt run does, with the seeds and snapshots that it needs", examples(
				"state run --threads 8", "compile, plan, build, record",
				"state run --plan plan.json", "what was planned, if nothing moved since",
				"state run -s dim_customers", "one node, if it must be built",
			), runFlags(prepareFlags(narrowFlags()...)...)...),
			sub("seed", "build the seeds that must be built", examples(
				"state seed --dry-run", "which seeds would be loaded",
			), runFlags(prepareFlags(narrowFlags()...)...)...),
			sub("snapshot", "build the snapshots that must be built", examples(
				"state snapshot --no-compile", "from what is compiled",
			), runFlags(prepareFlags(narrowFlags()...)...)...),
			sub("build", "build what must be built, and test it", examples(
				"state build", "what fails its tests is not recorded",
				"state build --exclude-resource-type unit_test", "without unit tests",
			), runFlags(prepareFlags(narrowFlags(excludeTypeFlag())...)...)...),
			sub("test", "test what was built and is not tested", examples(
				"state test", "after a state run without tests",
				"state test --all", "everything that has tests",
			), testFlags(prepareFlags(narrowFlags()...)...)...),
		},
	}
}

// stateFlags are the options of every state command.
func stateFlags() []cli.Flag {
	text := func(category, name, usage string) cli.Flag {
		return &cli.StringFlag{Name: name, Usage: usage, Category: category}
	}
	return []cli.Flag{
		&cli.BoolFlag{Name: "json", Usage: "print one JSON envelope"}, colorFlag(),
		&cli.BoolFlag{Name: "verbose", Usage: "say on stderr why versions are unknown"},
		text("dbt", "project-dir", "`DIR` of the dbt project (default: DBT_PROJECT_DIR, or the one around the current directory)"),
		text("dbt", "profiles-dir", "`DIR` of profiles.yml"), text("dbt", "profile", "`NAME` of the profile"), text("dbt", "target", "`NAME` of the target"),
		text("dbt", "target-path", "`DIR` of dbt's artifacts, relative to the project (default: the project's own)"),
		text("dbt", "vars", "`YAML` for the project"),
		text("dbt", "dbt", "`PATH` of dbt (default: dbt on PATH, or beside the interpreter)"),
		text("dbt", "python", "`PATH` of the Python in which dbt and dbt-hodor are installed (default: the one beside this command, else python3)"),
		text("Store", "store", "`KIND` of store: duckdb, postgres or delta (default: that of the profile)"),
		text("Store", "path", "DuckDB `FILE`, relative to the project"), text("Store", "database", "`NAME` of the Postgres database or Databricks catalog"),
		text("Store", "schema", "`NAME` of the schema"), text("Store", "table", "`NAME` of the state table"), text("Store", "endpoint", "Lakebase endpoint `PATH`"),
		text("Store", "lookback-days", "how many `DAYS` a build counts as history"),
	}
}

func narrowFlags(more ...cli.Flag) []cli.Flag {
	names := func(name, alias, usage string) cli.Flag {
		f := &cli.StringSliceFlag{Name: name, Usage: usage}
		if alias != "" {
			f.Aliases = []string{alias}
		}
		return f
	}
	return append(more,
		names("select", "s", "only these nodes of those that must be built: `IDS` or names; may be repeated"),
		names("exclude", "", "all but these: `IDS` or names; may be repeated"),
		names("resource-type", "", "only this `TYPE`: model, seed, snapshot, function; may be repeated"),
		&cli.BoolFlag{Name: "full-refresh", Usage: "build everything, and from nothing what is built in steps"},
		&cli.StringFlag{Name: "sources", Usage: "`FILE` of an earlier dbt source freshness"},
		&cli.BoolFlag{Name: "trust-loaded-at", Usage: "a source without a version of its own takes the time of its last load"},
	)
}

func prepareFlags(more ...cli.Flag) []cli.Flag {
	return append(more,
		&cli.BoolFlag{Name: "source-freshness", Usage: "measure the sources first; what is stale or fails counts as unknown"},
		&cli.StringFlag{Name: "threads", Usage: "how many nodes dbt runs at once"},
	)
}

func planFlags(more ...cli.Flag) []cli.Flag {
	return append(more,
		&cli.StringFlag{Name: "out", Usage: "write the plan to `FILE`"},
		&cli.StringFlag{Name: "explain", Usage: "what was compared for one `NODE`"},
		&cli.BoolFlag{Name: "tree", Usage: "print the plan as a tree"},
	)
}

func runFlags(more ...cli.Flag) []cli.Flag {
	return append(more,
		&cli.StringFlag{Name: "plan", Usage: "run the plan in `FILE`, if nothing moved since"},
		&cli.BoolFlag{Name: "dry-run", Usage: "build nothing"},
		&cli.BoolFlag{Name: "no-compile", Usage: "plan from what is compiled"},
	)
}

func testFlags(more ...cli.Flag) []cli.Flag {
	return append(more,
		&cli.BoolFlag{Name: "all", Usage: "test everything that has tests"},
		&cli.BoolFlag{Name: "dry-run", Usage: "test nothing"},
		&cli.BoolFlag{Name: "no-compile", Usage: "go by what is compiled"},
	)
}

func excludeTypeFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "exclude-resource-type", Usage: "`TYPE` of checks to leave out: test, unit_test; may be repeated"}
}

// stateAction is every state command.
func stateAction(c *cli.Context, command string) error {
	out, err := newStateOutput(c, command)
	if err != nil {
		return err
	}
	o, err := stateOptions(c, command, out)
	if err != nil {
		return out.finish(nil, err)
	}
	ctx, stop := signal.NotifyContext(c.Context, os.Interrupt, syscall.SIGTERM)
	defer stop()
	report, err := o.Run(ctx)
	if err == nil && c.String("out") != "" {
		err = savePlan(c.String("out"), report.Plan)
	}
	return out.finish(report, err)
}

func savePlan(path string, p *state.Plan) error {
	raw, err := p.Save()
	if err == nil {
		err = os.WriteFile(path, raw, 0o644)
	}
	if err != nil {
		return unreadable("the plan can't be written to %s: %v", path, err)
	}
	return nil
}

// stateOptions turns flags into what package state takes.
func stateOptions(c *cli.Context, command string, out *stateOutput) (*state.Options, error) {
	o := &state.Options{
		Command: command, NoCompile: c.Bool("no-compile"), MeasureSources: c.Bool("source-freshness"), SourcesFile: c.String("sources"),
		TrustLoadedAt: c.Bool("trust-loaded-at"), DryRun: c.Bool("dry-run"), All: c.Bool("all"), Select: spread(c.StringSlice("select")),
		Exclude: spread(c.StringSlice("exclude")), ResourceTypes: spread(c.StringSlice("resource-type")), Sink: out.sink(), Say: out.say, Version: version.Version(),
	}
	for _, t := range o.ResourceTypes {
		if !slices.Contains([]string{"model", "seed", "snapshot", "function"}, t) {
			return nil, usage("--resource-type is %q; model, seed, snapshot or function is needed", t)
		}
	}
	if c.Bool("verbose") {
		o.Log = out.note
	}
	without := spread(c.StringSlice("exclude-resource-type"))
	for _, t := range without {
		if t != "test" && t != "unit_test" {
			return nil, usage("--exclude-resource-type is %q; test or unit_test is needed (for nodes use --exclude or --resource-type)", t)
		}
	}
	if slices.Contains(without, "test") {
		o.WithoutTests = true
		if !slices.Contains(without, "unit_test") {
			without = append(without, "unit_test")
		}
	}
	if path := c.String("plan"); path != "" {
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, unreadable("%v", err)
		}
		if o.Saved, err = state.LoadPlan(raw); err != nil {
			return nil, err
		}
		for _, name := range []string{"select", "exclude", "resource-type", "full-refresh", "trust-loaded-at"} {
			if c.IsSet(name) {
				return nil, usage("--%s and --plan: the plan says what is built; make it with --%s", name, name)
			}
		}
	}
	o.EngineArgs = c.Args().Slice()
	if t := c.String("threads"); t != "" {
		o.EngineArgs = append(o.EngineArgs, "--threads="+t)
	}
	environ := os.Environ()
	for _, name := range []string{"store", "path", "database", "schema", "table", "endpoint", "lookback-days"} {
		if c.IsSet(name) {
			environ = append(environ, "HODOR_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))+"="+c.String(name))
		}
	}
	python := pythonFor(c.String("python"))
	d, err := dbt.New(dbt.Options{
		DBT: dbtFor(c.String("dbt"), python), ProjectDir: c.String("project-dir"), ProfilesDir: c.String("profiles-dir"), Profile: c.String("profile"),
		Target: c.String("target"), TargetPath: c.String("target-path"), Vars: c.String("vars"), FullRefresh: c.Bool("full-refresh"),
		Environ: environ, Output: out.engine(), ExcludeChecks: without,
	})
	if err != nil {
		return nil, err
	}
	if d.Options().FullRefresh {
		o.FullRefresh = true
	}
	o.Executor, o.Manifest = d, filepath.Join(d.TargetPath(), "manifest.json")
	relayArgs, err := d.RelayArguments(o.EngineArgs)
	if err != nil {
		return nil, err
	}
	o.StartOutside = func(ctx context.Context) (state.Outside, error) {
		return state.StartRelay(ctx, state.RelayOptions{Python: python, Args: relayArgs, Environ: d.Environment(), Version: version.Version()})
	}
	o.OpenStore = func(ctx context.Context, s session.Settings, root string, warehouse *sql.DB, out state.Outside) (stores.Store, error) {
		return openStore(storeAsk{settings: s, root: root, warehouse: warehouse, login: func(ctx context.Context, endpoint string) (postgres.Login, error) {
			l, err := out.Credential(ctx, endpoint)
			if err == nil && (l.Host == "" || l.User == "" || l.Token == "") {
				err = errors.New("dbt answered without host, user or token")
			}
			if err != nil {
				return postgres.Login{}, fmt.Errorf("no login to the Lakebase endpoint: %w", err)
			}
			return postgres.Login{Host: l.Host, User: l.User, Password: l.Token}, nil
		}})
	}
	return o, nil
}

// pythonFor is the interpreter in front of the warehouse: the one that was named, else that of the environment in which this command is installed, else
// python3.
func pythonFor(named string) string {
	if named != "" {
		return named
	}
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		for dir := filepath.Dir(self); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if !isFile(filepath.Join(dir, "pyvenv.cfg")) {
				continue // not the root of an environment
			}
			for _, name := range []string{"bin/python3", "bin/python", "Scripts/python.exe"} {
				if path := filepath.Join(dir, filepath.FromSlash(name)); isFile(path) {
					return path
				}
			}
		}
	}
	for _, name := range []string{"python3", "python"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return "python3"
}

// dbtFor is the dbt command line: the one that was named, else dbt on PATH, else the one beside the interpreter.
func dbtFor(named, python string) string {
	if named != "" {
		return named
	}
	if path, err := exec.LookPath("dbt"); err == nil {
		return path
	}
	for _, name := range []string{"dbt", "dbt.exe"} {
		if path := filepath.Join(filepath.Dir(python), name); isFile(path) {
			return path
		}
	}
	return "dbt"
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// isTerminal tells whether w is one.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}
