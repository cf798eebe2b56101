package versions

import (
	"context"
	"fmt"
	"sync"
)

// cache keeps one value a key, read at most once until it is dropped, however many ask at once. A failed read is kept like any other: what could
// not be read is unknown for the run.
//
// A read belongs to the entry that was in the map when it began (its generation, S16). A drop takes the entry out, so a read that began before
// it is never kept: those who wait for it still get the value, since they asked before, and who asks after starts a read of its own.
type cache[V any] struct {
	mu      sync.Mutex
	entries map[string]*entry[V]
}

type entry[V any] struct {
	done  chan struct{}
	value V
	err   error
}

// get returns the value of key, reading it if it is not known. The read runs to its end even if ctx is cancelled, since others may wait for it.
func (c *cache[V]) get(ctx context.Context, key string, read func(context.Context) (V, error)) (V, error) {
	c.mu.Lock()
	e := c.entries[key]
	if e == nil {
		e = &entry[V]{done: make(chan struct{})}
		if c.entries == nil {
			c.entries = map[string]*entry[V]{}
		}
		c.entries[key] = e
		go e.fill(context.WithoutCancel(ctx), read)
	}
	c.mu.Unlock()
	select {
	case <-e.done:
		return e.value, e.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

// fill reads. A panic is an error like any other: it must not end the process of which this is a goroutine of its own.
func (e *entry[V]) fill(ctx context.Context, read func(context.Context) (V, error)) {
	defer close(e.done)
	defer func() {
		if p := recover(); p != nil {
			var none V
			e.value, e.err = none, fmt.Errorf("panic: %v", p)
		}
	}()
	e.value, e.err = read(ctx)
}

// drop makes one key stale.
func (c *cache[V]) drop(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.entries, key)
}

// dropAll makes every key stale.
func (c *cache[V]) dropAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.entries)
}
