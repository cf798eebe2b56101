package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/urfave/cli/v2"

	"hodor/doctor"
	"hodor/internal/version"
	"hodor/stores"
	"hodor/stores/duckdb"
)

func doctorCommand() *cli.Command {
	return &cli.Command{
		Name:  "doctor",
		Usage: "check the installation, the settings and the store, and say what to do",
		Description: examples(
			"doctor", "the binary and the store",
		) + "\n   dbt-hodor doctor\n      in a dbt project: dbt, its adapter and the settings too\n\nExit status 1 if a check failed.",
		Flags: placeFlags(outputFlags(
			&cli.BoolFlag{Name: "host", Hidden: true, Usage: "what dbt's process knows comes on stdin, as JSON"},
		)...),
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("doctor takes no arguments, got %q", c.Args().First())
			}
			out, err := screen(c)
			if err != nil {
				return err
			}
			q, err := question(c)
			if err != nil {
				return err
			}
			a := doctor.Examine(c.Context, q)
			if c.Bool("json") {
				if _, err := c.App.Writer.Write(encode(a)); err != nil {
					return err
				}
			} else {
				a.Print(out)
			}
			if !a.OK {
				return no("")
			}
			return nil
		},
	}
}

// question gathers what the doctor looks at.
func question(c *cli.Context) (doctor.Question, error) {
	path, _ := os.Executable()
	q := doctor.Question{Binary: doctor.Binary{Version: version.Version(), Path: path, Platform: runtime.GOOS + "/" + runtime.GOARCH, DuckDB: hasDuckDB}}
	if c.Bool("host") {
		raw, err := io.ReadAll(c.App.Reader)
		if err != nil {
			return q, unreadable("stdin: %v", err)
		}
		q.Host = &doctor.Host{}
		if err := json.Unmarshal(raw, q.Host); err != nil {
			return q, usage("stdin holds no object of dbt's process: %v", err)
		}
		q.Settings = q.Host.Settings
	}
	p, err := asked(c)
	if err != nil {
		return q, err
	}
	q.Store = p.settings.Store
	if q.Host == nil {
		q.Settings = ownSettings(c, p)
	} else if q.Host.Error != "" {
		return q, nil // what the store would be is not known
	}
	if q.Store == "duckdb" {
		q.Path = p.settings.Path
		if q.Path == "" {
			q.Path = duckdb.DefaultPath
		}
		if !filepath.IsAbs(q.Path) {
			q.Path = filepath.Join(p.root, q.Path)
		}
	}
	q.Open = func() (stores.Store, error) { return p.open(false) }
	return q, nil
}

// ownSettings lists the settings of a command outside dbt with their sources. The connection string is not shown: it may hold a password.
func ownSettings(c *cli.Context, p place) []doctor.Setting {
	var out []doctor.Setting
	for _, name := range []string{"store", "path", "dsn", "database", "schema", "table", "endpoint", "project", "target", "project-dir", "lookback-days"} {
		env := "HODOR_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		s := doctor.Setting{Name: "--" + name, Value: c.String(name), Source: "default"}
		switch {
		case s.Value == "":
		case os.Getenv(env) == s.Value:
			s.Source = "environment variable " + env
		default:
			s.Source = "option --" + name
		}
		switch {
		case name == "dsn" && s.Value != "":
			s.Value = "(not shown)"
		case name == "store":
			s.Value = p.settings.Store
		case name == "project" && s.Value == "" && p.scope.Project != "":
			s.Value, s.Source = p.scope.Project, "dbt_project.yml"
		case name == "project-dir" && s.Value == "":
			s.Value = p.root
		case name == "lookback-days" && s.Value == "":
			s.Value = "90"
		case name == "path" && s.Value == "" && p.settings.Store == "duckdb":
			s.Value = duckdb.DefaultPath
		}
		if s.Value != "" {
			out = append(out, s)
		}
	}
	return out
}
