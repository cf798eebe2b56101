package usage

import (
	"os"
	"syscall"
	"time"
)

// CPU is what all threads of this process have used; 0 where the system does not say.
func CPU() time.Duration {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	var created, ended, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(self, &created, &ended, &kernel, &user) != nil {
		return 0
	}
	ticks := func(f syscall.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) } // of 100 ns
	return time.Duration(100 * (ticks(kernel) + ticks(user)))
}

// Peak is not known here.
func Peak() int { return 0 }

// PeakOf is not known here.
func PeakOf(*os.ProcessState) int { return 0 }
