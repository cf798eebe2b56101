package main

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"hodor/explain"
	"hodor/stores/delta"
	"hodor/stores/duckdb"
	"hodor/stores/postgres"
	"hodor/stores/sqlstore"
)

// pruneAnswer is the object of `prune --json`.
type pruneAnswer struct {
	SchemaVersion int    `json:"schema_version"`
	Command       string `json:"command"` // "prune"
	Project       string `json:"project"`
	Target        string `json:"target"`
	BeforeMS      int64  `json:"before_ms"`
	Records       int64  `json:"records"`
	Deleted       bool   `json:"deleted"`
}

func pruneCommand() *cli.Command {
	return &cli.Command{
		Name:  "prune",
		Usage: "delete old records of one project and target",
		Description: examples(
			"prune", "count what is older than the lookback window",
			"prune --yes", "delete it",
			"prune --keep 30d --yes", "keep 30 days",
		) + "\n\nNothing is deleted without --yes. Other projects and targets in the same table are never touched.",
		Flags: placeFlags(outputFlags(
			&cli.StringFlag{Name: "keep", Usage: "keep the records of this `AGE` (30d, 12h) or since a date (default: --lookback-days)"},
			&cli.BoolFlag{Name: "yes", Usage: "delete; without it the records are only counted"},
		)...),
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("prune takes no arguments, got %q", c.Args().First())
			}
			var before int64
			if text := c.String("keep"); text != "" {
				var err error
				if before, err = since("keep", text, time.Now()); err != nil {
					return err
				}
			}
			yes := c.Bool("yes")
			return withStore(c, !yes, func(ctx context.Context, s readable, p place) error {
				if before == 0 {
					before = time.Now().Add(-time.Duration(p.settings.LookbackDays) * 24 * time.Hour).UnixMilli()
				}
				n, err := s.Prune(ctx, p.scope, before, !yes)
				if err != nil {
					return unreadable("%w", err)
				}
				if c.Bool("json") {
					_, err := c.App.Writer.Write(encode(pruneAnswer{explain.SchemaVersion, "prune", p.scope.Project, p.scope.Target, before, n, yes}))
					return err
				}
				verb, hint := "were deleted", ""
				if !yes {
					verb, hint = "would be deleted", "; --yes deletes them"
				}
				if n == 0 {
					hint = ""
				}
				_, err = fmt.Fprintf(c.App.Writer, "%s records of project %s, target %s from before %s %s%s.\n",
					explain.Count(n), p.scope.Project, p.scope.Target, explain.Time(before), verb, hint)
				return err
			})
		},
	}
}

func ddlCommand() *cli.Command {
	return &cli.Command{
		Name:  "ddl",
		Usage: "print the statements that create the state tables",
		Description: examples(
			"ddl", "for a DuckDB file",
			"ddl --store postgres --database state --schema ops", "for Postgres",
			"ddl --store delta --database main --schema ops", "for Databricks, to be run by someone who may create tables",
		),
		Flags: placeFlags(),
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("ddl takes no arguments, got %q", c.Args().First())
			}
			p, err := asked(c)
			if err != nil {
				return err
			}
			list, err := statements(p)
			if err != nil {
				return err
			}
			for _, statement := range list {
				if _, err := fmt.Fprintln(c.App.Writer, statement+";"); err != nil {
					return unreadable("stdout: %v", err)
				}
			}
			return nil
		},
	}
}

// statements returns the DDL of a place. Names are checked as the store itself checks them.
func statements(p place) ([]string, error) {
	t := sqlstore.Table{Schema: p.settings.Schema, Name: p.settings.Table}
	if t.Name == "" {
		t.Name = "hodor_state"
	}
	d := postgres.Dialect
	switch p.settings.Store {
	case "duckdb":
		d = duckdb.Dialect
		if t.Schema == "" {
			t.Schema = "main"
		}
	case "postgres":
		if t.Schema == "" {
			t.Schema = "public"
		}
	case "delta":
		d = delta.Dialect
		t.Database = p.settings.Database
		if t.Database == "" || t.Schema == "" {
			return nil, usage("a Delta store needs --database (the catalog) and --schema")
		}
	}
	if _, err := sqlstore.New(d, nil, t, true); err != nil {
		return nil, usage("%v", err)
	}
	list := sqlstore.DDL(d, t)
	if d == delta.Dialect {
		list = append(list, delta.Grants(t, "<service principal of the jobs>", "<everybody else>")...)
	}
	return list, nil
}
