//go:build cgo

package state

import (
	"context"
	"errors"
	"strings"
	"testing"

	"hodor/executor"
	"hodor/stores"
)

func code(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestBuildsAndRecords(t *testing.T) {
	w := shop(t)
	r := w.good(w.options("run"))
	w.expectBuilt("stg orders daily")
	if r.Outcome != Recorded || len(r.Recorded) != 3 || r.Commit == nil || r.Commit.Generation != 1 || len(r.NotRecorded) != 0 {
		t.Fatalf("outcome %s, recorded %v, not recorded %v, commit %v", r.Outcome, r.Recorded, r.NotRecorded, r.Commit)
	}
	r = w.good(w.options("run"))
	w.expectBuilt("")
	if r.Outcome != NothingToDo || r.Plan.Head.Generation != 1 || r.Commit != nil {
		t.Fatalf("second: %s, head %d", r.Outcome, r.Plan.Head.Generation)
	}
	w.exec("insert into w.main.raw values (3, 30)")
	r = w.good(w.options("run"))
	w.expectBuilt("orders daily")
	if got := reasons(r.Plan); got["orders"] != "build new_upstream_data" || got["daily"] != "build new_upstream_data" || got["stg"] != "reuse view_unchanged" {
		t.Errorf("reasons %v", got)
	}
	w.good(w.options("run"))
	w.expectBuilt("")
	// The view gets other code.
	w.nodes["model.shop.stg"].sql = "select id, amount from w.main.raw where amount > 0"
	r = w.good(w.options("run"))
	w.expectBuilt("stg orders daily")
	if got := reasons(r.Plan); got["stg"] != "build code_changed" || got["orders"] != "build upstream_code_changed" || got["daily"] != "build new_upstream_data" {
		t.Errorf("reasons %v", got)
	}
	w.good(w.options("run"))
	w.expectBuilt("")
}

// A failed node, what it made skipped, and a node that failed its test keep what they had; the rest advances (ODS-E0404).
func TestFailures(t *testing.T) {
	w := shop(t)
	w.add("model.shop.other", "table", "select 1 as x")
	w.fails["model.shop.orders"] = "error"
	r, err := w.run(w.options("run"))
	if code(err) != NotSucceeded || r == nil || r.Outcome != Recorded {
		t.Fatalf("%v, %+v", err, r)
	}
	if got := strings.Join(r.Recorded, " "); got != "model.shop.other model.shop.stg" {
		t.Errorf("recorded %s", got)
	}
	delete(w.fails, "model.shop.orders")
	w.good(w.options("run"))
	w.expectBuilt("orders daily")

	w.exec("insert into w.main.raw values (3, 30)")
	w.fails["test.shop.orders_ok"] = "fail"
	r, err = w.run(w.options("build"))
	if code(err) != NotSucceeded || len(r.Recorded) != 0 {
		t.Fatalf("%v, recorded %v", err, r.Recorded)
	}
	w.expectBuilt("orders")
	delete(w.fails, "test.shop.orders_ok")
	r = w.good(w.options("build"))
	w.expectBuilt("orders daily")
	if strings.Join(r.Tested, " ") != "test.shop.orders_ok" {
		t.Errorf("tested %v", r.Tested)
	}

	w.exec("insert into w.main.raw values (4, 30)")
	w.fails["model.shop.orders"] = "error"
	r, err = w.run(w.options("run"))
	if code(err) != NotSucceeded || r.Outcome != NothingSucceeded || r.Commit != nil {
		t.Errorf("nothing succeeded: %v, %s, %v", err, r.Outcome, r.Commit)
	}
	if head, _ := w.store.(stores.Committer).Head(context.Background(), stores.Scope{Project: "shop", Target: "dev"}); head.Generation != 3 {
		t.Errorf("the head is at %d", head.Generation)
	}
}

// A run without tests leaves nodes built and untested; state test tests exactly those, and what it saw pass is replayed.
func TestTesting(t *testing.T) {
	w := shop(t)
	w.good(w.options("run"))
	if len(w.tests) != 0 {
		t.Fatalf("state run ran the tests %v", w.tests)
	}
	r := w.good(w.options("test"))
	if got := names2(r.Plan.Build); got != "orders" || strings.Join(w.tests, " ") != "test.shop.orders_ok" || len(w.built) != 0 {
		t.Fatalf("tested the nodes %q with %v, built %v", got, w.tests, w.built)
	}
	if r = w.good(w.options("test")); r.Outcome != NothingToDo {
		t.Fatalf("a second time: %s, %v", r.Outcome, w.tests)
	}
	all := w.options("test")
	all.All = true
	if w.good(all); len(w.tests) == 0 {
		t.Error("--all tests nothing")
	}
	w.exec("insert into w.main.raw values (3, 30)")
	w.good(w.options("run"))
	w.fails["test.shop.orders_ok"] = "fail"
	if r, err := w.run(w.options("test")); code(err) != NotSucceeded || len(r.Tested) != 0 {
		t.Errorf("a failing test: %v, tested %v", err, r.Tested)
	}
	w.fails["test.shop.orders_ok"] = "skipped"
	if r, err := w.run(w.options("test")); code(err) != Incomplete || len(r.Tested) != 0 {
		t.Errorf("a test that did not run: %v, tested %v", err, r.Tested)
	}
	delete(w.fails, "test.shop.orders_ok")
	w.adjust = func(r *executor.ExecutionReport) { r.Succeeded, r.EngineFailed = false, true }
	if r, err := w.run(w.options("test")); code(err) != Incomplete || len(r.Tested) != 0 {
		t.Errorf("dbt failed and no test did: %v, tested %v", err, r.Tested)
	}
	w.adjust = nil
	if r = w.good(w.options("test")); len(r.Tested) != 1 {
		t.Errorf("tested %v", r.Tested)
	}
}

// Two runs race: the one that claims second is dropped, not merged (ODS-E0402), and so is one that the plugin overtook.
func TestOvertaken(t *testing.T) {
	w := shop(t)
	w.before = func() {
		w.before = nil
		w.good(w.options("run"))
	}
	r, err := w.run(w.options("run"))
	if code(err) != Overtaken || r.Outcome != RecordingFailed || r.Execution == nil || len(r.Recorded) != 0 {
		t.Fatalf("%v, %+v", err, r)
	}
	w.good(w.options("run"))
	if _, err = w.run(w.options("run")); err != nil {
		t.Fatal(err)
	}

	w.exec("insert into w.main.raw values (3, 30)")
	w.between = func() { w.between = nil; w.pluginRun() }
	if _, err = w.run(w.options("run")); code(err) != Overtaken {
		t.Fatalf("a plugin's run in the middle: %v", err)
	}
}

// claimLost is a store whose commits another writer always takes first.
type claimLost struct{ keepOpen }

func (s claimLost) Claim(ctx context.Context, c stores.Commit) (bool, error) {
	other := c
	other.CommitID = "other"
	_, _ = s.Committer.Claim(ctx, other)
	return s.Committer.Claim(ctx, c)
}

func TestClaimLost(t *testing.T) {
	w := shop(t)
	o := w.options("run")
	inner := o.OpenStore
	o.OpenStore = func(ctx context.Context, s sessionSettings, root string, db *sqlDB, out Outside) (stores.Store, error) {
		store, err := inner(ctx, s, root, db, out)
		return claimLost{store.(keepOpen)}, err
	}
	r, err := w.run(o)
	if code(err) != Overtaken || r.Outcome != RecordingFailed {
		t.Fatalf("%v, %s", err, r.Outcome)
	}
	w.good(w.options("run"))
	w.expectBuilt("stg orders daily") // records of a lost commit are no history
}

// Recording fails after dbt ran: the report says what dbt did.
func TestRecordingFails(t *testing.T) {
	w := shop(t)
	w.between = func() { w.storeErr = stores.ErrUnavailable }
	r, err := w.run(w.options("run"))
	if code(err) != NotRecorded || r == nil || r.Outcome != RecordingFailed || len(r.Execution.Nodes) != 3 {
		t.Fatalf("%v, %+v", err, r)
	}
	if _, err = w.run(w.options("run")); code(err) != StoreUnavailable {
		t.Errorf("no store at all: %v", err)
	}
	w.storeErr, w.between = nil, nil
	w.good(w.options("run"))
	w.expectBuilt("stg orders daily")
	// Another dbt writes its manifest after ours.
	w.exec("insert into w.main.raw values (3, 30)")
	w.between = func() { w.manifest("target", "a stranger", nil) }
	if r, err = w.run(w.options("run")); code(err) != NotRecorded || r.Outcome != RecordingFailed {
		t.Errorf("a foreign manifest: %v", err)
	}
}
