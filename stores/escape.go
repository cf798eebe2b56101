package stores

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// escape is U+241B, the visible symbol for "escape". A letter of no text that occurs in practice, so that what is stored equals the value in
// all but odd cases: a backslash instead would have to be doubled in every JSON text, and a user who reads the table with the JSON functions of
// the database would meet broken JSON.
const escape = "␛"

const hexDigits = "0123456789abcdef"

// EscapeText returns s in the form in which every store keeps it: valid UTF-8 without NUL. PostgreSQL can hold neither NUL nor
// broken UTF-8, and the same bytes on all stores make the same checksum.
//
//	NUL                    ␛0
//	a byte that is no part of valid UTF-8   ␛x and two hex digits
//	␛                      ␛␛
//
// All else stays as it is. UnescapeText is the reverse.
func EscapeText(s string) string {
	if strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) && !strings.Contains(s, escape) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(escape + "x")
			b.WriteByte(hexDigits[s[i]>>4])
			b.WriteByte(hexDigits[s[i]&15])
		case r == 0:
			b.WriteString(escape + "0")
		case s[i:i+size] == escape:
			b.WriteString(escape + escape)
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

var errEscape = errors.New("text is not escaped as hodor does")

// UnescapeText is the reverse of EscapeText. Text that EscapeText can't have written is an error.
func UnescapeText(s string) (string, error) {
	if !strings.Contains(s, escape) {
		return s, nil
	}
	var b strings.Builder
	for {
		plain, rest, found := strings.Cut(s, escape)
		b.WriteString(plain)
		if !found {
			return b.String(), nil
		}
		switch {
		case strings.HasPrefix(rest, "0"):
			b.WriteByte(0)
			s = rest[1:]
		case strings.HasPrefix(rest, escape):
			b.WriteString(escape)
			s = rest[len(escape):]
		case len(rest) >= 3 && rest[0] == 'x':
			high, low := strings.IndexByte(hexDigits, rest[1]), strings.IndexByte(hexDigits, rest[2])
			if high < 0 || low < 0 {
				return "", errEscape
			}
			b.WriteByte(byte(high<<4 | low))
			s = rest[3:]
		default:
			return "", errEscape
		}
	}
}
