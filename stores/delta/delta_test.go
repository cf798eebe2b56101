package delta

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hodor/stores"
	"hodor/stores/sqlstore"
	"hodor/warehouse"
)

func TestLiteral(t *testing.T) {
	for text, want := range map[string]string{
		"":                 `''`,
		"it's":             `'it\'s'`,
		`a\'b`:             `'a\\\'b'`,
		"${env:HOME}":      `'\u0024{env:HOME}'`,
		"a\nb\x1a\x00\x7f": `'a\u000ab\u001a\u0000\u007f'`,
		"é😀%_`\"":          "'é😀%_`\"'",
	} {
		if got := literal(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestOpenNeedsAPlace(t *testing.T) {
	for setting, o := range map[string]Options{
		"HODOR_SCHEMA": {Database: "c"}, "HODOR_DATABASE": {Schema: "s"}, "hodor_schema": {Database: "c", Schema: "s`; DROP"},
		"hodor_table": {Database: "c", Schema: "s", Table: strings.Repeat("a", 250)},
	} {
		if _, err := Open(o); !errors.Is(err, stores.ErrUnavailable) || !strings.Contains(err.Error(), setting) {
			t.Errorf("%s: %v", setting, err)
		}
	}
}

func TestDDL(t *testing.T) {
	got := sqlstore.DDL(Dialect, sqlstore.Table{Database: "main", Schema: "ops", Name: "hodor_state"})
	if len(got) != 2 || !strings.HasPrefix(got[0], "CREATE TABLE IF NOT EXISTS `main`.`ops`.`hodor_state` (`record_id` STRING, ") ||
		!strings.HasSuffix(got[0], ") USING DELTA CLUSTER BY (target_name, node_key)") ||
		!strings.HasPrefix(got[1], "CREATE TABLE IF NOT EXISTS `main`.`ops`.`hodor_state_commit` (") {
		t.Errorf("%q", got)
	}
}

// TestOperations45MalformedSettings: the driver is never handed what it could panic on, and no error repeats the token.
func TestOperations45MalformedSettings(t *testing.T) {
	const secret = "dapi-canary"
	for name, c := range map[string]Connection{
		"no host":          {HTTPPath: "/sql/1.0/warehouses/a", Token: secret},
		"a host of two":    {Host: "a b", HTTPPath: "/sql/1.0/warehouses/a", Token: secret},
		"a path in it":     {Host: "https://a.example/x", HTTPPath: "/sql/1.0/warehouses/a", Token: secret},
		"a user in it":     {Host: "token:" + secret + "@a.example", HTTPPath: "/sql/1.0/warehouses/a", Token: secret},
		"a percent sign":   {Host: "a%zz", HTTPPath: "/sql/1.0/warehouses/a", Token: secret},
		"a port too long":  {Host: "a.example:123456", HTTPPath: "/sql/1.0/warehouses/a", Token: secret},
		"plain http":       {Host: "http://a.example", HTTPPath: "/sql/1.0/warehouses/a", Token: secret},
		"ftp":              {Host: "ftp://127.0.0.1", HTTPPath: "/sql/1.0/warehouses/a", Token: secret},
		"no path":          {Host: "a.example", Token: secret},
		"a path with more": {Host: "a.example", HTTPPath: "/sql/1.0/warehouses/a?enableTelemetry=true", Token: secret},
		"a fragment":       {Host: "a.example", HTTPPath: "/sql#x", Token: secret},
		"no token":         {Host: "a.example", HTTPPath: "/sql/1.0/warehouses/a"},
		"two tokens":       {Host: "a.example", HTTPPath: "/sql/1.0/warehouses/a", Token: secret + " b"},
	} {
		_, _, err := Connect(c, 1)
		if !errors.Is(err, stores.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		} else if strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error holds the token: %v", name, err)
		}
	}
	for _, c := range []Connection{
		{Host: "a.example", HTTPPath: "sql/1.0/warehouses/a", Token: "p@ss:/?#%"},
		{Host: "https://a.example:8443/", HTTPPath: "/sql/protocolv1/o/12/0123-abc?o=12", Token: secret},
	} {
		_, closeAll, err := Connect(c, 1)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if err := closeAll(); err != nil {
			t.Error(err)
		}
	}
}

// TestOperations45PanicInTheDriver: a nil pointer in the driver, when it is asked or when it is closed, is an error of that call.
func TestOperations45PanicInTheDriver(t *testing.T) {
	h := &host{db: sql.OpenDB(broken{}), timeout: time.Minute}
	if _, err := h.Query(t.Context(), "SELECT 1"); err == nil || !strings.Contains(err.Error(), "driver failed") {
		t.Errorf("%v", err)
	}
	if err := h.close(); err == nil || !strings.Contains(err.Error(), "driver failed") {
		t.Errorf("closing: %v", err)
	}
}

type broken struct{}

func (broken) Connect(context.Context) (driver.Conn, error) { panic("nil pointer") }
func (broken) Driver() driver.Driver                        { return nil }
func (broken) Close() error                                 { panic("nil pointer") }

// serverOf connects to a server that answers every request with f.
func serverOf(t *testing.T, timeout time.Duration, f http.HandlerFunc) (warehouse.Host, *atomic.Int64) {
	t.Helper()
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.Add(1)
		_, _ = io.Copy(io.Discard, r.Body) // only then the server notices that the client has gone
		f(w, r)
	}))
	t.Cleanup(server.Close)
	db, closeAll, err := Connect(Connection{Host: server.URL, HTTPPath: "/sql/1.0/warehouses/a", Token: "dapi-canary", Timeout: timeout}, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = closeAll() })
	return asHost(func(ctx context.Context, sql string) (warehouse.Answer, error) {
		_, err := db.QueryContext(ctx, sql)
		return warehouse.Answer{}, err
	}), &n
}

