package simulation

import (
	"fmt"
	"os"
	"strings"

	"hodor/stores"
)

// Options of Run.
type Options struct {
	// Open opens the state store anew for each run, in the history's folder; nil: records are kept in memory.
	Open func(dir string) (stores.Store, error)
	// Dir is a folder for files; every history uses it anew.
	Dir string
	// Focus names kinds of steps and abilities that every history has, and a dialect to stay with, so that what needs them is met early.
	Focus []string
}

// Run plays the history of a seed. The error says what was wrong in it, with the shortest list of steps that still shows it.
func Run(seed uint64, opt Options) (Stats, error) {
	list := steps(seed, opt.Focus)
	w := play(seed, list, opt, true)
	if w.wrong == "" {
		return w.stats, nil
	}
	all := list
	list = shorten(list, func(list []step) bool { return play(seed, list, opt, true).wrong != "" })
	small := play(seed, list, opt, false)
	if small.wrong == "" {
		small = play(seed, all, opt, false)
		small.wrong = w.wrong
	}
	return w.stats, fmt.Errorf("history %d: %s\n%s", seed, small.wrong, strings.Join(small.log, "\n"))
}

// play plays a list of steps; quiet: without keeping a log.
func play(seed uint64, list []step, opt Options, quiet bool) *world {
	if opt.Open != nil {
		_ = os.RemoveAll(opt.Dir)
	}
	w := newWorld(seed, opt.Dir, opt.Focus)
	w.open, w.quiet = opt.Open, quiet
	if err := w.seeds(); err != nil {
		w.fail("%v", err)
	}
	w.say("seed %d, %s", seed, w.db.dialect)
	for _, id := range w.p.order {
		n := w.p.nodes[id]
		w.say("%s: %s %s, hooks %v, lag %d all %t volatile %q partition %d", id, n.mat, n.query.text(), n.hooks, n.lagMS, n.all, n.volatile, n.partition)
	}
	for _, s := range list {
		if w.wrong != "" {
			break
		}
		w.do(s)
	}
	w.stats.Histories = 1
	return w
}

// shorten leaves out steps, many at first, as long as the rest still fails.
func shorten(list []step, fails func([]step) bool) []step {
	for size := len(list) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(list); {
			shorter := append(append([]step{}, list[:at]...), list[at+size:]...)
			if fails(shorter) {
				list = shorter
			} else {
				at += size
			}
		}
	}
	return list
}
