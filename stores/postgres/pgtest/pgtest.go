//go:build unix

package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"hodor/internal/enginetest"
)

// Server is a running server. User is a superuser.
type Server struct {
	Host, User, Password string
	Port                 int

	dir, bin string
	attr     *syscall.SysProcAttr
	in       io.Closer // the server ends when it is closed
	ended    chan struct{}
}

var (
	once   sync.Once
	shared *Server
	failed error
	serial int
)

// errNone is returned where PostgreSQL is not installed.
var errNone = errors.New("no PostgreSQL server (initdb on PATH or below /usr/lib/postgresql): apt-get install postgresql")

// Run is for TestMain: it runs the tests and ends the server that they may have started.
func Run(m *testing.M) int {
	code := m.Run()
	if shared != nil {
		shared.Stop()
		_ = os.RemoveAll(shared.dir)
	}
	return code
}

// Get returns the server of this test binary and starts it first if need be. Without PostgreSQL the test is skipped, or fails where engines are
// required.
func Get(t testing.TB) *Server {
	t.Helper()
	once.Do(func() { shared, failed = start() })
	if errors.Is(failed, errNone) {
		enginetest.Missing(t, "%v", failed)
	}
	if failed != nil {
		t.Fatal(failed)
	}
	return shared
}

// NewDatabase creates an empty database and returns its name.
func (s *Server) NewDatabase(t testing.TB) string {
	t.Helper()
	serial++
	name := "hodor_" + strconv.Itoa(serial)
	s.Exec(t, "postgres", "CREATE DATABASE "+name)
	return name
}

// Env sets the PG* variables for the server, for this test; others are unset.
func (s *Server) Env(t *testing.T) {
	t.Helper()
	for _, e := range os.Environ() {
		if name, _, _ := bytes.Cut([]byte(e), []byte("=")); bytes.HasPrefix(name, []byte("PG")) {
			t.Setenv(string(name), "") // so that it comes back after the test
			_ = os.Unsetenv(string(name))
		}
	}
	t.Setenv("PGHOST", s.Host)
	t.Setenv("PGPORT", strconv.Itoa(s.Port))
	t.Setenv("PGUSER", s.User)
	t.Setenv("PGPASSWORD", s.Password)
	t.Setenv("PGSSLMODE", "disable")
}

// Exec runs a statement as the superuser.
func (s *Server) Exec(t testing.TB, database, statement string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := s.connect(ctx, database)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	if _, err := c.Exec(ctx, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func (s *Server) connect(ctx context.Context, database string) (*pgx.Conn, error) {
	c, err := pgx.ParseConfig(fmt.Sprintf("host=%s port=%d user=%s dbname=%s sslmode=disable", s.Host, s.Port, s.User, database))
	if err != nil {
		return nil, err
	}
	c.Password = s.Password
	return pgx.ConnectConfig(ctx, c)
}

// start makes a data folder and starts the server on it.
func start() (*Server, error) {
	bin, err := find()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		return nil, err
	}
	s := &Server{Host: "127.0.0.1", User: "hodor", Password: "the server's own", dir: dir, bin: bin, attr: &syscall.SysProcAttr{}}
	if os.Getuid() == 0 { // PostgreSQL does not run as root
		if s.attr.Credential, err = unprivileged(); err != nil {
			return nil, err
		}
		if err := s.give(dir); err != nil {
			return nil, err
		}
	}
	passwords := filepath.Join(dir, "password")
	if err := os.WriteFile(passwords, []byte(s.Password), 0o644); err != nil {
		return nil, err
	}
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", s.data(), "-U", s.User, "--pwfile", passwords, "-A", "scram-sha-256", "-E", "UTF8", "--locale", "C",
		"--no-sync")
	initdb.SysProcAttr, initdb.Dir = s.attr, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	if s.Port, err = freePort(); err != nil {
		return nil, err
	}
	if err := s.launch(); err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return s, nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// give makes a file or folder the server's own.
func (s *Server) give(path string) error {
	if s.attr.Credential == nil {
		return nil
	}
	return os.Chown(path, int(s.attr.Credential.Uid), int(s.attr.Credential.Gid))
}

// launch starts the server on its data and waits until it answers.
func (s *Server) launch() error {
	// The shell ends the server when its input ends, and that ends with this process even if it is killed.
	server := exec.Command("/bin/sh", "-c", `"$@" & p=$!; cat >/dev/null; kill -INT $p; wait $p`, "sh", filepath.Join(s.bin, "postgres"), "-D", s.data(),
		"-p", strconv.Itoa(s.Port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "max_connections=60")
	server.SysProcAttr, server.Dir = s.attr, s.dir
	log := &bytes.Buffer{}
	server.Stdout, server.Stderr = log, log
	in, err := server.StdinPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = server.Wait()
		close(ended)
	}()
	s.in, s.ended = in, ended
	if err := s.ready(ended); err != nil {
		s.Stop()
		return fmt.Errorf("%w: %s", err, log)
	}
	return nil
}

// Stop ends the server, at once and with every connection; its data stay.
func (s *Server) Stop() {
	_ = s.in.Close()
	<-s.ended
}

// Start starts a server that was stopped, at the same port.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	if err := s.launch(); err != nil {
		t.Fatal(err)
	}
}

// Secure makes the server speak TLS with that certificate and key (PEM), beside plain connections, until the end of the test.
func (s *Server) Secure(t testing.TB, certificate, key []byte) {
	t.Helper()
	for name, pem := range map[string][]byte{"hodor.crt": certificate, "hodor.key": key} {
		path := filepath.Join(s.data(), name)
		if err := os.WriteFile(path, pem, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.give(path); err != nil {
			t.Fatal(err)
		}
	}
	set := func(statements ...string) {
		for _, statement := range append(statements, "SELECT pg_reload_conf()") {
			s.Exec(t, "postgres", statement)
		}
	}
	set("ALTER SYSTEM SET ssl_cert_file = 'hodor.crt'", "ALTER SYSTEM SET ssl_key_file = 'hodor.key'", "ALTER SYSTEM SET ssl = on")
	t.Cleanup(func() { set("ALTER SYSTEM RESET ALL") })
}

// ready waits until the server answers.
func (s *Server) ready(ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for {
		c, err := s.connect(ctx, "postgres")
		if err == nil {
			return c.Close(ctx)
		}
		select {
		case <-ended:
			return errors.New("the PostgreSQL server ended at its start")
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// find returns the folder of the server's programs.
func find() (string, error) {
	candidates, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	slices.Sort(candidates)
	slices.Reverse(candidates)
	if path, err := exec.LookPath("initdb"); err == nil {
		candidates = slices.Insert(candidates, 0, path)
	}
	for _, path := range candidates {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), "postgres")); err == nil {
			return filepath.Dir(path), nil
		}
	}
	return "", errNone
}

// unprivileged is a user under whom the server can run.
func unprivileged() (*syscall.Credential, error) {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err == nil && err2 == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody")
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer io.Closer(l).Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
