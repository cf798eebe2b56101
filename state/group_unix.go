//go:build unix

package state

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps Ctrl-C on the terminal from the process: what is asked of it ends in order.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
