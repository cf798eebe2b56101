package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v2"

	"hodor/grammar"
	"hodor/internal/terminal"
	"hodor/normalize"
	"hodor/normalize/compare"
)

// normalizeAnswer is the object of `normalize --json` and `--jsonl`.
type normalizeAnswer struct {
	ID          string           `json:"id"`
	Dialect     string           `json:"dialect"`
	Level       string           `json:"level"`
	HashVersion string           `json:"hash_version"`
	TextHash    string           `json:"text_hash"`
	CodeHash    string           `json:"code_hash"`
	Normalized  string           `json:"normalized"`
	Facts       normalize.Facts  `json:"facts"`
	Error       *normalize.Error `json:"error,omitempty"`
}

// normalizeFlags are the options of `hodor-sql normalize`.
type normalizeFlags struct {
	options   normalize.Options
	json      bool
	explain   bool
	recursive bool
	jsonl     bool
	jobs      int
	program   string // its name in messages
	screen    *terminal.Screen
}

func normalizeCommand() *cli.Command {
	return &cli.Command{
		Name:      "normalize",
		Usage:     "print canonical SQL, hashes and facts of SQL files",
		ArgsUsage: "FILE|DIR... | -",
		Description: "Prints the canonical SQL of each file. With --jsonl it reads objects {\"id\",\"sql\",\"dialect\"} from stdin, one a line,\n" +
			"and answers each with one line, in the same order.\n\n" +
			examples(
				"normalize models/orders.sql", "the canonical SQL of one file",
				"normalize --explain --dialect duckdb orders.sql", "what each pass changed",
				"normalize --json -r target/compiled", "hashes and facts of a project",
				"normalize --jsonl --jobs 4 < texts.jsonl", "many texts, on four cores",
			),
		Flags: []cli.Flag{
			dialectFlag(),
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object a text"},
			&cli.BoolFlag{Name: "explain", Usage: "print level, hashes, facts, and what each pass changed, beside the canonical SQL"},
			&cli.BoolFlag{Name: "r", Usage: "take the *.sql files of directories, at any depth"},
			&cli.BoolFlag{Name: "jsonl", Usage: "read objects from stdin, a line each"},
			jobsFlag(),
			colorFlag(),
			&cli.StringFlag{Name: "invocation-id", Usage: "the run's invocation id, to get the hash of a recorded run"},
			&cli.StringFlag{Name: "run-started-at", Usage: "the run's run_started_at"},
			&cli.StringFlag{Name: "catalog", Usage: "default catalog of unqualified names"},
			&cli.StringFlag{Name: "schema", Usage: "default schema of unqualified names"},
		},
		Action: func(c *cli.Context) error {
			flags := normalizeFlags{
				json: c.Bool("json"), explain: c.Bool("explain"), recursive: c.Bool("r"), jsonl: c.Bool("jsonl"), jobs: c.Int("jobs"), program: c.App.Name,
			}
			var err error
			args := positional(c)
			if flags.options, flags.screen, err = textOptions(c); err != nil {
				return err
			}
			if flags.jsonl {
				if len(args) > 0 {
					return usage("--jsonl reads stdin and takes no files, got %q", args[0])
				}
				return normalizeLines(c.App.Reader, c.App.Writer, flags)
			}
			if len(args) == 0 {
				return usage("normalize needs a file, a directory (with -r), or - for stdin")
			}
			return normalizeFiles(c.App.Reader, c.App.Writer, c.App.ErrWriter, args, flags)
		},
	}
}

// textOptions reads what the commands that take many SQL texts have in common: the run that the texts belong to, and the terminal.
func textOptions(c *cli.Context) (normalize.Options, *terminal.Screen, error) {
	options := normalize.Options{
		Dialect: c.String("dialect"), Catalog: c.String("catalog"), Schema: c.String("schema"),
		Replacer: normalize.NewReplacer(c.String("invocation-id"), c.String("run-started-at")),
	}
	if err := checkDialect(options.Dialect); err != nil {
		return options, nil, err
	}
	relaxCollector()
	if err := checkJobs(c.Int("jobs")); err != nil {
		return options, nil, err
	}
	s, err := screen(c)
	return options, s, err
}

// dialectFlag is the --dialect option of the commands that read SQL.
func dialectFlag() cli.Flag {
	return &cli.StringFlag{Name: "dialect", Value: normalize.DialectDatabricks, Usage: "databricks or duckdb"}
}

