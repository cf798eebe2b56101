package warehousetest

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"hodor/internal/enginetest"
	"hodor/warehouse"
)

// FromDB returns a host that runs statements on db, whose driver must be able to give every value as text.
func FromDB(db *sql.DB) warehouse.Host { return fromDB{db} }

type fromDB struct{ db *sql.DB }

func (h fromDB) Query(ctx context.Context, statement string) (warehouse.Answer, error) {
	rows, err := h.db.QueryContext(ctx, statement)
	if err != nil {
		return warehouse.Answer{}, &warehouse.StatementError{Message: err.Error()}
	}
	defer rows.Close()
	a := warehouse.Answer{}
	if a.Columns, err = rows.Columns(); err != nil {
		return a, err
	}
	for rows.Next() {
		row := make([]sql.NullString, len(a.Columns))
		into := make([]any, len(row))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return a, err
		}
		values := make([]*string, len(row))
		for i, v := range row {
			if v.Valid {
				values[i] = &v.String
			}
		}
		a.Rows = append(a.Rows, values)
	}
	if err := rows.Err(); err != nil {
		return a, &warehouse.StatementError{Message: err.Error()}
	}
	return a, nil
}

// child answers statements on one DuckDB database in a Python process, a JSON object a line. What DuckDB itself prints goes to standard error.
const child = `
import json, os, sys, duckdb
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
base = duckdb.connect(sys.argv[1] if len(sys.argv) > 1 else ":memory:")
for line in sys.stdin:
    try:
        cur = base
        cur.execute(json.loads(line))
        names = [d[0] for d in cur.description or []]
        rows = [[None if v is None else str(v) for v in r] for r in (cur.fetchall() if names else [])]
        out = {"columns": names, "rows": rows}
    except Exception as e:
        out = {"error": str(e)}
    print(json.dumps(out), file=answers, flush=True)
`

// Python is a DuckDB in the Python environment of that name at the root of the repository: .venv has DuckDB 2, .venv-next DuckDB 1.5. The
// database is file, or in memory if that is empty. The test ends if there is none (enginetest.Missing).
func Python(t testing.TB, venv, file string) warehouse.Host {
	t.Helper()
	python := filepath.Join(root(t), venv, "bin", "python")
	if _, err := os.Stat(python); err != nil {
		enginetest.Missing(t, "no Python environment %s: make venv venv-next", venv)
	}
	if file == "" {
		file = ":memory:"
	}
	cmd := exec.Command(python, "-c", child, file)
	cmd.Dir = t.TempDir()
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the Python DuckDB ended with %v", err)
		}
	})
	return &pythonHost{in: in, out: bufio.NewReader(out)}
}

type pythonHost struct {
	mu  sync.Mutex
	in  io.Writer
	out *bufio.Reader
}

func (h *pythonHost) Query(_ context.Context, statement string) (warehouse.Answer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	line, err := json.Marshal(statement)
	if err != nil {
		return warehouse.Answer{}, err
	}
	if _, err := h.in.Write(append(line, '\n')); err != nil {
		return warehouse.Answer{}, fmt.Errorf("%w: %v", warehouse.ErrGone, err)
	}
	if line, err = h.out.ReadBytes('\n'); err != nil {
		return warehouse.Answer{}, fmt.Errorf("%w: %v", warehouse.ErrGone, err)
	}
	var answer struct {
		warehouse.Answer
		Error string `json:"error"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return warehouse.Answer{}, err
	}
	if answer.Error != "" {
		return warehouse.Answer{}, &warehouse.StatementError{Message: answer.Error}
	}
	return answer.Answer, nil
}

// root finds the repository's root from the package's directory.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = parent
	}
}
