package measure

import (
	"encoding/json"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"hodor/internal/usage"
)

// Work runs do on the texts of a file for that many seconds of processor time, at least once over all of them, with so many texts in work at a time,
// and prints a Result. do tells whether the text was read. Where quiet is set, one pass is timed where nothing disturbs it too.
func Work(path string, seconds float64, jobs int, quiet bool, do func(sql string) bool) error {
	list, err := Read(path)
	if err != nil {
		return err
	}
	size := 0
	for _, sql := range list {
		size += len(sql)
	}
	do("select 1")
	runtime.GC()
	r := Result{Name: "hodor"}
	base := Resident("VmRSS")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start, clock := usage.CPU(), time.Now()
	var failed atomic.Int64
	for r.Texts == 0 || (usage.CPU()-start).Seconds() < seconds {
		var next atomic.Int64
		var running sync.WaitGroup
		for range jobs {
			running.Go(func() {
				for {
					i := int(next.Add(1)) - 1
					if i >= len(list) {
						return
					}
					if !do(list[i]) {
						failed.Add(1)
					}
				}
			})
		}
		running.Wait()
		r.Texts += len(list)
		r.Bytes += size
	}
	r.CPU, r.Wall, r.Failed = (usage.CPU() - start).Seconds(), time.Since(clock).Seconds(), int(failed.Load())
	runtime.ReadMemStats(&after)
	r.Allocs, r.Heap = after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
	r.Peak = max(0, Resident("VmHWM")-base)
	if quiet {
		r.Quiet = undisturbed(list, min(seconds, 1), do)
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// undisturbed is the time of one pass over the texts where nothing disturbs it: for each text the best of several passes, in seconds. Unlike
// processor time it does not grow on a machine whose cores are shared, but little of the collector is in it.
func undisturbed(list []string, seconds float64, do func(string) bool) float64 {
	best := make([]time.Duration, len(list))
	start := usage.CPU()
	for pass := 0; pass < 3 || (usage.CPU()-start).Seconds() < seconds; pass++ {
		for i, sql := range list {
			began := time.Now()
			do(sql)
			if d := time.Since(began); pass == 0 || d < best[i] {
				best[i] = d
			}
		}
	}
	var sum time.Duration
	for _, d := range best {
		sum += d
	}
	return sum.Seconds()
}
