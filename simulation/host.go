package simulation

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"runtime/debug"
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
	answer, ok, during, err := h.reply(statement)
	if err != nil {
		return warehouse.Answer{}, err
	}
	if during != nil {
		during()
	}
	if !ok {
		return warehouse.Answer{}, &warehouse.StatementError{Message: "TABLE_OR_VIEW_NOT_FOUND or no such statement"}
	}
	return answer, nil
}

// reply is what the warehouse answers, and what shall happen before the answer is there. A panic of the model must not look like a warehouse that
// fails, which is what the service takes it for: it ends the process.
func (h *host) reply(statement string) (answer warehouse.Answer, ok bool, during func(), err error) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "the model's warehouse, asked %s: %v\n%s", statement, p, debug.Stack())
			os.Exit(2)
		}
	}()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fail != nil {
		if err := h.fail(statement); err != nil {
			return answer, false, nil, err
		}
	}
	answer, ok = h.answer(statement)
	if h.during != nil && strings.Contains(statement, h.duringText) {
		during, h.during = h.during, nil
	}
	return answer, ok, during, nil
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
