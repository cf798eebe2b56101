package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/urfave/cli/v2"

	"hodor/internal/statetest"
	"hodor/session"
)

// The test binary stands in for the command under both of its names.
func TestMain(m *testing.M) {
	self := func() { os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr)) }
	testscript.Main(m, map[string]func(){"hodor-sql": self, "ods": self})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// Where the command itself can be found as a file.
			path, err := exec.LookPath("hodor-sql")
			env.Setenv("PROGRAM", path)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": cmdStatus, "shop": cmdShop},
	})
}

// cmdStatus is the script command `status N program args...`: it runs the program and fails unless it exits with N.
// The shell-like `! exec` tells only that a status was not 0.
func cmdStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N program args...")
	}
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("cannot run %s: %v", args[1], err)
		}
		got = string(rune('0' + exit.ExitCode()))
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

// cmdShop is the script command `shop FILE`: it writes the records of statetest.Shop into a DuckDB state file.
func cmdShop(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: shop FILE")
	}
	store, err := openStore(storeAsk{settings: session.Settings{Store: "duckdb", Path: ts.MkAbs(args[0])}, root: ts.MkAbs(".")})
	ts.Check(err)
	ts.Check(store.Append(context.Background(), statetest.Shop().Records))
	ts.Check(store.Close())
}

// TestEveryCommandShowsExamples: what people type is in the help of every command but the two that need no explaining, and names the program.
func TestEveryCommandShowsExamples(t *testing.T) {
	var look func(path string, list []*cli.Command)
	look = func(path string, list []*cli.Command) {
		for _, c := range list {
			if c.Hidden || c.Name == "serve" || c.Name == "version" || c.Name == "help" {
				continue
			}
			_, shown, found := strings.Cut(c.Description, "Examples:\n   ")
			if !found || !strings.HasPrefix(shown, "hodor-sql "+path+c.Name) {
				t.Errorf("%s%s shows no example of itself: %q", path, c.Name, c.Description)
			}
			look(path+c.Name+" ", c.Subcommands)
		}
	}
	look("", newApp("hodor-sql", nil, io.Discard, io.Discard).Commands)
}
