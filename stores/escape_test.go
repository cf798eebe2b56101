package stores

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEscapeText(t *testing.T) {
	for _, c := range []struct{ text, stored string }{
		{"", ""}, {"plain 'text' \\ \"q\"", "plain 'text' \\ \"q\""}, {"\x00", "␛0"}, {"a\x00\x00b", "a␛0␛0b"}, {"␛", "␛␛"}, {"␛0", "␛␛0"},
		{"\xff", "␛xff"}, {"\xc3(", "␛xc3("}, {"\xed\xa0\x80", "␛xed␛xa0␛x80"}, {"\ufffd", "\ufffd"}, {"\U0001F600", "\U0001F600"},
	} {
		if got := EscapeText(c.text); got != c.stored {
			t.Errorf("EscapeText(%q) = %q, want %q", c.text, got, c.stored)
		}
		if got, err := UnescapeText(c.stored); got != c.text || err != nil {
			t.Errorf("UnescapeText(%q) = %q, %v, want %q", c.stored, got, err, c.text)
		}
	}
	for _, bad := range []string{"␛", "a␛", "␛q", "␛x", "␛x1", "␛xg0", "␛xFF", "␛␛␛"} {
		if got, err := UnescapeText(bad); err == nil {
			t.Errorf("UnescapeText(%q) = %q without an error", bad, got)
		}
	}
}

func FuzzEscapeText(f *testing.F) {
	for _, s := range []string{"", "a", "\x00", "␛", "␛x41", "\xff␛\x00", "\xe2\x90", strings.Repeat("␛", 3)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		stored := EscapeText(s)
		if !utf8.ValidString(stored) || strings.ContainsRune(stored, 0) {
			t.Errorf("%q is stored as %q", s, stored)
		}
		if back, err := UnescapeText(stored); back != s || err != nil {
			t.Errorf("%q is stored as %q and comes back as %q, %v", s, stored, back, err)
		}
		if text, err := UnescapeText(s); err == nil && utf8.ValidString(s) && !strings.ContainsRune(s, 0) {
			if again, err := UnescapeText(EscapeText(text)); again != text || err != nil {
				t.Errorf("%q reads as %q and then as %q, %v", s, text, again, err)
			}
		}
	})
}
