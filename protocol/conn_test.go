package protocol

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"strings"
	"sync"
	"testing"
)

// host is the other side of a connection in a test: it writes raw lines and reads raw lines.
type host struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	log  *bytes.Buffer
	conn *Conn
	done chan error
}

func start(t *testing.T, methods map[string]Method, opt Options) *host {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	h := &host{t: t, in: inW, out: bufio.NewReader(outR), log: &bytes.Buffer{}, done: make(chan error, 1)}
	opt.Log = log.New(h.log, "", 0)
	h.conn = New(inR, outW, methods, opt)
	go func() { h.done <- h.conn.Serve(context.Background()) }()
	t.Cleanup(func() { inW.Close(); outR.Close() })
	return h
}

func (h *host) write(line string) {
	h.t.Helper()
	if _, err := io.WriteString(h.in, line+"\n"); err != nil {
		h.t.Error(err) // not Fatal: goroutines write, too
	}
}

func (h *host) read() string {
	h.t.Helper()
	line, err := h.out.ReadString('\n')
	if err != nil {
		h.t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

func (h *host) expect(want string) {
	h.t.Helper()
	if got := h.read(); got != want {
		h.t.Fatalf("got  %s\nwant %s", got, want)
	}
}

func echo(_ context.Context, params json.RawMessage) (any, error) { return params, nil }

// testMethods are methods of every kind.
func testMethods() map[string]Method {
	return map[string]Method{
		"echo":  {Handle: echo},
		"quick": {Handle: echo, Inline: true},
		"panic": {Handle: func(context.Context, json.RawMessage) (any, error) { panic("boom") }},
		"fail": {Handle: func(context.Context, json.RawMessage) (any, error) {
			return nil, Errorf(CodeNoRun, "no run was started")
		}},
		"plain": {Handle: func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("plain") }},
		"odd":   {Handle: func(context.Context, json.RawMessage) (any, error) { return func() {}, nil }},
	}
}

func TestRequests(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"result", `{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":"<b>&"}}`, `{"jsonrpc":"2.0","id":1,"result":{"a":"<b>&"}}`},
		{"string id", `{"jsonrpc":"2.0","id":"x","method":"quick","params":[1]}`, `{"jsonrpc":"2.0","id":"x","result":[1]}`},
		{"typed error", `{"jsonrpc":"2.0","id":2,"method":"fail"}`, `{"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"no run was started"}}`},
		{"any error", `{"jsonrpc":"2.0","id":3,"method":"plain"}`, `{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"plain"}}`},
		{"panic", `{"jsonrpc":"2.0","id":4,"method":"panic"}`, `{"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"internal error in panic: boom"}}`},
		{"unencodable", `{"jsonrpc":"2.0","id":5,"method":"odd"}`,
			`{"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":"odd: the answer can't be encoded: json: unsupported type: func()"}}`},
		{"unknown method", `{"jsonrpc":"2.0","id":6,"method":"node/guess"}`, `{"jsonrpc":"2.0","id":6,"error":{"code":-32601,"message":"unknown method \"node/guess\""}}`},
		{"no version", `{"id":7,"method":"echo"}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"neither a request nor an answer"}}`},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"echo"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"neither a request nor an answer"}}`},
		{"object id", `{"jsonrpc":"2.0","id":{},"method":"echo"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"neither a request nor an answer"}}`},
		{"array", `[1]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"not a JSON-RPC request: json: cannot unmarshal array into Go value of type protocol.message"}}`},
		{"cut", `{"jsonrpc":"2.0","id":8,"method":"echo","params":{"a":`, `{"jsonrpc":"2.0","id":8,"error":{"code":-32700,"message":"not JSON: unexpected end of JSON input"}}`},
		{"not JSON", `hello`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: invalid character 'h' looking for beginning of value"}}`},
		{"windows line end", `{"jsonrpc":"2.0","id":9,"method":"echo"}` + "\r", `{"jsonrpc":"2.0","id":9,"result":null}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := start(t, testMethods(), Options{})
			h.write(c.in)
			h.expect(c.want)
			h.in.Close()
			if err := <-h.done; err != nil {
				t.Errorf("Serve: %v", err)
			}
			if c.name == "panic" && !strings.Contains(h.log.String(), "conn_test.go") {
				t.Errorf("the stack is not in the log: %q", h.log)
			}
		})
	}
}

func TestLongLines(t *testing.T) {
	h := start(t, testMethods(), Options{MaxLine: 1 << 20})
	fits := strings.Repeat("x", 1<<20-100)
	go h.write(`{"jsonrpc":"2.0","id":1,"method":"echo","params":"` + fits + `"}`)
	h.expect(`{"jsonrpc":"2.0","id":1,"result":"` + fits + `"}`)
	go func() {
		h.write(`{"jsonrpc":"2.0","id":2,"method":"echo","params":"` + strings.Repeat("y", 3<<20) + `"}`)
		h.write(`{"jsonrpc":"2.0","id":3,"method":"echo","params":"after"}`)
	}()
	h.expect(`{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"a line is longer than 1048576 bytes"}}`)
	h.expect(`{"jsonrpc":"2.0","id":3,"result":"after"}`)
}

func TestCall(t *testing.T) {
	h := start(t, map[string]Method{
		"ask": {Handle: func(ctx context.Context, _ json.RawMessage) (any, error) { return nil, nil }},
	}, Options{MaxLine: 1 << 16})
	type answer struct {
		v   string
		err error
	}
	got := make(chan answer)
	call := func() {
		var v string
		err := h.conn.Call(context.Background(), "warehouse/query", map[string]string{"sql": "a < b"}, &v)
		got <- answer{v, err}
	}
	go call()
	h.expect(`{"jsonrpc":"2.0","id":1,"method":"warehouse/query","params":{"sql":"a < b"}}`)
	h.write(`{"jsonrpc":"2.0","id":1,"result":"yes"}`)
	if a := <-got; a.v != "yes" || a.err != nil {
		t.Fatalf("got %+v", a)
	}

	go call()
	h.read()
	h.write(`{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"no such table"}}`)
	if e, ok := errors.AsType[*Error]((<-got).err); !ok || e.Code != CodeWarehouse {
		t.Fatalf("got %v", e)
	}

	go call()
	h.read()
	h.write(`{"jsonrpc":"2.0","id":3,"result":"` + strings.Repeat("z", 1<<17) + `"}`)
	if e, ok := errors.AsType[*Error]((<-got).err); !ok || e.Code != CodeInvalidRequest {
		t.Fatalf("a result over the limit: got %v", e)
	}

	go call()
	h.read()
	h.write(`{"jsonrpc":"2.0","id":4,"result":7}`)
	if a := <-got; a.err == nil || !strings.Contains(a.err.Error(), "decoding") {
		t.Fatalf("a result of another type: got %+v", a)
	}

	go call()
	h.read()
	h.write(`{"jsonrpc":"2.0","id":99,"result":"stray"}`)
	h.in.Close()
	if a := <-got; !errors.Is(a.err, ErrClosed) {
		t.Fatalf("at EOF: got %+v", a)
	}
	if err := <-h.done; err != nil {
		t.Fatal(err)
	}
	if err := h.conn.Call(context.Background(), "x", nil, nil); !errors.Is(err, ErrClosed) {
		t.Fatalf("after EOF: %v", err)
	}
}

func TestCallCancelled(t *testing.T) {
	h := start(t, testMethods(), Options{})
	ctx, cancel := context.WithCancel(context.Background())
	got := make(chan error)
	go func() { got <- h.conn.Call(ctx, "warehouse/query", nil, nil) }()
	h.read()
	cancel()
	if err := <-got; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	h.write(`{"jsonrpc":"2.0","id":1,"result":"late"}`)
	h.write(`{"jsonrpc":"2.0","id":1,"method":"echo"}`)
	h.expect(`{"jsonrpc":"2.0","id":1,"result":null}`)
}

// Handlers that wait for the host's answers must not keep the reader from reading them, however many there are.
func TestManyWaitingHandlers(t *testing.T) {
	var h *host
	ready := make(chan struct{})
	methods := map[string]Method{"ask": {Handle: func(ctx context.Context, p json.RawMessage) (any, error) {
		<-ready
		var v string
		err := h.conn.Call(ctx, "warehouse/query", nil, &v)
		return v, err
	}}}
	h = start(t, methods, Options{Running: 3, Queued: 10})
	close(ready)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 13 {
			h.write(`{"jsonrpc":"2.0","id":"` + string(rune('a'+i)) + `","method":"ask"}`)
		}
	})
	answers := 0
	for answers < 13 {
		var m message
		if err := json.Unmarshal([]byte(h.read()), &m); err != nil {
			t.Fatal(err)
		}
		if m.Method != "" {
			go h.write(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":"r"}`)
			continue
		}
		if m.Error != nil {
			t.Errorf("request %s: %v", m.ID, m.Error)
		}
		answers++
	}
	wg.Wait()
}

