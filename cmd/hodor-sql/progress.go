package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progressAfter is how long work takes before its progress is shown.
const progressAfter = time.Second

// progress shows how far work on several things is, once it takes long, and only on a terminal.
type progress struct {
	w     io.Writer
	what  string
	total int
	done  int
	since time.Time
	bar   *progressbar.ProgressBar
}

// newProgress is the progress of work on total things, for the stream of errors. It returns nil, on which all calls do nothing, unless that is
// a terminal.
func newProgress(w io.Writer, what string, total int) *progress {
	if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) || total < 2 {
		return nil
	}
	return &progress{w: w, what: what, total: total, since: time.Now()}
}

// step says that one more thing is done.
func (p *progress) step() {
	if p == nil {
		return
	}
	p.done++
	if p.bar == nil {
		if time.Since(p.since) < progressAfter {
			return
		}
		p.bar = progressbar.NewOptions(p.total, progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(p.what),
			progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
	}
	_ = p.bar.Set(p.done) // a bar that can't be drawn is no reason to stop
}

// end takes the bar away.
func (p *progress) end() {
	if p != nil && p.bar != nil {
		_ = p.bar.Clear()
	}
}
