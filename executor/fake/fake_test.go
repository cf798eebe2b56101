package fake

import (
	"errors"
	"testing"

	"hodor/executor"
	"hodor/executor/executortest"
)

// harness makes fakes, all with one fault.
type harness struct{ fault Fault }

func (h harness) New(w executortest.World) (*executortest.Bench, error) {
	f := New(w, h.fault)
	return &executortest.Bench{
		Executor: f,
		Ref:      func(id string) executor.NodeRef { return executor.NodeRef{ID: id, Name: id} },
		Check:    func(id string) string { return id },
		Built:    func() ([]string, error) { return f.Built(), nil },
		Ran:      func() (bool, error) { return f.Ran(), nil },
	}, nil
}

func (harness) ForbiddenArgs() [][]string { return [][]string{{"--anything"}} }

func (harness) WithoutEvents(b *executortest.Bench) executor.Executor {
	f := b.Executor.(*Executor)
	f.NoEvents = true
	return f
}

func TestConformance(t *testing.T) { executortest.Run(t, harness{}) }

// Each case fails for a fake that breaks just what it is about.
func TestEachCaseCanFail(t *testing.T) {
	faults := map[int][]Fault{
		1: {RunsEmpty}, 2: {BuildsParents}, 3: {FailureIsError}, 4: {AssumesSuccess}, 5: {ChecksInRun}, 6: {FirstCoverOnly},
		7: {HidesUnrequested, SameRunID}, 8: {BuildsInTest}, 9: {SkipsCountAsPass, PassesArgs}, 10: {ForgetsSources}, 11: {IgnoresSourceFail},
		12: {EndsTwice}, 13: {ListsTwice}, 14: {LosesScope, WaitsForSink},
	}
	for _, c := range executortest.Cases {
		if len(faults[c.Number]) == 0 {
			t.Errorf("case %d has no fake that breaks it", c.Number)
		}
		for _, fault := range faults[c.Number] {
			if err := c.Check(harness{fault}); err == nil || errors.Is(err, executortest.ErrCannot) {
				t.Errorf("case %d (%s) passes for a fake that %s: %v", c.Number, c.Name, fault, err)
			} else {
				t.Logf("case %d: %v", c.Number, err)
			}
		}
	}
}
