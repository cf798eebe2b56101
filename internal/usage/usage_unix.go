//go:build unix

package usage

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// CPU is what all threads of this process have used; 0 where the system does not say.
func CPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Peak is the most memory that this process has had, in bytes; 0 where the system does not say.
func Peak() int {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return maxrss(&u)
}

// PeakOf is the same of a child that has ended.
func PeakOf(p *os.ProcessState) int {
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
