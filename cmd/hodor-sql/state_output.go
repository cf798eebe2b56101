package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"hodor/engine"
	"hodor/executor"
	"hodor/explain"
	"hodor/internal/terminal"
	"hodor/state"
)

// stateOutput is what a state command prints: the result on stdout, what goes on meanwhile on stderr.
type stateOutput struct {
	c       *cli.Context
	command string
	json    bool
	screen  *terminal.Screen
	live    *liveLine // nil: stderr is no terminal
	stderr  io.Writer
}

func newStateOutput(c *cli.Context, command string) (*stateOutput, error) {
	s, err := screen(c)
	if err != nil {
		return nil, err
	}
	o := &stateOutput{c: c, command: command, json: c.Bool("json"), screen: s, stderr: c.App.ErrWriter}
	if isTerminal(c.App.ErrWriter) {
		o.live = newLiveLine(terminal.New(c.App.ErrWriter, c.String("color")))
		o.stderr = o.live
	}
	return o, nil
}

// engine is where dbt's own output goes.
func (o *stateOutput) engine() io.Writer { return o.stderr }

func (o *stateOutput) say(format string, args ...any) {
	if o.live != nil {
		o.live.title(fmt.Sprintf(format, args...))
		return
	}
	fmt.Fprintf(o.stderr, "%s: %s\n", o.c.App.Name, fmt.Sprintf(format, args...))
}

func (o *stateOutput) note(format string, args ...any) {
	fmt.Fprintf(o.stderr, "%s: %s\n", o.c.App.Name, fmt.Sprintf(format, args...))
}

// sink shows the progress of a run on a terminal; elsewhere dbt's own lines say enough.
func (o *stateOutput) sink() executor.Sink {
	if o.live == nil {
		return nil
	}
	return o.live
}

// envelope is the one object of --json.
type envelope struct {
	SchemaVersion int           `json:"schema_version"`
	Command       string        `json:"command"`
	Result        *state.Report `json:"result"`
	Error         *stateError   `json:"error"`
}

type stateError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// finish prints the result and the error, and returns the error with its exit status.
func (o *stateOutput) finish(r *state.Report, err error) error {
	if o.live != nil {
		o.live.end()
	}
	e, status := describeError(err)
	if o.json {
		enc := json.NewEncoder(o.c.App.Writer)
		enc.SetEscapeHTML(false)
		if werr := enc.Encode(envelope{1, "state " + o.command, r, e}); werr != nil {
			return unreadable("writing the result: %v", werr)
		}
		if err != nil {
			return &outcome{status, errors.New("")}
		}
		return nil
	}
	if r != nil {
		o.report(r)
	}
	if err == nil {
		return nil
	}
	text := e.Code + ": " + e.Message
	if e.Code == "" {
		text = e.Message
	}
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return &outcome{status, errors.New(text)}
}

// describeError gives an error its parts and its exit status.
func describeError(err error) (*stateError, int) {
	if err == nil {
		return nil, statusDone
	}
	var s *state.Error
	var x *executor.Error
	var known *outcome
	switch {
	case errors.As(err, &s):
		return &stateError{string(s.Code), s.Text, s.Hint}, exitStatus(s.Code)
	case errors.As(err, &x):
		text := x.Text
		if x.Err != nil {
			text += ": " + x.Err.Error()
		}
		return &stateError{string(state.RequestRefused), text, x.Hint}, statusUsage
	case errors.As(err, &known):
		return &stateError{"", err.Error(), ""}, known.status
	}
	return &stateError{"", err.Error(), ""}, statusUnreadable
}

func exitStatus(code state.Code) int {
	switch code {
	case state.RequestRefused:
		return statusUsage
	case state.StoreUnavailable, state.WarehouseUnavailable, state.EngineMissing, state.ManifestUnreadable:
		return statusUnreadable
	}
	return statusNo
}

