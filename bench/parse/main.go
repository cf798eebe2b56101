package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"hodor/bench/parse/texts"
	"hodor/grammar"
)

// result is what one measurement prints, as one line of JSON.
type result struct {
	Parser  string  `json:"parser"`
	Version string  `json:"version"`
	Bytes   int     `json:"bytes"`  // text parsed, over all passes
	CPU     float64 `json:"cpu"`    // seconds of processor time, all threads
	Texts   int     `json:"texts"`  // texts parsed
	Failed  int     `json:"failed"` // texts refused
	Peak    int     `json:"peak"`   // bytes of resident memory at most, what was there before the first text taken off
	Allocs  uint64  `json:"allocs"` // hodor only
	Heap    uint64  `json:"heap"`   // hodor only: bytes allocated
}

func (r result) rate() float64 { return float64(r.Bytes) / 1e6 / r.CPU }

// peer is one parser: a command that takes the file of texts, the dialect and the seconds to spend.
type peer struct {
	name    string
	command []string
}

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
	self, err := os.Executable()
	if err != nil {
		fail(err)
	}
	peers := []peer{{"hodor", []string{self, "-seconds", fmt.Sprint(*seconds), "-worker"}}}
	if *python != "" {
		script := filepath.Join("bench", "parse", "peers.py")
		for _, name := range []string{"duckdb", "polyglot", "sqlglotc", "sqlglot"} {
			peers = append(peers, peer{name, []string{*python, script, fmt.Sprint(*seconds), name}})
		}
	}
	if *rust != "" {
		peers = append(peers, peer{"sqlparser-rs", []string{*rust, fmt.Sprint(*seconds)}})
	}
	if err := report(self, peers, *models, *huge); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "bench-parse:", err)
	os.Exit(1)
}

// report runs every peer on every set and prints the tables.
func report(self string, peers []peer, models, huge int) error {
	dir, err := os.MkdirTemp("", "bench-parse")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Printf("# Text to tree\n\nMB of text for each second of processor time, all threads counted, the best of %d passes. "+
		"Ratio: hodor's rate over the peer's.\n", passes)
	for i, set := range texts.Sets(models) {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := write(path, set.Texts); err != nil {
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
		once := peer{"hodor", []string{self, "-seconds", "0", "-worker"}}
		return large(once, dir, huge)
	}
	return nil
}

const passes = 3

// table measures each peer on one file, a pass of all peers after the other, and prints a row for each.
func table(peers []peer, path string, d grammar.Dialect) error {
	best := make([]result, len(peers))
	for range passes {
		for i, p := range peers {
			if p.name == "duckdb" && d != grammar.DuckDB {
				continue
			}
			r, err := measure(p, path, d)
			if err != nil {
				return err
			}
			if best[i].CPU == 0 || r.rate() > best[i].rate() {
				best[i] = r
			}
		}
	}
	for i, r := range best {
		if r.CPU == 0 {
			continue
		}
		name, allocs, heap := r.Parser+" "+r.Version, "", ""
		if i == 0 {
			allocs = fmt.Sprintf("%.1f", float64(r.Allocs)/(float64(r.Bytes)/1024))
			heap = fmt.Sprintf("%.1f", float64(r.Heap)/float64(r.Bytes))
		}
		fmt.Printf("| %s | %.2f | %.1f | %d of %d | %.0f MB | %s | %s |\n", strings.TrimSpace(name), r.rate(), best[0].rate()/r.rate(),
			r.Failed, r.Texts, float64(r.Peak)/1e6, allocs, heap)
	}
	return nil
}

// large parses single texts of a tenth of the size and of the whole, to show that time and memory grow with the text.
func large(hodor peer, dir string, megabytes int) error {
	fmt.Print("\n## One text: a UNION ALL of models\n\n| dialect | MB | MB/s | peak memory over the text |\n|---|---|---|---|\n")
	for _, d := range []grammar.Dialect{grammar.Databricks, grammar.DuckDB} {
		for _, size := range []int{megabytes / 10, megabytes} {
			path := filepath.Join(dir, "large")
			if err := write(path, []texts.Text{texts.Large(size*1e6, d)}); err != nil {
				return err
			}
			r, err := measure(hodor, path, d)
			if err != nil {
				return err
			}
			if r.Failed > 0 {
				return fmt.Errorf("the text of %d MB does not parse", size)
			}
			one := float64(r.Bytes) / float64(r.Texts)
			fmt.Printf("| %s | %.1f | %.1f | %.1f |\n", d, one/1e6, r.rate(), float64(r.Peak)/one)
			if x := float64(r.Peak) / one; x > 20 {
				return fmt.Errorf("a text of %d MB takes %.1f times its size, 20 is the bound", size, x)
			}
		}
	}
	return nil
}

// measure runs one peer once on one file.
func measure(p peer, path string, d grammar.Dialect) (r result, err error) {
	args := append(p.command[1:], path, d.String())
	cmd := exec.Command(p.command[0], args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return r, fmt.Errorf("%s: %w", p.name, err)
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return r, fmt.Errorf("%s printed %.100q: %w", p.name, out, err)
	}
	return r, nil
}

// write stores texts with a NUL behind each, which no SQL has.
func write(path string, list []texts.Text) error {
	var b strings.Builder
	for _, t := range list {
		b.WriteString(t.SQL)
		b.WriteByte(0)
	}
	return os.WriteFile(path, []byte(b.String()), 0o600)
}
