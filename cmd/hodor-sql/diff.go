package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v2"

	"hodor/grammar"
	"hodor/internal/terminal"
	"hodor/normalize"
	"hodor/normalize/compare"
)

// diffFlags are the options of `hodor-sql diff`.
type diffFlags struct {
	options   normalize.Options
	dialect   grammar.Dialect
	recursive bool
	jobs      int
	screen    *terminal.Screen
}

func diffCommand() *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "tell whether two SQL texts count as the same code, or where they part",
		ArgsUsage: "A.sql|DIR|- B.sql|DIR|-",
		Description: "Prints nothing but \"equal\" for texts of one code hash. Else the canonical texts as a unified diff, one clause a line, and what rule\n" +
			"keeps them apart. With -r, the *.sql files of two directories are compared by their paths.\n\n" +
			"Exit status: 0 all are equal; 1 some differ or stand in one directory only; 2 bad usage; 3 an input can't be read.\n\n" +
			examples(
				"diff old.sql new.sql", "are they the same code?",
				"diff -r before/compiled target/compiled", "two states of a project",
			),
		Flags: []cli.Flag{
			dialectFlag(),
			&cli.BoolFlag{Name: "r", Usage: "compare the *.sql files of two directories, at any depth"},
			jobsFlag(),
			colorFlag(),
			&cli.StringFlag{Name: "catalog", Usage: "default catalog of unqualified names"},
			&cli.StringFlag{Name: "schema", Usage: "default schema of unqualified names"},
			&cli.StringFlag{Name: "invocation-id", Usage: "the run's invocation id, if its values stand in the texts"},
			&cli.StringFlag{Name: "run-started-at", Usage: "the run's run_started_at"},
		},
		Action: func(c *cli.Context) error {
			flags := diffFlags{recursive: c.Bool("r"), jobs: c.Int("jobs")}
			var err error
			args := positional(c)
			if flags.options, flags.screen, err = textOptions(c); err != nil {
				return err
			}
			if flags.dialect, err = grammar.DialectOf(flags.options.Dialect); err != nil {
				return err
			}
			if len(args) != 2 {
				return usage("diff needs two files, two directories (with -r), or - for stdin in place of one; got %d", len(args))
			}
			if args[0] == "-" && args[1] == "-" {
				return usage("stdin can be one of the two texts, not both")
			}
			return diffTexts(c.App.Reader, c.App.Writer, c.App.ErrWriter, args[0], args[1], flags)
		},
	}
}

// diffPair is two files to compare; one of them is empty if only the other is there.
type diffPair struct{ name, a, b string }

// diffPairs lists what to compare: two files, a file and the one of its name in a directory, or the files of two directories.
func diffPairs(a, b string, recursive bool) ([]diffPair, error) {
	dirA, err := isDirectory(a)
	if err != nil {
		return nil, err
	}
	dirB, err := isDirectory(b)
	if err != nil {
		return nil, err
	}
	switch {
	case dirA && dirB && !recursive:
		return nil, usage("%s and %s are directories; -r compares their *.sql files", a, b)
	case dirA && dirB:
		return directoryPairs(a, b)
	case dirA && b != "-":
		a = filepath.Join(a, filepath.Base(b))
	case dirB && a != "-":
		b = filepath.Join(b, filepath.Base(a))
	case dirA || dirB:
		return nil, usage("stdin can't be compared with a directory")
	}
	return []diffPair{{a: a, b: b}}, nil
}

func isDirectory(name string) (bool, error) {
	if name == "-" {
		return false, nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return false, unreadable("%v", err)
	}
	return info.IsDir(), nil
}

// directoryPairs matches the *.sql files of two directories by their paths below them.
func directoryPairs(a, b string) ([]diffPair, error) {
	found := map[string]*diffPair{}
	for i, dir := range []string{a, b} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".sql") {
				return err
			}
			name, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			if found[name] == nil {
				found[name] = &diffPair{name: filepath.ToSlash(name)}
			}
			if i == 0 {
				found[name].a = path
			} else {
				found[name].b = path
			}
			return nil
		})
		if err != nil {
			return nil, unreadable("%v", err)
		}
	}
	pairs := make([]diffPair, 0, len(found))
	for _, p := range found {
		pairs = append(pairs, *p)
	}
	sort.Slice(pairs, func(i, j int) bool { return pairs[i].name < pairs[j].name })
	return pairs, nil
}

