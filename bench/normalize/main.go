package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"hodor/bench/measure"
	"hodor/bench/parse/texts"
	"hodor/grammar"
	"hodor/normalize"
)

func main() {
	models := flag.Int("models", 1000, "number of generated dbt models for each dialect")
	seconds := flag.Float64("seconds", 3, "processor seconds for each measurement")
	python := flag.String("python", "", "Python that has the peers; none: hodor alone")
	chain := flag.Int("chain", 10000, "common table expressions of the longest chain")
	jobs := flag.Int("jobs", 1, "texts in work at a time (of a worker)")
	worker := flag.String("worker", "", "measure hodor on this file (used by the run itself)")
	flag.Parse()
	if *worker != "" {
		if err := work(*worker, flag.Arg(0), *seconds, *jobs); err != nil {
			fail(err)
		}
		return
	}
	dir, err := os.MkdirTemp("", "bench-normalize")
	if err != nil {
		fail(err)
	}
	err = report(dir, *models, *chain, *seconds, *python)
	os.RemoveAll(dir)
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "bench-normalize:", err)
	os.Exit(1)
}

// hodor is a worker of this program.
func hodor(seconds float64, jobs int) (measure.Peer, error) {
	return measure.Own("-seconds", fmt.Sprint(seconds), "-jobs", strconv.Itoa(jobs))
}

// work takes the texts of a file to hash and facts and prints a result.
func work(path, dialect string, seconds float64, jobs int) error {
	// As in a run of dbt: the values of the run are looked for in every text.
	options := normalize.Options{Dialect: dialect, Catalog: "main", Schema: "analytics",
		Replacer: normalize.NewReplacer("3f0c1d52-8c1e-4b6a-9d1b-0a1b2c3d4e5f", "2026-10-20T04:12:00.123456+00:00")}
	debug.SetGCPercent(400) // as the command line does
	return measure.Work(path, seconds, jobs, true, func(sql string) bool {
		return normalize.Normalize(sql, options).Level != normalize.LevelText
	})
}

func report(dir string, models, chain int, seconds float64, python string) error {
	own, err := hodor(seconds, 1)
	if err != nil {
		return err
	}
	peers := []measure.Peer{own}
	if python != "" {
		for _, name := range []string{"polyglot-transpile", "polyglot", "sqlglotc", "sqlglot"} {
			peers = append(peers, measure.Peer{Name: name, Command: []string{python, filepath.Join("bench", "measure", "peers.py"), "normalize", fmt.Sprint(seconds), name}})
		}
	}
	fmt.Printf("# Text to hash and facts\n\nMB of text for each second of processor time, all threads counted, the best of %d passes. Ratio: hodor's rate over the peer's.\n", measure.Passes)
	var files []string
	var sets []texts.Set
	for i, set := range texts.Sets(models)[:2] {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := measure.Write(path, set.Texts); err != nil {
			return err
		}
		files, sets = append(files, path), append(sets, set)
		fmt.Printf("\n## %s: %d texts, %.1f MB\n\n", set.Name, len(set.Texts), float64(set.Bytes())/1e6)
		best, err := table(peers, path, set.Dialect, set.Bytes())
		if err != nil {
			return err
		}
		if err := carried(peers, best, dir, set); err != nil {
			return err
		}
	}
	if err := scaling(files[0], sets[0].Dialect, seconds); err != nil {
		return err
	}
	return chains(dir, chain, seconds)
}

// table measures each peer on one file of texts of that size and prints a row for each.
func table(peers []measure.Peer, path string, d grammar.Dialect, size int) ([]measure.Result, error) {
	best, err := measure.Best(peers, path, d)
	if err != nil {
		return nil, err
	}
	fmt.Println("| pipeline | MB/s | ratio | refused | peak memory | bytes allocated a byte |")
	fmt.Println("|---|---|---|---|---|---|")
	for i, r := range best {
		heap := ""
		if i == 0 {
			heap = fmt.Sprintf("%.1f", float64(r.Heap)/float64(r.Bytes))
		}
		fmt.Printf("| %s | %.2f | %.1f | %d of %d | %.0f MB | %s |\n", strings.TrimSpace(r.Name+" "+r.Version), r.Rate(), best[0].Rate()/r.Rate(), r.Failed, r.Texts,
			float64(r.Peak)/1e6, heap)
	}
	fmt.Printf("\nUndisturbed, that is with the best time of each text over several passes: hodor %.1f MB/s.\n", float64(size)/1e6/best[0].Quiet)
	return best, nil
}

