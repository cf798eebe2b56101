package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"hodor/stores"
	"hodor/stores/sqlstore"
)

// Login is how to connect now. Empty fields are taken from where libpq takes them.
type Login struct {
	Host           string
	User, Password string
}

// Options name a store.
type Options struct {
	// DSN is a connection string or URL as every libpq client takes it; what it leaves out is taken from where libpq takes it. Errors never show it.
	DSN      string
	Database string // required unless the DSN names it: it has nothing to do with dbt's target
	// Schema and Table; empty: public and hodor_state.
	Schema, Table string
	ReadOnly      bool
	// BeforeConnect, if set, is asked for host, user and password before each physical connection, the one reconnect after a loss included: a
	// password that was good at the start of a run may have run out since. Its error must hold no secret.
	BeforeConnect func(context.Context) (Login, error)
}

// connectTimeout is how long one attempt to connect may take, unless PGCONNECT_TIMEOUT says otherwise; impatience is how long after one took that
// long in vain, so that a run behind a closed door does not wait again and again.
const (
	connectTimeout = 10 * time.Second
	impatience     = 2 * time.Second
)

// Dialect is Postgres for sqlstore.DDL.
var Dialect = &dialect

var dialect = sqlstore.Dialect{
	Name: "Postgres", Text: "TEXT", Quote: sqlstore.DoubleQuote, MaxIdentifier: 63,
	CreateSchema: true, Index: true, Lateral: true, CommitKey: true, Transactions: true, Final: final,
	Writable: writable,
}

// Open returns the store that o names. It connects to nothing: the first operation does.
func Open(o Options) (*sqlstore.Store, error) {
	if o.Schema == "" {
		o.Schema = "public"
	}
	if o.Table == "" {
		o.Table = "hodor_state"
	}
	if o.Database == "" && o.DSN == "" {
		return nil, fmt.Errorf("%w: the postgres store needs hodor_database (HODOR_DATABASE)", stores.ErrUnavailable)
	}
	if o.Database != "" {
		if err := stores.CheckIdentifier("hodor_database", o.Database, dialect.MaxIdentifier); err != nil {
			return nil, fmt.Errorf("%w: %w", stores.ErrUnavailable, err)
		}
	}
	config, err := configure(o.DSN, o.Database, Login{})
	if err != nil && o.DSN != "" {
		return nil, fmt.Errorf("%w: the connection string for Postgres can't be read; it is a URL or a list of key=value", stores.ErrUnavailable)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the settings for Postgres can't be used: %w; see the PG* variables, .pgpass and the service file",
			stores.ErrUnavailable, sqlstore.OneLine(err))
	}
	s := &source{database: config.Database}
	options := []stdlib.OptionOpenDB{}
	if o.BeforeConnect == nil {
		s.address = net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
	} else {
		options = append(options, stdlib.OptionBeforeConnect(func(ctx context.Context, c *pgx.ConnConfig) error {
			login, err := o.BeforeConnect(ctx)
			if err != nil {
				return fmt.Errorf("no credential: %w", err)
			}
			fresh, err := configure(o.DSN, o.Database, login)
			if err == nil {
				*c = *fresh
			}
			return err
		}))
	}
	s.db = stdlib.OpenDB(*config, options...)
	s.db.SetMaxOpenConns(4)
	s.db.SetConnMaxIdleTime(time.Minute)
	return sqlstore.New(&dialect, s, sqlstore.Table{Schema: o.Schema, Name: o.Table}, o.ReadOnly)
}

// configure reads the settings of libpq, with those given on top.
func configure(dsn, database string, login Login) (*pgx.ConnConfig, error) {
	if dsn != "" {
		return prepare(pgx.ParseConfig(dsn))
	}
	var b strings.Builder
	mode := ""
	if login.Password != "" && os.Getenv("PGSSLMODE") == "" {
		mode = "require" // libpq's own default would hand the token to a server that has no TLS
	}
	for _, s := range [][2]string{{"dbname", database}, {"host", login.Host}, {"user", login.User}, {"password", login.Password}, {"sslmode", mode}} {
		if s[1] != "" {
			b.WriteString(s[0] + "='" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s[1]) + "' ")
		}
	}
	return prepare(pgx.ParseConfig(b.String()))
}

// prepare settles what hodor wants of every connection.
func prepare(c *pgx.ConnConfig, err error) (*pgx.ConnConfig, error) {
	if err != nil {
		return nil, err
	}
	// Statements without names: a pooler between may hand each one to another server process.
	c.DefaultQueryExecMode = pgx.QueryExecModeExec
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "hodor"
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectTimeout
	}
	return c, nil
}

// source is a small pool of connections.
type source struct {
	db                *sql.DB
	database, address string
	silent            atomic.Bool // the last attempt to connect got no answer in time
}

// Place names database and server.
func (s *source) Place() string {
	if s.address == "" {
		return "Postgres database " + s.database
	}
	return "Postgres database " + s.database + " at " + s.address
}

// Close closes the connections.
func (s *source) Close() error { return s.db.Close() }

// Conn returns a connection from the pool, or a new one; if that fails, it tries once more (spec 8.4), unless nobody answers.
func (s *source) Conn(ctx context.Context, _ bool) (*sql.Conn, func() error, error) {
	c, err := s.connect(ctx)
	if err != nil && ctx.Err() == nil && !final(err) && !s.silent.Load() {
		select {
		case <-time.After(200 * time.Millisecond):
			c, err = s.connect(ctx)
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		if c != nil {
			err = c.Close()
		}
		return nil, nil, errors.Join(ctx.Err(), err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %s can't be reached: %w; check PGHOST, PGPORT, PGUSER and the password", stores.ErrUnavailable, s.Place(), err)
	}
	return c, c.Close, nil
}

func (s *source) connect(ctx context.Context) (*sql.Conn, error) {
	patience := ctx
	if s.silent.Load() {
		var cancel context.CancelFunc
		patience, cancel = context.WithTimeout(ctx, impatience)
		defer cancel()
	}
	c, err := s.db.Conn(patience)
	s.silent.Store(err != nil && ctx.Err() == nil && (pgconn.Timeout(err) || errors.Is(err, context.DeadlineExceeded)))
	return c, err
}

// final tells errors that stay the same however often it is tried: a refused user or password, a database that is not there, a right that is
// missing.
func final(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (strings.HasPrefix(e.Code, "28") || e.Code == "3D000" || e.Code == "42501")
}