// diffResult is what there is to print for a pair.
type diffResult struct {
	text  string
	equal bool
	err   error
}

func diffTexts(stdin io.Reader, stdout, stderr io.Writer, a, b string, flags diffFlags) error {
	pairs, err := diffPairs(a, b, flags.recursive)
	if err != nil {
		return err
	}
	many := len(pairs) != 1 || pairs[0].name != ""
	bar := newProgress(stderr, "comparing", len(pairs))
	out := bufio.NewWriter(stdout)
	equal := 0
	err = inOrder(len(pairs), flags.jobs,
		func(i int) diffResult { return diffOne(stdin, a, b, pairs[i], flags) },
		func(i int, r diffResult) error {
			bar.step()
			if r.err != nil {
				return r.err
			}
			if r.equal {
				equal++
			}
			out.WriteString(r.text)
			return nil
		})
	bar.end()
	if many && err == nil {
		fmt.Fprintf(out, "%d of %d equal\n", equal, len(pairs))
	}
	if flushErr := out.Flush(); flushErr != nil && err == nil {
		return unreadable("stdout: %v", flushErr)
	}
	if err == nil && equal < len(pairs) {
		return no("")
	}
	return err
}

// diffOne compares one pair. dirA and dirB are what the user named, for files that stand on one side only.
func diffOne(stdin io.Reader, dirA, dirB string, p diffPair, flags diffFlags) diffResult {
	if p.a == "" || p.b == "" {
		dir := dirA
		if p.a == "" {
			dir = dirB
		}
		return diffResult{text: flags.screen.Paint(terminal.Bold, "only in "+dir+": "+p.name) + "\n"}
	}
	var sides [2]compare.Side
	for i, name := range []string{p.a, p.b} {
		sql, err := readSource(stdin, name)
		if err != nil {
			return diffResult{err: err}
		}
		sides[i] = compare.Side{Name: name, Result: normalize.Normalize(sql, flags.options)}
	}
	if compare.Equal(sides[0], sides[1]) {
		if p.name != "" {
			return diffResult{equal: true}
		}
		return diffResult{equal: true, text: "equal: " + sides[0].Result.CodeHash + "\n"}
	}
	return diffResult{text: diffText(sides[0], sides[1], flags)}
}

// diffText is the unified diff of two canonical texts and the reasons that keep them apart.
func diffText(a, b compare.Side, flags diffFlags) string {
	var out strings.Builder
	canonical := func(s compare.Side) []byte {
		if s.Result.Level == normalize.LevelText {
			return []byte(s.Result.Normalized + "\n")
		}
		return []byte(strings.Join(compare.Lines(s.Result.Normalized, flags.dialect), "\n") + "\n")
	}
	text := string(diff.Diff(a.Name, canonical(a), b.Name, canonical(b)))
	// The first line is that of a command, which was another one.
	if strings.HasPrefix(text, "diff ") {
		_, text, _ = strings.Cut(text, "\n")
	}
	out.WriteString(paintDiff(text, flags.screen))
	for _, r := range compare.Reasons(a, b, flags.dialect) {
		trap := ""
		if r.Trap != "" {
			trap = " (" + r.Trap + ")"
		}
		fmt.Fprintf(&out, "%s %s: %s%s\n", flags.screen.Paint(terminal.Dim, "--"), flags.screen.Paint(terminal.Bold, r.What), r.Why, trap)
	}
	return out.String()
}

// paintDiff colours a unified diff.
func paintDiff(text string, s *terminal.Screen) string {
	if !s.Colour {
		return text
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		body := strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(body, "---"), strings.HasPrefix(body, "+++"):
			body = s.Paint(terminal.Bold, body)
		case strings.HasPrefix(body, "@@"):
			body = s.Paint(terminal.Cyan, body)
		case strings.HasPrefix(body, "-"):
			body = s.Paint(terminal.Red, body)
		case strings.HasPrefix(body, "+"):
			body = s.Paint(terminal.Green, body)
		}
		out.WriteString(body + "\n")
	}
	return out.String()
}
