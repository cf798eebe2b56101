package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"hodor/bench/coverage"
	"hodor/bench/measure"
	"hodor/bench/parse/texts"
	"hodor/corpus"
	"hodor/grammar"
)

// options are the flags.
type options struct {
	binary, against, peers, python, other string
	nodes, models, rounds                 int
	seconds                               float64
}

func main() {
	var o options
	flag.StringVar(&o.binary, "binary", "bin/hodor-sql", "the hodor-sql that is measured")
	flag.StringVar(&o.against, "against", "", "another hodor-sql to compare with")
	flag.StringVar(&o.peers, "peers", "", "Python that has sqlglot and polyglot-sql; none: no peers")
	flag.StringVar(&o.python, "python", ".venv/bin/python", "Python that has the wheel, which is measured in dbt")
	flag.StringVar(&o.other, "other", "", "Python that has the published dbt-hodor; none: without it")
	flag.IntVar(&o.nodes, "nodes", 10_000, "nodes of the decision path")
	flag.IntVar(&o.models, "models", 200, "models of the dbt runs")
	flag.IntVar(&o.rounds, "rounds", 5, "dbt runs of each kind")
	flag.Float64Var(&o.seconds, "seconds", 3, "processor seconds of each measurement of SQL")
	flag.Parse()
	if err := report(o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func report(o options) error {
	fmt.Printf("# hodor's benchmarks\n\n%s/%s, %d cores, %s. Processor time of all threads; it grows with the load of others, so ratios say more than rates.\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	for _, step := range []func(options) error{corpora, beside, decisions, dbtRuns} {
		if err := step(o); err != nil {
			return err
		}
	}
	return nil
}

// corpora runs hodor-sql bench on the corpus, against the baseline and, if one is named, another executable.
func corpora(o options) error {
	fmt.Print("\n## The corpus\n\n| dialect | texts | qualified | parsed | text | MB/s | bytes allocated a byte | peak | worse than the baseline | other hashes |\n|---|---|---|---|---|---|---|---|---|---|\n")
	var against []string
	for _, d := range []grammar.Dialect{grammar.Databricks, grammar.DuckDB} {
		args := []string{"bench", "--json", "--dialect", d.String(), "--seconds", fmt.Sprint(o.seconds), "--baseline", filepath.Join("bench", "baseline", d.String()+".json")}
		if o.against != "" {
			args = append(args, "--against", o.against)
		}
		args = append(args, filepath.Join("corpus", d.String()), filepath.Join("corpus", "common"))
		var r coverage.Report
		if err := answer(&r, o.binary, args...); err != nil {
			return err
		}
		fmt.Printf("| %s | %d | %d | %d | %d | %.1f | %.1f | %.0f MB | %d | %d |\n", d, r.Texts, r.Levels[0].Texts, r.Levels[1].Texts, r.Levels[2].Texts,
			r.Speed.MBPerSecond, r.Speed.AllocatedBytes, float64(r.Speed.PeakBytes)/1e6, len(r.Baseline.Worse), r.Baseline.OtherHash)
		if a := r.Against; a != nil {
			against = append(against, fmt.Sprintf("| %s | %.2f | %.2f | %d | %d | %d |\n", d, a.CPURatio, a.PeakRatio, a.OtherHash, len(a.Better), len(a.Worse)))
		}
	}
	if len(against) > 0 {
		fmt.Printf("\nAgainst %s (a ratio above 1: it needs more):\n\n| dialect | processor time | memory | other hashes | better here | worse here |\n|---|---|---|---|---|---|\n%s",
			o.against, strings.Join(against, ""))
	}
	return nil
}

// beside runs the peers' pipelines on the corpus, each in a process of its own, in turn.
func beside(o options) error {
	if o.peers == "" {
		return nil
	}
	entries, err := corpus.Load("corpus")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Print("\n## The corpus, text to hash and tables, beside others\n\nRatio: hodor's rate over the peer's, in one run. What a pipeline refuses counts as read.\n\n" +
		"| dialect | pipeline | MB/s | ratio | refused | peak memory |\n|---|---|---|---|---|---|\n")
	for _, d := range []grammar.Dialect{grammar.Databricks, grammar.DuckDB} {
		var list []texts.Text
		for _, e := range entries {
			if slices.Contains(e.Dialects, d.String()) {
				list = append(list, texts.Text{Name: e.File, SQL: e.SQL})
			}
		}
		path := filepath.Join(dir, d.String())
		if err := measure.Write(path, list); err != nil {
			return err
		}
		seconds := fmt.Sprint(o.seconds)
		peers := []measure.Peer{{Name: "hodor", Command: []string{"bin/bench-normalize", "-seconds", seconds, "-jobs", "1", "-worker"}}}
		for _, name := range []string{"polyglot", "sqlglotc", "sqlglot"} {
			peers = append(peers, measure.Peer{Name: name, Command: []string{o.peers, filepath.Join("bench", "measure", "peers.py"), "normalize", seconds, name}})
		}
		best, err := measure.Best(peers, path, d)
		if err != nil {
			return err
		}
		for _, r := range best {
			fmt.Printf("| %s | %s | %.2f | %.1f | %d of %d | %.0f MB |\n", d, strings.TrimSpace(r.Name+" "+r.Version), r.Rate(), best[0].Rate()/r.Rate(), r.Failed, r.Texts, float64(r.Peak)/1e6)
		}
	}
	return nil
}

// cost is microseconds a node.
type cost struct {
	Plugin  float64 `json:"plugin_us"`
	Service float64 `json:"service_us"`
	Both    float64 `json:"both_us"`
}

// run is one run of decide.py.
type run struct {
	Reused, Built            int
	Decided, Settled, Finish cost
	Whole                    cost
	Summary                  struct {
		Debug struct{ Parsed, Statements int }
	}
}

// decisions runs the decision path and the start of the service.
func decisions(o options) error {
	var r struct {
		Nodes, Bytes           int
		First, Steady, Changed run
		Start                  struct {
			Hello    float64 `json:"hello_ms"`
			Answer   float64 `json:"answer_ms"`
			CPU      float64 `json:"cpu_ms"`
			Manifest float64 `json:"manifest_mb"`
			Load     float64 `json:"load_ms"`
		}
	}
	if err := answer(&r, o.python, filepath.Join("bench", "decide", "decide.py"), "--nodes", fmt.Sprint(o.nodes)); err != nil {
		return err
	}
	fmt.Printf("\n## The decision path\n\n%d nodes, %.1f MB of SQL. Microseconds of processor time a node.\n\n| run | reused | built | parsed | metadata statements | plugin | service | both |\n|---|---|---|---|---|---|---|---|\n",
		r.Nodes, float64(r.Bytes)/1e6)
	row := func(name string, x run, c cost) {
		fmt.Printf("| %s | %d | %d | %d | %d | %.0f | %.0f | %.0f |\n", name, x.Reused, x.Built, x.Summary.Debug.Parsed, x.Summary.Debug.Statements, c.Plugin, c.Service, c.Both)
	}
	row("first", r.First, r.First.Whole)
	row("steady, with start, metadata and end", r.Steady, r.Steady.Whole)
	row("steady, metadata aside", r.Steady, r.Steady.Settled)
	row("all changed", r.Changed, r.Changed.Whole)
	fmt.Printf("\nThe service: hello after %.0f ms, the first answer after %.0f ms by the clock, %.0f ms of processor time. A manifest of %.1f MB (%d nodes): run/start takes %.0f ms of processor time.\n",
		r.Start.Hello, r.Start.Answer, r.Start.CPU, r.Start.Manifest, r.Nodes, r.Start.Load)
	return nil
}

// dbtRuns runs dbt on settled models.
func dbtRuns(o options) error {
	args := []string{filepath.Join("bench", "dbt", "overhead.py"), "--models", fmt.Sprint(o.models), "--rounds", fmt.Sprint(o.rounds)}
	if o.other != "" {
		args = append(args, "--peer", o.other)
	}
	var r struct {
		Models int
		Modes  map[string]struct {
			CPU        float64 `json:"cpu_ms"`
			Metadata   float64 `json:"metadata_ms"`
			Statements int
			Reused     int
			Nodes      int
			Least      float64 `json:"least_ms"`
			More       float64 `json:"more_percent"`
			Median     float64 `json:"more_percent_median"`
		}
	}
	if err := answer(&r, o.python, args...); err != nil {
		return err
	}
	fmt.Printf("\n## dbt run of %d settled models\n\nProcessor time of dbt and its children; what hodor's relay spends on metadata statements is taken off in the last three columns.\n\n"+
		"| plugin | reused | ms | metadata ms | statements | least ms | more than reused | median of the rounds |\n|---|---|---|---|---|---|---|---|\n", r.Models)
	for _, mode := range []string{"reused", "hodor", "peer"} {
		if m, ok := r.Modes[mode]; ok {
			fmt.Printf("| %s | %d of %d | %.0f | %.0f | %d | %.0f | %.1f %% | %.1f %% |\n", mode, m.Reused, m.Nodes, m.CPU, m.Metadata, m.Statements, m.Least, m.More, m.Median)
		}
	}
	return nil
}

// answer runs a command and decodes the JSON that it prints. Status 1 is an answer, too.
func answer(to any, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil && (cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1 || len(out) == 0) {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := json.Unmarshal(out, to); err != nil {
		return fmt.Errorf("%s printed %.100q: %w", name, out, err)
	}
	return nil
}