type asHost func(context.Context, string) (warehouse.Answer, error)

func (f asHost) Query(ctx context.Context, sql string) (warehouse.Answer, error) { return f(ctx, sql) }

// TestOperations44StalledServer: a server that takes the request and never answers keeps nobody beyond the deadline, that of the statement or
// that of the caller.
func TestOperations44StalledServer(t *testing.T) {
	release := make(chan struct{})
	stalled := func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}
	t.Cleanup(func() { close(release) })
	h, _ := serverOf(t, 200*time.Millisecond, stalled)
	if _, err := h.Query(t.Context(), "SELECT 1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the statement's own deadline: %v", err)
	}
	h, _ = serverOf(t, time.Hour, stalled)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := h.Query(ctx, "SELECT 1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's deadline: %v", err)
	}
}

// TestOperations54WrongToken: a refused token is final. The store asks once, and the error does not hold it.
func TestOperations54WrongToken(t *testing.T) {
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		h, n := serverOf(t, time.Minute, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, `{"error_code":"401","message":"Invalid access token"}`)
		})
		_, err := h.Query(t.Context(), "SELECT 1")
		if !errors.Is(err, ErrLogin) || strings.Contains(err.Error(), "canary") {
			t.Errorf("status %d: %v", status, err)
		}
		if n.Load() != 1 {
			t.Errorf("status %d: %d requests", status, n.Load())
		}
		db := warehouse.Open(h, 1)
		s, err := Open(Options{Warehouse: db, Database: "c", Schema: "s"})
		if err != nil {
			t.Fatal(err)
		}
		n.Store(0)
		if _, err := s.Load(t.Context(), stores.Scope{Project: "p", Target: "t"}, 0); err == nil {
			t.Error("Load succeeds")
		}
		if n.Load() != 1 {
			t.Errorf("status %d: the store asked %d times", status, n.Load())
		}
		db.Close()
	}
}

