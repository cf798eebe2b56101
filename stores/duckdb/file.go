//go:build cgo

package duckdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	driverduckdb "github.com/duckdb/duckdb-go/v2"

	"hodor/stores"
	"hodor/stores/sqlstore"
)

// How long a file stays attached. Giving it back after a write costs a checkpoint, about as much as ten flushes, so a burst of flushes is let
// through; and in a long burst others get their turn: they ask at least every maxPause while they wait.
const (
	linger   = 200 * time.Millisecond // after a write
	maxHold  = time.Second            // in all, while writes go on
	turn     = 100 * time.Millisecond // for others, after that
	maxPause = 40 * time.Millisecond
)

// files are the files that this process knows, by their real path. All stores of one file share what they attach it to: DuckDB's lock keeps
// out other processes only, and two engines of one process on one file would destroy it.
var (
	filesMu sync.Mutex
	files   = map[string]*file{}
	// spare is an engine that no file is attached to. One is kept, since a process that closes its store is mostly about to end, and to end an
	// engine costs more than to start it.
	spare *sql.DB
)

// file is one state file, and an engine in memory to which it is attached while somebody works on it. What stands below lock belongs to
// its holder.
type file struct {
	path string

	lock    chan struct{}
	engine  *sql.DB
	wide    bool      // the engine reads on all processors
	conn    *sql.Conn // the file is attached to it; nil: it is not attached
	writes  bool      // it is attached for writing
	since   time.Time // when it was attached
	resting time.Time // until then it is left to others
	epoch   int       // counts operations
}

// fileOf returns the file at an absolute path; links are followed as far as the path exists.
func fileOf(path string) *file {
	dir, rest := path, ""
	for {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			path = filepath.Join(real, rest)
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir, rest = up, filepath.Join(filepath.Base(dir), rest)
	}
	filesMu.Lock()
	defer filesMu.Unlock()
	if files[path] == nil {
		files[path] = &file{path: path, lock: make(chan struct{}, 1)}
	}
	return files[path]
}

