package executortest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"hodor/executor"
)

// fed is a world with two sources: a reads s, d reads nothing; s has a check that may fail, u none.
func fed(fails bool) World {
	return World{
		Nodes:   []Node{{ID: "a", Parents: []string{"s"}}, {ID: "b", Parents: []string{"a"}}, {ID: "d"}},
		Sources: []string{"s", "u"},
		Checks:  []Check{{ID: "ts", Covers: []string{"s"}, Fails: fails}, {ID: "td", Covers: []string{"d"}}},
	}
}

func sourcesReported(h Harness) error {
	b, err := h.New(fed(false))
	if err != nil {
		return err
	}
	for _, c := range []struct {
		mode      executor.Mode
		sources   string // statuses of u and s
		succeeded bool
	}{
		{executor.Build, "skipped success", false}, {executor.BuildOnly, "skipped skipped", false}, {executor.Test, "skipped success", false},
	} {
		req := b.request(c.mode, "d")
		req.Sources = []executor.NodeRef{b.Ref("u"), b.Ref("s")}
		r, err := b.execute(req)
		if err != nil {
			return err
		}
		if err := status(r.Sources, c.sources); err != nil {
			return fmt.Errorf("mode %s: %w", c.mode, err)
		}
		if r.Succeeded != c.succeeded {
			return fmt.Errorf("mode %s: succeeded is %v with the sources %q", c.mode, r.Succeeded, c.sources)
		}
	}
	req := b.request(executor.Build, "d")
	req.Sources = []executor.NodeRef{b.Ref("s")}
	r, err := b.execute(req)
	if err != nil {
		return err
	}
	if !r.Succeeded {
		return errors.New("not succeeded, though every node and source passed")
	}
	req.Nodes = nil
	if r, err = b.execute(req); err != nil {
		return fmt.Errorf("sources alone, in mode build: %w", err)
	}
	if err := status(r.Sources, "success"); err != nil {
		return err
	}
	if b, err = h.New(fed(true)); err != nil {
		return err
	}
	req = b.request(executor.Test, "d")
	if _, err := b.execute(b.request(executor.BuildOnly, "d")); err != nil {
		return err
	}
	req.Sources = []executor.NodeRef{b.Ref("s")}
	if r, err = b.execute(req); err != nil {
		return err
	}
	if r.Succeeded {
		return errors.New("succeeded, though a source's check failed")
	}
	return errors.Join(status(r.Nodes, "success"), status(r.Sources, "failed"), b.checks(r.Sources[0], "", "ts", ""))
}

func sourceBlocks(h Harness) error {
	b, err := h.New(fed(true))
	if err != nil {
		return err
	}
	req := b.request(executor.Build, "a", "b", "d")
	req.Sources = []executor.NodeRef{b.Ref("s")}
	r, err := b.execute(req)
	if err != nil {
		return err
	}
	return errors.Join(status(r.Nodes, "skipped skipped success"), status(r.Sources, "failed"), b.built("d"))
}

// log is a sink that keeps what it gets.
type log struct {
	mu     sync.Mutex
	events []executor.Event
}

func (l *log) Event(e executor.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
	return nil
}

// eventful is a world in which one node succeeds, one fails, one is skipped.
func eventful() World {
	nodes := []Node{{ID: "a"}, {ID: "b", Fails: true}, {ID: "c", Parents: []string{"b"}}}
	return World{Nodes: nodes}
}

// agree checks the order of events and that they say what the report says.
func agree(events []executor.Event, req executor.ExecutionRequest, r executor.ExecutionReport) error {
	if len(events) < 2 || events[0].Kind != executor.RunStarted {
		return fmt.Errorf("the events do not begin with run_started: %v", events)
	}
	last := events[len(events)-1]
	if last.Kind != executor.RunFinished || last.Succeeded != r.Succeeded || last.RunID != r.RunID {
		return fmt.Errorf("the last event is %v, succeeded %v; the report has %s, %v", last, last.Succeeded, r.RunID, r.Succeeded)
	}
	started, finished := map[string]bool{}, map[string]executor.Status{}
	for _, e := range events[1 : len(events)-1] {
		switch {
		case e.Node == nil:
			return fmt.Errorf("%v in the middle of the run", e)
		case e.Kind == executor.NodeStarted && !started[e.Node.ID]:
			started[e.Node.ID] = true
		case e.Kind == executor.NodeFinished && started[e.Node.ID] && finished[e.Node.ID] == "":
			finished[e.Node.ID] = e.Status
		default:
			return fmt.Errorf("%v out of order", e)
		}
	}
	for _, n := range r.Nodes {
		if finished[n.ID] != n.Status {
			return fmt.Errorf("%s ended as %q in the events, as %q in the report", n.ID, finished[n.ID], n.Status)
		}
	}
	if len(finished) != len(req.Nodes) {
		return fmt.Errorf("events of %d nodes, %d were requested", len(finished), len(req.Nodes))
	}
	return nil
}

func eventsAgree(h Harness) error {
	b, err := h.New(eventful())
	if err != nil {
		return err
	}
	if !b.Executor.Capabilities().RunEvents {
		return ErrCannot
	}
	req := b.request(executor.BuildOnly, "a", "b", "c")
	l := &log{}
	r, err := executor.Run(context.Background(), b.Executor, req, l)
	if err != nil {
		return err
	}
	return agree(l.events, req, r)
}

func eventsRebuilt(h Harness) error {
	b, err := h.New(eventful())
	if err != nil {
		return err
	}
	ex := h.WithoutEvents(b)
	if ex.Capabilities().RunEvents {
		return errors.New("the capability run_events was not taken away")
	}
	req := b.request(executor.BuildOnly, "a", "b", "c")
	l := &log{}
	r, err := executor.Run(context.Background(), ex, req, l)
	if err != nil {
		return err
	}
	return agree(l.events, req, r)
}

func sinksAreHarmless(h Harness) error {
	run := func(sink executor.Sink) (executor.ExecutionReport, error) {
		b, err := h.New(eventful())
		if err != nil {
			return executor.ExecutionReport{}, err
		}
		req := b.request(executor.BuildOnly, "a", "b", "c")
		req.Scope = "shop/dev"
		r, err := executor.Run(context.Background(), b.Executor, req, sink)
		if err != nil {
			return r, err
		}
		return r, status(r.Nodes, "success failed skipped")
	}
	l := &log{}
	if _, err := run(l); err != nil {
		return err
	}
	for _, e := range l.events {
		if e.Scope != "shop/dev" {
			return fmt.Errorf("%v has the scope %q", e, e.Scope)
		}
	}
	if len(l.events) == 0 {
		return errors.New("there were no events")
	}
	r, err := run(executor.SinkFunc(func(executor.Event) error { return errors.New("no") }))
	if err != nil {
		return fmt.Errorf("with a sink that refuses: %w", err)
	}
	if r.EventsDropped == 0 {
		return errors.New("events that the sink refused are not counted")
	}
	if r, err = run(executor.SinkFunc(func(executor.Event) error { panic("sink") })); err != nil || r.EventsDropped == 0 {
		return fmt.Errorf("with a sink that panics: %d dropped, %v", r.EventsDropped, err)
	}
	free := make(chan struct{})
	defer close(free)
	done := make(chan error, 1)
	go func() {
		r, err := run(executor.SinkFunc(func(executor.Event) error { <-free; return nil }))
		if err == nil && r.EventsDropped == 0 {
			err = errors.New("events that a blocked sink never took are not counted")
		}
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(5 * time.Minute):
		return errors.New("a blocked sink holds up the run")
	}
}
