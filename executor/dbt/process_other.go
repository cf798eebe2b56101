//go:build !unix

package dbt

import "os/exec"

// ownGroup does nothing: there are no groups of processes to signal.
func ownGroup(*exec.Cmd) {}

// interrupt can only end the process.
func interrupt(cmd *exec.Cmd) { kill(cmd) }

// kill ends the process.
func kill(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill()
	}
}

// maxCommandLine is how long a command line may be before its arguments go another way, in bytes; Windows takes 32767 characters.
const maxCommandLine = 24 << 10