// report prints a result for people.
func (o *stateOutput) report(r *state.Report) {
	s := o.screen
	for _, w := range r.Warnings {
		fmt.Fprintf(o.stderr, "%s: %s\n", o.c.App.Name, w)
	}
	if node := o.c.String("explain"); node != "" {
		o.explain(r.Plan, node)
		return
	}
	switch {
	case r.Execution != nil:
		o.executed(r)
	case o.c.Bool("tree"):
		o.tree(r.Plan)
	case o.command == "test":
		for _, n := range r.Plan.Build {
			s.Line(terminal.Cell{Text: "test   ", Style: terminal.Yellow}, terminal.Cell{Text: n.Name})
		}
	default:
		o.table(r.Plan)
	}
	for _, l := range r.LeftOut {
		s.Line(terminal.Cell{Text: "left out  ", Style: terminal.Dim}, terminal.Cell{Text: l.Name + " (" + string(l.Reason) + ", " + l.Why + "); it stays to build"})
	}
	for _, n := range r.NotRecorded {
		s.Line(terminal.Cell{Text: "not recorded  ", Style: terminal.Yellow}, terminal.Cell{Text: n.ID + ": " + n.Why})
	}
	s.Line(terminal.Cell{Text: summary(o.command, r), Style: terminal.Bold})
}

// summary is the last line.
func summary(command string, r *state.Report) string {
	reuse := 0
	for _, n := range r.Plan.Nodes {
		if n.Action == engine.Reuse {
			reuse++
		}
	}
	head := r.Plan.Head
	if r.Commit != nil {
		head = *r.Commit
	}
	where := fmt.Sprintf("%s, target %s, state generation %d", r.Project, r.Target, head.Generation)
	switch {
	case command == "test" && r.Execution == nil:
		if len(r.Plan.Build) == 0 {
			return "Everything that was built is tested (" + where + ")."
		}
		return fmt.Sprintf("%d nodes to test (%s).", len(r.Plan.Build), where)
	case r.Outcome == state.NothingToDo:
		return fmt.Sprintf("Nothing to build: %d nodes are reused (%s).", reuse, where)
	case r.Execution == nil:
		return fmt.Sprintf("%d to build, %d reused, %d left out (%s).", len(r.Plan.Build), reuse, len(r.LeftOut), where)
	case r.Outcome == state.RecordingFailed:
		return "Nothing of this run is recorded."
	case command == "test":
		return fmt.Sprintf("%d tests recorded as passed (%s).", len(r.Tested), where)
	}
	saved := ""
	var ms int64
	for _, n := range r.Plan.Nodes {
		if n.Action == engine.Reuse {
			ms += n.LastBuildMS
		}
	}
	if ms >= 1000 {
		saved = ", about " + explain.Duration(ms) + " of building saved"
	}
	return fmt.Sprintf("%d built, %d recorded, %d reused%s (%s).", built(r.Execution), len(r.Recorded), reuse, saved, where)
}

func built(x *executor.ExecutionReport) int {
	n := 0
	for i := range x.Nodes {
		if x.Nodes[i].Status == executor.Success {
			n++
		}
	}
	return n
}

// why is the reason of a plan's node with its short evidence.
func why(n *state.PlanNode) string {
	if n.Note != "" {
		return string(n.Reason) + ", " + n.Note
	}
	return string(n.Reason)
}

func actionCell(n *state.PlanNode) terminal.Cell {
	if n.Action == engine.Build {
		return terminal.Cell{Text: "build", Style: terminal.Yellow}
	}
	return terminal.Cell{Text: "reuse", Style: terminal.Green}
}

func (o *stateOutput) table(p *state.Plan) {
	var rows [][]terminal.Cell
	for i := range p.Nodes {
		n := &p.Nodes[i]
		tested := ""
		if len(n.Tests) > 0 {
			tested = "untested"
			if n.Tested {
				tested = "tested"
			}
		}
		rows = append(rows, []terminal.Cell{actionCell(n), {Text: n.Name}, {Text: n.Materialized, Style: terminal.Dim}, {Text: why(n)}, {Text: tested, Style: terminal.Dim}})
	}
	if len(rows) == 0 {
		return
	}
	o.screen.Table([]terminal.Column{{Title: ""}, {Title: "node", Shrink: true, Least: 12}, {Title: "type"}, {Title: "reason", Shrink: true, Least: 16}, {Title: "tests"}}, rows)
}

