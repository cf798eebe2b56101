package simulation

import (
	"context"
	"hash/fnv"
	"strconv"
	"strings"
	"sync"

	"hodor/warehouse"
)

// host answers the statements of one run from the model's warehouse, as the plugin's relay would.
type host struct {
	// guard, if there is one, guards the warehouse.
	guard sync.Locker
	mu    sync.Mutex
	db    func() *database
	fail  func(statement string) error
	// during is called once, while the first statement that holds duringText is under way: its answer is already fixed.
	during     func()
	duringText string
}

// Query implements warehouse.Host.
func (h *host) Query(_ context.Context, statement string) (warehouse.Answer, error) {
	if h.guard != nil {
		h.guard.Lock()
		defer h.guard.Unlock()
	}
	h.mu.Lock()
	if h.fail != nil {
		if err := h.fail(statement); err != nil {
			h.mu.Unlock()
			return warehouse.Answer{}, err
		}
	}
	answer, ok := h.answer(statement)
	var during func()
	if h.during != nil && strings.Contains(statement, h.duringText) {
		during, h.during = h.during, nil
	}
	h.mu.Unlock()
	if during != nil {
		during()
	}
	if !ok {
		return warehouse.Answer{}, &warehouse.StatementError{Message: "TABLE_OR_VIEW_NOT_FOUND or no such statement"}
	}
	return answer, nil
}

func (h *host) answer(statement string) (warehouse.Answer, bool) {
	d := h.db()
	if d.duckdb() {
		return duckdbAnswer(d, statement)
	}
	return databricksAnswer(d, statement)
}

// table makes an answer of rows; null is NULL.
func table(columns string, rows ...[]value) (warehouse.Answer, bool) {
	a := warehouse.Answer{Columns: strings.Split(columns, ",")}
	for _, r := range rows {
		cells := make([]*string, len(r))
		for i, v := range r {
			if v != null {
				text := string(v)
				cells[i] = &text
			}
		}
		a.Rows = append(a.Rows, cells)
	}
	return a, true
}

func millis(ms int64) value { return value(strconv.FormatInt(ms, 10)) }

// chance is a number below n that follows from its parts.
func chance(n uint64, parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = h.Write([]byte(p))
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64() % n
}
