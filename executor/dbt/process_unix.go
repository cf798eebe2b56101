//go:build unix

package dbt

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the process into a group of its own, so that Ctrl-C on the terminal reaches it only through us, and so that the group can be ended
// whole.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interrupt asks the group to stop as Ctrl-C does: dbt then cancels its queries and writes its results.
func interrupt(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGINT) }

// kill ends the group.
func kill(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGKILL) }

func signalGroup(cmd *exec.Cmd, s syscall.Signal) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, s)
	}
}

// maxCommandLine is how long a command line may be before its arguments go another way, in bytes: far below what Linux and macOS take in all.
const maxCommandLine = 96 << 10
