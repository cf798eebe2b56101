package explain

import (
	"fmt"
	"strings"

	"hodor/internal/terminal"
	"hodor/stores"
)

// cell is short for the many pieces of a line.
func cell(style terminal.Style, format string, args ...any) terminal.Cell {
	return terminal.Cell{Text: fmt.Sprintf(format, args...), Style: style}
}

// Print writes the answer for people.
func (a *Answer) Print(s *terminal.Screen) {
	a.head(s)
	for _, n := range a.Nodes {
		s.Line()
		n.print(s, a.Against != "")
	}
}

// PrintBrief writes one line for each node.
func (a *Answer) PrintBrief(s *terminal.Screen) {
	a.head(s)
	s.Line()
	rows := make([][]terminal.Cell, 0, len(a.Nodes))
	for _, n := range a.Nodes {
		word, style := n.word()
		rows = append(rows, []terminal.Cell{cell(style, "%s", word), cell("", "%s", n.Reason), cell("", "%s", Name(n.UniqueID)), cell(terminal.Dim, "%s", n.first())})
	}
	s.Table([]terminal.Column{{Title: "DID"}, {Title: "REASON"}, {Title: "NODE", Shrink: true, Least: 20}, {Title: "EVIDENCE", Shrink: true, Least: 12}}, rows)
}

func (a *Answer) head(s *terminal.Screen) {
	s.Line(cell(terminal.Bold, "%s, target %s", a.Project, a.Target), cell("", ": %d built, %d reused", a.Built, a.Reused))
	s.Line(cell("", "invocation %s, %s, mode %s", a.Invocation, Time(a.FirstMS), a.Mode))
	if a.Against != "" {
		s.Line(cell("", "held against the builds of invocation %s", a.Against))
	}
}

// word is what was done with the node, in a colour.
func (n *Node) word() (string, terminal.Style) {
	switch {
	case n.Action == "reuse":
		return "reused", terminal.Green
	case n.Status == stores.Begun:
		return "began", terminal.Red
	case n.Status == "error" || n.Status == "fail":
		return "built", terminal.Red
	case n.Decision == "reuse":
		return "built", terminal.Cyan // shadow mode, or the host could not reuse
	}
	return "built", terminal.Yellow
}

// first is the evidence that says most.
func (n *Node) first() string {
	switch n.Reason {
	case "code_changed", "config_changed":
		for _, h := range n.Hashes {
			if !h.Same && h.Name == strings.TrimSuffix(n.Reason, "_changed")+"_hash" {
				return h.Name + " " + Short(h.Then) + " → " + Short(h.Now)
			}
		}
	case "target_modified", "relation_missing":
		for _, e := range n.Evidence {
			return e.What + ": " + then(e)
		}
	case "unsupported":
		return n.Why
	case "new_upstream_data", "volatile_sql", "unknown_upstream", "upstream_code_changed", "within_lag_tolerance":
		var moved []string
		for _, v := range n.Views {
			if !v.Same {
				moved = append(moved, "view "+v.Name)
			}
		}
		for _, u := range n.Upstreams {
			if u.State != Same {
				moved = append(moved, u.Name)
			}
		}
		if len(moved) > 1 {
			return fmt.Sprintf("%s and %d more", moved[0], len(moved)-1)
		}
		return strings.Join(moved, "")
	}
	if n.Then != nil && n.Decision == "reuse" {
		return "built " + Time(n.Then.BuiltMS)
	}
	return ""
}

// label is the width of the words in front of the lines of one node.
const label = "  %-13s"

