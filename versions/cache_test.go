package versions

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestCacheSingleFlight(t *testing.T) {
	var c cache[int]
	var reads atomic.Int32
	release := make(chan struct{})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			v, err := c.get(t.Context(), "a", func(context.Context) (int, error) {
				reads.Add(1)
				<-release
				return 7, nil
			})
			if v != 7 || err != nil {
				t.Errorf("got %d, %v", v, err)
			}
		})
	}
	close(release)
	wg.Wait()
	if reads.Load() != 1 {
		t.Errorf("%d reads", reads.Load())
	}
}

// S16: a read begun before an invalidation is not kept, whichever way the key went stale.
func TestS16ReadBegunBeforeDrop(t *testing.T) {
	for _, drop := range []struct {
		name string
		do   func(*cache[int])
	}{{"drop", func(c *cache[int]) { c.drop("a") }}, {"dropAll", (*cache[int]).dropAll}} {
		t.Run(drop.name, func(t *testing.T) {
			var c cache[int]
			began, release := make(chan struct{}), make(chan struct{})
			first := make(chan int)
			go func() {
				v, _ := c.get(context.Background(), "a", func(context.Context) (int, error) {
					close(began)
					<-release
					return 1, nil
				})
				first <- v
			}()
			<-began
			drop.do(&c)
			if v, _ := c.get(t.Context(), "a", func(context.Context) (int, error) { return 2, nil }); v != 2 {
				t.Errorf("after the drop: %d", v)
			}
			close(release)
			if v := <-first; v != 1 {
				t.Errorf("who asked before the drop got %d", v)
			}
			if v, _ := c.get(t.Context(), "a", func(context.Context) (int, error) { return 3, nil }); v != 2 {
				t.Errorf("the read begun before the drop was kept: %d", v)
			}
		})
	}
}

func TestCacheErrors(t *testing.T) {
	var c cache[int]
	fail := errors.New("no")
	for range 2 {
		if _, err := c.get(t.Context(), "a", func(context.Context) (int, error) { return 5, fail }); err != fail {
			t.Errorf("got %v", err)
		}
	}
	if v, err := c.get(t.Context(), "b", func(context.Context) (int, error) { panic("boom") }); err == nil || v != 0 {
		t.Errorf("a panic: %d, %v", v, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	block := make(chan struct{})
	if _, err := c.get(ctx, "c", func(context.Context) (int, error) { <-block; return 9, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	close(block)
	if v, err := c.get(t.Context(), "c", nil); v != 9 || err != nil {
		t.Errorf("the read went on without its first caller: %d, %v", v, err)
	}
}
