package duckdb

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hodor/stores"
	"hodor/stores/sqlstore"
)

// ErrNoDuckDB is returned by Open in a binary that was built without cgo. It wraps stores.ErrUnavailable.
var ErrNoDuckDB = fmt.Errorf("%w: this hodor was built without DuckDB (CGO_ENABLED=0); use a binary with it, or HODOR_STORE=postgres",
	stores.ErrUnavailable)

// Dialect is DuckDB for sqlstore.DDL.
var Dialect = &sqlstore.Dialect{
	Name: "DuckDB", Text: "VARCHAR", Quote: sqlstore.DoubleQuote, CreateSchema: true, CommitKey: true, Transactions: true,
}

// DefaultPath is where the file is, relative to the project's root (spec 9.2).
const DefaultPath = ".hodor/state.duckdb"

// Options name a store.
type Options struct {
	// Root is the absolute path of the project's root; a relative Path is relative to it, wherever the process was started.
	Root string
	// Path of the file; empty: DefaultPath. "~/" at its front is the user's home folder. Its folders are created on the first write.
	Path string
	// Schema and Table; empty: main and hodor_state.
	Schema, Table string
	// ReadOnly forbids every write; the file is never created.
	ReadOnly bool
	// Wait is how long an operation waits for a file that another process has open; 0: 5 s. Once it has run out, later operations try once
	// each, so that a run does not wait again and again, until one succeeds.
	Wait time.Duration
	// Hold keeps the file attached from one reading operation to the next, until Close, and reads on all processors: for a command that asks some
	// questions and ends. Writers of other processes wait for it.
	Hold bool
}

// fill returns o with its defaults, and the absolute path of the file.
func (o Options) fill() (Options, string, error) {
	if o.Path == "" {
		o.Path = DefaultPath
	}
	if o.Schema == "" {
		o.Schema = "main"
	}
	if o.Table == "" {
		o.Table = "hodor_state"
	}
	if o.Wait == 0 {
		o.Wait = 5 * time.Second
	}
	path := o.Path
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		// A shell replaces it in a command, and nobody does in profiles.yml.
		home, err := os.UserHomeDir()
		if err != nil {
			return o, "", fmt.Errorf("%w: hodor_path %q: the home folder is not known: %w", stores.ErrUnavailable, o.Path, err)
		}
		path = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(path) {
		if !filepath.IsAbs(o.Root) {
			return o, "", fmt.Errorf("%w: hodor_path %q is relative, and the project's root is not known", stores.ErrUnavailable, o.Path)
		}
		path = filepath.Join(o.Root, path)
	}
	// Absolute, it can't be taken for an address ("md:x", "s3://x"): the state never leaves the machine.
	path = filepath.Clean(path)
	if strings.ContainsAny(path, "?\x00") { // DuckDB cuts the name of its log at a question mark
		return o, "", fmt.Errorf("%w: hodor_path %q: DuckDB can't use a path with a question mark; set HODOR_PATH", stores.ErrUnavailable, o.Path)
	}
	return o, path, nil
}
