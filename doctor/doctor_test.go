package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestScrub(t *testing.T) {
	t.Setenv("DBT_ENV_SECRET_PASS", "hunter-2")
	t.Setenv("WAREHOUSE_TOKEN", "dapi0123456789")
	t.Setenv("MY_KEY", "abc") // too short to be taken out of every text
	t.Setenv("HODOR_SCHEMA", "operations")
	got := Scrub("hunter-2 and dapi0123456789, abc, operations, postgres://me:pass-word@host/db")
	if got != "***** and *****, abc, operations, postgres://me:*****@host/db" {
		t.Errorf("%s", got)
	}
}

// The nearest folder that exists decides whether a file can be made; nothing is left behind.
func TestCanCreate(t *testing.T) {
	dir := t.TempDir()
	if err := canCreate(filepath.Join(dir, "a", "b", "state.duckdb")); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := canCreate(filepath.Join(file, "state.duckdb")); err == nil || !strings.Contains(err.Error(), "file") {
		t.Errorf("below a file: %v", err)
	}
}
