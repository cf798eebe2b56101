package state

import (
	"errors"
	"fmt"

	"hodor/executor"
)

// Code is an error code of the command line: stable, listed in docs/errors.md.
type Code string

// The codes.
const (
	// StoreUnavailable: the state store can't be reached or read.
	StoreUnavailable Code = "ODS-E0401"
	// Overtaken: another run recorded state since the plan was made; this run's results are dropped.
	Overtaken Code = "ODS-E0402"
	// PlanStale: a saved plan no longer describes what would run.
	PlanStale Code = "ODS-E0403"
	// NotSucceeded: the run did not fully succeed; its successes are recorded.
	NotSucceeded Code = "ODS-E0404"
	// NotRecorded: dbt ran, and the results could not be recorded.
	NotRecorded Code = "ODS-E0405"
	// Incomplete: not all tests of the nodes ran, or dbt failed without a failing test.
	Incomplete Code = "ODS-E0406"
	// EngineMissing: dbt is missing, of an unknown version, or failed before it built anything.
	EngineMissing Code = "ODS-E0410"
	// NotCompiled: the project does not compile.
	NotCompiled Code = "ODS-E0411"
	// OutcomeUnknown: dbt ran, and what it did can't be read.
	OutcomeUnknown Code = "ODS-E0412"
	// RequestRefused: what was asked for may not run.
	RequestRefused Code = "ODS-E0413"
	// WarehouseUnavailable: the warehouse, or the Python process in front of it, can't be reached.
	WarehouseUnavailable Code = "ODS-E0414"
	// ManifestUnreadable: there is no manifest, or not one of this run.
	ManifestUnreadable Code = "ODS-E0415"
	// Interrupted: stopped from outside.
	Interrupted Code = "ODS-E0416"
)

// Error is a failure of a command: a code, what happened, and what to do.
type Error struct {
	Code Code   `json:"code"`
	Text string `json:"message"`
	Hint string `json:"hint"`
	Err  error  `json:"-"`
}

func (e *Error) Error() string {
	s := string(e.Code) + ": " + e.Text
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func fail(code Code, hint string, err error, format string, args ...any) *Error {
	e := &Error{Code: code, Text: fmt.Sprintf(format, args...), Hint: hint, Err: err}
	if err != nil {
		e.Text += ": " + err.Error()
	}
	return e
}

// engineError gives an executor's error its code.
func engineError(err error) error {
	var e *executor.Error
	if !errors.As(err, &e) {
		return fail(OutcomeUnknown, "nothing is recorded", err, "the executor failed")
	}
	code := map[executor.Code]Code{
		executor.Refused: RequestRefused, executor.NotStarted: EngineMissing, executor.NotPrepared: NotCompiled, executor.Unreadable: OutcomeUnknown,
	}[e.Code]
	text := e.Text
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return &Error{Code: code, Text: text, Hint: e.Hint, Err: err}
}
