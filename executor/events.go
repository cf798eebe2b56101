package executor

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// EventKind is what an event tells.
type EventKind string

// The kinds. A run has one RunStarted before everything and one RunFinished after everything; between them each requested node has one
// NodeStarted and later one NodeFinished. A node that never began (skipped) has both all the same.
const (
	RunStarted   EventKind = "run_started"
	NodeStarted  EventKind = "node_started"
	NodeFinished EventKind = "node_finished"
	RunFinished  EventKind = "run_finished"
)

// Event is one step of a run.
type Event struct {
	Kind EventKind `json:"event"`
	// Scope is the request's.
	Scope string `json:"scope"`
	// RunID is the report's; "" as long as the engine has not named it.
	RunID string    `json:"run_id"`
	At    time.Time `json:"at"`
	// Node is set for events of a node.
	Node *NodeRef `json:"node,omitempty"`
	// Status is set for NodeFinished.
	Status Status `json:"status,omitempty"`
	// Duration is how long the node was built; for RunFinished, the whole run. 0: not known.
	Duration time.Duration `json:"duration_ns,omitempty"`
	// Succeeded is set for RunFinished.
	Succeeded bool `json:"succeeded,omitempty"`
}

// Sink takes events, one at a time, in order. What it returns or how long it takes changes nothing of the run.
type Sink interface {
	Event(Event) error
}

// SinkFunc is a function as a Sink.
type SinkFunc func(Event) error

// Event calls f.
func (f SinkFunc) Event(e Event) error { return f(e) }

// QueueSize is how many events may wait for a sink; QueuePatience how long Close waits for it. Beyond both, events are dropped and counted.
const (
	QueueSize     = 4096
	QueuePatience = 2 * time.Second
)

// Queue stands between an execution and a sink, so that a sink that fails, panics or blocks can't hold up the run. The zero value is of no use;
// create one with NewQueue. A nil sink swallows everything.
type Queue struct {
	sink  Sink
	ch    chan Event
	done  chan struct{}
	mu    sync.Mutex
	drops int
	ended bool
}

// NewQueue returns a running queue. size 0 means QueueSize.
func NewQueue(sink Sink, size int) *Queue {
	if size <= 0 {
		size = QueueSize
	}
	q := &Queue{sink: sink, ch: make(chan Event, size), done: make(chan struct{})}
	go func() {
		defer close(q.done)
		for e := range q.ch {
			if !q.deliver(e) {
				q.drop()
			}
		}
	}()
	return q
}

// deliver hands an event over; false if the sink did not take it.
func (q *Queue) deliver(e Event) (taken bool) {
	if q.sink == nil {
		return true
	}
	defer func() {
		if recover() != nil {
			taken = false
		}
	}()
	return q.sink.Event(e) == nil
}

func (q *Queue) drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.drops++
}

// Emit puts an event into the queue and never waits.
func (q *Queue) Emit(e Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		q.drops++
		return
	}
	select {
	case q.ch <- e:
	default:
		q.drops++
	}
}

// Close lets the sink take what waits, for at most patience, and returns how many events were dropped or refused. What still waits then counts as
// dropped.
func (q *Queue) Close(patience time.Duration) int {
	q.mu.Lock()
	if !q.ended {
		q.ended = true
		close(q.ch)
	}
	q.mu.Unlock()
	select {
	case <-q.done:
	case <-time.After(patience):
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.drops + len(q.ch)
}

// Run executes a request and sees to it that sink gets the events of the run, whether the executor tells them live or not.
func Run(ctx context.Context, ex Executor, req ExecutionRequest, sink Sink) (ExecutionReport, error) {
	if sink == nil || ex.Capabilities().RunEvents {
		return ex.Execute(ctx, req, sink)
	}
	report, err := ex.Execute(ctx, req, nil)
	if err != nil {
		return report, err
	}
	q := NewQueue(sink, 0)
	for _, e := range Events(req, report) {
		q.Emit(e)
	}
	report.EventsDropped = q.Close(QueuePatience)
	return report, nil
}

// Events rebuilds the events of a run from its report.
func Events(req ExecutionRequest, r ExecutionReport) []Event {
	base := Event{Scope: req.Scope, RunID: r.RunID}
	at := func(kind EventKind, t time.Time) Event {
		e := base
		e.Kind, e.At = kind, t
		return e
	}
	events := []Event{at(RunStarted, r.StartedAt)}
	for i := range r.Nodes {
		n := &r.Nodes[i]
		started, finished := n.StartedAt, n.FinishedAt
		if started.IsZero() || finished.IsZero() {
			started, finished = r.FinishedAt, r.FinishedAt
		}
		e := at(NodeStarted, started)
		e.Node = &NodeRef{n.ID, n.Name}
		events = append(events, e)
		e.Kind, e.At, e.Status, e.Duration = NodeFinished, finished, n.Status, finished.Sub(started)
		events = append(events, e)
	}
	end := at(RunFinished, r.FinishedAt)
	end.Succeeded, end.Duration = r.Succeeded, r.FinishedAt.Sub(r.StartedAt)
	return append(events, end)
}

// String prints an event on one line.
func (e Event) String() string {
	if e.Node == nil {
		return fmt.Sprintf("%s %s", e.Kind, e.RunID)
	}
	return fmt.Sprintf("%s %s %s", e.Kind, e.Node.ID, e.Status)
}
