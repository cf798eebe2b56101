//go:build unix

package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"hodor/stores"
	"hodor/stores/postgres/pgtest"
	"hodor/stores/sqlstore"
	"hodor/stores/storetest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

func TestConformance(t *testing.T) {
	server := pgtest.Get(t)
	server.Env(t)
	storetest.Run(t, storetest.Backend{Names: true, New: func(t *testing.T) storetest.Place {
		database := server.NewDatabase(t)
		return storetest.Place{
			Open: func(o storetest.Options) (stores.Store, error) {
				return Open(Options{Database: database, Schema: o.Schema, Table: o.Table, ReadOnly: o.ReadOnly})
			},
			Exec:  func(t *testing.T, statement string) { server.Exec(t, database, statement) },
			Table: `"public"."hodor_state"`, Commit: `"public"."hodor_state_commit"`, Text: "TEXT",
		}
	}})
}

var scope = stores.Scope{Project: "shop", Target: "dev"}

func store(t *testing.T, o Options) *sqlstore.Store {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func record(n int) stores.Record {
	id, at := "v"+strconv.Itoa(n), int64(1_792_465_200_000+n*1000)
	return stores.Record{
		RecordID: "r" + strconv.Itoa(n), InvocationID: "i", RecordedAtMS: at, ProjectName: "shop", TargetName: "dev", NodeKey: "k" + strconv.Itoa(n), UniqueID: "u",
		ResourceType: "model", Mode: "on", Decision: "build", Action: "build", Status: "success", DataVersion: &id, BuiltAtMS: &at,
	}
}

// TestReconnect: the server ends the store's connections while they are idle; the next operation gets another, and nothing is written twice.
func TestReconnect(t *testing.T) {
	server := pgtest.Get(t)
	server.Env(t)
	database := server.NewDatabase(t)
	s := store(t, Options{Database: database})
	ctx := context.Background()
	for i := range 4 {
		if err := s.Append(ctx, []stores.Record{record(i)}); err != nil {
			t.Fatal(err)
		}
		server.Exec(t, "postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"+database+"'")
		if l, err := s.Load(ctx, scope, 0); err != nil || len(l.Records) != i+1 {
			t.Fatalf("after a lost connection: %v, %v", l, err)
		}
		server.Exec(t, "postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"+database+"'")
	}
	if h, err := s.History(ctx, scope, stores.Query{}); err != nil || len(h) != 4 {
		t.Errorf("%d records, %v", len(h), err)
	}
}

// TestLostInTheMiddle: the connection is lost after the rows were written and before the commit was answered. The second attempt finds what is
// there; each record stands once.
func TestLostInTheMiddle(t *testing.T) {
	server := pgtest.Get(t)
	server.Env(t)
	database := server.NewDatabase(t)
	s := store(t, Options{Database: database})
	ctx := context.Background()
	if err := s.Append(ctx, []stores.Record{record(0)}); err != nil {
		t.Fatal(err)
	}
	// The trigger kills its own connection, once, at the end of the transaction.
	server.Exec(t, database, `CREATE TABLE once (n INT); CREATE SEQUENCE fuse;
		CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF nextval('fuse') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NULL; END $$;
		CREATE CONSTRAINT TRIGGER die AFTER INSERT ON hodor_state DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION die()`)
	list := []stores.Record{record(1), record(2), record(3)}
	if err := s.Append(ctx, list); err != nil {
		t.Fatal(err)
	}
	h, err := s.History(ctx, scope, stores.Query{})
	if err != nil || len(h) != 4 {
		t.Errorf("%d records, %v", len(h), err)
	}
}

// TestLostAnswer: the server has committed the rows, and its answer is lost on the way. The second attempt finds them all.
func TestLostAnswer(t *testing.T) {
	server := pgtest.Get(t)
	server.Env(t)
	database := server.NewDatabase(t)
	line := &line{server: net.JoinHostPort(server.Host, strconv.Itoa(server.Port))}
	t.Setenv("PGPORT", line.listen(t))
	s := store(t, Options{Database: database})
	ctx := context.Background()
	if err := s.Append(ctx, []stores.Record{record(0)}); err != nil {
		t.Fatal(err)
	}
	line.cut.Store(true)
	if err := s.Append(ctx, []stores.Record{record(1), record(2), record(3)}); err != nil {
		t.Fatal(err)
	}
	if line.cut.Load() {
		t.Error("the line was not cut: nothing was tested")
	}
	if h, err := s.History(ctx, scope, stores.Query{}); err != nil || len(h) != 4 {
		t.Errorf("%d records, %v", len(h), err)
	}
	if l, err := s.Load(ctx, scope, 0); err != nil || len(l.Records) != 4 || l.Rejected != 0 {
		t.Errorf("%v, %v", l, err)
	}
}

// line passes connections on to a server. When cut is set, it passes on the next commit, waits for the answer, and closes the connection in its
// place.
type line struct {
	server string
	cut    atomic.Bool
}

// listen starts the line and returns its port.
func (l *line) listen(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", l.server)
			if err != nil {
				_ = client.Close()
				continue
			}
			var mute atomic.Bool
			go func() {
				defer client.Close()
				defer server.Close()
				buf := make([]byte, 1<<16)
				for {
					n, err := client.Read(buf)
					if err != nil {
						return
					}
					if bytes.Contains(buf[:n], []byte("commit\x00")) && l.cut.CompareAndSwap(true, false) {
						mute.Store(true)
					}
					if _, err := server.Write(buf[:n]); err != nil {
						return
					}
				}
			}()
			go func() {
				defer client.Close()
				defer server.Close()
				buf := make([]byte, 1<<16)
				for {
					n, err := server.Read(buf)
					if err != nil || mute.Load() {
						return
					}
					if _, err := client.Write(buf[:n]); err != nil {
						return
					}
				}
			}()
		}
	}()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

