//go:build unix

package protocol

import (
	"fmt"
	"io/fs"
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

// TakeStdin returns the reading end of the pipe that the host writes, made such that the runtime polls it: a thread that blocks in a read would hand
// its work to another, and wake one for each line. What is no pipe is read as it is.
func TakeStdin() *os.File {
	info, err := os.Stdin.Stat()
	if err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) == 0 || unix.SetNonblock(0, true) != nil {
		return os.Stdin
	}
	return os.NewFile(0, "stdin")
}
