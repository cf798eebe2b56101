package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hodor/internal/version"
)

// TestWithoutCgo builds the binary without a C compiler's help: everything works but the DuckDB store, which says what it lacks.
func TestWithoutCgo(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "hodor-sql")
	build := exec.Command("go", "build", "-trimpath", "-o", bin, ".") // -trimpath: the wheel's test compiles the same packages
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(bin, "version", "--json").Output()
	if err != nil || !bytes.Contains(out, []byte(`"duckdb":false`)) && !bytes.Contains(out, []byte(`"duckdb": false`)) {
		t.Errorf("version: %s, %v", out, err)
	}

	manifest := filepath.Join(dir, "manifest.json")
	if err := os.WriteFile(manifest, []byte(`{"metadata": {"invocation_id": "i", "project_name": "shop", "adapter_type": "duckdb"}, "nodes": {}, "sources": {}, "macros": {}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "run/start", "params": map[string]any{
		"invocation_id": "i", "run_started_at": "2026-10-20T04:00:00.123456+00:00", "command": "build", "mode": "on", "adapter": "duckdb", "project_name": "shop",
		"target_name": "dev", "project_root": dir, "manifest_path": manifest, "database": "shop", "schema": "main", "nodes": []string{}, "deferred": map[string]string{},
		"flags": map[string]any{}, "context": map[string]any{"vars": "v", "target": "t"},
		"settings": map[string]any{"store": "duckdb", "path": "state.duckdb", "schema": "main", "table": "hodor_state", "metadata_threads": 1, "lookback_days": 90},
	}})
	if err != nil {
		t.Fatal(err)
	}
	serve := exec.Command(bin, "serve", "--host-version", version.Version())
	serve.Stdin = bytes.NewReader(append(request, '\n'))
	if out, err = serve.Output(); err != nil {
		t.Fatalf("serve: %v", err)
	}
	if text := string(out); !strings.Contains(text, "built without DuckDB (CGO_ENABLED=0)") || !strings.Contains(text, "HODOR_STORE=postgres") {
		t.Errorf("the run's start does not name what is missing and what to do:\n%s", text)
	}
}
