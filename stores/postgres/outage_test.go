//go:build unix

package postgres

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hodor/stores"
	"hodor/stores/postgres/pgtest"
)

// TestRestart: the server is restarted in the middle of a run. What is written while it is down is an error that says so, in time; the next flush
// goes through, and nothing that was confirmed is lost or doubled.
func TestRestart(t *testing.T) {
	server := pgtest.Get(t)
	server.Env(t)
	s := store(t, Options{Database: server.NewDatabase(t)})
	ctx := context.Background()
	if err := s.Append(ctx, []stores.Record{record(0)}); err != nil {
		t.Fatal(err)
	}
	server.Stop()
	started := false
	t.Cleanup(func() {
		if !started {
			server.Start(t)
		}
	})
	err := s.Append(ctx, []stores.Record{record(1)})
	if !errors.Is(err, stores.ErrUnavailable) || !strings.Contains(err.Error(), "can't be reached") {
		t.Errorf("while it is down: %v", err)
	}
	if l, err := s.Load(ctx, scope, 0); err == nil || l != nil {
		t.Errorf("while it is down: %v, %v", l, err)
	}
	server.Start(t)
	started = true
	for _, list := range [][]stores.Record{{record(1), record(2)}, {record(3)}} {
		if err := s.Append(ctx, list); err != nil {
			t.Fatalf("after the restart: %v", err)
		}
	}
	if h, err := s.History(ctx, scope, stores.Query{}); err != nil || len(h) != 4 {
		t.Errorf("%d records, %v", len(h), err)
	}
	// Between two operations, unseen.
	server.Stop()
	server.Start(t)
	if err := s.Append(ctx, []stores.Record{record(4)}); err != nil {
		t.Errorf("after a restart that nobody saw: %v", err)
	}
}

// TestTokenRunsOut: a token that runs out in the middle of a run. Open connections go on; the one after a loss asks for a new token, and gets
// it from a service on loopback that knows how long each is good.
func TestTokenRunsOut(t *testing.T) {
	server := pgtest.Get(t)
	server.Env(t)
	database := server.NewDatabase(t)
	server.Exec(t, database, "CREATE ROLE short LOGIN SUPERUSER PASSWORD 'token-1'")
	asked, good := 0, 1 // good: the token that the service gives out now
	s := store(t, Options{Database: database, BeforeConnect: func(context.Context) (Login, error) {
		asked++
		return Login{Host: server.Host, User: "short", Password: "token-" + strconv.Itoa(good)}, nil
	}})
	ctx := context.Background()
	if err := s.Append(ctx, []stores.Record{record(0)}); err != nil {
		t.Fatal(err)
	}
	server.Exec(t, database, "ALTER ROLE short PASSWORD 'token-2'") // the first one has run out
	if err := s.Append(ctx, []stores.Record{record(1)}); err != nil || asked != 1 {
		t.Errorf("on the open connection: %v, %d tokens", err, asked)
	}
	lose := "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'short'"
	server.Exec(t, "postgres", lose)
	if err := s.Append(ctx, []stores.Record{record(2)}); !errors.Is(err, stores.ErrUnavailable) || strings.Contains(err.Error(), "token-") {
		t.Errorf("with the old token: %v", err)
	}
	refused := asked
	good = 2
	if err := s.Append(ctx, []stores.Record{record(2)}); err != nil || asked != refused+1 {
		t.Errorf("with a new token: %v, %d tokens more", err, asked-refused)
	}
	if h, err := s.History(ctx, scope, stores.Query{}); err != nil || len(h) != 3 {
		t.Errorf("%d records, %v", len(h), err)
	}
}

// TestTokenTravelsEncrypted: where nothing is said of TLS, a token is never sent to a server without it.
func TestTokenTravelsEncrypted(t *testing.T) {
	server := pgtest.Get(t)
	server.Env(t)
	t.Setenv("PGSSLMODE", "")
	s := store(t, Options{Database: server.NewDatabase(t), BeforeConnect: func(context.Context) (Login, error) {
		return Login{Host: server.Host, User: server.User, Password: server.Password}, nil
	}})
	if _, err := s.Load(context.Background(), scope, 0); !errors.Is(err, stores.ErrUnavailable) || !strings.Contains(err.Error(), "TLS") {
		t.Errorf("without TLS: %v", err)
	}
	_, certificate, key := certificates(t)
	server.Secure(t, certificate, key)
	if _, err := s.Load(context.Background(), scope, 0); err != nil {
		t.Errorf("with TLS: %v", err)
	}
}

