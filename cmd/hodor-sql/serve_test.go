//go:build cgo

package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"hodor/internal/version"
	"hodor/normalize"
	"hodor/warehouse"
	"hodor/warehouse/warehousetest"
)

// fakeHost is a small dbt: it starts the real binary, runs SQL for it on a DuckDB of its own, and builds what it is told to build.
type fakeHost struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	stderr bytes.Buffer
	hello  map[string]any
	db     warehouse.Host

	mu        sync.Mutex
	lastID    int
	endpoints []string // asked for with lakebase/credential
	waiting   map[int]chan wireMessage
	ended     chan struct{}
}

type wireMessage struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      *int            `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

func startHost(t *testing.T, db warehouse.Host, args ...string) *fakeHost {
	t.Helper()
	h := &fakeHost{t: t, cmd: exec.Command("hodor-sql", append([]string{"serve"}, args...)...), db: db, waiting: map[int]chan wireMessage{}, ended: make(chan struct{})}
	h.cmd.Stderr = &h.stderr
	var err error
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("no hello: %v, %s", err, &h.stderr)
	}
	var hello struct {
		Method string
		Params map[string]any
	}
	if err := json.Unmarshal([]byte(first), &hello); err != nil || hello.Method != "hello" {
		t.Fatalf("the first line is %s", first)
	}
	h.hello = hello.Params
	go h.read(lines)
	return h
}

func (h *fakeHost) read(lines *bufio.Reader) {
	defer close(h.ended)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m wireMessage
		if err := json.Unmarshal(line, &m); err != nil {
			h.t.Errorf("the service wrote %q", line)
			return
		}
		if m.Method == "" {
			h.mu.Lock()
			done := h.waiting[*m.ID]
			delete(h.waiting, *m.ID)
			h.mu.Unlock()
			done <- m
			continue
		}
		go h.query(m)
	}
}

func (h *fakeHost) query(m wireMessage) {
	var p struct{ SQL string }
	answer := wireMessage{JSONRPC: "2.0", ID: m.ID}
	if m.Method == "lakebase/credential" {
		h.mu.Lock()
		h.endpoints = append(h.endpoints, string(m.Params))
		h.mu.Unlock()
		answer.Result, _ = json.Marshal(map[string]any{"host": "127.0.0.1", "user": "me", "token": "t0ps3cret", "expires_ms": 1})
		h.send(answer)
		return
	}
	if err := json.Unmarshal(m.Params, &p); err != nil || m.Method != "warehouse/query" {
		h.t.Errorf("the service asked %+v", m)
	}
	if a, err := h.db.Query(context.Background(), p.SQL); err != nil {
		answer.Error, _ = json.Marshal(map[string]any{"code": -32001, "message": err.Error()})
	} else {
		answer.Result, _ = json.Marshal(a)
	}
	h.send(answer)
}

func (h *fakeHost) send(m wireMessage) {
	line, err := json.Marshal(m)
	if err != nil {
		h.t.Error(err)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, err := h.in.Write(append(line, '\n')); err != nil {
		h.t.Errorf("writing to the service: %v", err)
	}
}

// call returns the result, or the code of the error.
func (h *fakeHost) call(method string, params any, result any) (code int) {
	h.t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		h.t.Fatal(err)
	}
	done := make(chan wireMessage, 1)
	h.mu.Lock()
	h.lastID++
	id := h.lastID
	h.waiting[id] = done
	h.mu.Unlock()
	h.send(wireMessage{JSONRPC: "2.0", ID: &id, Method: method, Params: raw})
	select {
	case m := <-done:
		if m.Error != nil {
			var e struct{ Code int }
			if err := json.Unmarshal(m.Error, &e); err != nil {
				h.t.Fatal(err)
			}
			return e.Code
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			h.t.Fatalf("%s answered %s: %v", method, m.Result, err)
		}
		return 0
	case <-h.ended:
		h.t.Fatalf("%s: the service ended: %s", method, &h.stderr)
	}
	return 0
}

// end closes stdin and returns the exit status.
func (h *fakeHost) end() int {
	h.t.Helper()
	h.in.Close()
	<-h.ended
	if err := h.cmd.Wait(); err != nil {
		if exit, ok := err.(*exec.ExitError); ok {
			return exit.ExitCode()
		}
		h.t.Fatal(err)
	}
	return 0
}

// dbtNode is a node of the hand-made project.
type dbtNode struct{ id, materialized, sql, parent string }

var dbtNodes = []dbtNode{
	{"model.shop.stg_orders", "view", `select id, amount from "shop"."raw"."orders"`, "source.shop.raw.orders"},
	{"model.shop.orders", "table", `select s.id, s.amount * 2 as double from "shop"."main"."stg_orders" as s where s.amount > 0`, "model.shop.stg_orders"},
	{"model.shop.daily", "table", `select count(*) as n from "shop"."main"."orders"`, "model.shop.orders"},
	{"test.shop.positive", "test", `select id from "shop"."main"."orders" where double < 0`, "model.shop.orders"},
}

func lastPart(id string) string { return id[strings.LastIndexByte(id, '.')+1:] }

func writeManifest(t *testing.T, dir, invocation string) string {
	entry := func(schema, id, resource, materialized, sql string, parents ...string) map[string]any {
		e := map[string]any{
			"name": lastPart(id), "resource_type": resource, "package_name": "shop", "language": "sql", "raw_code": sql, "database": "shop", "schema": schema,
			"alias": lastPart(id), "identifier": lastPart(id), "source_name": "raw", "depends_on": map[string]any{"nodes": parents, "macros": []string{}},
			"config": map[string]any{"enabled": true, "materialized": materialized, "state": map[string]any{"lag_tolerance": "0s"}},
		}
		if resource != "test" {
			e["relation_name"] = fmt.Sprintf(`"shop"."%s"."%s"`, schema, lastPart(id))
		}
		return e
	}
	nodes := map[string]any{}
	for _, n := range dbtNodes {
		resource, _, _ := strings.Cut(n.id, ".")
		nodes[n.id] = entry("main", n.id, resource, n.materialized, n.sql, n.parent)
	}
	raw, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"invocation_id": invocation, "project_name": "shop", "adapter_type": "duckdb", "dbt_version": "1.12.5"},
		"nodes":    nodes, "macros": map[string]any{},
		"sources": map[string]any{"source.shop.raw.orders": entry("raw", "source.shop.raw.orders", "source", "", "")},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "manifest.json")
	if err := os.WriteFile(path, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// invocation is one dbt build over the pipes; it returns reasons by node and the summary.
func invocation(t *testing.T, dir string, db warehouse.Host, number int) (map[string]string, map[string]any) {
	t.Helper()
	id := fmt.Sprintf("4b0a52c3-64ae-4f3c-9c3b-%012d", number)
	started := fmt.Sprintf("2026-10-20T04:%02d:00.123456+00:00", number)
	h := startHost(t, db, "--host-version", version.Version())
	selected := []string{}
	for _, n := range dbtNodes {
		selected = append(selected, n.id)
	}
	var start struct {
		Replacements [][2]string
		Store        string
		Warnings     []string
	}
	if code := h.call("run/start", map[string]any{
		"invocation_id": id, "run_started_at": started, "command": "build", "mode": "on", "adapter": "duckdb", "project_name": "shop", "target_name": "dev",
		"project_root": dir, "manifest_path": writeManifest(t, dir, id), "database": "shop", "schema": "main", "nodes": selected, "deferred": map[string]string{},
		"flags": map[string]any{}, "context": map[string]any{"vars": "v", "target": "t"},
		"settings": map[string]any{"store": "duckdb", "path": ".hodor/state.duckdb", "schema": "main", "table": "hodor_state", "metadata_threads": 4, "lookback_days": 90},
	}, &start); code != 0 {
		t.Fatalf("run/start: error %d, %s", code, &h.stderr)
	}
	if start.Store != "ok" || len(start.Warnings) > 0 {
		t.Errorf("start: %+v", start)
	}
	replacer := normalize.NewReplacer(id, started)
	reasons := map[string]string{}
	for _, n := range dbtNodes {
		params := map[string]any{"id": n.id, "text_hash": normalize.TextHash(replacer.Replace(n.sql)), "sql": nil, "relation": relationType(t, db, n), "pointer": true}
		var a struct{ Need, Action, Reason string }
		if code := h.call("node/decide", params, &a); code != 0 {
			t.Fatalf("%s: error %d", n.id, code)
		}
		if a.Need == "sql" {
			params["sql"] = n.sql
			a.Need = ""
			if code := h.call("node/decide", params, &a); code != 0 || a.Need != "" {
				t.Fatalf("%s: error %d, %+v", n.id, code, a)
			}
		}
		reasons[n.id] = a.Action + " " + a.Reason
		if a.Action == "reuse" {
			continue
		}
		status, method := "success", "node/built"
		switch n.materialized {
		case "test":
			status, method = "pass", "node/tested"
		default:
			mustQuery(t, db, fmt.Sprintf(`create or replace %s "shop"."main"."%s" as %s`, n.materialized, lastPart(n.id), n.sql))
		}
		var none struct{}
		if code := h.call(method, map[string]any{"id": n.id, "status": status, "build_ms": 5, "attempted": true}, &none); code != 0 {
			t.Fatalf("%s: error %d", n.id, code)
		}
	}
	var summary map[string]any
	if code := h.call("run/finish", map[string]any{"interrupted": false, "elapsed_ms": 10, "statuses": map[string]string{}}, &summary); code != 0 {
		t.Fatalf("run/finish: error %d", code)
	}
	if code := h.call("node/decide", map[string]any{"id": "x"}, nil); code != -32002 {
		t.Errorf("after run/finish: error %d", code)
	}
	if status := h.end(); status != 0 {
		t.Errorf("exit status %d: %s", status, &h.stderr)
	}
	return reasons, summary
}

func relationType(t *testing.T, db warehouse.Host, n dbtNode) any {
	a := mustQuery(t, db, fmt.Sprintf("select case table_type when 'VIEW' then 'view' else 'table' end from information_schema.tables "+
		"where table_schema = 'main' and table_name = '%s'", lastPart(n.id)))
	if len(a.Rows) == 0 {
		return nil
	}
	return *a.Rows[0][0]
}

func mustQuery(t *testing.T, db warehouse.Host, statement string) warehouse.Answer {
	t.Helper()
	a, err := db.Query(context.Background(), statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return a
}

// TestServe drives the real binary over pipes through a build, a run with nothing to do and a changed source, on the DuckDB that is linked in
// here and on the newer one that dbt installs.
func TestServe(t *testing.T) {
	t.Run("duckdb1", func(t *testing.T) {
		dir := t.TempDir()
		db, err := sql.Open("duckdb", filepath.Join(dir, "shop.duckdb"))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		buildReuseChange(t, dir, warehousetest.FromDB(db))
	})
	t.Run("duckdb2", func(t *testing.T) {
		dir := t.TempDir()
		buildReuseChange(t, dir, warehousetest.Python(t, ".venv", filepath.Join(dir, "shop.duckdb")))
	})
}

func buildReuseChange(t *testing.T, dir string, w warehouse.Host) {
	mustQuery(t, w, "create schema raw")
	mustQuery(t, w, "create table raw.orders as select i as id, i * 10 as amount from range(1, 7) r(i)")
	check := func(number int, want map[string]string) map[string]any {
		t.Helper()
		got, summary := invocation(t, dir, w, number)
		for id, reason := range want {
			if got[id] != reason {
				t.Errorf("run %d: %s: %q, want %q", number, id, got[id], reason)
			}
		}
		return summary
	}
	none := "build no_history"
	first := check(1, map[string]string{"model.shop.stg_orders": none, "model.shop.orders": none, "model.shop.daily": none, "test.shop.positive": none})
	if first["built"] != 4.0 || first["recorded"] != 4.0 || first["errors"] != 0.0 {
		t.Errorf("first run: %v", first)
	}
	nothingNew := map[string]string{
		"model.shop.stg_orders": "reuse view_unchanged", "model.shop.orders": "reuse no_new_data", "model.shop.daily": "reuse no_new_data", "test.shop.positive": "reuse no_new_data",
	}
	second := check(2, nothingNew)
	if second["reused"] != 4.0 || second["debug"].(map[string]any)["sql_sent"] != 0.0 {
		t.Errorf("second run: %v", second)
	}
	mustQuery(t, w, "insert into raw.orders values (7, 70)")
	check(3, map[string]string{
		"model.shop.stg_orders": "reuse view_unchanged", "model.shop.orders": "build new_upstream_data", "model.shop.daily": "build new_upstream_data",
		"test.shop.positive": "build new_upstream_data",
	})
	check(4, nothingNew)
	mustQuery(t, w, "delete from main.orders where id = 1")
	check(5, map[string]string{"model.shop.orders": "build target_modified", "model.shop.daily": "reuse no_new_data"})
}

// A Lakebase login comes from the host. Here nothing listens where it leads: the store is unavailable, and what says so holds no token.
func TestServeLakebase(t *testing.T) {
	t.Setenv("PGPORT", "1")
	dir := t.TempDir()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	h := startHost(t, warehousetest.FromDB(db), "--host-version", version.Version())
	const id = "4b0a52c3-64ae-4f3c-9c3b-000000000001"
	var start struct {
		Store    string
		Warnings []string
	}
	if code := h.call("run/start", map[string]any{
		"invocation_id": id, "run_started_at": "2026-10-20T04:12:00.123456+00:00", "mode": "on", "adapter": "duckdb", "project_name": "shop", "target_name": "dev",
		"project_root": dir, "manifest_path": writeManifest(t, dir, id), "database": "shop", "schema": "main",
		"settings": map[string]any{"store": "postgres", "database": "state", "endpoint": "projects/p/endpoints/e", "metadata_threads": 1, "lookback_days": 90},
	}, &start); code != 0 {
		t.Fatalf("run/start: error %d", code)
	}
	if start.Store != "unavailable" || len(start.Warnings) != 1 {
		t.Errorf("%+v", start)
	}
	status := h.end()
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.endpoints) == 0 || h.endpoints[0] != `{"endpoint":"projects/p/endpoints/e"}` {
		t.Errorf("asked for %v", h.endpoints)
	}
	if text := fmt.Sprint(start.Warnings) + h.stderr.String(); status != 0 || strings.Contains(text, "t0ps3cret") {
		t.Errorf("exit status %d: %s", status, text)
	}
}

func TestServeVersions(t *testing.T) {
	for _, args := range [][]string{{"--host-version", "0.0.9"}, {}} {
		h := startHost(t, nil, args...)
		if h.hello["version"] != version.Version() || h.hello["protocol"] != float64(version.Protocol) || h.hello["hash_version"] != normalize.Version {
			t.Errorf("hello %v", h.hello)
		}
		if status := h.end(); status != 2 {
			t.Errorf("%v: exit status %d", args, status)
		}
		if text := h.stderr.String(); !strings.Contains(text, version.Version()) || strings.Count(text, "\n") != 1 {
			t.Errorf("%v: stderr %q", args, text)
		}
	}
}

// What is not a request is answered, and EOF ends with status 0.
func TestServeBadInput(t *testing.T) {
	h := startHost(t, nil, "--host-version", version.Version())
	if code := h.call("node/rename", struct{}{}, nil); code != -32601 {
		t.Errorf("unknown method: error %d", code)
	}
	if code := h.call("node/decide", map[string]any{"id": 7}, nil); code != -32602 {
		t.Errorf("wrong parameters: error %d", code)
	}
	if code := h.call("node/decide", map[string]any{"id": "model.shop.a"}, nil); code != -32002 {
		t.Errorf("no run: error %d", code)
	}
	if code := h.call("run/start", map[string]any{"mode": "on", "adapter": "duckdb", "manifest_path": "/nowhere/manifest.json"}, nil); code != -32003 {
		t.Errorf("no manifest: error %d", code)
	}
	var none struct{}
	if code := h.call("shutdown", nil, &none); code != 0 {
		t.Errorf("shutdown: error %d", code)
	}
	if status := h.end(); status != 0 {
		t.Errorf("exit status %d: %s", status, &h.stderr)
	}
}
