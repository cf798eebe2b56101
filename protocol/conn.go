package protocol

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"runtime/debug"
	"strconv"
	"sync"
)

// MaxLine is the longest line kept, in bytes. A longer one is drained and answered with an error.
const MaxLine = 256 << 20

// ErrClosed is returned by Call when the connection ended before the answer came, and at once by calls after that.
var ErrClosed = errors.New("the connection to dbt is closed")

// ErrWrite is wrapped by Serve's error when the other side no longer takes what is written.
var ErrWrite = errors.New("cannot write to dbt")

// Handler answers one request. It returns a value to be encoded as the result, or an error: an *Error goes out as it is, any other as
// CodeInternal. A panic is answered with CodeInternal and its stack goes to the log. The context ends when the connection's does.
type Handler func(ctx context.Context, params json.RawMessage) (any, error)

// Method is one entry of the command table.
type Method struct {
	Handle Handler
	// Inline runs it in the reader, in the order of arrival. Only for what never blocks: the answers to our own calls wait behind it.
	Inline bool
}

// Options of a connection. The zero value has the defaults.
type Options struct {
	Running int         // handlers that run at once; 64
	Queued  int         // requests that may wait beside them; 4096
	MaxLine int         // MaxLine
	Log     *log.Logger // stderr
	// MaxWaiting is how many bytes the parameters of requests that run or wait may have together; 1 GiB. The one that exceeds it is refused.
	MaxWaiting int
	// MaxUnread is how many bytes are kept for a reader that does not take them; 256 MiB. With more the connection fails as if the pipe were
	// broken.
	MaxUnread int
}

// Conn is one side of the wire. Create it with New, run it with Serve; Call and Notify may be used from any goroutine.
type Conn struct {
	methods map[string]Method
	opt     Options
	r       *bufio.Reader
	w       *writer

	mu      sync.Mutex
	lastID  int64
	pending map[int64]chan message
	closed  bool
	running int
	waiting int // bytes
	queue   []func()
	parked  int            // workers that wait for jobs
	jobs    chan func()    // for them
	idle    sync.WaitGroup // handlers running or queued
}

// New makes a connection that reads lines from r and writes lines to w. Methods is not changed after.
func New(r io.Reader, w io.Writer, methods map[string]Method, opt Options) *Conn {
	if opt.Running == 0 {
		opt.Running = 64
	}
	if opt.Queued == 0 {
		opt.Queued = 4096
	}
	if opt.MaxLine == 0 {
		opt.MaxLine = MaxLine
	}
	if opt.MaxWaiting == 0 {
		opt.MaxWaiting = 1 << 30
	}
	if opt.MaxUnread == 0 {
		opt.MaxUnread = 256 << 20
	}
	if opt.Log == nil {
		opt.Log = log.Default()
	}
	return &Conn{
		methods: methods, opt: opt,
		r: bufio.NewReaderSize(r, 64<<10), w: newWriter(w, opt.MaxUnread),
		pending: map[int64]chan message{}, jobs: make(chan func(), opt.Running),
	}
}

// Serve reads until the other side closes, lets what runs finish, writes what is left and returns: nil after an EOF, ErrWrite if a write
// failed, else the read error. Pending calls fail with ErrClosed at the EOF, since no answer can come any more.
func (c *Conn) Serve(ctx context.Context) error {
	lines := make(chan error, 1)
	go func() { lines <- c.readAll(ctx) }()
	var err error
	select {
	case err = <-lines:
	case <-c.w.failed:
		// The reader may sit in a read that never ends; it holds nothing that matters.
	}
	c.failPending()
	c.idle.Wait()
	c.w.close()
	if werr := c.w.err(); werr != nil {
		return fmt.Errorf("%w: %v", ErrWrite, werr)
	}
	return err
}

// Flush writes what is queued and ends the writing side, for a connection that is never served.
func (c *Conn) Flush() { c.w.close() }

func (c *Conn) readAll(ctx context.Context) error {
	for {
		line, tooLong, err := c.readLine()
		if len(line) > 0 {
			c.receive(ctx, line, tooLong)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading from dbt: %w", err)
		}
	}
}

