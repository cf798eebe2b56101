package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/coverage"
	"strconv"

	"hodor/bench/parse/texts"
	"hodor/grammar"
)

// Run is one parse, as written to standard output; its counts are in Folder.
type run struct {
	Shape   string
	Dialect string
	Size    int
	Bytes   int
	Error   string
	Folder  string
}

// main takes the folder for the counts and the sizes.
func main() {
	if err := count(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "steps:", err)
		os.Exit(1)
	}
}

func count(folder string, sizes []string) error {
	out := json.NewEncoder(os.Stdout)
	for i, shape := range texts.Shapes {
		for _, d := range []grammar.Dialect{grammar.Databricks, grammar.DuckDB} {
			if !shape.Dialect.In(d) {
				continue
			}
			for _, size := range sizes {
				n, err := strconv.Atoi(size)
				if err != nil {
					return err
				}
				sql := shape.Text(n)
				r := run{shape.Name, d.String(), n, len(sql), "", filepath.Join(folder, fmt.Sprintf("%d-%s-%d", i, d, n))}
				if err := os.MkdirAll(r.Folder, 0o700); err != nil {
					return err
				}
				if err := coverage.ClearCounters(); err != nil {
					return err
				}
				if _, err := grammar.Parse(sql, d); err != nil {
					r.Error = err.Error()
				}
				if err := coverage.WriteCountersDir(r.Folder); err != nil {
					return err
				}
				if err := coverage.WriteMetaDir(r.Folder); err != nil {
					return err
				}
				out.Encode(r)
			}
		}
	}
	return nil
}