func (n *Node) print(s *terminal.Screen, against bool) {
	word, style := n.word()
	s.Line(cell(terminal.Bold, "%s", n.UniqueID), cell(style, "  %s %s", strings.ToUpper(word), n.Reason))
	line := func(name string, style terminal.Style, format string, args ...any) {
		s.Wrapped(cell(terminal.Dim, label, name), cell(style, format, args...))
	}
	line("why", "", "%s", n.Means)
	if n.Why != "" {
		line("", "", "%s", n.Why)
	}
	if n.Decision == "reuse" && n.Action == "build" {
		line("", terminal.Cyan, "the rules say reuse; it was built all the same (shadow mode, or dbt could not reuse it)")
	}
	if n.Status == "error" || n.Status == "fail" || n.Status == "warn" {
		line("status", terminal.Red, "%s", n.Status)
	}
	if n.Status == stores.Begun {
		line("status", terminal.Red, "the run began to build it, and how that ended was never recorded: no earlier build counts, and the next run builds it")
	}
	if n.Damaged {
		line("damaged", terminal.Red, "this record does not pass its checksum: what follows may be wrong")
	}
	switch {
	case n.Then == nil:
		line("last build", "", "none that counts")
	default:
		line("last build", "", "%s, %s, invocation %s", Time(n.Then.BuiltMS), Duration(n.Then.BuildMS), n.Then.Invocation)
	}
	if against && n.Note != "" {
		line("that run", terminal.Cyan, "%s", n.Note)
	}
	for _, h := range n.Hashes {
		switch {
		case n.Then == nil:
			line(h.Name[:len(h.Name)-len("_hash")]+" hash", "", "%s", Short(h.Now))
		case h.Same:
			line(strings.ReplaceAll(h.Name, "_", " "), terminal.Dim, "%s, same", Short(h.Now))
		default:
			line(strings.ReplaceAll(h.Name, "_", " "), terminal.Yellow, "%s → %s", Short(h.Then), orUnknown(Short(h.Now)))
		}
	}
	for _, e := range n.Evidence {
		line(e.What, terminal.Yellow, "%s", then(e))
	}
	for i, v := range n.Views {
		what, style := "same", terminal.Dim
		if !v.Same {
			what, style = Short(v.Then)+" → "+orUnknown(Short(v.Now)), terminal.Yellow
			if n.Then == nil {
				what, style = Short(v.Now), terminal.Plain
			}
		}
		line(heading("views", i), style, "%s: %s", v.Name, what)
	}
	for i, u := range n.Upstreams {
		what, style := u.words(n.Then != nil)
		line(heading("upstreams", i), style, "%s: %s", u.Name, what)
	}
	if t := n.Tolerance; t != nil {
		left := Duration(t.LeftMS) + " left"
		if t.LeftMS < 0 {
			left = "ran out " + Duration(-t.LeftMS) + " before"
		}
		line("tolerance", "", "%s: the last build was %s old, %s", Duration(t.MS), Duration(t.AgeMS), left)
	}
	if n.RequireAll {
		line("waits for", "", "all of its upstreams (require_fresh_data_from)")
	}
	if n.Change != "" {
		line("changes it", "", "%s", n.Change)
	}
	if n.Cause != nil && len(n.Cause.Causes) > 0 {
		n.Cause.print(s)
	}
	if n.Lines != nil {
		n.Lines.print(s)
	}
}

