package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"

	"github.com/urfave/cli/v2"

	"hodor/internal/version"
	"hodor/normalize"
)

// about is the object of `version --json`.
type about struct {
	Version     string `json:"version"`
	Protocol    int    `json:"protocol"`
	HashVersion string `json:"hash_version"`
	Commit      string `json:"commit"`
	Go          string `json:"go"`
	Platform    string `json:"platform"`
	// DuckDB says whether this binary can open a DuckDB state file: it can when it was built with a C compiler.
	DuckDB bool `json:"duckdb"`
}

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print version, protocol and hash version",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print one JSON object"}},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("version takes no arguments, got %q", c.Args().First())
			}
			return printVersion(c.App.Writer, c.App.Name, c.Bool("json"))
		},
	}
}

func printVersion(w io.Writer, name string, asJSON bool) error {
	a := about{
		Version: version.Version(), Protocol: version.Protocol, HashVersion: normalize.Version, Commit: version.Commit,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, DuckDB: hasDuckDB,
	}
	if asJSON {
		return json.NewEncoder(w).Encode(a)
	}
	duckdb := "with the DuckDB store"
	if !a.DuckDB {
		duckdb = "without the DuckDB store (built without cgo)"
	}
	_, err := fmt.Fprintf(w, "%s %s (protocol %d, hash version %s), commit %s, %s %s, %s\n",
		name, a.Version, a.Protocol, a.HashVersion, a.Commit, a.Go, a.Platform, duckdb)
	return err
}
