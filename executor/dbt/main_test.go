//go:build unix

package dbt

import (
	"os"
	"testing"
)

// The test binary also stands in for dbt, where real dbt can't be made to do what a test is about.
func TestMain(m *testing.M) {
	if dir := os.Getenv("SCRIPTED_DBT"); dir != "" {
		os.Exit(scriptedDBT(dir, os.Args[1:]))
	}
	os.Exit(m.Run())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
