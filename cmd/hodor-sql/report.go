package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"hodor/explain"
	"hodor/report"
)

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:  "report",
		Usage: "sum up what was reused and built, why, and what it saved",
		Description: examples(
			"report", "the last 30 days",
			"report --since 7d --html report.html", "a page with charts and lineage, in one file that needs no network",
			"report --since 2026-10-01 --price-per-hour 4", "what the time saved is worth",
			"report --false-reuses", "the wrong decisions of shadow mode; exit status 1 if there are any",
		),
		Flags: placeFlags(outputFlags(
			&cli.StringFlag{Name: "since", Value: "30d", Usage: "an `AGE` such as 7d, or a date"},
			&cli.StringFlag{Name: "html", Usage: "write a page to this `FILE`"},
			&cli.BoolFlag{Name: "false-reuses", Usage: "list only the wrong decisions of shadow mode"},
			&cli.Float64Flag{Name: "price-per-hour", Usage: "what an `HOUR` of building costs", EnvVars: []string{"HODOR_PRICE_PER_HOUR"}},
			targetPathFlag(),
		)...),
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("report takes no arguments, got %q", c.Args().First())
			}
			now := time.Now()
			from, err := since("since", c.String("since"), now)
			if err != nil {
				return err
			}
			o := report.Options{SinceMS: from, UntilMS: now.UnixMilli()}
			if c.IsSet("price-per-hour") {
				price := c.Float64("price-per-hour")
				if !(price >= 0) {
					return usage("--price-per-hour is %g; a number, 0 or more, is needed", price)
				}
				o.PricePerHour = &price
			}
			return withStore(c, true, func(ctx context.Context, s readable, p place) error {
				if c.Bool("false-reuses") {
					return falseReuses(ctx, c, s, p, from)
				}
				o.LookbackDays = p.settings.LookbackDays
				if o.Present, err = present(c, p); err != nil {
					return err
				}
				return makeReport(ctx, c, s, p, o)
			})
		},
	}
}

func makeReport(ctx context.Context, c *cli.Context, s readable, p place, o report.Options) error {
	out, err := screen(c)
	if err != nil {
		return err
	}
	r, err := report.Collect(ctx, s, p.scope, o)
	if err != nil {
		return answered(err, explain.ErrNotFound)
	}
	if path := c.String("html"); path != "" {
		g, err := report.Lineage(ctx, s, p.scope, r, o.LookbackDays)
		if err != nil {
			return answered(err, explain.ErrNotFound)
		}
		if err := writePage(path, r, g); err != nil {
			return unreadable("%s can't be written: %v", path, err)
		}
		if !c.Bool("json") {
			_, err = out.Write([]byte("the page is in " + path + "\n"))
			return err
		}
	}
	if c.Bool("json") {
		_, err = c.App.Writer.Write(encode(r))
		return err
	}
	r.Print(out)
	return nil
}

// writePage writes beside the file first, so that a page that somebody looks at is never half a one.
func writePage(path string, r *report.Report, g *report.Graph) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".hodor-report-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := report.WriteHTML(f, r, g); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Chmod(f.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// falseAnswer is the object of `report --false-reuses --json`.
type falseAnswer struct {
	SchemaVersion int            `json:"schema_version"`
	Command       string         `json:"command"` // "false-reuses"
	Project       string         `json:"project"`
	Target        string         `json:"target"`
	SinceMS       int64          `json:"since_ms"`
	FalseReuses   []report.False `json:"false_reuses"`
}

// falseReuses answers no where the rules were wrong, as far as it can be proven.
func falseReuses(ctx context.Context, c *cli.Context, s readable, p place, from int64) error {
	list, err := report.FalseReuses(ctx, s, p.scope, from)
	if err != nil {
		return answered(err, explain.ErrNotFound)
	}
	out, err := screen(c)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		if _, err := c.App.Writer.Write(encode(falseAnswer{explain.SchemaVersion, "false-reuses", p.scope.Project, p.scope.Target, from, list})); err != nil {
			return err
		}
	} else {
		report.PrintFalse(out, list)
	}
	if slices.ContainsFunc(list, func(f report.False) bool { return f.Provable }) {
		return no("")
	}
	return nil
}