// acquire takes the file for one operation, and release gives it back.
func (f *file) acquire(ctx context.Context) error {
	select {
	case f.lock <- struct{}{}:
		f.epoch++
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *file) release() { <-f.lock }

const (
	// Nothing is ever fetched from the network, and one thread is enough for a table of this size beside dbt's own.
	engineOptions = "threads=1&autoinstall_known_extensions=false&autoload_known_extensions=false"
	// Of the ways to write a column FSST is left out: to try it on each is half of a checkpoint's work, and it makes the file hardly smaller. What was
	// written that way is read. Among the options DuckDB would ignore it.
	engineSetting = "SET GLOBAL disabled_compression_methods = 'fsst'"
)

// startEngine returns an engine that is attached to nothing.
func startEngine() (*sql.DB, error) {
	filesMu.Lock()
	engine := spare
	spare = nil
	filesMu.Unlock()
	if engine != nil {
		if _, err := engine.Exec("SELECT 1"); err == nil { // one that met a fatal error answers nothing any more
			return engine, nil
		}
		_ = engine.Close()
	}
	c, err := driverduckdb.NewConnector(":memory:?"+engineOptions, func(conn driver.ExecerContext) error {
		_, err := conn.ExecContext(context.Background(), engineSetting, nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	engine = sql.OpenDB(c)
	engine.SetMaxOpenConns(1)
	return engine, nil
}

// endEngine lets go of the engine.
func (f *file) endEngine() error {
	engine := f.engine
	f.engine = nil
	filesMu.Lock()
	if engine != nil && spare == nil && !f.wide {
		spare, engine = engine, nil
	}
	filesMu.Unlock()
	if engine == nil {
		return nil
	}
	return engine.Close()
}

// attach attaches the file, unless it is.
func (f *file) attach(ctx context.Context, write bool) error {
	if f.conn != nil && (f.writes || !write) {
		return nil
	}
	if err := f.detach(); err != nil {
		return err
	}
	if f.engine == nil {
		engine, err := startEngine()
		if err != nil {
			return err
		}
		f.engine, f.wide = engine, false
	}
	c, err := f.engine.Conn(ctx)
	if err != nil {
		return err
	}
	mode := "READ_ONLY"
	if write {
		mode = "READ_WRITE"
	}
	_, err = c.ExecContext(ctx, "ATTACH '"+strings.ReplaceAll(f.path, "'", "''")+"' AS "+attached+" (TYPE duckdb, "+mode+")")
	if err != nil {
		return errors.Join(err, c.Close())
	}
	f.conn, f.writes, f.since = c, write, time.Now()
	return nil
}

// detach closes the file. If that fails the engine goes, and with it the lock on the file.
func (f *file) detach() error {
	if f.conn == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // the caller's may be over, and the file must be given back
	defer cancel()
	_, err := f.conn.ExecContext(ctx, "DETACH "+attached)
	err = errors.Join(err, f.conn.Close())
	f.conn = nil
	if err != nil {
		err = errors.Join(fmt.Errorf("the file can't be closed: %w", err), f.engine.Close())
		f.engine = nil
	}
	return err
}

// done ends an operation: the file is closed at once, or, after a write that went well, when no other follows soon.
func (f *file) done() error {
	if !f.writes || f.conn == nil {
		return f.detach()
	}
	if time.Since(f.since) > maxHold {
		f.resting = time.Now().Add(turn)
		return f.detach()
	}
	epoch := f.epoch
	time.AfterFunc(linger, func() {
		f.lock <- struct{}{}
		defer f.release()
		if f.epoch == epoch {
			_ = f.detach() // what was written is safe in the log beside the file
		}
	})
	return nil
}

// source is the file as one store uses it.
type source struct {
	*file
	shown string // the path as the user gave it
	wait  time.Duration
	hold  bool

	mu     sync.Mutex
	gaveUp bool // the last wait ran out
	closed bool
}

// Place names the file.
func (s *source) Place() string { return "state file " + s.shown }

// Damaged is what helps where the file can be opened and not be read, as one that was cut off.
func (s *source) Damaged() string {
	return "if the file is damaged, move it away for a new one, or set HODOR_PATH"
}

// Close closes the file, after a running operation, and lets go of the engine; another store of the same file takes one again.
func (s *source) Close() error {
	s.lock <- struct{}{}
	defer s.release()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return errors.Join(s.detach(), s.endEngine())
}

// Conn attaches the file for one operation.
func (s *source) Conn(ctx context.Context, write bool) (*sql.Conn, func() error, error) {
	if err := s.acquire(ctx); err != nil {
		return nil, nil, err
	}
	if err := s.open(ctx, write); err != nil {
		s.release()
		return nil, nil, err
	}
	return s.conn, func() error {
		defer s.release()
		if s.hold && !s.writes {
			return nil
		}
		if err := s.done(); err != nil {
			return fmt.Errorf("%s: %w", s.Place(), err)
		}
		return nil
	}, nil
}

// open attaches the file. It waits for other processes, with growing pauses, as Options.Wait says.
func (s *source) open(ctx context.Context, write bool) error {
	s.mu.Lock()
	closed, gaveUp := s.closed, s.gaveUp
	s.mu.Unlock()
	if closed {
		return fmt.Errorf("%w: %s was closed", stores.ErrUnavailable, s.Place())
	}
	if err := s.prepare(write); err != nil {
		return err
	}
	if s.conn == nil {
		if err := sleep(ctx, time.Until(s.resting)); err != nil {
			return err
		}
	}
	deadline := time.Now().Add(s.wait)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, maxPause) {
		err := s.attach(ctx, write)
		switch {
		case err == nil:
			s.remember(false)
			if s.hold && !write {
				s.wide = true
				_, err = s.conn.ExecContext(ctx, "SET threads = "+strconv.Itoa(runtime.GOMAXPROCS(0)))
			}
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case !locked(err):
			return s.unavailable(err)
		case gaveUp || time.Now().After(deadline):
			s.remember(true)
			return s.lockedBy(err)
		}
		if err := sleep(ctx, pause/2+rand.N(pause/2)); err != nil {
			return err
		}
	}
}

func (s *source) remember(gaveUp bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gaveUp = gaveUp
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// prepare makes the folders for a writer, and tells a reader that there is nothing.
func (s *source) prepare(write bool) error {
	info, err := os.Stat(s.path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%w: %s is no file; set HODOR_PATH to one", stores.ErrUnavailable, s.Place())
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return s.unavailable(err)
	case !write:
		return fmt.Errorf("%s is not there: %w", s.Place(), sqlstore.ErrNothing)
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o777); err != nil {
		return s.unavailable(err)
	}
	return nil
}

var holder = regexp.MustCompile(`(?i)\(PID (\d+)\)`)

// locked tells DuckDB's errors of a file that another process has open, on Unix and on Windows.
func locked(err error) bool {
	text := err.Error()
	return strings.Contains(text, "Could not set lock on file") || strings.Contains(text, "Conflicting lock is held") ||
		strings.Contains(text, "File is already open in") || strings.Contains(text, "being used by another process")
}

// lockedBy names the process that has the file, where DuckDB's message does. The one that started this process is dbt: it has its warehouse open,
// and waiting for that would help nobody.
func (s *source) lockedBy(err error) error {
	by := "another process"
	if m := holder.FindStringSubmatch(err.Error()); m != nil {
		if m[1] == strconv.Itoa(os.Getppid()) {
			return fmt.Errorf("%w: %s is a file that dbt itself works in, the warehouse or one attached to it: set HODOR_PATH to a file of its own",
				stores.ErrUnavailable, s.Place())
		}
		by = "process " + m[1]
	}
	return fmt.Errorf("%w: %s is locked by %s: wait for that to end, or set HODOR_PATH", stores.ErrUnavailable, s.Place(), by)
}

func (s *source) unavailable(err error) error {
	return fmt.Errorf("%w: %s can't be opened: %w; move it away for a new one, or set HODOR_PATH", stores.ErrUnavailable, s.Place(), err)
}
