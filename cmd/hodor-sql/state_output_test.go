package main

import (
	"testing"

	"hodor/engine"
	"hodor/executor"
	"hodor/state"
)

// TestStateSummary: the last line names the generation that now stands, which is the plan's only where nothing was committed.
func TestStateSummary(t *testing.T) {
	plan := &state.Plan{Head: state.Head{Generation: 4}, Build: []executor.NodeRef{{ID: "model.shop.a"}}, Nodes: []state.PlanNode{
		{Action: engine.Build, LastBuildMS: 7000}, {Action: engine.Reuse, LastBuildMS: 134_000},
	}}
	ran := &executor.ExecutionReport{Nodes: []executor.NodeExecution{{Status: executor.Success}}}
	report := state.Report{Project: "shop", Target: "dev", Plan: plan}
	for _, c := range []struct {
		change func(r *state.Report)
		want   string
	}{
		{func(*state.Report) {}, "1 to build, 1 reused, 0 left out (shop, target dev, state generation 4)."},
		{func(r *state.Report) { r.Execution = ran }, "1 built, 0 recorded, 1 reused, about 2 min of building saved (shop, target dev, state generation 4)."},
		{
			func(r *state.Report) {
				r.Execution, r.Recorded, r.Commit = ran, []string{"model.shop.a"}, &state.Head{Generation: 5}
			},
			"1 built, 1 recorded, 1 reused, about 2 min of building saved (shop, target dev, state generation 5).",
		},
	} {
		r := report
		c.change(&r)
		if got := summary("build", &r); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
