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

// inPython is the DuckDB of a Python environment at the root of the repository: .venv has DuckDB 2, .venv-next DuckDB 1.5. It answers a line of
// JSON a request.
type inPython struct {
	t      testing.TB
	python string
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	filled map[int]string
}

// pythonChild keeps the databases. A thread of its own interrupts what runs too long. What DuckDB itself prints (a bar, for a query of seconds)
// goes to standard error.
const pythonChild = `
import json, os, sys, threading, time, duckdb
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
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
    print(json.dumps(out), file=answers, flush=True)
`

func newInPython(t testing.TB, environment string) *inPython {
	t.Helper()
	python, err := filepath.Abs(filepath.Join("..", "..", environment, "bin", "python"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(python); err != nil {
		enginetest.Missing(t, "no Python environment %s: make venv venv-next", environment)
	}
	e := &inPython{t: t, python: python, filled: map[int]string{}}
	e.start()
	t.Cleanup(func() {
		e.in.Close()
		if err := e.cmd.Wait(); err != nil {
			t.Errorf("the DuckDB in Python ended with %v", err)
		}
	})
	return e
}

func (e *inPython) start() {
	limit, _ := json.Marshal(statementLimit.Seconds())
	count, _ := json.Marshal(databases)
	e.cmd = exec.Command(e.python, "-c", pythonChild, string(count), string(limit))
	e.cmd.Dir = e.t.TempDir()
	e.cmd.Stderr = os.Stderr
	in, err := e.cmd.StdinPipe()
	if err != nil {
		e.t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		e.t.Fatal(err)
	}
	if err := e.cmd.Start(); err != nil {
		e.t.Fatal(err)
	}
	e.in, e.out = in, bufio.NewReader(out)
	for n := range databases {
		for _, script := range []string{settings, e.filled[n]} {
			if o := e.ask(n, script, true); o.err != "" {
				e.t.Fatal(o.err)
			}
		}
	}
}

func (e *inPython) ask(n int, text string, fill bool) outcome {
	line, err := json.Marshal([]any{n, text, fill})
	if err != nil {
		e.t.Fatal(err)
	}
	if _, err = e.in.Write(append(line, '\n')); err == nil {
		line, err = e.out.ReadBytes('\n')
	}
	if err != nil {
		// Some queries end DuckDB itself. They prove nothing, and the next ones get another process.
		e.t.Logf("DuckDB ended (%v) at\n%s", e.cmd.Wait(), text)
		e.start()
		return outcome{err: engineEnded}
	}
	var answer struct{ Columns, Rows, Err string }
	if err := json.Unmarshal(line, &answer); err != nil {
		e.t.Fatal(err)
	}
	return outcome{columns: answer.Columns, rows: answer.Rows, err: answer.Err}
}

// engineEnded is the outcome of a query that ended the engine.
const engineEnded = "the engine ended"

func (e *inPython) fill(n int, script string) error {
	if o := e.ask(n, script, true); o.err != "" {
		return &fillError{o.err}
	}
	e.filled[n] = script
	return nil
}

func (e *inPython) run(n int, query string) outcome { return e.ask(n, query, false) }

// fillError is what DuckDB says of a script.
type fillError struct{ text string }

func (e *fillError) Error() string { return e.text }
