package state

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os/exec"
	"strings"
	"sync"
	"time"

	"hodor/protocol"
	"hodor/session"
	"hodor/warehouse"
)

// Outside is what a project looks like to dbt, and a way to its warehouse: what the plugin knows inside dbt. Close ends it, before dbt may be
// started.
type Outside interface {
	warehouse.Host
	// Describe returns what run/start holds, but for what belongs to one invocation.
	Describe(ctx context.Context) (Description, error)
	// Nodes returns what stands under nodes; for those in render also their hooks as dbt renders them.
	Nodes(ctx context.Context, ids, render []string) (map[string]NodeFacts, error)
	// RunHooks returns the project's on-run-start and on-run-end hooks as dbt renders them, nil for one that can't be rendered without side effects.
	RunHooks(ctx context.Context) (RunHooks, error)
	// Credential returns a login to a Lakebase endpoint.
	Credential(ctx context.Context, endpoint string) (Credential, error)
	Close() error
}

// Description is the answer to outside/describe (docs/protocol.md).
type Description struct {
	session.StartRequest
	ProfileName string   `json:"profile_name"`
	Warnings    []string `json:"warnings"`
	Merged      bool     `json:"merged"`
}

// NodeFacts is what the live warehouse and dbt know of one node.
type NodeFacts struct {
	Relation    *string         `json:"relation"`
	Pointer     bool            `json:"pointer"`
	Hooks       *session.Hooks  `json:"hooks"`
	State       json.RawMessage `json:"state"`
	LoadsSource bool            `json:"loads_source"`
}

// RunHooks are rendered texts.
type RunHooks struct {
	Start []*string `json:"on-run-start"`
	End   []*string `json:"on-run-end"`
}

// Credential is a login.
type Credential struct {
	Host  string `json:"host"`
	User  string `json:"user"`
	Token string `json:"token"`
}

// RelayOptions say how the Python process is started.
type RelayOptions struct {
	// Python is the interpreter, in whose environment dbt and dbt-hodor are.
	Python string
	// Args are dbt's options: --project-dir, --profiles-dir, --profile, --target, --vars and those that change the meaning of tests.
	Args []string
	// Environ is the environment of the process.
	Environ []string
	// Version is that of this binary; the process must be of the same.
	Version string
	// Stderr takes what the process says beside the protocol; nil: nowhere.
	Stderr io.Writer
	// Patience is how long the process may take to load the project; 10 min if 0.
	Patience time.Duration
}

// relay is an Outside in a Python process.
type relay struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	conn   *protocol.Conn
	served chan error
	once   sync.Once
	err    error
}

// hello is the first line of the process.
type hello struct {
	Method string `json:"method"`
	Params struct {
		Protocol int    `json:"protocol"`
		Version  string `json:"version"`
		Message  string `json:"message"`
	} `json:"params"`
}

// relayProtocol is the version of the protocol between this package and the Python process.
const relayProtocol = 1

// StartRelay starts the Python process and waits until it has loaded the project.
func StartRelay(ctx context.Context, o RelayOptions) (Outside, error) {
	cmd := exec.Command(o.Python, append([]string{"-m", "dbt_hodor.relay"}, o.Args...)...)
	cmd.Env = append(without(o.Environ, "HODOR_MODE", "HODOR_TELL_START"), "HODOR_MODE=shadow", "PYTHONUTF8=1", "PYTHONIOENCODING=utf-8")
	last := &tail{}
	cmd.Stderr = last
	if o.Stderr != nil {
		cmd.Stderr = io.MultiWriter(o.Stderr, last)
	}
	ownGroup(cmd)
	cmd.WaitDelay = 5 * time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	hint := "name the Python of dbt's environment with --python, with dbt-hodor installed in it"
	if err := cmd.Start(); err != nil {
		return nil, fail(WarehouseUnavailable, hint, err, "%s can't be started", o.Python)
	}
	r := &relay{cmd: cmd, in: in, served: make(chan error, 1)}
	reader := bufio.NewReaderSize(out, 64<<10)
	type first struct {
		line string
		err  error
	}
	got := make(chan first, 1)
	go func() {
		line, err := reader.ReadString('\n')
		got <- first{line, err}
	}()
	if o.Patience == 0 {
		o.Patience = 10 * time.Minute
	}
	var f first
	select {
	case f = <-got:
	case <-ctx.Done():
		r.kill()
		return nil, fail(Interrupted, "", ctx.Err(), "stopped while the project was loaded")
	case <-time.After(o.Patience):
		r.kill()
		return nil, fail(WarehouseUnavailable, "look at the profile, and at what else uses the warehouse", nil, "%s did not load the project within %s", o.Python, o.Patience)
	}
	var h hello
	switch {
	case f.err != nil || json.Unmarshal([]byte(f.line), &h) != nil:
		r.kill()
		return nil, fail(WarehouseUnavailable, hint, nil, "%s did not load the project%s", o.Python, last.said())
	case h.Method != "hello":
		r.kill()
		return nil, fail(WarehouseUnavailable, "correct the profile or the project", nil, "dbt can't load the project: %s", h.Params.Message)
	case h.Params.Protocol != relayProtocol || h.Params.Version != o.Version:
		r.kill()
		return nil, fail(WarehouseUnavailable, "install both from one wheel, or name the right Python with --python", nil,
			"dbt-hodor in %s is version %s, this command is %s", o.Python, h.Params.Version, o.Version)
	}
	r.conn = protocol.New(reader, in, nil, protocol.Options{Log: log.New(io.Discard, "", 0)})
	go func() { r.served <- r.conn.Serve(context.Background()) }()
	return r, nil
}

