//go:build unix

package coverage

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// processorTime is what all threads of this process have used; 0 where the system does not say.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakBytes is the most memory that this process has had.
func peakBytes() int {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return maxrss(&u)
}

// peakOf is the same of a child that has ended.
func peakOf(p *os.ProcessState) int {
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return maxrss(u)
	}
	return 0
}

// maxrss is in kilobytes, but on macOS.
func maxrss(u *syscall.Rusage) int {
	if runtime.GOOS == "darwin" {
		return int(u.Maxrss)
	}
	return int(u.Maxrss) * 1024
}