func TestTooManyWaiting(t *testing.T) {
	block := make(chan struct{})
	h := start(t, map[string]Method{
		"wait": {Handle: func(context.Context, json.RawMessage) (any, error) { <-block; return "done", nil }},
	}, Options{Running: 1, Queued: 1})
	for _, id := range []string{"1", "2", "3"} {
		h.write(`{"jsonrpc":"2.0","id":` + id + `,"method":"wait"}`)
	}
	h.expect(`{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"too many requests are waiting (1)"}}`)
	close(block)
	h.expect(`{"jsonrpc":"2.0","id":1,"result":"done"}`)
	h.expect(`{"jsonrpc":"2.0","id":2,"result":"done"}`)
}

// EOF lets what runs finish and write its answer.
func TestEOFFinishes(t *testing.T) {
	block, began := make(chan struct{}), make(chan struct{})
	h := start(t, map[string]Method{
		"wait": {Handle: func(context.Context, json.RawMessage) (any, error) { close(began); <-block; return "done", nil }},
	}, Options{})
	h.write(`{"jsonrpc":"2.0","id":1,"method":"wait"}`)
	<-began
	h.in.Close()
	close(block)
	h.expect(`{"jsonrpc":"2.0","id":1,"result":"done"}`)
	if err := <-h.done; err != nil {
		t.Fatal(err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWriteFailure(t *testing.T) {
	in, inW := io.Pipe()
	defer inW.Close()
	c := New(in, brokenPipe{}, testMethods(), Options{})
	done := make(chan error)
	go func() { done <- c.Serve(context.Background()) }()
	if err := c.Notify("hello", Hello{}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, ErrWrite) {
		t.Fatalf("got %v", err)
	}
}

func TestCheckHost(t *testing.T) {
	for _, c := range []struct {
		host string
		ok   bool
	}{{"0.1.0", true}, {"0.2.0", false}, {"", false}} {
		err := CheckHost("0.1.0", c.host, "/bin/hodor-sql")
		if (err == nil) != c.ok {
			t.Errorf("%q: %v", c.host, err)
		}
		if err != nil && c.host != "" && (!strings.Contains(err.Error(), c.host) || !strings.Contains(err.Error(), "0.1.0") || !strings.Contains(err.Error(), "/bin/hodor-sql")) {
			t.Errorf("%q: the message names not both versions and the path: %v", c.host, err)
		}
	}
}
