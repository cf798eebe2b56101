package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"
)

// Exit statuses: part of the command line's contract.
const (
	statusDone       = 0
	statusNo         = 1 // different, not found, a run that failed
	statusUsage      = 2
	statusUnreadable = 3 // an input could not be read, or a store not be reached
)

// outcome is an error with the exit status that it stands for.
type outcome struct {
	status int
	err    error
}

func (o *outcome) Error() string { return o.err.Error() }
func (o *outcome) Unwrap() error { return o.err }

// usage is a command line that makes no sense: status 2.
func usage(format string, args ...any) error {
	return &outcome{statusUsage, fmt.Errorf(format, args...)}
}

// no is an answer, not a failure: status 1. An empty text prints nothing, for answers that stand on stdout already.
func no(format string, args ...any) error {
	return &outcome{statusNo, fmt.Errorf(format, args...)}
}

// unreadable is an input that could not be read or a store that could not be reached: status 3.
func unreadable(format string, args ...any) error {
	return &outcome{statusUnreadable, fmt.Errorf(format, args...)}
}

// status maps an error to the exit status. An error that names none counts as unreadable: it is no answer.
func status(err error) int {
	var o *outcome
	if errors.As(err, &o) {
		return o.status
	}
	return statusUnreadable
}

// positional returns the arguments of a command that takes files. "-" is standard input, and all after "--" is taken as it is.
func positional(c *cli.Context) []string {
	args := c.Args().Slice()
	if i := slices.Index(args, "--"); i >= 0 {
		return slices.Concat(args[:i], args[i+1:])
	}
	return args
}