// readLine returns the next line without its end. Of a line over the limit it returns the first 64 KiB, and drains the rest.
func (c *Conn) readLine() (line []byte, tooLong bool, err error) {
	const kept = 64 << 10
	for {
		part, err := c.r.ReadSlice('\n')
		if !tooLong {
			line = append(line, part...)
			if len(line) > c.opt.MaxLine {
				tooLong = true
				line = append([]byte(nil), line[:min(kept, len(line))]...)
			}
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if n := len(line); !tooLong && n > 0 && line[n-1] == '\n' {
			line = line[:n-1]
			if n > 1 && line[n-2] == '\r' {
				line = line[:n-2]
			}
		}
		return line, tooLong, err
	}
}

func (c *Conn) receive(ctx context.Context, line []byte, tooLong bool) {
	if tooLong {
		c.refuse(salvageID(line), isAnswer(line), Errorf(CodeInvalidRequest, "a line is longer than %d bytes", c.opt.MaxLine))
		return
	}
	m, quick := plainRequest(line)
	if quick {
		c.dispatch(ctx, m)
		return
	}
	if err := json.Unmarshal(line, &m); err != nil {
		code, what := CodeInvalidRequest, "not a JSON-RPC request"
		if !json.Valid(line) {
			code, what = CodeParse, "not JSON"
		}
		c.refuse(salvageID(line), isAnswer(line), Errorf(code, "%s: %v", what, err))
		return
	}
	switch m.kind() {
	case answer:
		c.complete(m)
	case request:
		c.dispatch(ctx, m)
	case notification:
		// None is defined from the host; the other side can't be told, so it goes to the log.
		c.opt.Log.Printf("unknown notification %q", m.Method)
	default:
		c.refuse(salvageID(line), m.Result != nil || m.Error != nil, Errorf(CodeInvalidRequest, "neither a request nor an answer"))
	}
}

// isAnswer tells whether a broken line looks like the answer to a call of ours rather than a request: it has no method before it breaks.
func isAnswer(line []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(line))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return false
		}
		switch key {
		case "method":
			return false
		case "result", "error":
			return true
		}
		var v json.RawMessage
		if dec.Decode(&v) != nil {
			return false
		}
	}
	return false
}

// refuse answers a line that is no good: the call of ours that it answers fails, or the request that it was gets an error.
func (c *Conn) refuse(id json.RawMessage, ours bool, e *Error) {
	if ours {
		if id != nil {
			c.complete(message{ID: id, Error: e})
		} else {
			c.opt.Log.Printf("dropped a broken answer: %s", e.Message)
		}
		return
	}
	if id == nil {
		id = null
	}
	c.send(message{JSONRPC: "2.0", ID: id, Error: e})
}

func (c *Conn) dispatch(ctx context.Context, m message) {
	method, ok := c.methods[m.Method]
	if !ok {
		c.send(message{JSONRPC: "2.0", ID: m.ID, Error: Errorf(CodeUnknownMethod, "unknown method %q", m.Method)})
		return
	}
	if method.Inline {
		c.run(ctx, method, m)
		return
	}
	job := func() {
		defer c.release(len(m.Params))
		c.run(ctx, method, m)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return // no one is left to take the answer
	}
	fits := c.waiting == 0 || c.waiting+len(m.Params) <= c.opt.MaxWaiting
	if fits && c.running < c.opt.Running {
		c.running++
		c.waiting += len(m.Params)
		c.idle.Add(1)
		if c.parked > 0 {
			c.parked--
			c.jobs <- job // has room for all workers
		} else {
			go c.work(job)
		}
		return
	}
	if fits && len(c.queue) < c.opt.Queued {
		c.idle.Add(1)
		c.waiting += len(m.Params)
		c.queue = append(c.queue, job)
		return
	}
	c.send(message{JSONRPC: "2.0", ID: m.ID, Error: Errorf(CodeInternal, "too many requests are waiting (%d)", len(c.queue))})
}

// release gives back the room that a request has taken.
func (c *Conn) release(bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting -= bytes
}