func checkDialect(dialect string) error {
	if dialect != normalize.DialectDatabricks && dialect != normalize.DialectDuckDB {
		return usage("--dialect is %q; databricks or duckdb is needed", dialect)
	}
	return nil
}

func answer(id, sql string, options normalize.Options) normalizeAnswer {
	return answerOf(id, normalize.Normalize(sql, options), options)
}

// traced is answer, and what each pass made of the text.
func traced(id, sql string, options normalize.Options) (normalizeAnswer, []normalize.Step) {
	r, steps := normalize.Trace(sql, options)
	return answerOf(id, r, options), steps
}

func answerOf(id string, r normalize.Result, options normalize.Options) normalizeAnswer {
	return normalizeAnswer{
		ID: id, Dialect: options.Dialect, Level: r.Level, HashVersion: normalize.Version, TextHash: r.TextHash, CodeHash: r.CodeHash,
		Normalized: r.Normalized, Facts: r.Facts, Error: r.Error,
	}
}

// encode prints one object a line, with <, > and & as they are.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // the answers hold nothing that JSON can't say
	}
	return b.Bytes()
}

// sources lists the files that the arguments name: a file as it is, a directory with its *.sql files if recursive, "-" for stdin.
func sources(args []string, recursive bool) ([]string, error) {
	var files []string
	for _, arg := range args {
		if arg == "-" {
			files = append(files, arg)
			continue
		}
		info, err := os.Stat(arg)
		if err != nil {
			return nil, unreadable("%v", err)
		}
		if !info.IsDir() {
			files = append(files, arg)
			continue
		}
		if !recursive {
			return nil, usage("%s is a directory; -r takes its *.sql files", arg)
		}
		err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".sql") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, unreadable("%v", err)
		}
	}
	return files, nil
}

// readSource reads one file, or stdin for "-".
func readSource(stdin io.Reader, name string) (string, error) {
	var data []byte
	var err error
	if name == "-" {
		data, err = io.ReadAll(stdin)
	} else {
		data, err = os.ReadFile(name)
	}
	if err != nil {
		return "", unreadable("%v", err)
	}
	return string(data), nil
}

func normalizeFiles(stdin io.Reader, stdout, stderr io.Writer, args []string, flags normalizeFlags) error {
	files, err := sources(args, flags.recursive)
	if err != nil {
		return err
	}
	type result struct {
		text []byte
		note string
		err  error
	}
	var notes []string
	bar := newProgress(stderr, "normalizing", len(files))
	out := bufio.NewWriter(stdout)
	err = inOrder(len(files), flags.jobs,
		func(i int) result {
			sql, err := readSource(stdin, files[i])
			if err != nil {
				return result{err: err}
			}
			text, note := normalizeFile(files[i], sql, len(files) > 1, flags)
			return result{text: text, note: note}
		},
		func(_ int, r result) error {
			bar.step()
			if r.err != nil {
				return r.err
			}
			if r.note != "" {
				notes = append(notes, r.note)
			}
			_, err := out.Write(r.text)
			return err
		})
	bar.end()
	for _, note := range notes {
		fmt.Fprintf(stderr, "%s: %s\n", flags.program, note)
	}
	if flushErr := out.Flush(); flushErr != nil && err == nil {
		return unreadable("stdout: %v", flushErr)
	}
	return err
}

// normalizeFile is what is printed for one text, and a note where the canonical SQL alone would puzzle: of a text that does not parse it is a list
// of words.
func normalizeFile(name, sql string, titled bool, flags normalizeFlags) (text []byte, note string) {
	if flags.json {
		return encode(answer(name, sql, flags.options)), ""
	}
	var out bytes.Buffer
	if titled {
		fmt.Fprintf(&out, "-- %s\n", name)
	}
	if !flags.explain {
		a := answer(name, sql, flags.options)
		fmt.Fprintln(&out, a.Normalized)
		if a.Level == normalize.LevelText && a.Error != nil {
			note = fmt.Sprintf("%s is no %s SQL that hodor can parse, so its words count as they are: line %d, column %d: %s; "+
				"--dialect names the other dialect, and of a dbt model take the file in target/compiled",
				name, a.Dialect, a.Error.Line, a.Error.Column, a.Error.Message)
		}
		return out.Bytes(), note
	}
	a, steps := traced(name, sql, flags.options)
	explainAnswer(&out, a)
	explainSteps(&out, steps, a.Dialect, flags.screen)
	fmt.Fprintln(&out, a.Normalized)
	return out.Bytes(), ""
}

