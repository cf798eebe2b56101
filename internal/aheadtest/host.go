package aheadtest

// Host keeps what a run's answers said ahead. A is what is said of a node. The zero value is a run in which nothing was said yet; it is for one
// goroutine at a time.
type Host[A any] struct {
	said  map[string]A
	off   bool
	taken []string
}

// Hear keeps what an answer says of a node.
func (h *Host[A]) Hear(id string, a A) {
	if h.off {
		return
	}
	if h.said == nil {
		h.said = map[string]A{}
	}
	h.said[id] = a
}

// Take returns what was said of a node if it fits what is known of the node now; whatever was said of it is gone then.
func (h *Host[A]) Take(id string, fits func(A) bool) (A, bool) {
	a, ok := h.said[id]
	delete(h.said, id)
	if !ok || !fits(a) {
		var none A
		return none, false
	}
	h.taken = append(h.taken, id)
	return a, true
}

// Stir says that something is built or written from now on: nothing that was said, or will be, holds.
func (h *Host[A]) Stir() { h.off, h.said = true, nil }

// Taken returns the nodes taken since the last call, for the next request.
func (h *Host[A]) Taken() []string {
	taken := h.taken
	h.taken = nil
	return taken
}
