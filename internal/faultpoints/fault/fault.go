package fault

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

var (
	place = os.Getenv("FAULT_AT") // the point that breaks
	kind  = os.Getenv("FAULT")    // error, hang or kill
	// reached, if it is set, is a file that is made when the point is.
	reached = os.Getenv("FAULT_REACHED")

	broke atomic.Bool
)

// forever is longer than any run that waits for it.
const forever = 10 * time.Minute

// At breaks the point called name if it is the one that shall break: with kind error every time, by an error; with hang the first time, by not
// coming back for ten minutes; with kill by SIGKILL.
func At(name string) error {
	if name != place {
		return nil
	}
	first := !broke.Swap(true)
	if first && reached != "" {
		if err := os.WriteFile(reached, nil, 0o600); err != nil {
			panic(err)
		}
	}
	switch {
	case kind == "error":
		return fmt.Errorf("broken on purpose at %s", name)
	case kind == "hang" && first:
		time.Sleep(forever)
	case kind == "kill":
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		if err != nil {
			panic(err)
		}
		time.Sleep(forever) // the signal is on its way
	}
	return nil
}
