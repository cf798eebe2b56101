package versions

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"hodor/engine"
	"hodor/project"
)

// class is what a Delta commit may have done to a table's rows and columns. Section 7.1 of the spec, tightened where it would have reused
// wrongly on Delta Lake (measured; testdata/delta-history.jsonl).
type class int

const (
	// change: everything that is not one of the others, whatever its metrics say: RESTORE, CLONE, CREATE, REPLACE, TRUNCATE, ADD COLUMNS, FSCK,
	// names that are not known, metrics that are missing.
	change class = iota
	// ambiguous: no row changed, but the columns may have. CHANGE COLUMN is a comment, or another type or order; a MERGE of no rows may have
	// added a column. The hash of the columns decides.
	ambiguous
	// maintenance: never a change.
	maintenance
)

// String names the class as docs/versions.md does.
func (c class) String() string { return [...]string{"change", "ambiguous", "maintenance"}[c] }

var maintenanceOperations = map[string]bool{
	"OPTIMIZE": true, "VACUUM START": true, "VACUUM END": true, "ANALYZE": true, "COMPUTE STATS": true, "SET TBLPROPERTIES": true,
	"UNSET TBLPROPERTIES": true, "ADD CONSTRAINT": true, "DROP CONSTRAINT": true, "UPGRADE PROTOCOL": true, "SET TAGS": true, "UNSET TAGS": true,
	"CLUSTER BY": true, "REORG": true,
}

// rowMetrics are the change metrics of the spec: at least one must be there for their being zero to say anything.
var rowMetrics = map[string]bool{
	"numOutputRows": true, "numRemovedFiles": true, "numTargetRowsInserted": true, "numTargetRowsUpdated": true, "numTargetRowsDeleted": true,
	"numDeletedRows": true, "numUpdatedRows": true, "numCopiedRows": true,
}

// fileMetrics are those of files and deletion vectors added, removed or updated, under all the names that operations give them.
var fileMetrics = regexp.MustCompile(`^num.*(Files|DeletionVectors)`)

// commit is one row of DESCRIBE HISTORY.
type commit struct {
	version    int64
	atMS       int64
	operation  string
	parameters map[string]string
	metrics    map[string]string // values are texts
}

func (c commit) class() class {
	switch c.operation {
	case "CHANGE COLUMN", "CHANGE COLUMNS":
		return ambiguous
	case "WRITE":
		if c.parameters["mode"] != "Append" {
			return change
		}
	case "MERGE", "UPDATE", "DELETE", "STREAMING UPDATE":
	default:
		if maintenanceOperations[c.operation] {
			return maintenance
		}
		return change
	}
	said := false
	for name, value := range c.metrics {
		row := rowMetrics[name]
		said = said || row
		if (row || fileMetrics.MatchString(name)) && value != "0" {
			return change
		}
	}
	if !said {
		return change
	}
	return ambiguous
}

// history is what of a table's history counts.
type history struct {
	change    string // <version>@<ms> of the latest change
	ambiguous bool   // an ambiguous commit is newer
}

// latestChange finds the latest change among commits, newest first.
func latestChange(commits []commit) (history, error) {
	var h history
	for _, c := range commits {
		switch c.class() {
		case change:
			h.change = fmt.Sprintf("%d@%d", c.version, c.atMS)
			return h, nil
		case ambiguous:
			h.ambiguous = true
		}
	}
	return history{}, errNoChange
}

// ChangedAt returns the time of the change that a Delta token names, epoch ms; false for every other token.
func ChangedAt(v engine.Version) (int64, bool) {
	change, _, _ := strings.Cut(string(v), "#")
	version, at, ok := strings.Cut(change, "@")
	if _, err := strconv.ParseUint(version, 10, 64); !ok || err != nil {
		return 0, false
	}
	ms, err := strconv.ParseInt(at, 10, 64)
	return ms, err == nil
}

// readHistory reads DESCRIBE HISTORY, newest first. Columns are found by name, since releases add some.
func readHistory(ctx context.Context, db *sql.DB, statement string) ([]commit, error) {
	rows, err := db.QueryContext(ctx, statement)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	wanted := map[string]int{}
	for i, n := range names {
		wanted[project.Fold(n)] = i
	}
	var at [5]int
	for i, n := range []string{"version", "timestamp", "operation", "operationparameters", "operationmetrics"} {
		place, ok := wanted[n]
		if !ok {
			return nil, fmt.Errorf("the history has no column %s", n)
		}
		at[i] = place
	}
	var commits []commit
	for rows.Next() {
		row := make([]sql.NullString, len(names))
		into := make([]any, len(row))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		c, err := parseCommit(row[at[0]], row[at[1]], row[at[2]], row[at[3]], row[at[4]])
		if err != nil {
			return nil, err
		}
		if n := len(commits); n > 0 && c.version >= commits[n-1].version {
			return nil, fmt.Errorf("the history is not in order of versions")
		}
		commits = append(commits, c)
	}
	return commits, rows.Err()
}

func parseCommit(version, timestamp, operation, parameters, metrics sql.NullString) (commit, error) {
	n, err := strconv.ParseInt(version.String, 10, 64)
	ms, ok := commitTime(timestamp.String)
	if err != nil || !ok {
		return commit{}, fmt.Errorf("version %q at %q can't be read", version.String, timestamp.String)
	}
	return commit{n, ms, strings.ToUpper(strings.TrimSpace(operation.String)), textMap(parameters), textMap(metrics)}, nil
}

// textMap reads a map as the drivers give it, a JSON object of texts. nil if it is anything else, which then says nothing.
func textMap(v sql.NullString) map[string]string {
	var raw map[string]json.RawMessage
	if !v.Valid || json.Unmarshal([]byte(v.String), &raw) != nil {
		return nil
	}
	out := make(map[string]string, len(raw))
	for k, r := range raw {
		var text string
		if json.Unmarshal(r, &text) != nil {
			text = string(r) // a number
		}
		out[k] = text
	}
	return out
}
