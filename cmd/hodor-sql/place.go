package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"hodor/internal/terminal"
	"hodor/session"
	"hodor/stores"
	"hodor/stores/duckdb"
	"hodor/warehouse"
)

// placeFlags are the options of every command that reads the store. Each can be set by HODOR_NAME as well, as in a dbt run.
func placeFlags(more ...cli.Flag) []cli.Flag {
	text := func(name, usage string) *cli.StringFlag {
		return &cli.StringFlag{Name: name, Usage: usage, EnvVars: []string{"HODOR_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))}, Category: "Store"}
	}
	return append(more,
		text("store", "`KIND` of store: duckdb, postgres or delta (default: duckdb; postgres with --dsn)"),
		text("path", "DuckDB `FILE`, relative to the project (default: .hodor/state.duckdb)"),
		text("dsn", "Postgres connection `STRING` or URL; else the PG* variables, .pgpass and the service file hold"),
		text("database", "`NAME` of the Postgres database or Databricks catalog"),
		text("schema", "`NAME` of the schema (default: main, public)"),
		text("table", "`NAME` of the state table (default: hodor_state)"),
		text("endpoint", "Lakebase endpoint `PATH`"),
		text("project", "dbt project `NAME` (default: that of dbt_project.yml, or the only one in the store)"),
		text("target", "dbt target `NAME` (default: the only one in the store)"),
		text("project-dir", "`DIR` of the dbt project (default: the one around the current directory)"),
		text("lookback-days", "how many `DAYS` a build counts as history (default: 90)"),
	)
}

// outputFlags are the options of every command that prints for people or programs.
func outputFlags(more ...cli.Flag) []cli.Flag {
	return append(more, &cli.BoolFlag{Name: "json", Usage: "print one JSON object"}, colorFlag())
}

func colorFlag() cli.Flag {
	return &cli.StringFlag{Name: "color", Value: terminal.Auto, Usage: "`WHEN` to use colour: auto, always or never"}
}

// screen is where a command prints for people.
func screen(c *cli.Context) (*terminal.Screen, error) {
	when := c.String("color")
	if when != terminal.Auto && when != terminal.Always && when != terminal.Never {
		return nil, usage("--color is %q; auto, always or never is needed", when)
	}
	return terminal.New(c.App.Writer, when), nil
}

// place is a store and the part of it that a command is about.
type place struct {
	settings session.Settings
	root     string // of the project; absolute
	dsn      string
	scope    stores.Scope // as far as it is said
}

// asked reads the options of placeFlags.
func asked(c *cli.Context) (place, error) {
	p := place{
		settings: session.Settings{
			Store: c.String("store"), Path: c.String("path"), Database: c.String("database"), Schema: c.String("schema"), Table: c.String("table"),
			Endpoint: c.String("endpoint"), LookbackDays: 90, MetadataThreads: 1,
		},
		dsn:   c.String("dsn"),
		scope: stores.Scope{Project: c.String("project"), Target: c.String("target")},
	}
	switch p.settings.Store {
	case "lakebase":
		p.settings.Store = "postgres"
	case "":
		p.settings.Store = "duckdb"
		if p.dsn != "" {
			p.settings.Store = "postgres"
		}
	case "duckdb", "postgres", "delta":
	default:
		return p, usage("--store is %q; duckdb, postgres or delta is needed", p.settings.Store)
	}
	if days := c.String("lookback-days"); days != "" {
		n, err := strconv.Atoi(days)
		if err != nil || n < 1 || n > 3650 {
			return p, usage("--lookback-days is %q; a number from 1 to 3650 is needed", days)
		}
		p.settings.LookbackDays = n
	}
	var name string
	p.root, name = dbtProject(c.String("project-dir"))
	if p.scope.Project == "" {
		p.scope.Project = name
	}
	return p, nil
}

var projectName = regexp.MustCompile(`(?m)^name:[ \t]*['"]?(\w+)`)

// dbtProject returns the folder of the dbt project at or around dir, and the project's name. Where there is none it is dir itself, and no name.
func dbtProject(dir string) (root, name string) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return dir, ""
	}
	for at := start; ; at = filepath.Dir(at) {
		if raw, err := os.ReadFile(filepath.Join(at, "dbt_project.yml")); err == nil {
			if m := projectName.FindSubmatch(raw); m != nil {
				name = string(m[1])
			}
			return at, name
		}
		if at == filepath.Dir(at) {
			return start, ""
		}
	}
}

