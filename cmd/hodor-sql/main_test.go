package main

import (
	"context"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

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
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"status": cmdStatus, "shop": cmdShop},
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
