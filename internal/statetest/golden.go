package statetest

import (
	"bytes"
	"os"
	"testing"
)

// Golden compares got with the file at path, byte for byte, after writing it there if update is set, and returns what the file holds.
func Golden(t *testing.T, path string, got []byte, update bool) []byte {
	t.Helper()
	if update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (-update rewrites it):\n%s", path, got)
	}
	return want
}
