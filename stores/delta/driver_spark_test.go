//go:build spark

package delta

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"hodor/internal/sparktest"
	"hodor/internal/thriftproxy"
	"hodor/stores"
	"hodor/stores/sqlstore"
	"hodor/warehouse"
)

// childDSN names the settings with which TestTelemetryChild asks one question.
const childDSN = "STORES_DELTA_CHILD_DSN"

// TestTelemetryChild is the process that TestSparkOperations50Telemetry watches.
func TestTelemetryChild(t *testing.T) {
	dsn := os.Getenv(childDSN)
	if dsn == "" {
		t.Skip("for TestSparkOperations50Telemetry")
	}
	db, err := openDriver(dsn)
	if err != nil {
		t.Fatal(err)
	}
	h := &host{db: db, timeout: 5 * time.Minute}
	a, err := h.Query(t.Context(), "SELECT 1 AS one")
	if err != nil || len(a.Rows) != 1 || *a.Rows[0][0] != "1" {
		t.Errorf("%+v, %v", a, err)
	}
	if err := h.close(); err != nil {
		t.Error(err)
	}
}

// TestSparkOperations50Telemetry: all that the driver's process sends goes through a proxy that sees it, since the host's name resolves nowhere:
// Thrift calls to the warehouse and nothing else. The same without our setting shows that the proxy would see more.
func TestSparkOperations50Telemetry(t *testing.T) {
	proxy := thriftproxy.New(t, sparktest.Get(t).Thrift(t))
	var mu sync.Mutex
	var tunnels []string
	forward := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodConnect || r.URL.Host != "hodor.invalid" && r.URL.Host != "hodor.invalid:80" {
			mu.Lock()
			tunnels = append(tunnels, r.Method+" "+r.Host)
			mu.Unlock()
			http.Error(w, "no way there", http.StatusBadGateway)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer forward.Close()
	dsn, err := Connection{Host: "http://127.0.0.1:80", HTTPPath: "/sql/1.0/warehouses/abc", Token: "the-token"}.dsn()
	if err != nil {
		t.Fatal(err)
	}
	dsn = strings.Replace(dsn, "127.0.0.1:80", "hodor.invalid:80", 1)
	ask := func(dsn string) ([]thriftproxy.Request, []string) {
		mu.Lock()
		tunnels = nil
		mu.Unlock()
		proxy.Requests()
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTelemetryChild$", "-test.v")
		for _, e := range os.Environ() {
			if name, _, _ := strings.Cut(strings.ToLower(e), "="); !strings.HasSuffix(name, "_proxy") {
				cmd.Env = append(cmd.Env, e)
			}
		}
		cmd.Env = append(cmd.Env, childDSN+"="+dsn, "HTTP_PROXY="+forward.URL, "HTTPS_PROXY="+forward.URL)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS: TestTelemetryChild") {
			t.Fatalf("%v: %s", err, out)
		}
		mu.Lock()
		defer mu.Unlock()
		return proxy.Requests(), tunnels
	}
	requests, other := ask(dsn)
	if len(other) > 0 {
		t.Errorf("the driver asked for more: %q", other)
	}
	if calls := thriftproxy.Calls(requests); calls["OpenSession"] != 1 || calls["ExecuteStatement"] != 1 || calls["CloseSession"] != 1 || calls[""] != 0 {
		t.Errorf("calls %v", calls)
	}
	for _, r := range requests {
		if r.Token != "the-token" {
			t.Errorf("%s was sent with %q", r.Call, r.Token)
		}
	}
	loose := strings.Replace(dsn, "enableTelemetry=false&", "", 1)
	if loose == dsn {
		t.Fatal("the setting is not where it was")
	}
	if requests, other = ask(loose); len(other) == 0 && thriftproxy.Calls(requests)[""] == 0 {
		t.Error("with the driver's own defaults the proxy sees no more: this test proves nothing")
	}
}

