//go:build unix

package protocol

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// TakeStdout moves file descriptor 1 aside for the protocol and points it at stderr, because C++ code in the process may print. Call it first
// thing, once. The returned file is not inherited by children.
func TakeStdout() (*os.File, error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("moving stdout aside: %w", err)
	}
	if err := unix.Dup2(2, 1); err != nil {
		return nil, fmt.Errorf("pointing stdout at stderr: %w", err)
	}
	return os.NewFile(uintptr(fd), "protocol"), nil
}
