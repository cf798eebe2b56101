package sparktest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"hodor/internal/enginetest"
	"hodor/warehouse"
)

// Session is one Spark session. It is safe for concurrent use; statements in it run at once.
type Session struct {
	address, name string

	mu   sync.Mutex
	idle []*conn
}

// Parsed is what Spark's parser, with Delta Lake's grammar, says of one text.
type Parsed struct {
	OK    bool   // it is one statement
	Error string // why not; with OK: why what it reads is not known
	// Tables are the names that it reads, as written, CTEs excluded by Spark's own scoping rule; also the targets of MERGE, UPDATE and DELETE.
	Tables [][]string
	// Targets are the names that other statements write, define or maintain; Functions those of table functions in FROM.
	Targets, Functions [][]string
	Kind               string // the class of the plan's root: "Project"
}

// Result is the answer to a query. Values are texts that differ where values of the column's type differ; nil is NULL.
type Result struct {
	Columns, Types []string // types as Spark writes them: "array<int>"
	Rows           [][]*string
	Ordered        bool // sorting is the last thing that the query does
}

// Error is Spark's refusal of a statement.
type Error struct {
	Condition string // "TABLE_OR_VIEW_NOT_FOUND"; empty if it has none
	Message   string
}

func (e *Error) Error() string { return e.Message }

var (
	once    sync.Once
	address string
	failed  error
	//nolint:unused // it is there to be held
	input  io.Closer // of the server; held here, or the collector would close it and so end the server
	serial atomic.Int64
)

// errMissing is wrapped where this machine has no Spark.
var errMissing = errors.New("no Spark")

// Get returns a new session.
func Get(t testing.TB) *Session {
	t.Helper()
	once.Do(func() {
		if address = os.Getenv("SPARKTEST_ADDRESS"); address == "" {
			address, input, failed = start()
		}
	})
	check(t, failed)
	return newSession(t, address)
}

// Another returns a session of a Spark that is a process of its own and ends with the test. It shares nothing with the others but the machine's files;
// it takes as long to start as the first.
func Another(t testing.TB) *Session {
	t.Helper()
	address, input, err := start()
	check(t, err)
	t.Cleanup(func() {
		if err := input.Close(); err != nil {
			t.Error(err)
		}
	})
	return newSession(t, address)
}

func check(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, errMissing) {
		enginetest.Missing(t, "%v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func newSession(t testing.TB, address string) *Session {
	s := &Session{address: address, name: fmt.Sprintf("%d.%d", os.Getpid(), serial.Add(1))}
	t.Cleanup(s.close)
	return s
}

// start runs a server that ends when its input is closed, with this process at the latest.
func start() (string, io.Closer, error) {
	root, err := findRoot()
	if err != nil {
		return "", nil, err
	}
	venv := filepath.Join(root, ".venv-spark")
	if _, err := os.Stat(filepath.Join(venv, ".stamp")); err != nil {
		return "", nil, fmt.Errorf("%w: make venv-spark", errMissing)
	}
	if _, err := exec.LookPath("java"); err != nil && os.Getenv("JAVA_HOME") == "" {
		return "", nil, fmt.Errorf("%w: it needs Java 17: apt-get install openjdk-17-jre-headless", errMissing)
	}
	cmd := exec.Command(filepath.Join(venv, "bin", "python"), filepath.Join(root, "internal", "sparktest", "server.py"), filepath.Join(venv, "delta"))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", nil, fmt.Errorf("Spark did not start: %w", errors.Join(err, cmd.Wait())) //nolint:staticcheck // ST1005: Spark is a name
	}
	return strings.TrimSpace(line), &child{in, cmd}, nil
}

// child is a server's process. Closing it ends the server and waits for its end.
type child struct {
	in  io.Closer
	cmd *exec.Cmd
}

func (c *child) Close() error { return errors.Join(c.in.Close(), c.cmd.Wait()) }

// findRoot finds the repository's root above the package's directory.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the test")
		}
		dir = parent
	}
}

// Parse asks Spark's parser for each text.
func (s *Session) Parse(t testing.TB, texts ...string) []Parsed {
	t.Helper()
	var out struct{ Parsed []Parsed }
	if err := s.call(t.Context(), map[string]any{"op": "parse", "sqls": texts}, &out); err != nil {
		t.Fatal(err)
	}
	if len(out.Parsed) != len(texts) {
		t.Fatalf("Spark answered for %d texts of %d", len(out.Parsed), len(texts))
	}
	return out.Parsed
}

