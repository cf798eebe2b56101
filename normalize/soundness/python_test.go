package soundness

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"hodor/internal/enginetest"
)

// inPython is the DuckDB of a Python environment at the root of the repository: .venv has DuckDB 2. It answers a line of JSON a request.
type inPython struct {
	t   testing.TB
	in  io.WriteCloser
	out *bufio.Reader
}

// pythonChild keeps the databases. A thread of its own interrupts what runs too long.
const pythonChild = `
import json, sys, threading, time, duckdb
count, limit = int(sys.argv[1]), float(sys.argv[2])
bases = [duckdb.connect(":memory:") for _ in range(count)]
running = [None, 0.0]
def watch():
    while True:
        time.sleep(0.5)
        base, since = running
        if base is not None and time.monotonic() - since > limit:
            base.interrupt()
threading.Thread(target=watch, daemon=True).start()
for line in sys.stdin:
    n, sql, fill = json.loads(line)
    out = {}
    running[1], running[0] = time.monotonic(), bases[n]
    try:
        if fill:
            for statement in sql.split("\n"):
                if statement.strip():
                    bases[n].execute(statement)
        else:
            result = bases[n].execute(sql)
            out["columns"] = ", ".join("%s %s" % (d[0], d[1]) for d in result.description)
            out["rows"] = "\n".join(sorted("|".join("%s:%r" % (type(v).__name__, v) for v in row) for row in result.fetchall()))
    except Exception as e:
        out["err"] = str(e) or type(e).__name__
    running[0] = None
    print(json.dumps(out), flush=True)
`

func newInPython(t testing.TB, environment string) *inPython {
	t.Helper()
	python, err := filepath.Abs(filepath.Join("..", "..", environment, "bin", "python"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(python); err != nil {
		enginetest.Missing(t, "no Python environment %s: make venv", environment)
	}
	limit, _ := json.Marshal(statementLimit.Seconds())
	count, _ := json.Marshal(databases)
	cmd := exec.Command(python, "-c", pythonChild, string(count), string(limit))
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
			t.Errorf("the DuckDB in Python ended with %v", err)
		}
	})
	e := &inPython{t: t, in: in, out: bufio.NewReader(out)}
	for n := range databases {
		if err := e.fill(n, settings); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

func (e *inPython) ask(n int, text string, fill bool) outcome {
	line, err := json.Marshal([]any{n, text, fill})
	if err != nil {
		e.t.Fatal(err)
	}
	if _, err := e.in.Write(append(line, '\n')); err != nil {
		e.t.Fatal(err)
	}
	if line, err = e.out.ReadBytes('\n'); err != nil {
		e.t.Fatalf("the DuckDB in Python is gone: %v, at %s", err, text)
	}
	var answer struct{ Columns, Rows, Err string }
	if err := json.Unmarshal(line, &answer); err != nil {
		e.t.Fatal(err)
	}
	return outcome{columns: answer.Columns, rows: answer.Rows, err: answer.Err}
}

func (e *inPython) fill(n int, script string) error {
	if o := e.ask(n, script, true); o.err != "" {
		return &fillError{o.err}
	}
	return nil
}

func (e *inPython) run(n int, query string) outcome { return e.ask(n, query, false) }

// fillError is what DuckDB says of a script.
type fillError struct{ text string }

func (e *fillError) Error() string { return e.text }