// TestConflicts: the store tries again after a conflict with another writer, a few times and with its own pause, and not at all after a refusal.
func TestConflicts(t *testing.T) {
	for message, want := range map[string]int{
		"[DELTA_CONCURRENT_APPEND.WITHOUT_HINT] Transaction conflict detected":                     6,
		"io.delta.exceptions.ConcurrentAppendException: Files were added to the root of the table": 6,
		"[DELTA_METADATA_CHANGED] The metadata of the Delta table has been changed":                6,
		"[DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION] Cannot create table":                         6,
		"[INTERNAL_ERROR] something":                                    2,
		"[INSUFFICIENT_PERMISSIONS] User does not have MODIFY on Table": 1,
		"PERMISSION_DENIED: no":                                         1,
	} {
		inserts := 0
		db := warehouse.Open(asHost(func(_ context.Context, sql string) (warehouse.Answer, error) {
			switch {
			case strings.HasPrefix(sql, "INSERT"):
				inserts++
				return warehouse.Answer{}, &warehouse.StatementError{Message: message}
			case strings.Contains(sql, " LIMIT 0"):
				return warehouse.Answer{Columns: allColumns()}, nil
			case strings.HasPrefix(sql, "SELECT record_id"):
				return warehouse.Answer{Columns: []string{"record_id"}}, nil
			}
			return warehouse.Answer{}, fmt.Errorf("unexpected: %s", sql)
		}), 1)
		s, err := Open(Options{Warehouse: db, Database: "c", Schema: "s"})
		if err != nil {
			t.Fatal(err)
		}
		err = s.Append(t.Context(), []stores.Record{{RecordID: "x"}})
		if err == nil || inserts != want {
			t.Errorf("%s: %d inserts, want %d, %v", message, inserts, want, err)
		}
		db.Close()
	}
}

// TestConflictOverCreation: who can't create the tables since others are at it looks again, as long as a writer does who meets others.
func TestConflictOverCreation(t *testing.T) {
	creations := 0
	db := warehouse.Open(asHost(func(_ context.Context, sql string) (warehouse.Answer, error) {
		switch {
		case strings.HasPrefix(sql, "CREATE TABLE"):
			creations++
			return warehouse.Answer{}, &warehouse.StatementError{Message: "[DELTA_PROTOCOL_CHANGED] changed by a concurrent update"}
		case strings.Contains(sql, " LIMIT 0") && creations > 6:
			return warehouse.Answer{Columns: allColumns()}, nil
		case strings.Contains(sql, " LIMIT 0"):
			return warehouse.Answer{}, &warehouse.StatementError{Message: "[TABLE_OR_VIEW_NOT_FOUND] no"}
		}
		return warehouse.Answer{Columns: []string{"record_id"}}, nil
	}), 1)
	defer db.Close()
	s, err := Open(Options{Warehouse: db, Database: "c", Schema: "s"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), []stores.Record{{RecordID: "x"}}); err != nil {
		t.Errorf("after %d statements: %v", creations, err)
	}
}

func allColumns() []string {
	var list []string
	for _, c := range stores.Columns {
		list = append(list, c.Name)
	}
	list = append(list, "|")
	for _, c := range stores.CommitColumns {
		list = append(list, c.Name)
	}
	return list
}

// TestStatements: a run with few records costs one look at the tables, one read, and one insert a flush; a record of several megabytes goes alone.
func TestStatements(t *testing.T) {
	var sent []string
	db := warehouse.Open(asHost(func(_ context.Context, sql string) (warehouse.Answer, error) {
		sent = append(sent, sql)
		switch {
		case strings.Contains(sql, " LIMIT 0"):
			return warehouse.Answer{Columns: allColumns()}, nil
		case strings.HasPrefix(sql, "WITH"):
			return warehouse.Answer{Columns: make([]string, len(stores.Columns)+1)}, nil
		}
		return warehouse.Answer{}, nil
	}), 1)
	defer db.Close()
	s, err := Open(Options{Warehouse: db, Database: "c", Schema: "s"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(t.Context(), stores.Scope{Project: "p", Target: "t"}, 0); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := s.Append(t.Context(), make200()); err != nil {
			t.Fatal(err)
		}
	}
	if len(sent) != 5 {
		t.Errorf("%d statements: %.60q", len(sent), sent)
	}
	sent = nil
	big := strings.Repeat("x", 3<<20)
	list := make200()
	list[0].SQLFacts, list[1].SQLFacts = &big, &big
	if err := s.Append(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	if len(sent) != 2 {
		t.Errorf("%d statements for two big records", len(sent))
	}
}

func make200() []stores.Record {
	list := make([]stores.Record, 200)
	for i := range list {
		list[i].RecordID = fmt.Sprint(i)
	}
	return list
}
