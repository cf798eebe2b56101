package executor

import (
	"errors"
	"fmt"
)

// Code says what kind of failure an Error is.
type Code string

// The codes.
const (
	// Refused: the request is not one that may run; nothing ran.
	Refused Code = "refused"
	// NotStarted: the engine is missing, of an unknown version or could not begin; nothing was built.
	NotStarted Code = "not_started"
	// NotPrepared: the metadata could not be refreshed (the project does not compile); nothing was built.
	NotPrepared Code = "not_prepared"
	// Unreadable: the engine ran, and what it did can't be read. Anything may have been built.
	Unreadable Code = "unreadable"
)

// Error is a failure of an executor: what happened and what to do, in one line.
type Error struct {
	Code Code
	Text string
	// Hint is what to do.
	Hint string
	// Partial holds what is known of the execution from its progress, nil for none. It proves nothing and must not be recorded.
	Partial *ExecutionReport
	Err     error
}

func (e *Error) Error() string {
	s := e.Text
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// IsCode tells whether err is an Error of that code.
func IsCode(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// Refusal returns an Error with the code Refused.
func Refusal(hint, format string, args ...any) *Error {
	return &Error{Code: Refused, Text: fmt.Sprintf(format, args...), Hint: hint}
}

// CheckRequest refuses what no executor may run: an empty request, one without nodes where only nodes run, an unknown mode, a node twice.
func CheckRequest(req ExecutionRequest) error {
	switch req.Mode {
	case Build, BuildOnly, Test:
	default:
		return Refusal("use build, run or test", "the mode %q is not known", req.Mode)
	}
	if len(req.Nodes)+len(req.Sources) == 0 {
		return Refusal("name at least one node or source", "the request is empty")
	}
	if req.Mode == BuildOnly && len(req.Nodes) == 0 {
		return Refusal("name at least one node, or use the mode build or test", "the mode run builds nodes, and the request has only sources")
	}
	seen := map[string]bool{}
	for _, list := range [][]NodeRef{req.Nodes, req.Sources} {
		for _, n := range list {
			if n.ID == "" {
				return Refusal("name each node by its id", "a node of the request has no id")
			}
			if seen[n.ID] {
				return Refusal("name each node once", "the request has %s twice", n.ID)
			}
			seen[n.ID] = true
		}
	}
	return nil
}