// explainAnswer prints what is known of a text, as SQL comments.
func explainAnswer(w io.Writer, a normalizeAnswer) {
	fmt.Fprintf(w, "-- level:       %s\n-- code hash:   %s\n-- text hash:   %s\n-- select star: %t\n", a.Level, a.CodeHash, a.TextHash, a.Facts.SelectStar)
	for _, t := range a.Facts.Tables {
		fmt.Fprintf(w, "-- reads table: %s\n", strings.Join(t, "."))
	}
	for _, p := range a.Facts.Paths {
		fmt.Fprintf(w, "-- reads path:  %s\n", p)
	}
	for _, o := range a.Facts.Opaque {
		fmt.Fprintf(w, "-- opaque:      %s\n", o)
	}
	for _, v := range a.Facts.Volatile {
		fmt.Fprintf(w, "-- volatile:    %s (%s, %s)\n", v.Function, v.Kind, v.Use)
	}
	if a.Error != nil {
		fmt.Fprintf(w, "-- not better:  line %d, column %d: %s\n", a.Error.Line, a.Error.Column, a.Error.Message)
	}
}

// explainSteps prints what each pass changed, as SQL comments: the lines before with a minus, those after with a plus. The first pass starts from
// the text as the user wrote it.
func explainSteps(w io.Writer, steps []normalize.Step, dialectName string, s *terminal.Screen) {
	dialect, err := grammar.DialectOf(dialectName)
	if err != nil {
		return
	}
	lines := func(text string) []byte { return []byte(strings.Join(compare.Lines(text, dialect), "\n") + "\n") }
	for i, step := range steps {
		fmt.Fprintf(w, "-- %s\n", s.Paint(terminal.Bold, "pass "+step.Pass+": "+step.Does))
		before := lines(step.Before)
		if i == 0 {
			before = []byte(step.Before + "\n")
		}
		for line := range strings.Lines(string(diff.Diff("before", before, "after", lines(step.After)))) {
			line = strings.TrimSuffix(line, "\n")
			body := ""
			if len(line) > 1 {
				body = strings.TrimSpace(line[1:])
			}
			switch {
			case body == "", strings.HasPrefix(line, "--- before"), strings.HasPrefix(line, "+++ after"):
			case line[0] == '-':
				fmt.Fprintf(w, "--   %s\n", s.Paint(terminal.Red, "- "+body))
			case line[0] == '+':
				fmt.Fprintf(w, "--   %s\n", s.Paint(terminal.Green, "+ "+body))
			}
		}
	}
}

// normalizeLine is one line of the input of --jsonl.
type normalizeLine struct {
	ID      string  `json:"id"`
	SQL     *string `json:"sql"`
	Dialect string  `json:"dialect"`
}

// normalizeLines answers the objects of in, each with one line, in their order, with at most flags.jobs texts in work at a time. A line that
// is no such object ends the command (status 3), after the answers to those before it.
func normalizeLines(in io.Reader, stdout io.Writer, flags normalizeFlags) error {
	out := bufio.NewWriterSize(stdout, 1<<16)
	defer out.Flush()
	// Every line gets a channel for its answer; the queue of channels keeps the order and bounds the work.
	queue := make(chan chan []byte, flags.jobs)
	var readErr error
	go func() {
		defer close(queue)
		var running sync.WaitGroup
		defer running.Wait()
		slots := make(chan struct{}, flags.jobs)
		reader := bufio.NewReaderSize(in, 1<<16)
		for number := 1; ; number++ {
			line, err := reader.ReadBytes('\n')
			if len(bytes.TrimSpace(line)) > 0 {
				var item normalizeLine
				if e := json.Unmarshal(line, &item); e != nil || item.SQL == nil {
					readErr = unreadable("line %d of stdin is no object with \"id\" and \"sql\"", number)
					return
				}
				options := flags.options
				if item.Dialect != "" {
					options.Dialect = item.Dialect
				}
				result := make(chan []byte, 1)
				slots <- struct{}{}
				queue <- result
				running.Add(1)
				go func() {
					defer running.Done()
					defer func() { <-slots }()
					result <- encode(answer(item.ID, *item.SQL, options))
				}()
			}
			if err == io.EOF {
				return
			}
			if err != nil {
				readErr = unreadable("stdin: %v", err)
				return
			}
		}
	}()
	for result := range queue {
		if _, err := out.Write(<-result); err != nil {
			return unreadable("stdout: %v", err)
		}
	}
	return readErr
}