// open opens the store; dbt's connection is used where it was lent.
func (p place) open(readOnly bool) (stores.Store, error) {
	ask := storeAsk{settings: p.settings, root: p.root, dsn: p.dsn, readOnly: readOnly}
	l, err := borrow()
	if err != nil {
		return nil, err
	}
	if l != nil {
		ask.login, ask.warehouse = l.login, warehouse.Open(l.host(), 2)
	}
	return openStore(ask)
}

// readable is what the commands read.
type readable interface {
	stores.Store
	stores.Reporter
}

// withStore opens the store of a command, settles its scope and runs do.
func withStore(c *cli.Context, readOnly bool, do func(ctx context.Context, s readable, p place) error) error {
	p, err := asked(c)
	if err != nil {
		return err
	}
	store, err := p.open(readOnly)
	if err != nil {
		return unreadable("%w", err)
	}
	defer store.Close()
	s, ok := store.(readable)
	if !ok {
		return unreadable("the %s store can't be reported on", p.settings.Store)
	}
	if p.scope, err = settle(c.Context, s, p); err != nil {
		return err
	}
	return do(c.Context, s, p)
}

// where names the store in a message: a file by its whole path, since which one it is depends on the folder a command is started in.
func (p place) where() string {
	if p.settings.Store != "duckdb" {
		return "the " + p.settings.Store + " store"
	}
	path := cmp.Or(p.settings.Path, duckdb.DefaultPath)
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.root, path)
	}
	return "the state file " + path
}

// settle completes the scope of a place by what its store has.
func settle(ctx context.Context, s readable, p place) (stores.Scope, error) {
	scope := p.scope
	if scope.Project != "" && scope.Target != "" {
		return scope, nil
	}
	all, err := s.Scopes(ctx)
	if err != nil {
		return scope, unreadable("%w", err)
	}
	fits := func(name, have string) bool { return name == "" || name == have }
	var found []stores.Scope
	for _, one := range all {
		if fits(scope.Project, one.Project) && fits(scope.Target, one.Target) {
			found = append(found, one)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if len(all) == 0 {
			return scope, no("%s has no records yet; run dbt with hodor on or in shadow mode, or name another store (--project-dir, --path, --store, ...)", p.where())
		}
		return scope, no("the store has no records of that project and target; it has %s", scopes(all))
	}
	return scope, usage("the store has %s; choose by --project and --target", scopes(found))
}

func scopes(list []stores.Scope) string {
	const most = 6
	var words []string
	for _, s := range list[:min(len(list), most)] {
		words = append(words, "project "+s.Project+" target "+s.Target)
	}
	if len(list) > most {
		words = append(words, fmt.Sprintf("%d more", len(list)-most))
	}
	return strings.Join(words, ", ")
}

var age = regexp.MustCompile(`^(\d{1,6})([smhdw])$`)

// since reads a time: an age (30d, 12h), a date or a time in UTC. Epoch ms.
func since(option, text string, now time.Time) (int64, error) {
	if m := age.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		unit := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}[m[2]]
		return now.Add(-time.Duration(n) * unit).UnixMilli(), nil
	}
	for _, layout := range []string{"2006-01-02", "2006-01-02T15:04", "2006-01-02 15:04", time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UnixMilli(), nil
		}
	}
	return 0, usage("--%s is %q; an age such as 30d or 12h, or a date such as 2026-10-19 is needed", option, text)
}

// answered gives an error of a question to the store its exit status.
func answered(err error, notFound error) error {
	var o *outcome
	switch {
	case err == nil || errors.As(err, &o):
		return err
	case errors.Is(err, notFound):
		text := strings.TrimPrefix(err.Error(), notFound.Error()+": ")
		return no("%s", text)
	}
	return unreadable("%w", err)
}

// spread takes a list option apart: it may be repeated, and each may hold several names with commas between.
func spread(list []string) []string {
	var out []string
	for _, one := range list {
		out = append(out, strings.FieldsFunc(one, func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
