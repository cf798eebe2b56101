package terminal

import (
	"bytes"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	columns := []Column{{Title: "NODE", Shrink: true, Least: 6}, {Title: "N", Right: true}, {Title: "WHY", Shrink: true, Least: 4}}
	rows := [][]Cell{{{Text: "a_long_name_of_a_node"}, {Text: "7"}, {Text: "new_upstream_data"}}, {{Text: "é"}, {Text: "1,000"}, {Text: ""}}}
	for width, want := range map[int]string{
		0:  "NODE                       N  WHY\na_long_name_of_a_node      7  new_upstream_data\né                      1,000\n",
		30: "NODE            N  WHY\na_long_na…      7  new_upstre…\né           1,000\n",
		19: "NODE        N  WHY\na_lon…      7  new…\né       1,000\n",
		13: "NODE        N\na_lon…      7\né       1,000\n",
		12: "NODE\na_lon…\né\n",
	} {
		var b bytes.Buffer
		s := &Screen{Writer: &b, Width: width}
		s.Table(columns, rows)
		if b.String() != want {
			t.Errorf("width %d:\n%s\nwant\n%s", width, &b, want)
		}
	}
}

func TestWrapAndCut(t *testing.T) {
	if got := Wrap("one two three four five six", 20); strings.Join(got, "|") != "one two three four|five six" {
		t.Errorf("%q", got)
	}
	if got := Wrap("one two three four five six", 0); len(got) != 1 {
		t.Errorf("without a width: %q", got)
	}
	for n, want := range map[int]string{0: "", 1: "…", 3: "ab…", 4: "abcd"} {
		if got := Cut("abcd", n); got != want {
			t.Errorf("Cut to %d: %q", n, got)
		}
	}
}

func TestBar(t *testing.T) {
	for part, want := range map[float64]string{0: "", 0.001: "▏", 1: "██", 0.5: "█", 0.5625: "█▏"} {
		if got := Bar(part, 1, 2); got != want {
			t.Errorf("Bar(%v) = %q, want %q", part, got, want)
		}
	}
	if Bar(1, 0, 10) != "" || Bar(1, 1, 0) != "" {
		t.Error("a bar of nothing")
	}
}

// Colour needs a terminal or --color always; a width needs a terminal or COLUMNS.
func TestNew(t *testing.T) {
	t.Setenv("COLUMNS", "")
	var b bytes.Buffer
	if s := New(&b, Auto); s.Colour || s.Width != 0 {
		t.Errorf("%+v", s)
	}
	if s := New(&b, Always); !s.Colour || s.Paint(Red, "x") != "\x1b[31mx\x1b[0m" {
		t.Errorf("%+v", s)
	}
	t.Setenv("COLUMNS", "140")
	if s := New(&b, Never); s.Colour || s.Width != 140 || s.Paint(Red, "x") != "x" {
		t.Errorf("%+v", s)
	}
}