// TestSparkOperations47NoPings: a statement costs the calls of its own and no others, and leaves no goroutine behind.
func TestSparkOperations47NoPings(t *testing.T) {
	proxy := thriftproxy.New(t, sparktest.Get(t).Thrift(t))
	db, closeAll, err := Connect(Connection{Host: proxy.URL, HTTPPath: "/sql/1.0/warehouses/abc", Token: "t"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(proxy.Requests()); n != 0 {
		t.Errorf("%d requests before the first statement", n)
	}
	const n = 8
	early := 0
	for i := range n {
		rows, err := db.QueryContext(t.Context(), "SELECT id FROM range(10)")
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
		if i == 1 { // the connections that stay are open by now
			early = runtime.NumGoroutine()
		}
	}
	for tries := 0; runtime.NumGoroutine() > early; tries++ {
		if tries == 100 {
			t.Errorf("%d goroutines after two statements, %d after %d", early, runtime.NumGoroutine(), n)
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err := closeAll(); err != nil {
		t.Error(err)
	}
	calls := thriftproxy.Calls(proxy.Requests())
	if calls["OpenSession"] != 1 || calls["ExecuteStatement"] != n || calls["CloseOperation"] > n || calls["CloseSession"] != 1 || calls[""] != 0 {
		t.Errorf("calls %v", calls)
	}
}

// TestSparkOperations48FailedFetch: a result whose pages can't be fetched is an error, never a short result; nor is one that has the columns of
// another statement believed.
func TestSparkOperations48FailedFetch(t *testing.T) {
	spark := sparktest.Get(t)
	schema := spark.Schema(t)
	proxy := thriftproxy.New(t, spark.Thrift(t))
	s, err := Open(Options{Warehouse: connect(t, proxy, time.Minute), Database: "hive_metastore", Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), []stores.Record{build("a"), build("b")}); err != nil {
		t.Fatal(err)
	}
	proxy.Intercept(func(w http.ResponseWriter, _ *http.Request, r thriftproxy.Request) bool {
		if r.Call == "FetchResults" {
			http.Error(w, "no", http.StatusNotFound)
		}
		return r.Call == "FetchResults"
	})
	if l, err := s.Load(t.Context(), scope, 0); err == nil {
		t.Errorf("a failed fetch: %d records and no error", len(l.Records))
	}
	proxy.Intercept(nil)
	if l, err := s.Load(t.Context(), scope, 0); err != nil || len(l.Records) != 2 {
		t.Errorf("afterwards: %v, %v", l, err)
	}
}

// stall makes the proxy hold the calls of these names back, until the test ends or the driver gives up. It returns a channel for each name, closed at
// the first such call.
func stall(t *testing.T, proxy *thriftproxy.Proxy, calls ...string) map[string]chan struct{} {
	t.Helper()
	seen, first := map[string]chan struct{}{}, map[string]*sync.Once{}
	for _, c := range calls {
		seen[c], first[c] = make(chan struct{}), &sync.Once{}
	}
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	proxy.Intercept(func(_ http.ResponseWriter, r *http.Request, q thriftproxy.Request) bool {
		if seen[q.Call] == nil {
			return false
		}
		first[q.Call].Do(func() { close(seen[q.Call]) })
		select {
		case <-release:
		case <-r.Context().Done():
		}
		return true
	})
	return seen
}

// TestSparkOperations52SlowCleanUp: who gives up on a statement is free at once, though cancelling it on the server, which the driver does, stalls.
func TestSparkOperations52SlowCleanUp(t *testing.T) {
	proxy := thriftproxy.New(t, sparktest.Get(t).Thrift(t))
	db := connect(t, proxy, time.Minute)
	seen := stall(t, proxy, "CancelOperation", "CloseOperation")
	ctx, cancel := context.WithCancel(t.Context())
	polled := make(chan struct{})
	go func() {
		for range 600 { // until the driver has asked how the statement is getting on
			if thriftproxy.Calls(proxy.Requests())["GetOperationStatus"] > 0 {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		close(polled)
		cancel()
	}()
	_, err := db.QueryContext(ctx, "SELECT java_method('java.lang.Thread', 'sleep', 20000L)")
	<-polled
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	select {
	case <-seen["CancelOperation"]:
	case <-time.After(30 * time.Second):
		t.Error("the statement was not cancelled on the server")
	}
}

// TestSparkOperations51Timeout: after a client-side timeout nobody knows what became of a statement. What was written all the same is found by the
// next attempt, and nothing stands twice.
func TestSparkOperations51Timeout(t *testing.T) {
	spark := sparktest.Get(t)
	schema := spark.Schema(t)
	proxy := thriftproxy.New(t, spark.Thrift(t))
	s, err := Open(Options{Warehouse: connect(t, proxy, time.Minute), Database: "hive_metastore", Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), []stores.Record{build("a")}); err != nil {
		t.Fatal(err)
	}
	// The server takes the statement, and from then on answers nothing about it.
	seen := stall(t, proxy, "GetOperationStatus", "CancelOperation", "CloseOperation", "GetResultSetMetadata", "FetchResults")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-seen["GetOperationStatus"]
		cancel()
	}()
	if err := s.Append(ctx, []stores.Record{build("b"), build("c")}); !errors.Is(err, context.Canceled) {
		t.Errorf("the answer was lost: %v", err)
	}
	proxy.Intercept(nil)
	if err := s.Append(t.Context(), []stores.Record{build("b"), build("c")}); err != nil {
		t.Fatal(err)
	}
	if l, err := s.Load(t.Context(), scope, 0); err != nil || len(l.Records) != 3 || l.Rejected != 0 {
		t.Errorf("%v, %v", l, err)
	}
}

// TestSparkOperations34and35Background: writers append while OPTIMIZE and claims run beside them; every record is there in the end, once.
func TestSparkOperations34and35Background(t *testing.T) {
	spark := sparktest.Get(t)
	schema := spark.Schema(t)
	db := warehouse.Open(spark, 4)
	defer db.Close()
	open := func() *sqlstore.Store {
		s, err := Open(Options{Warehouse: db, Database: "spark_catalog", Schema: schema})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if err := open().Append(t.Context(), []stores.Record{build("first")}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	const writers, batches = 2, 4
	for w := range writers {
		s := open()
		wg.Go(func() {
			for i := range batches {
				if err := s.Append(t.Context(), []stores.Record{build(fmt.Sprintf("w%d-%d", w, i))}); err != nil {
					t.Errorf("writer %d: %v", w, err)
				}
			}
		})
	}
	wg.Go(func() {
		for range 3 {
			if _, err := spark.Run(t.Context(), "OPTIMIZE "+schema+".hodor_state"); err != nil {
				t.Errorf("OPTIMIZE: %v", err)
			}
		}
	})
	wg.Wait()
	h, err := open().History(t.Context(), scope, stores.Query{})
	if err != nil || len(h) != 1+writers*batches {
		t.Errorf("%d records, %v", len(h), err)
	}
}

var scope = stores.Scope{Project: "shop", Target: "dev"}

func build(key string) stores.Record {
	version, at := "v", int64(1_792_465_200_000)
	return stores.Record{
		RecordID: "r-" + key, InvocationID: "i", RecordedAtMS: at, ProjectName: "shop", TargetName: "dev", NodeKey: key, UniqueID: "model.shop." + key,
		ResourceType: "model", Mode: "on", Decision: "build", Action: "build", Status: "success", DataVersion: &version, BuiltAtMS: &at,
	}
}