// without removes variables from an environment.
func without(environ []string, names ...string) []string {
	var out []string
next:
	for _, pair := range environ {
		for _, name := range names {
			if strings.HasPrefix(pair, name+"=") {
				continue next
			}
		}
		out = append(out, pair)
	}
	return out
}

func (r *relay) call(ctx context.Context, method string, params, result any) error {
	err := r.conn.Call(ctx, method, params, result)
	if errors.Is(err, protocol.ErrClosed) {
		return fmt.Errorf("%w: the Python process in front of it ended", warehouse.ErrGone)
	}
	return err
}

// Query implements warehouse.Host.
func (r *relay) Query(ctx context.Context, sql string) (warehouse.Answer, error) {
	var a warehouse.Answer
	err := r.call(ctx, "warehouse/query", map[string]string{"sql": sql}, &a)
	if e, ok := errors.AsType[*protocol.Error](err); ok {
		return a, &warehouse.StatementError{Message: e.Message}
	}
	return a, err
}

func (r *relay) Describe(ctx context.Context) (Description, error) {
	var d Description
	return d, r.call(ctx, "outside/describe", nil, &d)
}

func (r *relay) Nodes(ctx context.Context, ids, render []string) (map[string]NodeFacts, error) {
	var a struct {
		Nodes map[string]NodeFacts `json:"nodes"`
	}
	return a.Nodes, r.call(ctx, "outside/nodes", map[string][]string{"ids": ids, "render": render}, &a)
}

func (r *relay) RunHooks(ctx context.Context) (RunHooks, error) {
	var h RunHooks
	return h, r.call(ctx, "outside/run_hooks", nil, &h)
}

func (r *relay) Credential(ctx context.Context, endpoint string) (Credential, error) {
	var c Credential
	return c, r.call(ctx, "lakebase/credential", map[string]string{"endpoint": endpoint}, &c)
}

// Close ends the process: its stdin ends, it closes its connections, and it is waited for, in the end killed.
func (r *relay) Close() error {
	r.once.Do(func() {
		_ = r.in.Close()
		done := make(chan error, 1)
		go func() { <-r.served; done <- r.cmd.Wait() }() //nolint:errcheck // how the process ended says more than how its pipe did
		select {
		case r.err = <-done:
		case <-time.After(30 * time.Second):
			killGroup(r.cmd)
			r.err = errors.New("the Python process did not end by itself and was killed")
		}
	})
	return r.err
}

func (r *relay) kill() {
	_ = r.in.Close()
	killGroup(r.cmd)
	_ = r.cmd.Wait()
}

// tail keeps the last lines of a stream.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if n := len(t.text); n > 4096 {
		t.text = t.text[n-4096:]
	}
	return len(p), nil
}

// said is what the stream ended with, on one line.
func (t *tail) said() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	if lines[len(lines)-1] == "" {
		return ""
	}
	return ": " + strings.TrimSpace(lines[len(lines)-1])
}
