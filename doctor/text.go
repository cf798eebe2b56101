package doctor

import "hodor/internal/terminal"

// Print writes the answer for people.
func (a *Answer) Print(s *terminal.Screen) {
	width := 0
	for _, f := range a.Findings {
		width = max(width, terminal.Len(f.Check))
	}
	pad := func(text string, width int) string {
		for terminal.Len(text) < width {
			text += " "
		}
		return text
	}
	style := map[string]terminal.Style{OK: terminal.Green, Warn: terminal.Yellow, Fail: terminal.Red, Skip: terminal.Dim}
	for _, f := range a.Findings {
		head := pad(f.State, 4) + "  " + pad(f.Check, width) + "  "
		s.Wrapped(terminal.Cell{Text: head, Style: style[f.State]}, terminal.Cell{Text: f.Detail})
		if f.Do != "" {
			s.Wrapped(terminal.Cell{Text: pad("", 6+width+2)}, terminal.Cell{Text: "→ " + f.Do, Style: terminal.Cyan})
		}
	}
	if len(a.Settings) == 0 {
		return
	}
	s.Line()
	rows := make([][]terminal.Cell, 0, len(a.Settings))
	for _, one := range a.Settings {
		shade := terminal.Plain
		if one.Source == "default" {
			shade = terminal.Dim
		}
		rows = append(rows, []terminal.Cell{{Text: one.Name, Style: shade}, {Text: one.Value, Style: shade}, {Text: one.Source, Style: shade}})
	}
	s.Table([]terminal.Column{{Title: "SETTING"}, {Title: "VALUE", Shrink: true, Least: 16}, {Title: "FROM", Shrink: true, Least: 16}}, rows)
}
