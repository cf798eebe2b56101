package terminal

import (
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// Style is the look of a piece of text, an SGR parameter; the zero value is plain.
type Style string

// The styles.
const (
	Plain  Style = ""
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
	Cyan   Style = "36"
)

// Screen is where the text goes.
type Screen struct {
	io.Writer
	// Width is the number of columns; 0: there is no limit, since it is no terminal.
	Width int
	// Colour: styles are written.
	Colour bool
}

// Choices of --color.
const (
	Auto   = "auto"
	Always = "always"
	Never  = "never"
)

// New looks at w. colour is a choice of --color; with Auto (or anything else) there is colour on a terminal, unless NO_COLOR is set or TERM is
// dumb. COLUMNS, where it is a number, is believed before the terminal, and gives a width to what is no terminal.
func New(w io.Writer, colour string) *Screen {
	s := &Screen{Writer: w, Colour: colour == Always}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			s.Width = width
		}
		s.Colour = s.Colour || colour != Never && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		s.Width = n
	}
	return s
}

// Paint returns text in a style.
func (s *Screen) Paint(style Style, text string) string {
	if !s.Colour || style == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[0m"
}

// Line writes one line, cut to the width.
func (s *Screen) Line(parts ...Cell) {
	var b strings.Builder
	left := s.Width
	for _, p := range parts {
		text := p.Text
		if s.Width > 0 {
			text = Cut(text, left)
			left -= Len(text)
		}
		b.WriteString(s.Paint(p.Style, text))
		if s.Width > 0 && left <= 0 {
			break
		}
	}
	_, _ = io.WriteString(s, strings.TrimRight(b.String(), " ")+"\n")
}

// Wrapped writes a text with a label in front: lines after the first begin below the text's beginning. Without a width it is one line.
func (s *Screen) Wrapped(label Cell, text Cell) {
	indent := strings.Repeat(" ", Len(label.Text))
	for i, line := range Wrap(text.Text, s.Width-len(indent)) {
		if i > 0 {
			label.Text = indent
		}
		s.Line(label, Cell{line, text.Style})
	}
}

// Cell is a piece of text in a style.
type Cell struct {
	Text  string
	Style Style
}

// Column is one column of a table.
type Column struct {
	Title string
	Right bool // numbers
	// Shrink: this column gives way where the table is wider than the screen; at least Least characters stay.
	Shrink bool
	Least  int
}

const gap = "  "

// Table writes rows below their titles. Where the screen is too narrow, columns that may shrink are cut, the widest first, and then the last
// columns are left out.
func (s *Screen) Table(columns []Column, rows [][]Cell) {
	widths := make([]int, len(columns))
	for i, c := range columns {
		widths[i] = Len(c.Title)
		for _, row := range rows {
			widths[i] = max(widths[i], Len(row[i].Text))
		}
	}
	shown := len(columns)
	if s.Width > 0 {
		shown = fit(columns, widths, s.Width)
	}
	write := func(cell func(i int) Cell) {
		parts := make([]Cell, 0, 2*shown)
		for i := range shown {
			c := cell(i)
			c.Text = Cut(c.Text, widths[i])
			fill := strings.Repeat(" ", widths[i]-Len(c.Text))
			if i > 0 {
				parts = append(parts, Cell{Text: gap})
			}
			if columns[i].Right {
				parts = append(parts, Cell{Text: fill}, c)
			} else {
				parts = append(parts, c, Cell{Text: fill})
			}
		}
		s.Line(parts...)
	}
	write(func(i int) Cell { return Cell{columns[i].Title, Bold} })
	for _, row := range rows {
		write(func(i int) Cell { return row[i] })
	}
}

// fit shrinks widths to a screen, the widest column first, and returns how many columns are shown.
func fit(columns []Column, widths []int, width int) int {
	shown := len(columns)
	for shown > 1 {
		total, widest := len(gap)*(shown-1), -1
		for i := range shown {
			total += widths[i]
			if c := columns[i]; c.Shrink && widths[i] > max(c.Least, 1) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		switch {
		case total <= width:
			return shown
		case widest < 0:
			shown--
		default:
			widths[widest]--
		}
	}
	return shown
}

// Len is the number of characters that a text takes.
func Len(text string) int { return utf8.RuneCountInString(text) }

// Cut shortens a text to n characters; the last is then an ellipsis.
func Cut(text string, n int) string {
	if Len(text) <= n {
		return text
	}
	if n <= 0 {
		return ""
	}
	return string([]rune(text)[:n-1]) + "…"
}

// Wrap breaks a text at blanks into lines of at most width characters; a word that is longer stands on a line of its own. A width below 20 is no
// limit.
func Wrap(text string, width int) []string {
	if width < 20 || Len(text) <= width {
		return []string{text}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case Len(line)+1+Len(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// Bar is a bar of at most width characters for part of whole, in eighths of a character.
func Bar(part, whole float64, width int) string {
	if whole <= 0 || part <= 0 || width <= 0 {
		return ""
	}
	eighths := int(part/whole*float64(width)*8 + 0.5)
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	if bar == "" {
		bar = "▏"
	}
	return bar
}