func heading(name string, i int) string {
	if i > 0 {
		return ""
	}
	return name
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

func then(e Evidence) string {
	switch {
	case e.What == "target":
		return Difference(e.Then, e.Now)
	case e.Then == "" && e.Now == "":
		return "not known"
	}
	return orUnknown(e.Then) + " → " + orUnknown(e.Now)
}

// words say what became of an upstream.
func (u Upstream) words(compared bool) (string, terminal.Style) {
	at := ""
	if u.NowMS > 0 {
		at = " (" + Time(u.NowMS) + ")"
	}
	if !compared && u.State == New {
		return Token(u.Now) + at, terminal.Plain
	}
	switch u.State {
	case Same:
		return Token(u.Now) + at + ", same", terminal.Dim
	case Changed:
		if strings.HasPrefix(u.Name, "volatile:") {
			return u.Then + " → " + u.Now, terminal.Yellow
		}
		return Difference(u.Then, u.Now) + at, terminal.Yellow
	}
	return stateWords(u), terminal.Yellow
}

// print writes the tree of causes, and below it where it began.
func (c *Cause) print(s *terminal.Screen) {
	s.Line(cell(terminal.Dim, "  because of"))
	c.branches(s, "    ")
	roots := c.Roots()
	for i, r := range roots {
		if i == 8 {
			s.Line(cell(terminal.Dim, label, ""), cell("", "and %d more (--json has them all)", len(roots)-i))
			break
		}
		s.Wrapped(cell(terminal.Dim, label, heading("began with", i)), cell(terminal.Bold, "%s: %s", r.shown(), r.said()))
	}
}

func (c *Cause) branches(s *terminal.Screen, indent string) {
	for i, d := range c.Causes {
		mark, next := "├─ ", "│  "
		if i == len(c.Causes)-1 {
			mark, next = "└─ ", "   "
		}
		style := terminal.Plain
		if d.Kind == "source" {
			style = terminal.Yellow
		}
		s.Line(cell(terminal.Dim, "%s", indent+mark), cell(terminal.Bold, "%s", d.shown()), cell(style, "  %s", d.said()))
		d.branches(s, indent+next)
	}
}

// shown is the node's name, or the relation's where no node is known.
func (c *Cause) shown() string {
	if c.UniqueID != "" {
		return Name(c.UniqueID)
	}
	return c.Name
}

func (c *Cause) said() string {
	var b strings.Builder
	switch {
	case c.Reason != "":
		verb := "built"
		if c.Action == "reuse" {
			verb = "reused"
		}
		fmt.Fprintf(&b, "%s %s", verb, c.Reason)
	default:
		b.WriteString(c.What)
	}
	if c.Kind == "view" {
		b.WriteString(" (view)")
	}
	if c.AtMS > 0 {
		b.WriteString(", " + Time(c.AtMS))
	}
	if c.Invocation != "" {
		b.WriteString(", invocation " + c.Invocation)
	}
	if c.Again {
		b.WriteString(" (see above)")
	}
	return b.String()
}

func (l *Lines) print(s *terminal.Screen) {
	line := func(name string, style terminal.Style, format string, args ...any) {
		s.Wrapped(cell(terminal.Dim, label, name), cell(style, format, args...))
	}
	if len(l.Parted) > 0 {
		line("parted", terminal.Yellow, "%s", strings.ReplaceAll(strings.Join(l.Parted, ", "), "_", " "))
	}
	for i, p := range l.Literals {
		line(heading("literals", i), terminal.Yellow, "line %d, column %d: %s was another one at the last build", p.Line, p.Column, p.Text)
	}
	if l.Note != "" {
		line("note", "", "%s", l.Note)
	}
	for row := range strings.Lines(l.SQL) {
		row = strings.TrimRight(row, "\n")
		style := terminal.Dim
		switch {
		case strings.HasPrefix(row, "+"):
			style = terminal.Green
		case strings.HasPrefix(row, "-"):
			style = terminal.Red
		}
		if !strings.HasPrefix(row, "diff ") {
			s.Line(cell(style, "    %s", row))
		}
	}
}

// Reads lists what the node reads at first hand; see Reads.
func (n *Node) Reads() []string { return Reads(n.record) }

// Summary is the evidence in a few lines: what differs from the last build, or when that was.
func (n *Node) Summary() []string {
	out := []string{}
	if n.Why != "" {
		out = append(out, n.Why)
	}
	if n.Then == nil {
		return append(out, "no earlier build counts")
	}
	for _, h := range n.Hashes {
		if !h.Same {
			out = append(out, strings.ReplaceAll(h.Name, "_", " ")+": "+orUnknown(Short(h.Then))+" → "+orUnknown(Short(h.Now)))
		}
	}
	for _, e := range n.Evidence {
		out = append(out, e.What+": "+then(e))
	}
	for _, v := range n.Views {
		if !v.Same {
			out = append(out, "view "+v.Name+" has other code")
		}
	}
	for _, u := range n.Upstreams {
		if u.State != Same {
			words, _ := u.words(true)
			out = append(out, u.Name+": "+words)
		}
	}
	if t := n.Tolerance; t != nil && t.LeftMS > 0 {
		out = append(out, "lag_tolerance "+Duration(t.MS)+": "+Duration(t.LeftMS)+" left")
	}
	return append(out, "last build "+Time(n.Then.BuiltMS)+", "+Duration(n.Then.BuildMS))
}
