package executortest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hodor/executor"
)

// ErrCannot is returned by Harness.New for a world that it has no way to make; the case then does not apply.
var ErrCannot = errors.New("this harness can't make that world")

// Case is one property. Check returns what is wrong.
type Case struct {
	Number int
	Name   string
	Check  func(h Harness) error
}

// Cases are the properties of the contract, in its order.
var Cases = []Case{
	{1, "an empty request is refused", emptyRefused},
	{2, "exactly the requested nodes, one outcome each, in their order", exactNodes},
	{3, "a failed node is a report, and its requested children are skipped", failureReported},
	{4, "what is not reported on is skipped", unreportedSkipped},
	{5, "checks run in build, not in run, and are never nodes", checksByMode},
	{6, "a failed check stands on each requested node that it covers", failedCheckCovers},
	{7, "what was built unrequested is listed, run ids are unique", unrequestedListed},
	{8, "test builds nothing and fails nodes by their checks", testMode},
	{9, "fully checked needs a pass and no other; forbidden arguments are refused", fullyChecked},
	{10, "sources are reported once, in order", sourcesReported},
	{11, "a node that reads a source whose check failed is not built", sourceBlocks},
	{12, "events are in order and agree with the report", eventsAgree},
	{13, "without live events the same ones are rebuilt", eventsRebuilt},
	{14, "events carry the scope, and no sink can change the outcome", sinksAreHarmless},
}

