package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"

	"hodor/grammar"
)

// work parses the texts of a file for that many seconds of processor time, at least once, and prints a result.
func work(path, dialect string, seconds float64) error {
	d, err := grammar.DialectOf(dialect)
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	list := strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
	raw = nil
	grammar.Parse("select 1", d)
	runtime.GC()
	r := result{Parser: "hodor"}
	base := resident("VmRSS")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := cpu()
	for r.Texts == 0 || (cpu()-start).Seconds() < seconds {
		for _, sql := range list {
			if _, err := grammar.Parse(sql, d); err != nil {
				r.Failed++
			}
			r.Texts++
			r.Bytes += len(sql)
		}
	}
	r.CPU = (cpu() - start).Seconds()
	runtime.ReadMemStats(&after)
	r.Allocs, r.Heap = after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
	r.Peak = max(0, resident("VmHWM")-base)
	return json.NewEncoder(os.Stdout).Encode(r)
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
