package project

import (
	"strings"
	"testing"
)

// stateOf reads a state block of a model, and the warnings.
func stateOf(block string) (State, []string) {
	var warn warnings
	n := &Node{UniqueID: "model.shop.a", Resource: Model, stateBlock: value(block)}
	return readState(n, &warn), warn.lines()
}

func TestLagTolerance(t *testing.T) {
	for in, ms := range map[string]int64{
		`"0s"`: 0, `"45m"`: 2_700_000, `"4h"`: 14_400_000, `"1d"`: 86_400_000, `"1w"`: 604_800_000, `"90s"`: 90_000, `"1H"`: 3_600_000, `" 2 h "`: 7_200_000,
		`0`: 0, `2700`: 2_700_000, `"2700"`: 2_700_000,
		`{"count": 45, "period": "minute"}`: 2_700_000, `{"count": 4, "period": "hour"}`: 14_400_000, `{"count": 1, "period": "day"}`: 86_400_000,
		`{"count": 2, "period": "hours"}`: 7_200_000, `{"count": "3", "period": "minute"}`: 180_000, `{"count": 0, "period": "day"}`: 0,
		`{"count": 1, "period": "hour", "updates_on": "any"}`: 3_600_000,
		`null`: defaultLagMS,
	} {
		s, warn := stateOf(`{"lag_tolerance": ` + in + `}`)
		if s.LagToleranceMS != ms || len(warn) != 0 {
			t.Errorf("%s is %d ms, want %d; %v", in, s.LagToleranceMS, ms, warn)
		}
	}
	for _, in := range []string{`"soon"`, `"1y"`, `"-1h"`, `-5`, `1.5`, `"1.5h"`, `"1h 30m"`, `""`, `"h"`, `true`, `[]`, `{}`, `{"count": 1}`, `{"period": "hour"}`,
		`{"count": 1, "period": "year"}`, `{"count": -1, "period": "day"}`, `{"count": 1, "period": "hour", "x": 1}`, `{"count": null, "period": "day"}`,
		`99999999999999999999`, `"99999999999999w"`, `{"count": 1, "period": "s"}`, `"1 0s"`} {
		s, warn := stateOf(`{"lag_tolerance": ` + in + `}`)
		if s.LagToleranceMS != defaultLagMS || len(warn) != 1 {
			t.Errorf("%s is %d ms; warnings %v", in, s.LagToleranceMS, warn)
			continue
		}
		for _, part := range []string{"model.shop.a", "lag_tolerance", in, "45m"} {
			if !strings.Contains(warn[0], part) {
				t.Errorf("the warning lacks %s: %s", part, warn[0])
			}
		}
	}
}

func TestStateSettings(t *testing.T) {
	base := State{LagToleranceMS: defaultLagMS, EvaluateVolatile: VolatileAuto}
	with := func(f func(*State)) State { s := base; f(&s); return s }
	for _, c := range []struct {
		block string
		want  State
		warns int
	}{
		{``, base, 0},
		{`null`, base, 0},
		{`{}`, base, 0},
		{`[]`, base, 1},
		{`"45m"`, base, 1},
		{`{"require_fresh_data_from": "all"}`, with(func(s *State) { s.RequireAll = true }), 0},
		{`{"require_fresh_data_from": "any"}`, base, 0},
		{`{"require_fresh_data_from": "both"}`, base, 1},
		{`{"require_fresh_data_from": true}`, base, 1},
		{`{"compare_unrendered_code": true}`, with(func(s *State) { s.CompareUnrendered = true }), 0},
		{`{"compare_unrendered_code": "True"}`, with(func(s *State) { s.CompareUnrendered = true }), 0},
		{`{"compare_unrendered_code": 1}`, base, 1},
		{`{"execute_hooks_on_any_reuse": true}`, with(func(s *State) { s.ExecuteHooksOnAnyReuse = true }), 0},
		{`{"execute_hooks_on_reuse": true}`, with(func(s *State) { s.ExecuteHooksOnAnyReuse = true }), 0},
		{`{"execute_hooks_on_reuse": true, "execute_hooks_on_any_reuse": false}`, base, 0},
		{`{"execute_hooks_on_reuse": "x"}`, base, 1},
		{`{"evaluate_volatile_sql": true}`, with(func(s *State) { s.EvaluateVolatile = VolatileAll }), 0},
		{`{"evaluate_volatile_sql": false}`, with(func(s *State) { s.EvaluateVolatile = VolatileNone }), 0},
		{`{"evaluate_volatile_sql": "auto"}`, base, 0},
		{`{"evaluate_volatile_sql": "yes"}`, base, 1},
		{`{"pre_clone": "never", "allow_clones": true, "defer_to_target": "prod"}`, base, 1},
		{`{"lag_tolerence": "1h"}`, base, 1}, //nolint:misspell // on purpose
	} {
		got, warn := stateOf(c.block)
		if got != c.want || len(warn) != c.warns {
			t.Errorf("%s is %+v with %v", c.block, got, warn)
		}
	}
}

func TestStateOfFixture(t *testing.T) {
	p := loaded(t, fixture(t, "duckdb"))
	want := State{LagToleranceMS: 4 * 3_600_000, RequireAll: true, CompareUnrendered: true, ExecuteHooksOnAnyReuse: true, EvaluateVolatile: VolatileAll}
	if got := node(t, p, "model.shop.state_all").State; got != want {
		t.Errorf("state is %+v", got)
	}
	if got := node(t, p, "model.shop.state_wrong").State; got != (State{LagToleranceMS: defaultLagMS, EvaluateVolatile: VolatileAuto}) {
		t.Errorf("state is %+v", got)
	}
	if got := node(t, p, "seed.shop.rates").State.LagToleranceMS; got != 0 {
		t.Errorf("the seed tolerates %d ms", got)
	}
	if got := node(t, p, "test.shop.amount_positive").State.LagToleranceMS; got != 0 {
		t.Errorf("the test tolerates %d ms", got)
	}
	// Five wrong keys of one model, and one line for all ignored keys.
	if len(p.Warnings) != 6 || !strings.Contains(p.Warnings[5], "pre_clone") {
		t.Errorf("warnings are %q", p.Warnings)
	}
}

// A wrong setting of the whole project is one line.
func TestSharedWarning(t *testing.T) {
	m := fixture(t, "duckdb")
	for _, n := range m["nodes"].(object) {
		n.(object)["config"].(object)["state"] = object{"lag_tolerance": "soon"}
	}
	p := loaded(t, m)
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "more)") {
		t.Errorf("warnings are %q", p.Warnings)
	}
}
