package protocol

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"runtime"
	"strings"
	"testing"
)

// endless gives n bytes of one letter between a head and a tail, without holding them.
func endless(head string, n int64, tail string) io.Reader {
	return io.MultiReader(strings.NewReader(head), io.LimitReader(letters{}, n), strings.NewReader(tail))
}

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestEndlessLine: a line far over the limit is drained, answered, and costs no more memory than the limit; what comes after it is served.
// HODOR_LONG=1 takes a gigabyte against the limit that is shipped.
func TestEndlessLine(t *testing.T) {
	limit, length := 1<<20, int64(64<<20)
	if os.Getenv("HODOR_LONG") != "" {
		limit, length = MaxLine, 1<<30
	}
	in := endless(`{"jsonrpc":"2.0","id":1,"method":"echo","params":"`, length, `"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"echo","params":"after"}`+"\n")
	var out bytes.Buffer
	c := New(in, &out, testMethods(), Options{MaxLine: limit, Log: log.New(io.Discard, "", 0)})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	if err := c.Serve(context.Background()); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	// What a slice that grows to the limit has cost in all: a sum of its sizes on the way, each at least a fifth larger than the one before.
	if spent := after.TotalAlloc - before.TotalAlloc; spent > 8*uint64(limit)+8<<20 {
		t.Errorf("%d bytes were allocated for a line of %d over a limit of %d", spent, length, limit)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"id":1,"error"`) && !strings.Contains(lines[1], `"id":1,"error"`) {
		t.Errorf("it answered %q", out.String())
	}
}

// stuck is a reader on the other side that takes nothing until it is released.
type stuck struct {
	released chan struct{}
	took     bytes.Buffer
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.released
	return s.took.Write(p)
}

// TestReaderThatStops: answers that nobody takes are kept up to a bound; beyond it the connection ends, and nothing waits for ever.
func TestReaderThatStops(t *testing.T) {
	line := `{"jsonrpc":"2.0","id":1,"method":"quick","params":"` + strings.Repeat("x", 1<<10) + `"}` + "\n"
	asked := 0
	in := readerFunc(func(p []byte) (int, error) {
		asked++
		return copy(p, line), nil // for ever
	})
	out := &stuck{released: make(chan struct{})}
	c := New(in, out, testMethods(), Options{MaxUnread: 1 << 20, Log: log.New(io.Discard, "", 0)})
	served := make(chan error, 1)
	go func() { served <- c.Serve(context.Background()) }()
	if err := <-served; !errors.Is(err, ErrWrite) {
		t.Errorf("Serve: %v", err)
	}
	if kept := c.w.bytes; kept > 1<<20 {
		t.Errorf("%d bytes are kept for a reader that stopped", kept)
	}
	close(out.released)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestSlowReader: a reader that takes one byte at a time gets every answer whole.
func TestSlowReader(t *testing.T) {
	var in bytes.Buffer
	const n = 500
	for i := range n {
		line, err := encode(message{JSONRPC: "2.0", ID: json.RawMessage(itoa(i)), Method: "echo", Params: json.RawMessage(`"` + strings.Repeat("y", i) + `"`)})
		if err != nil {
			t.Fatal(err)
		}
		in.Write(line)
	}
	outR, outW := io.Pipe()
	c := New(&in, outW, testMethods(), Options{Log: log.New(io.Discard, "", 0)})
	served := make(chan error, 1)
	go func() { served <- c.Serve(context.Background()); outW.Close() }()
	var got []byte
	one := make([]byte, 1)
	for {
		k, err := outR.Read(one)
		got = append(got, one[:k]...)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, line := range bytes.Split(bytes.TrimSpace(got), []byte("\n")) {
		var m message
		if err := json.Unmarshal(line, &m); err != nil || m.Error != nil {
			t.Fatalf("%q: %v", line, err)
		}
		seen[string(m.ID)] = true
	}
	if len(seen) != n {
		t.Errorf("%d of %d requests were answered", len(seen), n)
	}
}

func itoa(i int) string {
	raw, _ := json.Marshal(i)
	return string(raw)
}

// TestWaitingIsBounded: requests that wait hold at most MaxWaiting bytes together; more are refused, and served once there is room.
func TestWaitingIsBounded(t *testing.T) {
	hold, began := make(chan struct{}), make(chan struct{}, 10)
	methods := map[string]Method{"wait": {Handle: func(_ context.Context, p json.RawMessage) (any, error) {
		began <- struct{}{}
		<-hold
		return len(p), nil
	}}}
	h := start(t, methods, Options{Running: 1, MaxWaiting: 3000})
	big := strings.Repeat("z", 1000)
	h.write(`{"jsonrpc":"2.0","id":1,"method":"wait","params":"` + big + `"}`)
	<-began
	h.write(`{"jsonrpc":"2.0","id":2,"method":"wait","params":"` + big + `"}`)
	h.write(`{"jsonrpc":"2.0","id":3,"method":"wait","params":"` + big + big + `"}`)
	h.expect(`{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"too many requests are waiting (1)"}}`)
	close(hold)
	h.expect(`{"jsonrpc":"2.0","id":1,"result":1002}`)
	h.expect(`{"jsonrpc":"2.0","id":2,"result":1002}`)
	h.write(`{"jsonrpc":"2.0","id":4,"method":"wait","params":"` + big + big + `"}`)
	h.expect(`{"jsonrpc":"2.0","id":4,"result":2002}`)
}