// TestSettings: host, user and password are found where every libpq client finds them.
func TestSettings(t *testing.T) {
	server := pgtest.Get(t)
	database := server.NewDatabase(t)
	port, dir := strconv.Itoa(server.Port), t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pass := write("pgpass", "*:*:other:*:wrong\n127.0.0.1:"+port+":"+database+":"+server.User+":"+server.Password+"\n")
	service := write("service", "[state]\nhost=127.0.0.1\nport="+port+"\nuser="+server.User+"\npassword="+server.Password+"\nsslmode=disable\ndbname=none\n")
	for name, set := range map[string]func(){
		"PG variables": func() {},
		"pgpass, by database": func() {
			t.Setenv("PGPASSWORD", "")
			t.Setenv("PGPASSFILE", pass)
		},
		"service file": func() {
			for _, v := range []string{"PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGSSLMODE"} {
				_ = os.Unsetenv(v)
			}
			t.Setenv("PGSERVICEFILE", service)
			t.Setenv("PGSERVICE", "state")
		},
	} {
		server.Env(t)
		set()
		if l, err := store(t, Options{Database: database}).Load(context.Background(), scope, 0); err != nil || len(l.Records) != 0 {
			t.Errorf("%s: %v, %v", name, l, err)
		}
	}
}

// TestUnavailable: what can't be reached or used says so, without the password, in one line.
func TestUnavailable(t *testing.T) {
	server := pgtest.Get(t)
	database := server.NewDatabase(t)
	server.Exec(t, "postgres", "CREATE ROLE reader LOGIN PASSWORD 'sesame'")
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closedPort := strconv.Itoa(closed.Addr().(*net.TCPAddr).Port)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		env  map[string]string
		o    Options
		want string
	}{
		{"wrong password", map[string]string{"PGPASSWORD": "opensesame"}, Options{Database: database}, "password authentication failed"},
		{"nobody listens", map[string]string{"PGPORT": closedPort, "PGPASSWORD": "opensesame"}, Options{Database: database}, "can't be reached"},
		{"no such database", nil, Options{Database: "none"}, "does not exist"},
		{"no right to create", map[string]string{"PGUSER": "reader", "PGPASSWORD": "sesame"}, Options{Database: database, Schema: "ops"}, "`ddl`"},
		{"a broken setting", map[string]string{"PGPORT": "opensesame"}, Options{Database: database}, "PG*"},
		{"no database", nil, Options{}, "hodor_database"},
		{"an injected database", nil, Options{Database: "x' host='evil"}, "hodor_database"},
		{"a name that Postgres would cut", nil, Options{Database: database, Table: strings.Repeat("t", 57)}, "hodor_table"},
		{"a longer one", nil, Options{Database: database, Schema: strings.Repeat("s", 64)}, "hodor_schema"},
	} {
		server.Env(t)
		for k, v := range c.env {
			t.Setenv(k, v)
		}
		s, err := Open(c.o)
		if err == nil {
			err = s.Append(context.Background(), []stores.Record{record(0)})
			_ = s.Close()
		}
		if !errors.Is(err, stores.ErrUnavailable) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		} else if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "sesame") && c.name != "a broken setting" {
			t.Errorf("%s: several lines, or a password: %v", c.name, err)
		}
	}
}

