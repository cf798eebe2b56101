package explain

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"hodor/grammar"
	"hodor/normalize"
)

// Present is the compiled SQL of a project as dbt wrote it last: target/run_results.json. Records hold no SQL, so this is the only text that
// can be shown.
type Present struct {
	invocation, startedAt string
	path                  string
	sql                   map[string]string // by unique id
}

// ReadPresent reads the compiled SQL from dbt's target folder. A folder without one is an error that wraps fs.ErrNotExist.
func ReadPresent(target string) (*Present, error) {
	path := filepath.Join(target, "run_results.json")
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Metadata struct {
			InvocationID string `json:"invocation_id"`
			StartedAt    string `json:"invocation_started_at"`
		} `json:"metadata"`
		Results []struct {
			UniqueID string  `json:"unique_id"`
			SQL      *string `json:"compiled_code"`
		} `json:"results"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("%s is no run_results.json of dbt: %v", path, err)
	}
	p := &Present{invocation: file.Metadata.InvocationID, startedAt: file.Metadata.StartedAt, path: path, sql: map[string]string{}}
	for _, r := range file.Results {
		if r.SQL != nil {
			p.sql[r.UniqueID] = *r.SQL
		}
	}
	return p, nil
}

// normalize analyses the present text of a node under the defaults of a record; false where there is none.
func (p *Present) normalize(uniqueID string, f Facts) (normalize.Result, bool) {
	if p == nil {
		return normalize.Result{}, false
	}
	sql, ok := p.sql[uniqueID]
	if !ok || f.Dialect == "" {
		return normalize.Result{}, false
	}
	return normalize.Normalize(sql, normalize.Options{
		Dialect: f.Dialect, Catalog: f.Catalog, Schema: f.Schema, InvocationID: p.invocation, RunStartedAt: p.startedAt,
	}), true
}

// Changed returns the literals of a node's present text that are other ones than those of a record, whose facts f are. ok is false where there is no
// present text, or where it has not as many literals.
func (p *Present) Changed(uniqueID string, f Facts) (list []Place, ok bool) {
	r, found := p.normalize(uniqueID, f)
	if !found || f.Literals == nil || len(f.Literals.Hashes) != len(r.Literals) {
		return nil, false
	}
	for _, l := range f.Literals.Changed(r.Literals) {
		list = append(list, Place{l.Text, l.Line, l.Column})
	}
	return list, true
}

// Lines is the diff of a node between the build that it was held against and its record.
type Lines struct {
	Parted   []string `json:"parted"` // names of the hashes that differ
	Note     string   `json:"note,omitempty"`
	Present  string   `json:"present,omitempty"` // the invocation whose compiled SQL is the present text
	Literals []Place  `json:"literals"`
	// SQL is a unified diff of the canonical SQL, where both records keep it (hodor_keep_sql).
	SQL string `json:"sql,omitempty"`
}

// Place is one literal of the present text; line and column count from 1.
type Place struct {
	Text   string `json:"text"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// AddLines fills in the diff of n. p may be nil: there is no present text then.
func (n *Node) AddLines(p *Present) {
	l := &Lines{Parted: []string{}, Literals: []Place{}}
	n.Lines = l
	if n.then == nil {
		l.Note = "there is no earlier build that counts, so there is nothing to compare with"
		return
	}
	for _, h := range n.Hashes {
		if !h.Same {
			l.Parted = append(l.Parted, h.Name)
		}
	}
	then, now := FactsOf(n.then), FactsOf(n.record)
	if then.SQL != "" && now.SQL != "" && then.SQL != now.SQL {
		l.SQL = string(diff.Diff("last build", []byte(clauses(then.SQL, then.Dialect)), "now", []byte(clauses(now.SQL, now.Dialect))))
	}
	r, ok := p.normalize(n.UniqueID, now)
	switch {
	case n.Resource == "seed":
		l.Note = "a seed's code is its file; look there"
		return
	case !ok:
		l.Note = "there is no present text of this node: dbt's target folder has no run_results.json with it (--target-path names the folder)"
		return
	}
	l.Present = p.invocation
	switch {
	case r.TextHash != deref(n.record.TextHash) && r.CodeHash == deref(n.record.CodeHash):
		l.Note = "the present text is spelled otherwise than that of this record, and means the same"
	case r.TextHash != deref(n.record.TextHash):
		l.Note = "the present text is another one than that of this record: it is of invocation " + p.invocation
	}
	list, comparable := p.Changed(n.UniqueID, then)
	switch {
	case !comparable && l.Note == "" && l.SQL == "":
		l.Note = "the text of the last build had another number of literals, so more than a literal changed; hodor_keep_sql: true keeps the SQL for a diff by line"
	case comparable && len(list) == 0 && l.Note == "" && l.SQL == "" && r.CodeHash != deref(n.then.CodeHash):
		l.Note = "every literal is that of the last build: names, operators or the order changed; hodor_keep_sql: true keeps the SQL for a diff by line"
	}
	l.Literals = append(l.Literals, list...)
}

// clauses breaks canonical SQL, which is one line, into one line a clause and item, for a diff by line.
func clauses(sql, dialect string) string {
	d := grammar.Databricks
	if dialect == normalize.DialectDuckDB {
		d = grammar.DuckDB
	}
	var b strings.Builder
	start := 0
	cut := func(at int) {
		if line := strings.TrimSpace(sql[start:at]); line != "" {
			b.WriteString(line + "\n")
		}
		start = at
	}
	for token, err := range grammar.Tokens(sql, d) {
		if err != nil {
			return sql + "\n"
		}
		switch {
		case token.Kind == grammar.TokenWord && breaks[strings.ToUpper(token.Text)]:
			cut(token.Start)
		case token.Text == ",":
			cut(token.Start + 1)
		}
	}
	cut(len(sql))
	return b.String()
}

// breaks are the words before which a line of canonical SQL is broken.
var breaks = map[string]bool{
	"WITH": true, "SELECT": true, "FROM": true, "WHERE": true, "GROUP": true, "HAVING": true, "QUALIFY": true, "WINDOW": true, "ORDER": true,
	"LIMIT": true, "OFFSET": true, "UNION": true, "INTERSECT": true, "EXCEPT": true, "JOIN": true, "LEFT": true, "RIGHT": true, "FULL": true,
	"CROSS": true, "SEMI": true, "ANTI": true, "LATERAL": true, "VALUES": true,
}
