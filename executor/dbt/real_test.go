//go:build unix

package dbt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hodor/executor/executortest"
)

func h() context.Context { return context.Background() }

// realHarness makes projects for real dbt on DuckDB: each model leaves a mark when it is built, each source is a CSV file.
type realHarness struct {
	scriptedHarness
	venv string
}

func (r realHarness) New(w executortest.World) (*executortest.Bench, error) {
	if w.CoverageUnknown {
		return nil, executortest.ErrCannot
	}
	dir := r.t.TempDir()
	files := map[string]string{
		"dbt_project.yml": "name: shop\nversion: '1.0'\nprofile: shop\nflags: {send_anonymous_usage_stats: false}\n",
		"profiles.yml":    "shop: {target: dev, outputs: {dev: {type: duckdb, path: '" + dir + "/shop.duckdb', threads: 2}}}\n",
		"marks/keep":      "",
	}
	refs := func(ids []string) string {
		var out []string
		for _, id := range ids {
			call := "ref('" + id + "')"
			for _, s := range w.Sources {
				if s == id {
					call = "source('raw', '" + id + "')"
				}
			}
			out = append(out, "(select count(*) as n from {{ "+call+" }}) as t"+fmt.Sprint(len(out)))
		}
		return strings.Join(out, ", ")
	}
	for _, n := range w.Nodes {
		if n.Unreported || n.Extra {
			return nil, executortest.ErrCannot
		}
		sql := "select 1 as x"
		if n.Fails {
			sql = "select error('as the case wants') as x"
		}
		if len(n.Parents) > 0 {
			sql += " from " + refs(n.Parents)
		}
		hook := `copy (select 1 as x) to '` + dir + `/marks/` + n.ID + `_{{ invocation_id }}'`
		files["models/"+n.ID+".sql"] = `{{ config(materialized='table', post_hook="` + hook + `") }} ` + sql + "\n"
	}
	for _, c := range w.Checks {
		if c.NotRun {
			return nil, executortest.ErrCannot
		}
		where := " where false"
		if c.Fails {
			where = ""
		}
		files["tests/"+c.ID+".sql"] = "select 1 as x from " + refs(c.Covers) + where + "\n"
	}
	if len(w.Sources) > 0 {
		yml := "sources:\n  - name: raw\n    tables:\n"
		for _, s := range w.Sources {
			yml += "      - name: " + s + "\n        config: {meta: {external_location: '" + dir + "/raw/" + s + ".csv'}}\n"
			files["raw/"+s+".csv"] = "x\n1\n"
		}
		files["models/sources.yml"] = yml
	}
	real := filepath.Join(filepath.Dir(venv(r.t, r.venv)), "dbt")
	files["dbt"] = "#!/bin/sh\necho \"$@\" >> '" + dir + "/calls.txt'\nexec '" + real + "' \"$@\"\n"
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			return nil, err
		}
	}
	if err := os.Remove(filepath.Join(dir, "marks", "keep")); err != nil {
		return nil, err
	}
	ex, err := New(Options{DBT: filepath.Join(dir, "dbt"), ProjectDir: dir, ProfilesDir: dir, Environ: []string{"PATH=/usr/bin:/bin", "HOME=" + dir}})
	if err != nil {
		return nil, err
	}
	return prepared(ex, dir, w)
}

// long skips what takes minutes outside make test-e2e.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("HODOR_LONG") == "" {
		t.Skip("takes minutes: make test-e2e, or HODOR_LONG=1")
	}
}

// The suite against real dbt and DuckDB. Beside it, TestConformanceScripted has the worlds that real dbt can't be made to have.
func TestConformanceRealDBT(t *testing.T) {
	long(t)
	executortest.Run(t, realHarness{scriptedHarness{t}, ".venv"})
}