// Refused asks Spark's parser for each text and returns its messages, "" for a text that it accepts. It is much faster than Parse.
func (s *Session) Refused(t testing.TB, texts ...string) []string {
	t.Helper()
	var out struct{ Errors []string }
	if err := s.call(t.Context(), map[string]any{"op": "refused", "sqls": texts}, &out); err != nil {
		t.Fatal(err)
	}
	if len(out.Errors) != len(texts) {
		t.Fatalf("Spark answered for %d texts of %d", len(out.Errors), len(texts))
	}
	return out.Errors
}

// Run runs one statement. What Spark refuses is an *Error.
func (s *Session) Run(ctx context.Context, sql string) (Result, error) {
	var r Result
	err := s.call(ctx, map[string]any{"op": "query", "sql": sql}, &r)
	return r, err
}

// Query implements warehouse.Host: values are texts as the plugin's relay makes them.
func (s *Session) Query(ctx context.Context, sql string) (warehouse.Answer, error) {
	var a warehouse.Answer
	err := s.call(ctx, map[string]any{"op": "query", "sql": sql, "relay": true}, &a)
	if e, ok := errors.AsType[*Error](err); ok {
		err = &warehouse.StatementError{Message: e.Message}
	}
	return a, err
}

// Exec runs statements, each of which must succeed.
func (s *Session) Exec(t testing.TB, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if _, err := s.Run(t.Context(), sql); err != nil {
			t.Fatalf("%.300s: %v", sql, err)
		}
	}
}

// Schema creates a schema for the test and drops it after it, with all that is in it. Its name needs no quotes.
func (s *Session) Schema(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("hodor_%d_%d", os.Getpid(), serial.Add(1))
	s.Exec(t, "CREATE SCHEMA "+name)
	t.Cleanup(func() {
		if _, err := s.Run(context.Background(), "DROP SCHEMA "+name+" CASCADE"); err != nil {
			t.Error(err)
		}
	})
	return name
}

// Write writes the rows of a query into a Delta table by the DataFrame API, which has options that SQL lacks: mode is "append" or "overwrite",
// options such as mergeSchema.
func (s *Session) Write(ctx context.Context, sql, into, mode string, options map[string]string) error {
	if options == nil {
		options = map[string]string{}
	}
	return s.call(ctx, map[string]any{"op": "write", "sql": sql, "into": into, "mode": mode, "options": options}, &struct{}{})
}

// Stream writes what is new in one table into another by a stream, and waits for its end. A second call goes on where the first has ended.
func (s *Session) Stream(ctx context.Context, from, into string) error {
	return s.call(ctx, map[string]any{"op": "stream", "from": from, "into": into, "mode": "append"}, &struct{}{})
}

// Reset drops the session's temporary views and takes back its settings and its current schema. It may be used in a cleanup.
func (s *Session) Reset(t testing.TB) {
	t.Helper()
	if err := s.call(context.WithoutCancel(t.Context()), map[string]any{"op": "reset"}, &struct{}{}); err != nil {
		t.Fatal(err)
	}
}

// Thrift returns the port on loopback of a Thrift Server in the same Spark (HTTP, path /cliservice), which sees the same tables.
func (s *Session) Thrift(t testing.TB) int {
	t.Helper()
	var out struct{ Port int }
	if err := s.call(t.Context(), map[string]any{"op": "thrift"}, &out); err != nil {
		t.Fatal(err)
	}
	return out.Port
}

// conn is a connection with at most one request in flight.
type conn struct {
	net.Conn
	in *bufio.Reader
}

func (s *Session) call(ctx context.Context, request, into any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c, err := s.take(ctx)
	if err != nil {
		return err
	}
	// Where the caller gives up, the connection is cut; the statement goes on in Spark, unheard.
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	line, err := c.exchange(request)
	if !stop() {
		return ctx.Err()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%w: the Spark of the tests does not answer: %w", warehouse.ErrGone, err), c.Close())
	}
	s.mu.Lock()
	s.idle = append(s.idle, c)
	s.mu.Unlock()
	var refused struct{ Error *Error }
	if err := json.Unmarshal(line, &refused); err != nil {
		return err
	}
	if refused.Error != nil {
		return refused.Error
	}
	return json.Unmarshal(line, into)
}

func (c *conn) exchange(request any) ([]byte, error) {
	line, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	if _, err := c.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	return c.in.ReadBytes('\n')
}

// take returns an idle connection, or a new one.
func (s *Session) take(ctx context.Context) (*conn, error) {
	s.mu.Lock()
	if n := len(s.idle); n > 0 {
		c := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		return c, nil
	}
	s.mu.Unlock()
	nc, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", warehouse.ErrGone, err)
	}
	if _, err := io.WriteString(nc, `{"session":"`+s.name+"\"}\n"); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", warehouse.ErrGone, err), nc.Close())
	}
	return &conn{nc, bufio.NewReader(nc)}, nil
}

func (s *Session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.idle {
		_ = c.Close()
	}
	s.idle = nil
}