// work runs job and then what is queued, and waits for more until the connection ends: a new goroutine for each request would grow its stack anew.
func (c *Conn) work(job func()) {
	for ok := true; ok; {
		job()
		c.mu.Lock()
		c.idle.Done()
		if len(c.queue) > 0 {
			job = c.queue[0]
			c.queue[0] = nil
			c.queue = c.queue[1:]
			c.mu.Unlock()
			continue
		}
		c.running--
		if c.closed {
			c.mu.Unlock()
			return
		}
		c.parked++
		c.mu.Unlock()
		job, ok = <-c.jobs
	}
}

func (c *Conn) run(ctx context.Context, method Method, m message) {
	result, err := c.safely(ctx, method, m)
	if err != nil {
		c.send(message{JSONRPC: "2.0", ID: m.ID, Error: asError(err)})
		return
	}
	raw, err := encodeRaw(result)
	if err != nil {
		c.send(message{JSONRPC: "2.0", ID: m.ID, Error: Errorf(CodeInternal, "%s: the answer can't be encoded: %v", m.Method, err)})
		return
	}
	// Both are whole JSON texts of one line, and the answers to decisions are many: no encoder looks at them once more.
	line := make([]byte, 0, len(raw)+len(m.ID)+40)
	line = append(append(line, `{"jsonrpc":"2.0","id":`...), m.ID...)
	line = append(append(line, `,"result":`...), raw...)
	c.w.put(append(line, '}', '\n'))
}

func (c *Conn) safely(ctx context.Context, method Method, m message) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.opt.Log.Printf("panic in %s: %v\n%s", m.Method, p, debug.Stack())
			result, err = nil, Errorf(CodeInternal, "internal error in %s: %v", m.Method, p)
		}
	}()
	return method.Handle(ctx, m.Params)
}

// Call sends a request to the other side and decodes its result into result (nil: dropped). It returns an *Error if the other side answered
// one, ErrClosed if the connection ended, or the context's error; a late answer is then ignored.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	raw, err := encodeRaw(params)
	if err != nil {
		return fmt.Errorf("%s: encoding parameters: %w", method, err)
	}
	done := make(chan message, 1)
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return ErrClosed
	}
	c.lastID++
	id := c.lastID
	c.pending[id] = done
	c.mu.Unlock()

	c.send(message{JSONRPC: "2.0", ID: strconv.AppendInt(nil, id, 10), Method: method, Params: raw})
	select {
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.pending, id)
		c.mu.Unlock()
		return ctx.Err()
	case m, ok := <-done:
		switch {
		case !ok:
			return ErrClosed
		case m.Error != nil:
			return m.Error
		case result == nil:
			return nil
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			return fmt.Errorf("%s: decoding the answer: %w", method, err)
		}
		return nil
	}
}

// Notify sends a notification.
func (c *Conn) Notify(method string, params any) error {
	raw, err := encodeRaw(params)
	if err != nil {
		return fmt.Errorf("%s: encoding parameters: %w", method, err)
	}
	c.send(message{JSONRPC: "2.0", Method: method, Params: raw})
	return nil
}

func (c *Conn) complete(m message) {
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	if err != nil {
		c.opt.Log.Printf("answer with the foreign id %s", m.ID)
		return
	}
	c.mu.Lock()
	done, ok := c.pending[id]
	delete(c.pending, id)
	c.mu.Unlock()
	if ok {
		done <- m // has room for one
	}
}

func (c *Conn) failPending() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	close(c.jobs)
	for id, done := range c.pending {
		close(done)
		delete(c.pending, id)
	}
}

func (c *Conn) send(m message) {
	line, err := encode(m)
	if err != nil {
		// Only raw JSON of ours and of the other side is in it; a broken id is the one way here.
		c.opt.Log.Printf("an answer can't be encoded: %v", err)
		return
	}
	c.w.put(line)
}

func encodeRaw(v any) (json.RawMessage, error) {
	if v == nil {
		return json.RawMessage("{}"), nil
	}
	line, err := encode(v)
	if err != nil {
		return nil, err
	}
	return line[:len(line)-1], nil
}