// TestOperations57Workers: workers of one job ask for a token each; none uses that of another.
func TestOperations57Workers(t *testing.T) {
	server := pgtest.Get(t)
	server.Env(t)
	database := server.NewDatabase(t)
	for _, worker := range []string{"worker_a", "worker_b", "worker_c"} {
		server.Exec(t, database, "CREATE ROLE "+worker+" LOGIN SUPERUSER PASSWORD 'of "+worker+"'")
		asked := 0
		s := store(t, Options{Database: database, BeforeConnect: func(context.Context) (Login, error) {
			asked++
			return Login{Host: server.Host, User: worker, Password: "of " + worker}, nil
		}})
		if _, err := s.Load(context.Background(), scope, 0); err != nil || asked != 1 {
			t.Errorf("%s: %v, asked %d times", worker, err, asked)
		}
	}
}

// TestTLS: the settings of libpq for encrypted connections hold: what must be verified is verified, and what can't be is refused.
func TestTLS(t *testing.T) {
	server := pgtest.Get(t)
	server.Env(t)
	database := server.NewDatabase(t)
	authority, certificate, key := certificates(t)
	other, _, _ := certificates(t)
	server.Secure(t, certificate, key)
	dir := t.TempDir()
	roots := func(name string, pem []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	right, wrong := roots("right.pem", authority), roots("wrong.pem", other)
	for _, c := range []struct {
		name, mode, roots string
		works, encrypted  bool
	}{
		{"not wanted", "disable", "", true, false},
		{"required", "require", "", true, true},
		{"the authority verified", "verify-ca", right, true, true},
		{"another authority", "verify-ca", wrong, false, false},
		{"the host's name verified", "verify-full", right, true, true},
		{"another authority, by name", "verify-full", wrong, false, false},
	} {
		t.Setenv("PGSSLMODE", c.mode)
		t.Setenv("PGSSLROOTCERT", c.roots)
		s, err := Open(Options{Database: database})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		_, err = s.Load(context.Background(), scope, 0)
		if (err == nil) != c.works {
			t.Errorf("%s: %v", c.name, err)
		}
		if err == nil {
			server.Exec(t, database, "DO $$ BEGIN IF (SELECT bool_or(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE datname = '"+database+
				"' AND pid <> pg_backend_pid()) <> "+strconv.FormatBool(c.encrypted)+" THEN RAISE EXCEPTION '"+c.mode+" is not what it says'; END IF; END $$")
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		server.Exec(t, "postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"+database+"'")
	}
}

// certificates makes an authority, and a certificate of it for 127.0.0.1 with its key.
func certificates(t *testing.T) (authority, certificate, key []byte) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	rootKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "hodor's tests"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	rootDER, err := x509.CreateCertificate(rand.Reader, root, root, &rootKey.PublicKey, rootKey)
	check(err)
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "127.0.0.1"}, NotBefore: root.NotBefore, NotAfter: root.NotAfter,
		IPAddresses: []net.IP{net.ParseIP("127.0.0.1")}, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, root, &leafKey.PublicKey, rootKey)
	check(err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(leafKey)
	check(err)
	block := func(kind string, der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}) }
	return block("CERTIFICATE", rootDER), block("CERTIFICATE", leafDER), block("PRIVATE KEY", keyDER)
}

// A server that takes connections and says nothing, as behind a firewall, is not asked twice by one operation, nor waited for as long again.
func TestSilentServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var taken atomic.Int64
	go func() {
		for {
			if _, err := l.Accept(); err != nil {
				return
			}
			taken.Add(1)
		}
	}()
	host, port, _ := net.SplitHostPort(l.Addr().String())
	t.Setenv("PGHOST", host)
	t.Setenv("PGPORT", port)
	t.Setenv("PGSSLMODE", "disable")
	t.Setenv("PGCONNECT_TIMEOUT", "1")
	s, err := Open(Options{Database: "x"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for want := range int64(2) {
		if _, err := s.Load(t.Context(), stores.Scope{Project: "shop", Target: "dev"}, 0); !errors.Is(err, stores.ErrUnavailable) {
			t.Errorf("got %v", err)
		}
		if taken.Load() != want+1 {
			t.Errorf("%d connections after %d operations", taken.Load(), want+1)
		}
	}
}
