package dbt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
)

// maxLine is the longest line of dbt's output that is kept, in bytes. A longer one is drained and dropped: it holds nothing that counts.
const maxLine = 8 << 20

// lines is a writer that hands over whole lines without their ends. It never refuses a byte, so that the process that writes never waits. What
// stands behind the last line end when the stream ends was cut off (close).
type lines struct {
	each func(line []byte)
	buf  []byte
	long bool
}

func (l *lines) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			l.keep(p)
			return n, nil
		}
		l.keep(p[:i])
		if !l.long {
			l.each(bytes.TrimSuffix(l.buf, []byte("\r")))
		}
		l.buf, l.long = l.buf[:0], false
		p = p[i+1:]
	}
}

func (l *lines) keep(p []byte) {
	if l.long || len(l.buf)+len(p) > maxLine {
		l.buf, l.long = l.buf[:0], true
		return
	}
	l.buf = append(l.buf, p...)
}

// close returns what was cut off.
func (l *lines) close() []byte {
	if l.long {
		return nil
	}
	return l.buf
}

// logEvent is one of dbt's log events, as far as it is of use.
type logEvent struct {
	Info struct {
		Name         string `json:"name"`
		Msg          string `json:"msg"`
		Level        string `json:"level"`
		InvocationID string `json:"invocation_id"`
	} `json:"info"`
	Data struct {
		Version  string `json:"version"`
		NodeInfo struct {
			UniqueID string `json:"unique_id"`
			Status   string `json:"node_status"`
		} `json:"node_info"`
	} `json:"data"`
}

// tellStart is how the plugin inside dbt says when the run began (HODOR_TELL_START).
const tellStart = "hodor: run_started_at "

var levels = map[string]int{"debug": 0, "info": 1, "warn": 2, "error": 3, "none": 4}

// console shows dbt's output to people, keeps its last words, and tells what the events said.
type console struct {
	out  io.Writer
	show output

	mu           sync.Mutex
	last         []string // the newest lines of warnings and errors, or of plain text
	invocationID string
	version      string
	startedAt    string
	onEvent      func(logEvent)
	mismatch     func(version string)
}

// lastWords is how many lines a failure quotes.
const lastWords = 12

// stdout takes a line of dbt's standard output: a JSON event, or text that something in dbt printed.
func (c *console) stdout(line []byte) {
	var e logEvent
	if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &e) != nil || e.Info.InvocationID == "" {
		c.text(string(line))
		return
	}
	c.mu.Lock()
	if c.invocationID == "" {
		c.invocationID = e.Info.InvocationID
	}
	same := c.invocationID == e.Info.InvocationID
	if e.Info.Name == "MainReportVersion" {
		c.version = strings.TrimLeft(e.Data.Version, "=")
	}
	told := strings.HasPrefix(e.Info.Msg, tellStart)
	if told && same {
		c.startedAt = strings.TrimSpace(strings.TrimPrefix(e.Info.Msg, tellStart))
	}
	onEvent, version := c.onEvent, c.version
	c.mu.Unlock()
	if e.Info.Name == "MainReportVersion" && c.mismatch != nil && !supported(version) {
		c.mismatch(version)
	}
	if told {
		return
	}
	if onEvent != nil && same {
		onEvent(e)
	}
	level := levels[e.Info.Level]
	if level >= levels["warn"] {
		c.remember(e.Info.Msg)
	}
	least := "info"
	if c.show.level != "" {
		least = c.show.level
	}
	if c.show.quiet {
		least = "error"
	}
	if level < levels[least] {
		return
	}
	if c.show.json {
		fmt.Fprintf(c.out, "%s\n", line)
	} else {
		fmt.Fprintf(c.out, "%s\n", e.Info.Msg)
	}
}

// text takes a line that is no event.
func (c *console) text(line string) {
	if strings.TrimSpace(line) == "" {
		return
	}
	c.remember(line)
	if !c.show.quiet {
		fmt.Fprintf(c.out, "%s\n", line)
	}
}

func (c *console) remember(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) != "" {
			c.last = append(c.last, strings.TrimRight(line, " \r"))
		}
	}
	if n := len(c.last); n > lastWords {
		c.last = c.last[n-lastWords:]
	}
}

// words are the last words, on one line.
func (c *console) words() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.last, " | ")
}

// supported tells whether the executor knows that version of dbt: 1.12.
func supported(version string) bool { return version == "1.12" || strings.HasPrefix(version, "1.12.") }
