package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/coverage"
	"strconv"

	"hodor/bench/measure"
	"hodor/bench/parse/texts"
	"hodor/grammar"
	"hodor/normalize"
)

// main takes the step (parse, normalize), the folder for the counts, and the sizes.
func main() {
	if err := count(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "steps:", err)
		os.Exit(1)
	}
}

// step does what is counted with one text.
type step func(sql string, d grammar.Dialect) error

var steps = map[string]step{
	"parse": func(sql string, d grammar.Dialect) error {
		_, err := grammar.Parse(sql, d)
		return err
	},
	"normalize": func(sql string, d grammar.Dialect) error {
		r := normalize.Normalize(sql, normalize.Options{Dialect: d.String(), Catalog: "main", Schema: "s", Replacer: replacer})
		if r.Level == normalize.LevelText {
			return fmt.Errorf("%d:%d: %s", r.Error.Line, r.Error.Column, r.Error.Message)
		}
		return nil
	},
}

var replacer = normalize.NewReplacer("3f0c1d52-8c1e-4b6a-9d1b-0a1b2c3d4e5f", "2026-10-20T04:12:00.123456+00:00")

func count(name, folder string, sizes []string) error {
	run, ok := steps[name]
	if !ok {
		return fmt.Errorf("%s is no step", name)
	}
	// What the counters mean is the same for all.
	if err := coverage.WriteMetaDir(folder); err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for i, q := range texts.Growing() {
		for _, d := range []grammar.Dialect{grammar.Databricks, grammar.DuckDB} {
			if !q.Dialect.In(d) {
				continue
			}
			for _, size := range sizes {
				n, err := strconv.Atoi(size)
				if err != nil {
					return err
				}
				sql := q.Text(n)
				r := measure.Steps{Name: q.Name, Dialect: d.String(), Size: n, Bytes: len(sql), Folder: filepath.Join(folder, fmt.Sprintf("%d-%s-%d", i, d, n))}
				if err := one(&r, run, sql, d); err != nil {
					return err
				}
				if err := out.Encode(r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// one counts one text.
func one(r *measure.Steps, run step, sql string, d grammar.Dialect) error {
	if err := os.MkdirAll(r.Folder, 0o700); err != nil {
		return err
	}
	// Twice, which empties the pools that the text before has filled: each begins with nothing.
	runtime.GC()
	runtime.GC()
	if err := coverage.ClearCounters(); err != nil {
		return err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := run(sql, d); err != nil {
		r.Error = err.Error()
	}
	runtime.ReadMemStats(&after)
	r.Allocated = after.TotalAlloc - before.TotalAlloc
	return coverage.WriteCountersDir(r.Folder)
}
