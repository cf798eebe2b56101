package protocol

import (
	"bufio"
	"io"
	"sync"
)

// writer writes lines in the order of put, in a goroutine of its own. Its queue has no bound, so that put never blocks: a reader that waited
// for the pipe could not take the answer that empties it.
type writer struct {
	failed chan struct{} // closed at the first write error

	mu      sync.Mutex
	wake    *sync.Cond
	queue   [][]byte
	closing bool
	failure error
	done    chan struct{}
}

func newWriter(w io.Writer) *writer {
	q := &writer{failed: make(chan struct{}), done: make(chan struct{})}
	q.wake = sync.NewCond(&q.mu)
	go q.loop(bufio.NewWriterSize(w, 64<<10))
	return q
}

// put queues one line. After a failure or close it is dropped.
func (q *writer) put(line []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failure == nil && !q.closing {
		q.queue = append(q.queue, line)
		q.wake.Signal()
	}
}

// close writes what is queued and ends the goroutine.
func (q *writer) close() {
	q.mu.Lock()
	q.closing = true
	q.wake.Signal()
	q.mu.Unlock()
	<-q.done
}

// err returns the first write error.
func (q *writer) err() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.failure
}

func (q *writer) loop(w *bufio.Writer) {
	defer close(q.done)
	for {
		q.mu.Lock()
		for len(q.queue) == 0 && !q.closing {
			q.wake.Wait()
		}
		lines := q.queue
		q.queue = nil
		q.mu.Unlock()
		if len(lines) == 0 {
			return
		}
		var err error
		for _, line := range lines {
			if _, err = w.Write(line); err != nil {
				break
			}
		}
		if err == nil {
			err = w.Flush()
		}
		if err != nil {
			q.mu.Lock()
			q.failure = err
			q.queue = nil
			q.mu.Unlock()
			close(q.failed)
			return
		}
	}
}