// carried measures the peers that did not take every text through all of their steps again, and hodor beside them, on the texts that they did: what a
// peer gives up costs it less, or the way back costs it more, than a text that it understands.
func carried(peers []measure.Peer, best []measure.Result, dir string, set texts.Set) error {
	heading := "\nOnly the texts that the pipeline takes through all of its steps, for both:\n\n| pipeline | texts | MB/s | hodor, MB/s | ratio |\n|---|---|---|---|---|\n"
	for i, r := range best {
		if len(r.Partly) == 0 {
			continue
		}
		var whole []texts.Text
		for n, t := range set.Texts {
			if !slices.Contains(r.Partly, n) {
				whole = append(whole, t)
			}
		}
		path := filepath.Join(dir, "carried")
		if err := measure.Write(path, whole); err != nil {
			return err
		}
		pair, err := measure.Best([]measure.Peer{peers[0], peers[i]}, path, set.Dialect)
		if err != nil {
			return err
		}
		own, other := pair[0].Rate(), pair[1].Rate()
		fmt.Printf("%s| %s | %d of %d | %.2f | %.2f | %.1f |\n", heading, r.Name, len(whole), len(set.Texts), other, own, own/other)
		heading = ""
	}
	return nil
}

// scaling measures hodor with several texts in work at a time: the processor time of a text must not grow with that, nor memory with the number of texts.
func scaling(path string, d grammar.Dialect, seconds float64) error {
	fmt.Printf("\n## Several at a time, on %d cores\n\n| jobs | MB/s of processor time | MB/s of the clock | cores used | peak memory |\n|---|---|---|---|---|\n", runtime.NumCPU())
	for jobs := 1; jobs <= 2*runtime.NumCPU(); jobs *= 2 {
		p, err := hodor(seconds, jobs)
		if err != nil {
			return err
		}
		r, err := p.Run(path, d)
		if err != nil {
			return err
		}
		fmt.Printf("| %d | %.2f | %.2f | %.2f | %.0f MB |\n", jobs, r.Rate(), float64(r.Bytes)/1e6/r.Wall, r.CPU/r.Wall, float64(r.Peak)/1e6)
	}
	return nil
}

// chains measures chains of common table expressions, each of which reads the one before: time and memory grow with the text.
func chains(dir string, longest int, seconds float64) error {
	fmt.Print("\n## Chains of common table expressions\n\n| dialect | expressions | MB | MB/s | peak memory over the text |\n|---|---|---|---|---|\n")
	for _, d := range []grammar.Dialect{grammar.Databricks, grammar.DuckDB} {
		for _, n := range []int{longest / 10, longest} {
			path := filepath.Join(dir, "chain")
			if err := measure.Write(path, []texts.Text{{SQL: chainText(n)}}); err != nil {
				return err
			}
			p, err := hodor(min(seconds, 1), 1)
			if err != nil {
				return err
			}
			r, err := p.Run(path, d)
			if err != nil {
				return err
			}
			if r.Failed > 0 {
				return fmt.Errorf("the chain of %d does not parse", n)
			}
			one := float64(r.Bytes) / float64(r.Texts)
			fmt.Printf("| %s | %d | %.2f | %.2f | %.1f |\n", d, n, one/1e6, r.Rate(), float64(r.Peak)/one)
		}
	}
	return nil
}

func chainText(n int) string {
	var b strings.Builder
	b.WriteString("with step_0 as (select o.id, o.customer_id, o.amount from shop.orders o)")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, ",\nstep_%d as (\n    select s.id, s.customer_id, s.amount + %d as amount -- step %d\n    from step_%d as s where s.amount <> %d\n)", i, i, i, i-1, i)
	}
	fmt.Fprintf(&b, "\nselect * from step_%d", n-1)
	return b.String()
}