// TestRoleWithoutCreate: tables that someone else made with the statements of ddl serve a role that may only read and write them.
func TestRoleWithoutCreate(t *testing.T) {
	server := pgtest.Get(t)
	server.Env(t)
	database := server.NewDatabase(t)
	for _, q := range sqlstore.DDL(Dialect, sqlstore.Table{Schema: "ops", Name: "hodor_state"}) {
		server.Exec(t, database, q)
	}
	server.Exec(t, database, "CREATE ROLE writer LOGIN PASSWORD 'w'; GRANT USAGE ON SCHEMA ops TO writer; GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA ops TO writer")
	t.Setenv("PGUSER", "writer")
	t.Setenv("PGPASSWORD", "w")
	s := store(t, Options{Database: database, Schema: "ops"})
	ctx := context.Background()
	if err := s.Append(ctx, []stores.Record{record(0)}); err != nil {
		t.Error(err)
	}
	if won, err := s.Claim(ctx, stores.Commit{Scope: scope, Generation: 1, CommitID: "c"}); !won || err != nil {
		t.Errorf("%v, %v", won, err)
	}
	if l, err := s.Load(ctx, scope, 0); err != nil || len(l.Records) != 1 {
		t.Errorf("%v, %v", l, err)
	}
	if _, err := s.Prune(ctx, scope, 1<<60, false); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("prune without DELETE: %v", err)
	}
}

// tokens stands in for the service that gives out database credentials: each token is good for one connection.
type tokens struct {
	*httptest.Server
	given int
	fail  bool
}

// TestOperations55BeforeConnect: Each physical connection asks for its own token; one that was good before is not used again.
func TestOperations55BeforeConnect(t *testing.T) {
	server := pgtest.Get(t)
	server.Env(t)
	database := server.NewDatabase(t)
	server.Exec(t, database, "CREATE ROLE lake LOGIN SUPERUSER PASSWORD 'none yet'")
	service := &tokens{}
	service.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if service.fail {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		service.given++
		token := fmt.Sprintf("token-%d", service.given)
		server.Exec(t, database, "ALTER ROLE lake PASSWORD '"+token+"'") // the one before runs out
		_ = json.NewEncoder(w).Encode(map[string]string{"host": server.Host, "user": "lake", "token": token})
	}))
	defer service.Close()
	for _, v := range []string{"PGUSER", "PGPASSWORD"} {
		t.Setenv(v, "not used")
	}
	t.Setenv("PGHOST", "not-used.invalid")
	s := store(t, Options{Database: database, BeforeConnect: func(ctx context.Context) (Login, error) {
		r, err := http.Get(service.URL)
		if err != nil {
			return Login{}, err
		}
		defer r.Body.Close()
		if r.StatusCode != http.StatusOK {
			return Login{}, errors.New(r.Status)
		}
		var c struct{ Host, User, Token string }
		err = json.NewDecoder(r.Body).Decode(&c)
		return Login{Host: c.Host, User: c.User, Password: c.Token}, err
	}})
	ctx := context.Background()
	for i := range 3 {
		if err := s.Append(ctx, []stores.Record{record(i)}); err != nil {
			t.Fatal(err)
		}
		server.Exec(t, "postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'lake'")
	}
	if service.given != 3 {
		t.Errorf("%d tokens for 3 connections", service.given)
	}
	service.fail = true
	err := s.Append(ctx, []stores.Record{record(9)})
	if !errors.Is(err, stores.ErrUnavailable) || !strings.Contains(err.Error(), "no credential") || strings.Contains(err.Error(), "token-") {
		t.Errorf("%v", err)
	}
}
