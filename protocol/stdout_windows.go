package protocol

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// TakeStdout keeps the present standard output for the protocol and points the process's standard output at stderr, because C++ code in the
// process may print. Call it first thing, once.
func TakeStdout() (*os.File, error) {
	protocol := os.Stdout
	if err := windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(os.Stderr.Fd())); err != nil {
		return nil, fmt.Errorf("pointing stdout at stderr: %w", err)
	}
	os.Stdout = os.Stderr
	return protocol, nil
}

// TakeStdin returns the reading end of the pipe that the host writes.
func TakeStdin() *os.File { return os.Stdin }
