package main

import (
	"os"
	"runtime/debug"
	"sync"

	"github.com/urfave/cli/v2"
)

// relaxCollector lets garbage grow to several times what lives before it is collected. Commands that only take texts to results hold little at a
// time, and spend a third of their processor time on the collector otherwise. GOGC, where it is set, decides.
func relaxCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// jobsFlag is the --jobs option of the commands that work on many texts.
func jobsFlag() cli.Flag {
	return &cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Value: 1, Usage: "texts in work at a time"}
}

func checkJobs(jobs int) error {
	if jobs < 1 || jobs > 256 {
		return usage("--jobs is %d; a number from 1 to 256 is needed", jobs)
	}
	return nil
}

// inOrder calls work for 0 to n-1, at most jobs of them at a time, and emit with each result in that order. It stops at the first error of emit
// and returns it; results that nobody waits for yet are at most jobs many.
func inOrder[T any](n, jobs int, work func(int) T, emit func(int, T) error) error {
	results := make([]chan T, min(n, jobs))
	for i := range results {
		results[i] = make(chan T, 1)
	}
	var running sync.WaitGroup
	defer running.Wait()
	start := func(i int) {
		running.Add(1)
		go func() {
			defer running.Done()
			results[i%len(results)] <- work(i)
		}()
	}
	for i := range results {
		start(i)
	}
	for i := range n {
		result := <-results[i%len(results)]
		if next := i + len(results); next < n {
			start(next)
		}
		if err := emit(i, result); err != nil {
			return err
		}
	}
	return nil
}
