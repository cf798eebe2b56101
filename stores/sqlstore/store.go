package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"hodor/stores"
)

// Source gives connections to a database.
type Source interface {
	// Conn returns a connection for one operation, and the function that gives it back. With write false the operation only reads. The
	// error wraps stores.ErrUnavailable where no store can be reached, and ErrNothing where a reader finds that nothing was ever written.
	Conn(ctx context.Context, write bool) (*sql.Conn, func() error, error)
	// Place names the database for errors, without any secret: "state file .hodor/state.duckdb".
	Place() string
	Close() error
}

// ErrNothing tells that the database itself is not there yet. A reader then finds an empty store.
var ErrNothing = errors.New("no state was recorded yet")

// Store is a stores.Store, Committer and Reporter in a SQL database. It is safe for concurrent use.
type Store struct {
	d        *Dialect
	source   Source
	table    Table
	readOnly bool

	mu     sync.Mutex
	layout *layout // as last seen; nil: to be looked at
}

var (
	_ stores.Store     = (*Store)(nil)
	_ stores.Committer = (*Store)(nil)
	_ stores.Reporter  = (*Store)(nil)
)

// New returns the store in table t. It checks the names and connects to nothing; the first operation does. readOnly forbids every write,
// the creation of tables included.
func New(d *Dialect, source Source, t Table, readOnly bool) (*Store, error) {
	names := []struct{ setting, name string }{{"hodor_schema", t.Schema}, {"hodor_table", t.Name}}
	if t.Database != "" {
		names = append(names, struct{ setting, name string }{"hodor_database", t.Database})
	}
	for _, n := range names {
		if err := stores.CheckIdentifier(n.setting, n.name, d.MaxIdentifier); err != nil {
			return nil, fmt.Errorf("%w: %w", stores.ErrUnavailable, err)
		}
	}
	if longest := d.MaxIdentifier - len("_commit"); d.MaxIdentifier > 0 && len(t.Name) > longest {
		return nil, fmt.Errorf("%w: hodor_table has %d characters: at most %d are possible", stores.ErrUnavailable, len(t.Name), longest)
	}
	return &Store{d: d, source: source, table: t, readOnly: readOnly}, nil
}

// Close closes the source.
func (s *Store) Close() error { return s.source.Close() }

// sql starts a statement.
func (s *Store) sql(format string, values ...any) *statement {
	return (&statement{d: s.d}).add(format, values...)
}

// operation is the body of one operation on one connection; attempt counts from 0.
type operation func(c *sql.Conn, l *layout, attempt int) error

// read runs a reading operation. found is false where there is no table to read, and then op was not called.
func (s *Store) read(ctx context.Context, op operation) (found bool, err error) {
	err = s.try(ctx, false, func(c *sql.Conn, l *layout, attempt int) error {
		if found = l.state; !found {
			return nil
		}
		return op(c, l, attempt)
	})
	if errors.Is(err, ErrNothing) {
		return false, nil
	}
	return found, err
}

// write runs a writing operation; the tables stand when op is called.
func (s *Store) write(ctx context.Context, op operation) error {
	if s.readOnly {
		return stores.ErrReadOnly
	}
	return s.try(ctx, true, op)
}

// conflictTries is how often an operation is run that met other writers.
const conflictTries = 6

// try runs op, and once more on a fresh connection if that failed: the connection may have been lost while idle, its password may have run out,
// the tables may have been dropped or upgraded since they were looked at. One that met another writer is run a few times, after pauses that grow
// and differ between writers. op must bear being run again after any part of it was done.
func (s *Store) try(ctx context.Context, write bool, op operation) error {
	for attempt := 0; ; attempt++ {
		err := s.once(ctx, write, op, attempt)
		conflict := err != nil && s.d.Conflict != nil && s.d.Conflict(err) // one about the tables, too, which are then not there
		if err == nil || ctx.Err() != nil || errors.Is(err, stores.ErrUnavailable) && !conflict || errors.Is(err, ErrNothing) ||
			s.d.Final != nil && s.d.Final(err) {
			return s.say(err)
		}
		s.forget()
		if conflict && attempt+1 < conflictTries {
			pause := time.NewTimer(rand.N(100 * time.Millisecond << attempt))
			select {
			case <-pause.C:
				continue
			case <-ctx.Done():
				pause.Stop()
				return s.say(err)
			}
		}
		if conflict || attempt > 0 {
			return s.say(err)
		}
	}
}

// say puts the place in front of an error that came from the database, and makes it one line.
func (s *Store) say(err error) error {
	if err == nil || errors.Is(err, stores.ErrUnavailable) || errors.Is(err, ErrNothing) {
		return OneLine(err)
	}
	return OneLine(fmt.Errorf("%s: %w", s.source.Place(), err))
}

// OneLine returns err with a text of one line: databases like to point below the statement.
func OneLine(err error) error {
	if err == nil || !strings.ContainsAny(err.Error(), "\r\n") {
		return err
	}
	return oneLine{err}
}

type oneLine struct{ error }

func (e oneLine) Error() string { return strings.Join(strings.Fields(e.error.Error()), " ") }
func (e oneLine) Unwrap() error { return e.error }

func (s *Store) once(ctx context.Context, write bool, op operation, attempt int) (err error) {
	c, release, err := s.source.Conn(ctx, write)
	if err != nil {
		return err
	}
	defer func() {
		if e := release(); err == nil {
			err = e
		}
	}()
	l, err := s.look(ctx, c, write)
	if err != nil {
		return err
	}
	return op(c, l, attempt)
}

// look returns the layout of the tables, from memory if they were looked at before. A writer creates and upgrades them.
func (s *Store) look(ctx context.Context, c *sql.Conn, write bool) (*layout, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.layout != nil && (s.layout.complete || !write) {
		return s.layout, nil
	}
	l, err := s.inspect(ctx, c)
	if err != nil {
		return nil, err
	}
	if write && !l.complete {
		if l, err = s.create(ctx, c, l); err != nil {
			return nil, err
		}
	}
	s.layout = nil
	if l.complete {
		s.layout = l // a missing table may be made by another process at any time
	}
	return l, nil
}

func (s *Store) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.layout = nil
}

// atomically runs body in a transaction where the database has them.
func (s *Store) atomically(ctx context.Context, c *sql.Conn, body func(execer) error) error {
	if !s.d.Transactions {
		return body(c)
	}
	tx, err := c.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := body(tx); err != nil {
		return errors.Join(err, ignoreDone(tx.Rollback()))
	}
	return tx.Commit()
}

// ignoreDone drops the error of a rollback that the driver has done itself.
func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
