package report

import (
	"fmt"
	"strings"

	"hodor/explain"
	"hodor/internal/terminal"
)

func cell(style terminal.Style, format string, args ...any) terminal.Cell {
	return terminal.Cell{Text: fmt.Sprintf(format, args...), Style: style}
}

// most is how many lines of each list the terminal shows; --json and the page have all.
const most = 15

// Print writes the report for people.
func (r *Report) Print(s *terminal.Screen) {
	t := r.Totals
	s.Line(cell(terminal.Bold, "%s, target %s", r.Project, r.Target), cell("", ": %s to %s, %s runs", day(r.SinceMS), day(r.UntilMS), explain.Count(int64(r.Runs))))
	if t.Built+t.Reused == 0 {
		s.Line(cell("", "no records in this time; --since names a longer one"))
		return
	}
	s.Line()
	width := 30
	if s.Width > 0 {
		width = max(10, min(60, s.Width-44))
	}
	all := float64(t.Built + t.Reused)
	line := func(word string, n int, style terminal.Style) {
		bar := terminal.Bar(float64(n), all, width)
		fill := strings.Repeat(" ", width-terminal.Len(bar))
		s.Line(cell("", "  %-7s", word), cell(style, "%s", bar), cell("", "%s %5.1f %%  %s", fill, 100*float64(n)/all, explain.Count(int64(n))))
	}
	line("reused", t.Reused, terminal.Green)
	line("built", t.Built, terminal.Yellow)
	s.Line()
	saved := fmt.Sprintf("%s of building saved", explain.Duration(t.SavedMS))
	if r.SavedMoney != nil {
		saved += fmt.Sprintf(", worth %.2f at %g an hour", *r.SavedMoney, *r.PricePerHour)
	}
	s.Wrapped(cell("", "  "), cell(terminal.Green, "%s", saved+fmt.Sprintf("; %s spent on builds", explain.Duration(t.SpentMS))))
	if t.WouldReuse > 0 {
		s.Wrapped(cell("", "  "), cell(terminal.Cyan, "shadow mode: %s builds would have been reused, %s of building", explain.Count(int64(t.WouldReuse)), explain.Duration(t.WouldSaveMS)))
	}
	if t.Failed > 0 {
		s.Line(cell(terminal.Red, "  %s builds or tests failed", explain.Count(int64(t.Failed))))
	}
	s.Line()
	r.printReasons(s)
	r.printMostBuilt(s)
	r.printUnstable(s)
	PrintFalse(s, r.FalseReuses)
}

func day(ms int64) string { return explain.Time(ms)[:len("2006-01-02")] }

func (r *Report) printReasons(s *terminal.Screen) {
	var rows [][]terminal.Cell
	largest := r.Reasons[0].Count
	for _, c := range r.Reasons {
		style, word := terminal.Yellow, "built"
		if c.Decision == "reuse" {
			style, word = terminal.Green, "reused"
		}
		rows = append(rows, []terminal.Cell{
			cell(style, "%s", word), cell("", "%s", c.Reason), cell("", "%s", explain.Count(int64(c.Count))),
			cell(style, "%s", terminal.Bar(float64(c.Count), float64(largest), 20)), cell("", "%s", explain.Duration(c.MS)),
		})
	}
	s.Table([]terminal.Column{{Title: "RULES SAID"}, {Title: "REASON"}, {Title: "NODES", Right: true}, {Title: ""}, {Title: "TIME", Right: true}}, rows)
	s.Line()
}

func (r *Report) printMostBuilt(s *terminal.Screen) {
	var rows [][]terminal.Cell
	for _, n := range r.Nodes {
		if n.Built == 0 || len(rows) == most {
			break
		}
		rows = append(rows, []terminal.Cell{
			cell("", "%s", explain.Name(n.UniqueID)), cell("", "%s", explain.Count(int64(n.Built))), cell("", "%s", explain.Count(int64(n.Reused))),
			cell("", "%s", explain.Duration(n.SpentMS)), cell(terminal.Dim, "%s", because(n)),
		})
	}
	if len(rows) == 0 {
		return
	}
	s.Line(cell(terminal.Bold, "what was built longest"))
	s.Table([]terminal.Column{
		{Title: "NODE", Shrink: true, Least: 20}, {Title: "BUILT", Right: true}, {Title: "REUSED", Right: true}, {Title: "TIME", Right: true},
		{Title: "BECAUSE OF", Shrink: true, Least: 16},
	}, rows)
	s.Line()
}

// because counts the reasons of a node's builds.
func because(n *Node) string {
	var words []string
	for _, c := range n.Reasons {
		words = append(words, fmt.Sprintf("%s %d", c.Reason, c.Count))
	}
	return strings.Join(words, ", ")
}

func (r *Report) printUnstable(s *terminal.Screen) {
	if len(r.Unstable) == 0 {
		return
	}
	s.Line(cell(terminal.Bold, "SQL that is another one on every run"))
	for i, m := range r.Unstable {
		if i == most {
			s.Line(cell("", "  and %d more (--json has them all)", len(r.Unstable)-most))
			break
		}
		s.Line(cell(terminal.Yellow, "  %s", explain.Name(m.UniqueID)), cell("", "  %d runs, %s of building", m.Runs, explain.Duration(m.SpentMS)))
		for j, p := range m.Places {
			if j == 3 {
				s.Line(cell("", "    and %d more places", len(m.Places)-3))
				break
			}
			s.Line(cell("", "    line %d, column %d: %s", p.Line, p.Column, p.Text))
		}
		if m.Note != "" {
			s.Wrapped(cell("", "    "), cell(terminal.Dim, "%s", m.Note))
		}
	}
	s.Line()
}

// PrintFalse writes the false reuses for people.
func PrintFalse(s *terminal.Screen, list []False) {
	var proven, open int
	for _, f := range list {
		if f.Provable {
			proven++
		} else {
			open++
		}
	}
	if proven == 0 {
		s.Line(cell(terminal.Green, "no false reuses"))
	} else {
		s.Line(cell(terminal.Red, "false reuses: %s", explain.Count(int64(proven))))
		s.Wrapped(cell("", "  "), cell("", "the rules said reuse, and the build of shadow mode changed something"))
	}
	shown := 0
	for _, f := range list {
		if !f.Provable {
			continue
		}
		if shown++; shown > most {
			s.Line(cell("", "  and %d more (--json has them all)", proven-most))
			break
		}
		s.Line(cell(terminal.Red, "  %s", f.UniqueID), cell("", "  %s, %s", f.Reason, explain.Time(f.RecordedMS)))
		s.Wrapped(cell("", "    "), cell("", "%s, invocation %s", difference(f), f.Invocation))
	}
	if open > 0 {
		s.Wrapped(cell("", ""), cell("", "%s more can't be proven: on Delta every build of a table is a new version, even of the same rows", explain.Count(int64(open))))
	}
}

func difference(f False) string {
	if strings.HasPrefix(f.UniqueID, "test.") {
		return f.Then + " → " + f.Now
	}
	return explain.Difference(f.Then, f.Now)
}
