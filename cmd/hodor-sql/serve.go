package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/urfave/cli/v2"

	"hodor/internal/version"
	"hodor/normalize"
	"hodor/project"
	"hodor/protocol"
	"hodor/session"
	"hodor/warehouse"
)

func serveCommand() *cli.Command {
	return &cli.Command{
		Name:  "serve",
		Usage: "answer one dbt invocation over stdin and stdout (started by the dbt plugin)",
		Flags: []cli.Flag{&cli.StringFlag{Name: "host-version", Usage: "the plugin's version, which must be this one"}},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("serve takes no arguments, got %q", c.Args().First())
			}
			out := c.App.Writer
			if out == io.Writer(os.Stdout) {
				moved, err := protocol.TakeStdout()
				if err != nil {
					return unreadable("%v", err)
				}
				out = moved
			}
			in := c.App.Reader
			if in == io.Reader(os.Stdin) {
				in = protocol.TakeStdin()
			}
			return serve(c.Context, in, out, c.App.ErrWriter, c.String("host-version"))
		},
	}
}

// closeWithin bounds the flush after the host is gone: a store that does not answer must not keep the process.
const closeWithin = 30 * time.Second

// serve answers until in ends, and flushes. The first line is the hello, whatever the host's version is, so that it can say what does not fit.
func serve(ctx context.Context, in io.Reader, out, stderr io.Writer, hostVersion string) error {
	logger := log.New(stderr, "hodor-sql: ", log.Ltime|log.Lmsgprefix)
	s := &service{}
	s.conn = protocol.New(in, out, s.methods(), protocol.Options{Log: logger})
	s.session = session.New(session.Deps{
		Warehouse: host{s.conn}, OpenStore: s.openStore, Log: logger.Printf, HodorVersion: version.Version(),
	})
	if err := s.conn.Notify("hello", protocol.Hello{
		Protocol: version.Protocol, Version: version.Version(), HashVersion: normalize.Version, PID: os.Getpid(), Methods: protocol.Methods,
	}); err != nil {
		return err
	}
	path, _ := os.Executable()
	if err := protocol.CheckHost(version.Version(), hostVersion, path); err != nil {
		s.conn.Flush()
		return usage("%v", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	served := s.conn.Serve(ctx)
	closing, done := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
	defer done()
	if err := s.session.Close(closing); err != nil {
		logger.Printf("closing: %v", err)
	}
	if served != nil {
		return no("%v", served)
	}
	return nil
}

// service maps the wire's methods to the session.
type service struct {
	conn    *protocol.Conn
	session *session.Session
}

func (s *service) methods() map[string]protocol.Method {
	return map[string]protocol.Method{
		"run/start": {Handle: call(func(ctx context.Context, req session.StartRequest) (any, error) {
			answer, err := s.session.Start(ctx, req)
			settleCollector()
			return answer, err
		})},
		"node/decide": {Handle: call(func(ctx context.Context, req session.DecideRequest) (any, error) {
			return s.session.Decide(ctx, req)
		})},
		"node/built":  {Handle: call(s.built)},
		"node/tested": {Handle: call(s.built)},
		"run/finish":  {Handle: call(func(ctx context.Context, req session.FinishRequest) (any, error) { return s.session.Finish(ctx, req) })},
		"shutdown":    {Handle: func(context.Context, json.RawMessage) (any, error) { return struct{}{}, nil }, Inline: true},
	}
}

// settleCollector lets some 64 MB of garbage gather beside the project and its history, which live until the end and would be looked through again
// and again for the little that a decision leaves. GOGC, where it is set, decides.
func settleCollector() {
	if os.Getenv("GOGC") != "" {
		return
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	debug.SetGCPercent(int(min(800, max(100, 100*(64<<20)/max(1, m.HeapAlloc)))))
}

func (s *service) built(ctx context.Context, req session.BuiltRequest) (any, error) {
	return struct{}{}, s.session.Built(ctx, req)
}

// call decodes parameters and gives errors their codes.
func call[T any](f func(context.Context, T) (any, error)) protocol.Handler {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		var req T
		if err := json.Unmarshal(params, &req); err != nil {
			return nil, protocol.Errorf(protocol.CodeInvalidParams, "%v", err)
		}
		answer, err := f(ctx, req)
		if err == nil {
			return answer, nil
		}
		_, stale := errors.AsType[*project.StaleError](err)
		_, broken := errors.AsType[*project.ReadError](err)
		switch {
		case errors.Is(err, session.ErrNoRun):
			return nil, protocol.Errorf(protocol.CodeNoRun, "%v", err)
		case stale || broken:
			return nil, protocol.Errorf(protocol.CodeManifest, "%v", err)
		}
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "%v", err)
	}
}

// host runs statements on the other side of the wire.
type host struct{ conn *protocol.Conn }

func (h host) Query(ctx context.Context, sql string) (warehouse.Answer, error) {
	var a warehouse.Answer
	err := h.conn.Call(ctx, "warehouse/query", map[string]string{"sql": sql}, &a)
	if e, ok := errors.AsType[*protocol.Error](err); ok {
		return a, &warehouse.StatementError{Message: e.Message}
	}
	if errors.Is(err, protocol.ErrClosed) {
		return a, fmt.Errorf("%w: %v", warehouse.ErrGone, err)
	}
	return a, err
}
