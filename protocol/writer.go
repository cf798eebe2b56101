package protocol

import (
	"bufio"
	"errors"
	"io"
	"sync"
)

// errUnread means that the other side sends and does not read.
var errUnread = errors.New("the other side does not read")

// writer writes lines in the order of put, in a goroutine of its own. put never blocks: a reader that waited for the pipe could not take the
// answer that empties it. A queue that grows beyond most bytes is a failure like a broken pipe.
type writer struct {
	failed chan struct{} // closed at the first failure
	most   int

	mu      sync.Mutex
	wake    *sync.Cond
	queue   [][]byte
	bytes   int // in queue
	closing bool
	failure error
	done    chan struct{}
}

func newWriter(w io.Writer, most int) *writer {
	q := &writer{failed: make(chan struct{}), most: most, done: make(chan struct{})}
	q.wake = sync.NewCond(&q.mu)
	go q.loop(bufio.NewWriterSize(w, 64<<10))
	return q
}

// put queues one line. After a failure or close it is dropped.
func (q *writer) put(line []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failure != nil || q.closing {
		return
	}
	if len(q.queue) > 0 && q.bytes+len(line) > q.most {
		q.fail(errUnread)
		return
	}
	q.queue = append(q.queue, line)
	q.bytes += len(line)
	q.wake.Signal()
}

// fail ends the writing, once. The caller holds mu.
func (q *writer) fail(err error) {
	if q.failure == nil {
		q.failure, q.queue, q.bytes = err, nil, 0
		close(q.failed)
	}
	q.wake.Signal()
}

// close writes what is queued and ends the goroutine. After a failure it waits for nothing: a write to a reader that stopped may never return.
func (q *writer) close() {
	q.mu.Lock()
	q.closing = true
	q.wake.Signal()
	q.mu.Unlock()
	select {
	case <-q.done:
	case <-q.failed:
	}
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
		for len(q.queue) == 0 && !q.closing && q.failure == nil {
			q.wake.Wait()
		}
		lines := q.queue
		q.queue, q.bytes = nil, 0
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
			q.fail(err)
			q.mu.Unlock()
			return
		}
	}
}
