package main

import (
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"hodor/bench/coverage"
	"hodor/normalize"
)

// benchFlags are the options of `hodor-sql bench`.
type benchFlags struct {
	options  normalize.Options
	json     bool
	against  string
	baseline string
	least    time.Duration
}

func benchCommand() *cli.Command {
	return &cli.Command{
		Name:      "bench",
		Usage:     "how much of many SQL texts hodor understands, and how fast",
		ArgsUsage: "FILE|DIR... | -",
		Description: "Takes each file, and the *.sql files of directories at any depth, to hashes and facts, and prints the share at each level, what does not\n" +
			"parse and where, opaque and volatile inputs, speed and memory. Nothing is written, and nothing leaves this machine.\n\n" +
			"qualified: every name is bound, and renamed aliases are no change. parsed: it parses, but some name could not be resolved. text: it does\n" +
			"not parse, so each change of a word builds it.\n\n" +
			"With --against or --baseline the status is 1 if any text has fallen to a lower level.\n\n" +
			examples(
				"bench target/compiled", "a project, after dbt compile",
				"bench --dialect duckdb --json target/compiled > now.json", "the same as one JSON object, to be kept",
				"bench --dialect duckdb --baseline now.json target/compiled", "what has changed since then",
				"bench --against ./hodor-sql-0.1 corpus/databricks", "beside another executable, in turn",
			),
		Flags: []cli.Flag{
			dialectFlag(),
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object (docs/schemas/bench.json)"},
			&cli.StringFlag{Name: "against", Usage: "compare with another hodor-sql, this `BINARY`"},
			&cli.StringFlag{Name: "baseline", Usage: "compare with what --json once printed into this `FILE`"},
			&cli.Float64Flag{Name: "seconds", Value: 1, Usage: "processor time for the rate, 0 to 600 `SECONDS`"},
			&cli.StringFlag{Name: "catalog", Usage: "default catalog of unqualified names"},
			&cli.StringFlag{Name: "schema", Usage: "default schema of unqualified names"},
		},
		Action: func(c *cli.Context) error {
			flags := benchFlags{
				options: normalize.Options{Dialect: c.String("dialect"), Catalog: c.String("catalog"), Schema: c.String("schema"), Replacer: normalize.NewReplacer("", "")},
				json:    c.Bool("json"), against: c.String("against"), baseline: c.String("baseline"),
			}
			if err := checkDialect(flags.options.Dialect); err != nil {
				return err
			}
			seconds := c.Float64("seconds")
			if !(seconds >= 0 && seconds <= 600) {
				return usage("--seconds is %g; a number from 0 to 600 is needed", seconds)
			}
			flags.least = time.Duration(seconds * float64(time.Second))
			args := positional(c)
			if len(args) == 0 {
				return usage("bench needs a file, a directory, or - for stdin; `%s` after dbt compile is the usual one", c.App.Name+" bench target/compiled")
			}
			return bench(c.App.Reader, c.App.Writer, c.App.ErrWriter, args, flags)
		},
	}
}

func bench(stdin io.Reader, stdout, stderr io.Writer, args []string, flags benchFlags) error {
	var saved coverage.Report
	if flags.baseline != "" {
		var err error
		if saved, err = coverage.Load(flags.baseline); err != nil {
			return unreadable("%v", err)
		}
		if saved.Dialect != flags.options.Dialect {
			return usage("%s is of %s SQL; --dialect is %s", flags.baseline, saved.Dialect, flags.options.Dialect)
		}
	}
	files, err := sources(args, true)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return unreadable("there is no *.sql file in %s; `dbt compile` writes target/compiled", args[0])
	}
	texts := make([]coverage.Text, len(files))
	for i, name := range files {
		sql, err := readSource(stdin, name)
		if err != nil {
			return err
		}
		texts[i] = coverage.Text{Name: name, SQL: sql}
	}
	relaxCollector()
	bar := newProgress(stderr, "analysing", len(texts))
	r := coverage.Of(texts, flags.options, flags.least, bar.step)
	bar.end()
	if flags.baseline != "" {
		r.Baseline = r.Diff(flags.baseline, saved)
	}
	if flags.against != "" {
		self, err := os.Executable()
		if err != nil {
			return unreadable("%v", err)
		}
		if r.Against, err = coverage.Compare(self, flags.against, texts, flags.options.Dialect); err != nil {
			return unreadable("%v", err)
		}
	}
	if flags.json {
		_, err = stdout.Write(encode(r))
	} else {
		r.Print(stdout)
	}
	if err != nil {
		return unreadable("stdout: %v", err)
	}
	if n := r.Worse(); n > 0 {
		return no("texts at a lower level than before: %d", n)
	}
	return nil
}