// tree prints each node below the first of its parents.
func (o *stateOutput) tree(p *state.Plan) {
	byID := map[string]*state.PlanNode{}
	for i := range p.Nodes {
		byID[p.Nodes[i].ID] = &p.Nodes[i]
	}
	children := map[string][]string{}
	var roots []string
	for i := range p.Nodes {
		n := &p.Nodes[i]
		at := slices.IndexFunc(n.Parents, func(id string) bool { return byID[id] != nil })
		if at < 0 {
			roots = append(roots, n.ID)
		} else {
			children[n.Parents[at]] = append(children[n.Parents[at]], n.ID)
		}
	}
	var show func(id, indent string)
	show = func(id, indent string) {
		n := byID[id]
		o.screen.Line(terminal.Cell{Text: indent}, actionCell(n), terminal.Cell{Text: " " + n.Name + "  "}, terminal.Cell{Text: why(n), Style: terminal.Dim})
		for _, child := range children[id] {
			show(child, indent+"  ")
		}
	}
	for _, id := range roots {
		show(id, "")
	}
}

// explain prints what was compared for one node.
func (o *stateOutput) explain(p *state.Plan, name string) {
	found := false
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.ID != name && n.Name != name {
			continue
		}
		found = true
		o.screen.Line(actionCell(n), terminal.Cell{Text: " " + n.ID, Style: terminal.Bold}, terminal.Cell{Text: "  " + why(n)})
		for _, e := range n.Evidence {
			o.screen.Line(terminal.Cell{Text: "  " + e.What + "  ", Style: terminal.Dim}, terminal.Cell{Text: "then " + unknown(e.Then) + ", now " + unknown(e.Now)})
		}
	}
	if !found {
		o.screen.Line(terminal.Cell{Text: "no model, seed or snapshot of the plan is called " + name})
	}
}

func unknown(v string) string {
	if v == "" {
		return "not known"
	}
	return v
}

// executed prints what became of each node that was to run.
func (o *stateOutput) executed(r *state.Report) {
	for _, list := range [][]executor.NodeExecution{r.Execution.Nodes, r.Execution.Sources} {
		for i := range list {
			n := &list[i]
			style := map[executor.Status]terminal.Style{executor.Success: terminal.Green, executor.Failed: terminal.Red, executor.Skipped: terminal.Dim}[n.Status]
			text := n.Name
			if len(n.ChecksFailed) > 0 {
				text += ": failed " + strings.Join(n.ChecksFailed, ", ")
				style = terminal.Red
			}
			if n.Message != "" && n.Status == executor.Failed {
				first, _, _ := strings.Cut(strings.TrimSpace(n.Message), "\n")
				text += ": " + first
			}
			o.screen.Line(terminal.Cell{Text: fmt.Sprintf("%-8s", n.Status), Style: style}, terminal.Cell{Text: text})
		}
	}
	if len(r.Execution.Unrequested) > 0 {
		o.screen.Line(terminal.Cell{Text: "dbt built unrequested: " + strings.Join(r.Execution.Unrequested, ", ") + "; not recorded", Style: terminal.Yellow})
	}
}

// liveLine keeps one line at the bottom of the terminal up to date, below whatever else is written.
type liveLine struct {
	mu      sync.Mutex
	screen  *terminal.Screen
	text    string
	running []string
	done    int
}

func newLiveLine(s *terminal.Screen) *liveLine { return &liveLine{screen: s} }

// Write writes above the line.
func (l *liveLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	n, err := l.screen.Writer.Write(p)
	l.draw()
	return n, err
}

func (l *liveLine) title(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text, l.running = text, nil
	l.clear()
	l.draw()
}

// Event implements executor.Sink.
func (l *liveLine) Event(e executor.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e.Kind {
	case executor.NodeStarted:
		l.running = append(l.running, e.Node.Name)
	case executor.NodeFinished:
		l.done++
		l.running = slices.DeleteFunc(l.running, func(name string) bool { return name == e.Node.Name })
	}
	l.clear()
	l.draw()
	return nil
}

func (l *liveLine) clear() { fmt.Fprint(l.screen.Writer, "\r\x1b[K") }

func (l *liveLine) draw() {
	if l.text == "" {
		return
	}
	line := l.text
	if l.done > 0 || len(l.running) > 0 {
		line += fmt.Sprintf("  %d done", l.done)
		if len(l.running) > 0 {
			line += ", running " + strings.Join(l.running, ", ")
		}
	}
	if l.screen.Width > 1 {
		line = terminal.Cut(line, l.screen.Width-1)
	}
	fmt.Fprint(l.screen.Writer, l.screen.Paint(terminal.Cyan, line))
}

func (l *liveLine) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = ""
	l.clear()
}
