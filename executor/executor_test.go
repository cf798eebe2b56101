package executor

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"
)

func TestCheckRequest(t *testing.T) {
	a := NodeRef{"a", "a"}
	for _, c := range []struct {
		name    string
		req     ExecutionRequest
		refused bool
	}{
		{"one node", ExecutionRequest{Mode: Build, Nodes: []NodeRef{a}}, false},
		{"only sources, tested", ExecutionRequest{Mode: Test, Sources: []NodeRef{a}}, false},
		{"only sources, run", ExecutionRequest{Mode: BuildOnly, Sources: []NodeRef{a}}, true},
		{"nothing", ExecutionRequest{Mode: Test}, true},
		{"no mode", ExecutionRequest{Nodes: []NodeRef{a}}, true},
		{"a node twice", ExecutionRequest{Mode: Build, Nodes: []NodeRef{a, a}}, true},
		{"a node and a source of one id", ExecutionRequest{Mode: Build, Nodes: []NodeRef{a}, Sources: []NodeRef{a}}, true},
		{"no id", ExecutionRequest{Mode: Build, Nodes: []NodeRef{{}}}, true},
	} {
		if err := CheckRequest(c.req); IsCode(err, Refused) != c.refused {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestErrorSaysWhatToDo(t *testing.T) {
	err := fmt.Errorf("state: %w", &Error{Code: NotStarted, Text: "dbt is not there", Hint: "install it", Err: errors.New("no such file")})
	if got := err.Error(); got != "state: dbt is not there: no such file; install it" {
		t.Error(got)
	}
	if !IsCode(err, NotStarted) || IsCode(err, Refused) {
		t.Error("the code is lost on the way")
	}
}

// A full queue drops and counts, and never waits.
func TestQueueDrops(t *testing.T) {
	free := make(chan struct{})
	q := NewQueue(SinkFunc(func(Event) error { <-free; return nil }), 2)
	for range 10 {
		q.Emit(Event{})
	}
	q.mu.Lock()
	dropped := q.drops
	q.mu.Unlock()
	if dropped < 7 || dropped > 8 { // one may be with the sink already
		t.Errorf("%d of 10 events dropped with room for 2", dropped)
	}
	close(free)
	if got := q.Close(time.Minute); got != dropped {
		t.Errorf("%d dropped in the end, %d before", got, dropped)
	}
	q.Emit(Event{})
	if got := q.Close(time.Minute); got != dropped+1 {
		t.Errorf("an event after the end is not counted: %d", got)
	}
}

func TestQueueKeepsOrder(t *testing.T) {
	var mu sync.Mutex
	var got []string
	q := NewQueue(SinkFunc(func(e Event) error { mu.Lock(); defer mu.Unlock(); got = append(got, e.RunID); return nil }), 0)
	for i := range 100 {
		q.Emit(Event{RunID: fmt.Sprint(i)})
	}
	if n := q.Close(time.Minute); n != 0 {
		t.Fatalf("%d dropped", n)
	}
	for i, id := range got {
		if id != fmt.Sprint(i) {
			t.Fatalf("event %d is %s", i, id)
		}
	}
}