// Run runs every case as a subtest. A case that the harness can't make is skipped, and skips names it.
func Run(t *testing.T, h Harness) {
	for _, c := range Cases {
		t.Run(fmt.Sprintf("%02d %s", c.Number, c.Name), func(t *testing.T) {
			if err := c.Check(h); errors.Is(err, ErrCannot) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// request makes a request of ids of the world.
func (b *Bench) request(mode executor.Mode, nodes ...string) executor.ExecutionRequest {
	req := executor.ExecutionRequest{Mode: mode, Scope: "case"}
	for _, id := range nodes {
		req.Nodes = append(req.Nodes, b.Ref(id))
	}
	return req
}

func (b *Bench) execute(req executor.ExecutionRequest) (executor.ExecutionReport, error) {
	r, err := b.Executor.Execute(context.Background(), req, nil)
	if err != nil {
		return r, fmt.Errorf("execute: %w", err)
	}
	return r, b.shape(req, r)
}

// shape is what holds for every report.
func (b *Bench) shape(req executor.ExecutionRequest, r executor.ExecutionReport) error {
	ids := func(list []executor.NodeExecution) (out []string) {
		for _, n := range list {
			out = append(out, n.ID)
		}
		return out
	}
	want := func(list []executor.NodeRef) (out []string) {
		for _, n := range list {
			out = append(out, n.ID)
		}
		return out
	}
	if got, want := ids(r.Nodes), want(req.Nodes); !slices.Equal(got, want) {
		return fmt.Errorf("outcomes for %v, requested %v", got, want)
	}
	if got, want := ids(r.Sources), want(req.Sources); !slices.Equal(got, want) {
		return fmt.Errorf("outcomes for the sources %v, requested %v", got, want)
	}
	if r.RunID == "" {
		return errors.New("the report has no run id")
	}
	if r.StartedAt.IsZero() || r.FinishedAt.Before(r.StartedAt) {
		return fmt.Errorf("started at %v, finished at %v", r.StartedAt, r.FinishedAt)
	}
	if r.Command == "" {
		return errors.New("the report names no command")
	}
	for _, n := range append(slices.Clone(r.Nodes), r.Sources...) {
		if n.Status != executor.Success && n.Status != executor.Failed && n.Status != executor.Skipped {
			return fmt.Errorf("%s has the status %q", n.ID, n.Status)
		}
		if n.FullyChecked != (len(n.ChecksPassed) > 0 && len(n.ChecksFailed) == 0 && len(n.ChecksSkipped) == 0) {
			return fmt.Errorf("%s: fully checked is %v with passed %v, failed %v, skipped %v", n.ID, n.FullyChecked, n.ChecksPassed, n.ChecksFailed, n.ChecksSkipped)
		}
	}
	return nil
}

// status compares the statuses of nodes with what is wanted, as "a=success b=skipped".
func status(list []executor.NodeExecution, want string) error {
	var got []string
	for _, n := range list {
		got = append(got, string(n.Status))
	}
	if g := strings.Join(got, " "); g != want {
		return fmt.Errorf("statuses are %q, want %q", g, want)
	}
	return nil
}

func (b *Bench) built(want ...string) error {
	got, err := b.Built()
	if err != nil {
		return err
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("built %v, want %v", got, want)
	}
	return nil
}

// checks compares a node's lists, as ids of the world.
func (b *Bench) checks(n executor.NodeExecution, passed, failed, skipped string) error {
	for _, c := range []struct {
		what string
		got  []string
		want string
	}{{"passed", n.ChecksPassed, passed}, {"failed", n.ChecksFailed, failed}, {"skipped", n.ChecksSkipped, skipped}} {
		var want []string
		for _, id := range strings.Fields(c.want) {
			want = append(want, b.Check(id))
		}
		slices.Sort(want)
		if !slices.Equal(c.got, want) {
			return fmt.Errorf("%s: checks %s are %v, want %v", n.ID, c.what, c.got, want)
		}
	}
	return nil
}

// chain is a -> b -> c, with d apart.
var chain = []Node{{ID: "a"}, {ID: "b", Parents: []string{"a"}}, {ID: "c", Parents: []string{"b"}}, {ID: "d"}}

func emptyRefused(h Harness) error {
	b, err := h.New(World{Nodes: chain, Sources: []string{"s"}, Checks: []Check{{ID: "t", Covers: []string{"s"}}}})
	if err != nil {
		return err
	}
	sources := executor.ExecutionRequest{Mode: executor.BuildOnly, Sources: []executor.NodeRef{b.Ref("s")}}
	for _, req := range []executor.ExecutionRequest{b.request(executor.Build), b.request(executor.BuildOnly), b.request(executor.Test), sources} {
		if _, err := b.Executor.Execute(context.Background(), req, nil); !executor.IsCode(err, executor.Refused) {
			return fmt.Errorf("mode %s without nodes: %v, want a refusal", req.Mode, err)
		}
	}
	if ran, err := b.Ran(); err != nil || ran {
		return fmt.Errorf("the engine ran for a refused request (%v)", err)
	}
	return b.built()
}

func exactNodes(h Harness) error {
	b, err := h.New(World{Nodes: chain})
	if err != nil {
		return err
	}
	// b reads a, which must be there and must not be built with it.
	if err := b.there("a"); err != nil {
		return err
	}
	r, err := b.execute(b.request(executor.BuildOnly, "d", "b"))
	if err != nil {
		return err
	}
	if !r.Succeeded || len(r.Unrequested) > 0 {
		return fmt.Errorf("succeeded %v, unrequested %v", r.Succeeded, r.Unrequested)
	}
	return errors.Join(status(r.Nodes, "success success"), b.built("b", "d"))
}

func failureReported(h Harness) error {
	nodes := slices.Clone(chain)
	nodes[0].Fails = true
	b, err := h.New(World{Nodes: nodes})
	if err != nil {
		return err
	}
	r, err := b.execute(b.request(executor.BuildOnly, "a", "b", "c", "d"))
	if err != nil {
		return err
	}
	if r.Succeeded {
		return errors.New("succeeded, though a node failed")
	}
	return errors.Join(status(r.Nodes, "failed skipped skipped success"), b.built("d"))
}

func unreportedSkipped(h Harness) error {
	nodes := slices.Clone(chain)
	nodes[3].Unreported = true
	b, err := h.New(World{Nodes: nodes})
	if err != nil {
		return err
	}
	r, err := b.execute(b.request(executor.BuildOnly, "a", "d"))
	if err != nil {
		return err
	}
	if r.Succeeded {
		return errors.New("succeeded, though a node was not reported on")
	}
	return status(r.Nodes, "success skipped")
}

// there builds nodes of which only the checks of others need that they stand.
func (b *Bench) there(ids ...string) error {
	if _, err := b.execute(b.request(executor.BuildOnly, ids...)); err != nil {
		return err
	}
	return b.built(ids...)
}

// checked is a world with checks on a, one of which fails, on b, and on both b and d.
func checked(fails bool) World {
	return World{Nodes: chain, Checks: []Check{
		{ID: "ta", Covers: []string{"a"}}, {ID: "tb", Covers: []string{"b"}}, {ID: "tbd", Covers: []string{"b", "d"}, Fails: fails},
	}}
}

func checksByMode(h Harness) error {
	b, err := h.New(checked(false))
	if err != nil {
		return err
	}
	if err := b.there("d"); err != nil {
		return err
	}
	r, err := b.execute(b.request(executor.Build, "a", "b"))
	if err != nil {
		return err
	}
	if err := errors.Join(status(r.Nodes, "success success"), b.checks(r.Nodes[0], "ta", "", ""), b.checks(r.Nodes[1], "tb tbd", "", "")); err != nil {
		return err
	}
	if !r.Succeeded || len(r.Unrequested) > 0 {
		return fmt.Errorf("succeeded %v, unrequested %v: checks are never nodes", r.Succeeded, r.Unrequested)
	}
	if err := b.built("a", "b"); err != nil {
		return err
	}
	if r, err = b.execute(b.request(executor.BuildOnly, "a", "b")); err != nil {
		return err
	}
	if len(r.Checks) > 0 {
		return fmt.Errorf("mode run ran the checks %v", r.Checks)
	}
	return errors.Join(status(r.Nodes, "success success"), b.checks(r.Nodes[0], "", "", ""), b.checks(r.Nodes[1], "", "", ""))
}

func failedCheckCovers(h Harness) error {
	b, err := h.New(checked(true))
	if err != nil {
		return err
	}
	r, err := b.execute(b.request(executor.Build, "a", "b", "d"))
	if err != nil {
		return err
	}
	if r.Succeeded {
		return errors.New("succeeded, though a check failed")
	}
	err = errors.Join(b.checks(r.Nodes[0], "ta", "", ""), b.checks(r.Nodes[1], "tb", "tbd", ""), b.checks(r.Nodes[2], "", "tbd", ""))
	if err != nil {
		return err
	}
	w := checked(true)
	w.CoverageUnknown = true
	if b, err = h.New(w); errors.Is(err, ErrCannot) {
		return nil
	} else if err != nil {
		return err
	}
	if r, err = b.execute(b.request(executor.Build, "a", "b", "d")); err != nil {
		return err
	}
	for _, n := range r.Nodes {
		if !slices.Equal(n.ChecksFailed, []string{b.Check("tbd")}) || len(n.ChecksPassed) > 0 {
			return fmt.Errorf("coverage is unknown, and %s has failed %v, passed %v", n.ID, n.ChecksFailed, n.ChecksPassed)
		}
	}
	return nil
}

func unrequestedListed(h Harness) error {
	nodes := slices.Clone(chain)
	nodes[3].Extra = true
	b, err := h.New(World{Nodes: nodes})
	extra := !errors.Is(err, ErrCannot)
	if !extra {
		b, err = h.New(World{Nodes: chain})
	}
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for range 2 {
		r, err := b.execute(b.request(executor.BuildOnly, "a"))
		if err != nil {
			return err
		}
		if seen[r.RunID] {
			return fmt.Errorf("two runs have the id %s", r.RunID)
		}
		seen[r.RunID] = true
		if extra && !slices.Equal(r.Unrequested, []string{b.Ref("d").ID}) {
			return fmt.Errorf("unrequested are %v, want d", r.Unrequested)
		}
	}
	return nil
}

func testMode(h Harness) error {
	w := checked(true)
	b, err := h.New(w)
	if err != nil {
		return err
	}
	if _, err := b.execute(b.request(executor.BuildOnly, "a", "b", "c", "d")); err != nil {
		return err
	}
	if err := b.built("a", "b", "c", "d"); err != nil {
		return err
	}
	r, err := b.execute(b.request(executor.Test, "a", "b", "c"))
	if err != nil {
		return err
	}
	if r.Succeeded {
		return errors.New("succeeded, though a check failed")
	}
	return errors.Join(status(r.Nodes, "success failed skipped"), b.built(), b.checks(r.Nodes[1], "tb", "tbd", ""))
}

func fullyChecked(h Harness) error {
	w := checked(false)
	w.Checks = append(w.Checks, Check{ID: "tn", Covers: []string{"a"}, NotRun: true})
	b, err := h.New(w)
	if errors.Is(err, ErrCannot) {
		b, err = h.New(checked(false))
		w = checked(false)
	}
	if err != nil {
		return err
	}
	if err := b.there("d"); err != nil {
		return err
	}
	r, err := b.execute(b.request(executor.Build, "a", "b", "c"))
	if err != nil {
		return err
	}
	skipped := ""
	if len(w.Checks) > 3 {
		skipped = "tn"
	}
	if err := errors.Join(b.checks(r.Nodes[0], "ta", "", skipped), b.checks(r.Nodes[1], "tb tbd", "", ""), b.checks(r.Nodes[2], "", "", "")); err != nil {
		return err
	}
	if r.Nodes[0].FullyChecked != (skipped == "") || !r.Nodes[1].FullyChecked || r.Nodes[2].FullyChecked {
		return fmt.Errorf("fully checked are a %v, b %v, c %v", r.Nodes[0].FullyChecked, r.Nodes[1].FullyChecked, r.Nodes[2].FullyChecked)
	}
	if _, err := b.Built(); err != nil {
		return err
	}
	if _, err := b.Ran(); err != nil {
		return err
	}
	for _, args := range h.ForbiddenArgs() {
		req := b.request(executor.Build, "a")
		req.EngineArgs = args
		if _, err := b.Executor.Execute(context.Background(), req, nil); !executor.IsCode(err, executor.Refused) {
			return fmt.Errorf("the engine arguments %q: %v, want a refusal", args, err)
		}
	}
	if ran, err := b.Ran(); err != nil || ran {
		return fmt.Errorf("the engine ran with forbidden arguments (%v)", err)
	}
	return b.built()
}
