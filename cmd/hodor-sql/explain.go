package main

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"hodor/explain"
)

func explainCommand() *cli.Command {
	return &cli.Command{
		Name:  "explain",
		Usage: "say why a run built or reused its nodes",
		Description: examples(
			"explain", "the latest run, every node",
			"explain --brief", "one line a node",
			"explain -s dim_customers", "one node, and the chain of changes that led to it",
			"explain -s dim_customers --diff", "where its SQL parted from the last build's",
			"explain -s dim_customers --against 367c273b-0615-4982-8f37-2fad9a6c2b8e", "why that run's build was not enough",
			"explain --invocation 367c273b-0615-4982-8f37-2fad9a6c2b8e --json", "an earlier run, for programs",
		),
		Flags: placeFlags(outputFlags(
			&cli.StringSliceFlag{Name: "select", Aliases: []string{"s"}, Usage: "`NODE` by unique id, name or relation; may be repeated"},
			&cli.StringFlag{Name: "invocation", Usage: "the run with this `ID` (default: the latest)"},
			&cli.StringFlag{Name: "against", Usage: "hold the run against what the run with this `ID` built"},
			&cli.BoolFlag{Name: "diff", Usage: "with -s: which hash parted, and where in the present text"},
			&cli.BoolFlag{Name: "brief", Usage: "one line a node"},
			targetPathFlag(),
		)...),
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("explain takes no arguments, got %q; -s names a node", c.Args().First())
			}
			nodes := spread(c.StringSlice("select"))
			if c.Bool("diff") && len(nodes) == 0 {
				return usage("--diff needs -s NODE")
			}
			out, err := screen(c)
			if err != nil {
				return err
			}
			return withStore(c, true, func(ctx context.Context, s readable, p place) error {
				a, err := explain.Explain(ctx, s, p.scope, explain.Options{
					Invocation: c.String("invocation"), Nodes: nodes, Against: c.String("against"), LookbackDays: p.settings.LookbackDays, Chain: len(nodes) > 0,
				})
				if err != nil {
					return answered(err, explain.ErrNotFound)
				}
				if c.Bool("diff") {
					present, err := present(c, p)
					if err != nil {
						return err
					}
					for _, n := range a.Nodes {
						n.AddLines(present)
					}
				}
				switch {
				case c.Bool("json"):
					_, err = c.App.Writer.Write(encode(a))
				case c.Bool("brief"):
					a.PrintBrief(out)
				default:
					a.Print(out)
				}
				return err
			})
		},
	}
}

func targetPathFlag() cli.Flag {
	return &cli.StringFlag{Name: "target-path", Usage: "dbt's target `DIR`, whose run_results.json holds the present SQL (default: target in the project)", EnvVars: []string{"DBT_TARGET_PATH"}}
}

// present reads the present SQL; nil where there is none, which is no error unless the folder was named.
func present(c *cli.Context, p place) (*explain.Present, error) {
	dir := c.String("target-path")
	if dir == "" {
		dir = "target"
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(p.root, dir)
	}
	found, err := explain.ReadPresent(dir)
	if err != nil && !(errors.Is(err, fs.ErrNotExist) && !c.IsSet("target-path")) {
		return nil, unreadable("%w; --target-path names dbt's target folder", err)
	}
	return found, nil
}

func historyCommand() *cli.Command {
	return &cli.Command{
		Name:      "history",
		Usage:     "list the builds and reuses of one node over time",
		ArgsUsage: "NODE",
		Description: examples(
			"history dim_customers", "the newest 50",
			"history --since 30d --limit 0 model.shop.orders", "all of the last 30 days",
		),
		Flags: placeFlags(outputFlags(
			&cli.StringFlag{Name: "since", Usage: "an `AGE` such as 30d, or a date"},
			&cli.IntFlag{Name: "limit", Value: 50, Usage: "at most `N` lines; 0: all"},
		)...),
		Action: func(c *cli.Context) error {
			var err error
			args := positional(c)
			if len(args) != 1 {
				return usage("history needs one node: its unique id, name or relation")
			}
			o := explain.PastOptions{Node: args[0], Limit: c.Int("limit")}
			if o.Limit < 0 {
				return usage("--limit is %d; 0 or more is needed", o.Limit)
			}
			if text := c.String("since"); text != "" {
				if o.SinceMS, err = since("since", text, time.Now()); err != nil {
					return err
				}
			}
			out, err := screen(c)
			if err != nil {
				return err
			}
			return withStore(c, true, func(ctx context.Context, s readable, p place) error {
				o.LookbackDays = p.settings.LookbackDays
				past, err := explain.History(ctx, s, p.scope, o)
				if err != nil {
					return answered(err, explain.ErrNotFound)
				}
				if c.Bool("json") {
					_, err = c.App.Writer.Write(encode(past))
					return err
				}
				past.Print(out)
				return nil
			})
		},
	}
}
