package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hodor/bench/measure"
	"hodor/bench/parse/texts"
	"hodor/grammar"
)

func main() {
	models := flag.Int("models", 1500, "number of generated dbt models for each dialect")
	seconds := flag.Float64("seconds", 3, "processor seconds for each measurement")
	python := flag.String("python", "", "Python that has the peers; none: hodor alone")
	rust := flag.String("sqlparser", "", "program built from bench/parse/sqlparser; none: without sqlparser-rs")
	huge := flag.Int("huge", 100, "size in MB of the single large text; 0: without it")
	worker := flag.String("worker", "", "measure hodor on this file (used by the run itself)")
	flag.Parse()
	if *worker != "" {
		if err := work(*worker, flag.Arg(0), *seconds); err != nil {
			fail(err)
		}
		return
	}
	own, err := measure.Own("-seconds", fmt.Sprint(*seconds))
	if err != nil {
		fail(err)
	}
	peers := []measure.Peer{own}
	if *python != "" {
		script := filepath.Join("bench", "measure", "peers.py")
		for _, name := range []string{"duckdb", "polyglot", "sqlglotc", "sqlglot"} {
			p := measure.Peer{Name: name, Command: []string{*python, script, "parse", fmt.Sprint(*seconds), name}}
			if name == "duckdb" {
				p.Only = grammar.DuckDB
			}
			peers = append(peers, p)
		}
	}
	if *rust != "" {
		peers = append(peers, measure.Peer{Name: "sqlparser-rs", Command: []string{*rust, fmt.Sprint(*seconds)}})
	}
	if err := report(peers, *models, *huge); err != nil {
		fail(err)
	}
}

// work parses the texts of a file and prints a result.
func work(path, dialect string, seconds float64) error {
	d, err := grammar.DialectOf(dialect)
	if err != nil {
		return err
	}
	return measure.Work(path, seconds, 1, false, func(sql string) bool {
		_, err := grammar.Parse(sql, d)
		return err == nil
	})
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "bench-parse:", err)
	os.Exit(1)
}

// report runs every peer on every set and prints the tables.
func report(peers []measure.Peer, models, huge int) error {
	dir, err := os.MkdirTemp("", "bench-parse")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Printf("# Text to tree\n\nMB of text for each second of processor time, all threads counted, the best of %d passes. "+
		"Ratio: hodor's rate over the peer's.\n", measure.Passes)
	for i, set := range texts.Sets(models) {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := measure.Write(path, set.Texts); err != nil {
			return err
		}
		fmt.Printf("\n## %s: %d texts, %.1f MB\n\n", set.Name, len(set.Texts), float64(set.Bytes())/1e6)
		fmt.Println("| parser | MB/s | ratio | refused | peak memory | allocations a KB | bytes allocated a byte |")
		fmt.Println("|---|---|---|---|---|---|---|")
		if err := table(peers, path, set.Dialect); err != nil {
			return err
		}
	}
	if huge > 0 {
		once, err := measure.Own("-seconds", "0")
		if err != nil {
			return err
		}
		return large(once, dir, huge)
	}
	return nil
}

// table measures each peer on one file and prints a row for each.
func table(peers []measure.Peer, path string, d grammar.Dialect) error {
	best, err := measure.Best(peers, path, d)
	if err != nil {
		return err
	}
	for i, r := range best {
		if r.CPU == 0 {
			continue
		}
		name, allocs, heap := r.Name+" "+r.Version, "", ""
		if i == 0 {
			allocs = fmt.Sprintf("%.1f", float64(r.Allocs)/(float64(r.Bytes)/1024))
			heap = fmt.Sprintf("%.1f", float64(r.Heap)/float64(r.Bytes))
		}
		fmt.Printf("| %s | %.2f | %.1f | %d of %d | %.0f MB | %s | %s |\n", strings.TrimSpace(name), r.Rate(), best[0].Rate()/r.Rate(),
			r.Failed, r.Texts, float64(r.Peak)/1e6, allocs, heap)
	}
	return nil
}

// large parses single texts of a tenth of the size and of the whole, to show that time and memory grow with the text.
func large(hodor measure.Peer, dir string, megabytes int) error {
	fmt.Print("\n## One text: a UNION ALL of models\n\n| dialect | MB | MB/s | peak memory over the text |\n|---|---|---|---|\n")
	for _, d := range []grammar.Dialect{grammar.Databricks, grammar.DuckDB} {
		for _, size := range []int{megabytes / 10, megabytes} {
			path := filepath.Join(dir, "large")
			if err := measure.Write(path, []texts.Text{texts.Large(size*1e6, d)}); err != nil {
				return err
			}
			r, err := hodor.Run(path, d)
			if err != nil {
				return err
			}
			if r.Failed > 0 {
				return fmt.Errorf("the text of %d MB does not parse", size)
			}
			one := float64(r.Bytes) / float64(r.Texts)
			fmt.Printf("| %s | %.1f | %.1f | %.1f |\n", d, one/1e6, r.Rate(), float64(r.Peak)/one)
			if x := float64(r.Peak) / one; x > 20 {
				return fmt.Errorf("a text of %d MB takes %.1f times its size, 20 is the bound", size, x)
			}
		}
	}
	return nil
}
