//go:build !windows

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A Delta store is asked for over the two pipes that dbt-hodor lends, in the words of docs/protocol.md; what the other side says comes out.
func TestLentConnection(t *testing.T) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	heard, said, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "explain", "--store", "delta", "--database", "main", "--schema", "ops", "--project", "shop", "--target", "prod")
	cmd.Args[0] = "hodor-sql"
	cmd.Env = append(os.Environ(), "HODOR_RELAY=3:4")
	cmd.ExtraFiles = []*os.File{theirs, said}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	said.Close()
	var asked []string
	lines := bufio.NewScanner(heard)
	for lines.Scan() {
		var m struct {
			ID     json.Number
			Method string
			Params struct{ SQL string }
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil || m.Method != "warehouse/query" {
			t.Errorf("%s: %v", lines.Text(), err)
			break
		}
		asked = append(asked, m.Params.SQL)
		fmt.Fprintf(ours, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32001,"message":"the warehouse sleeps"}}`+"\n", m.ID)
	}
	ours.Close()
	err = cmd.Wait()
	var exit *exec.ExitError
	if e, ok := err.(*exec.ExitError); ok {
		exit = e
	}
	if exit == nil || exit.ExitCode() != statusUnreadable || !strings.Contains(stderr.String(), "the warehouse sleeps") || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("%v: %s", err, &stderr)
	}
	if len(asked) == 0 || !strings.Contains(strings.Join(asked, "\n"), "hodor_state") {
		t.Errorf("asked %q", asked)
	}
}
