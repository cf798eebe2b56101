package delta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	_ "github.com/databricks/databricks-sql-go" // the driver named databricks
	dberrors "github.com/databricks/databricks-sql-go/errors"
	dblog "github.com/databricks/databricks-sql-go/logger"

	"hodor/stores"
	"hodor/warehouse"
)

// Connection says how to reach a SQL warehouse or a cluster without dbt.
type Connection struct {
	Host     string // "dbc-1234.cloud.databricks.com", with or without https://
	HTTPPath string // "/sql/1.0/warehouses/abc"
	Token    string // a personal access token, or one of OAuth
	// Timeout bounds each statement, a warehouse's start included. 0: 10 minutes.
	Timeout time.Duration
}

// ErrLogin tells that the server refused the token; trying again would not help.
var ErrLogin = errors.New("the server refused the token")

// FromEnvironment reads DATABRICKS_HOST, DATABRICKS_HTTP_PATH and DATABRICKS_TOKEN.
func FromEnvironment() Connection {
	return Connection{Host: os.Getenv("DATABRICKS_HOST"), HTTPPath: os.Getenv("DATABRICKS_HTTP_PATH"), Token: os.Getenv("DATABRICKS_TOKEN")}
}

var (
	hostPattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?$`)
	pathPattern = regexp.MustCompile(`^/[A-Za-z0-9._/-]+(\?o=[0-9]+)?$`)
)

// dsn checks the settings, since the driver has panicked on malformed ones, and writes them as the driver reads them. Only the text form can
// switch telemetry off. Errors hold no token.
func (c Connection) dsn() (string, error) {
	scheme, host := "https", c.Host
	if before, after, ok := strings.Cut(host, "://"); ok {
		scheme, host = before, after
	}
	host = strings.TrimSuffix(host, "/")
	path := c.HTTPPath
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	if !strings.Contains(host, ":") {
		host += map[string]string{"https": ":443", "http": ":80"}[scheme]
	}
	switch {
	case c.Host == "":
		return "", errors.New("no host: set DATABRICKS_HOST")
	case !hostPattern.MatchString(host):
		return "", errors.New("DATABRICKS_HOST is no host name")
	case scheme != "https" && (scheme != "http" || !loopback(host)):
		return "", errors.New("DATABRICKS_HOST: a token travels by https only")
	case c.HTTPPath == "":
		return "", errors.New("no HTTP path of a SQL warehouse: set DATABRICKS_HTTP_PATH")
	case !pathPattern.MatchString(path):
		return "", errors.New("DATABRICKS_HTTP_PATH is no path such as /sql/1.0/warehouses/abc")
	case c.Token == "" || strings.ContainsAny(c.Token, " \t\r\n\x00"):
		return "", errors.New("no token, or one with blanks: set DATABRICKS_TOKEN")
	}
	path, org, _ := strings.Cut(path, "?o=")
	q := url.Values{"enableTelemetry": {"false"}, "useCloudFetch": {"false"}, "userAgentEntry": {"hodor"}}
	if org != "" {
		// As a parameter the driver would take it for a session setting; as part of the path it reaches the URL.
		path += "?o=" + org
	}
	u := url.URL{Scheme: scheme, Host: host, Path: path, User: url.UserPassword("token", c.Token), RawQuery: q.Encode()}
	return u.String(), nil
}

func loopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

var silence sync.Once

// Connect returns a handle on the SQL warehouse, for Options.Warehouse, and the function that closes it. It sends nothing: the first statement
// does. At most maxInFlight statements run at once.
func Connect(c Connection, maxInFlight int) (*sql.DB, func() error, error) {
	dsn, err := c.dsn()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", stores.ErrUnavailable, err)
	}
	silence.Do(func() { _ = dblog.SetLogLevel("disabled") })
	driver, err := openDriver(dsn)
	if err != nil {
		return nil, nil, err
	}
	driver.SetMaxOpenConns(max(1, maxInFlight))
	driver.SetConnMaxIdleTime(time.Minute)
	h := &host{db: driver, timeout: c.Timeout}
	if h.timeout <= 0 {
		h.timeout = 10 * time.Minute
	}
	db := warehouse.Open(h, maxInFlight)
	return db, func() error { return errors.Join(db.Close(), h.close()) }, nil
}

// openDriver hands the settings to the driver. Its own errors would repeat them, token and all.
func openDriver(dsn string) (db *sql.DB, err error) {
	defer func() {
		if recover() != nil || err != nil {
			db, err = nil, fmt.Errorf("%w: the Databricks driver can't use these settings; check DATABRICKS_HOST and DATABRICKS_HTTP_PATH", stores.ErrUnavailable)
		}
	}()
	return sql.Open("databricks", dsn)
}

// host runs statements through the driver. Results are small and are read to their end before anybody sees them.
type host struct {
	db      *sql.DB
	timeout time.Duration
}

type outcome struct {
	answer warehouse.Answer
	err    error
}

// Query implements warehouse.Host. It returns when its context ends, whatever the driver does: cancelling on the server is the driver's own
// business, in a goroutine that nobody waits for. The statement may then be done all the same.
func (h *host) Query(ctx context.Context, statement string) (warehouse.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, h.timeout)
	defer cancel()
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil {
				o = outcome{err: fmt.Errorf("the Databricks driver failed: %v", p)}
			}
			done <- o
		}()
		o.answer, o.err = h.run(ctx, statement)
	}()
	select {
	case o := <-done:
		return o.answer, explain(ctx, o.err)
	case <-ctx.Done():
		return warehouse.Answer{}, ctx.Err()
	}
}

func (h *host) run(ctx context.Context, statement string) (warehouse.Answer, error) {
	rows, err := h.db.QueryContext(ctx, statement)
	if err != nil {
		return warehouse.Answer{}, err
	}
	defer rows.Close()
	a := warehouse.Answer{}
	if a.Columns, err = rows.Columns(); err != nil {
		return warehouse.Answer{}, err
	}
	for rows.Next() {
		row, into := make([]sql.NullString, len(a.Columns)), make([]any, len(a.Columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return warehouse.Answer{}, err
		}
		values := make([]*string, len(row))
		for i := range row {
			if row[i].Valid {
				values[i] = &row[i].String
			}
		}
		a.Rows = append(a.Rows, values)
	}
	return a, rows.Err()
}

// close ends the driver's sessions, which it does by a request each: not for longer than five seconds.
func (h *host) close() error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("the Databricks driver failed: %v", p)
			}
		}()
		done <- h.db.Close()
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(5 * time.Second):
		return nil
	}
}

var unauthorized = regexp.MustCompile(`(?i)\b40[13]\b|unauthorized|invalid access token`)

// explain sorts the driver's errors: what the server said of the statement, a refused token, the end of the time, anything else.
func explain(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, dberrors.ExecutionError):
		return &warehouse.StatementError{Message: err.Error()}
	case unauthorized.MatchString(err.Error()):
		return fmt.Errorf("%w; check DATABRICKS_TOKEN: %w", ErrLogin, err)
	}
	return err
}
