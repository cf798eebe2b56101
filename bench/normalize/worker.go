package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"hodor/normalize"
)

// work takes the texts of a file to hash and facts for that many seconds of processor time, at least once, and prints a result.
func work(path, dialect string, seconds float64, jobs int) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	list := strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
	raw = nil
	// As in a run of dbt: the values of the run are looked for in every text.
	options := normalize.Options{Dialect: dialect, Catalog: "main", Schema: "analytics",
		Replacer: normalize.NewReplacer("3f0c1d52-8c1e-4b6a-9d1b-0a1b2c3d4e5f", "2026-10-20T04:12:00.123456+00:00")}
	debug.SetGCPercent(400) // as the command line does
	normalize.Normalize("select 1", options)
	runtime.GC()
	r := result{Name: "hodor"}
	base := resident("VmRSS")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start, clock := cpu(), time.Now()
	var failed atomic.Int64
	for r.Texts == 0 || (cpu()-start).Seconds() < seconds {
		var next atomic.Int64
		var running sync.WaitGroup
		for range jobs {
			running.Go(func() {
				for {
					i := int(next.Add(1)) - 1
					if i >= len(list) {
						return
					}
					if normalize.Normalize(list[i], options).Level == normalize.LevelText {
						failed.Add(1)
					}
				}
			})
		}
		running.Wait()
		r.Texts += len(list)
		for _, sql := range list {
			r.Bytes += len(sql)
		}
	}
	r.CPU, r.Wall, r.Failed = (cpu() - start).Seconds(), time.Since(clock).Seconds(), int(failed.Load())
	runtime.ReadMemStats(&after)
	r.Quiet = quiet(list, options, min(seconds, 1))
	r.Heap = after.TotalAlloc - before.TotalAlloc
	r.Peak = max(0, resident("VmHWM")-base)
	return json.NewEncoder(os.Stdout).Encode(r)
}

// quiet is the time of one pass over the texts where nothing disturbs it: for each text the best of several passes, in seconds. Unlike processor time
// it does not grow on a machine whose cores are shared, but little of the collector is in it.
func quiet(list []string, options normalize.Options, seconds float64) float64 {
	best := make([]time.Duration, len(list))
	start := cpu()
	for pass := 0; pass < 3 || (cpu()-start).Seconds() < seconds; pass++ {
		for i, sql := range list {
			began := time.Now()
			normalize.Normalize(sql, options)
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

// cpu is the processor time of this process, the collector's threads included.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		fail(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// resident is a field of this process's memory status, in bytes; 0 where the system has none.
func resident(field string) (n int) {
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			fmt.Sscan(rest, &n)
		}
	}
	return n * 1024
}
