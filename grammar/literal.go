package grammar

import (
	"strings"
	"unicode/utf8"
)

// decode returns the value of the string token t, joined pieces included.
func (p *parser) decode(t *token) string {
	s := p.src[t.start:t.end]
	switch {
	case t.flags&flagPlain != 0:
		return s[1 : len(s)-1]
	case t.flags&flagDollar != 0:
		n := strings.IndexByte(s[1:], '$') + 2
		return s[n : len(s)-n]
	case p.d.In(Databricks):
		if s[0]|0x20 == 'r' {
			return s[2 : len(s)-1]
		}
		return decodeSpark(s)
	}
	escapes := s[0]|0x20 == 'e'
	if s[0] != '\'' {
		s = s[1:]
	}
	value := decodeDuck(s, escapes)
	if escapes && (!utf8.ValidString(value) || strings.IndexByte(value, 0) >= 0) {
		p.refuse(t.start, "the escapes of this string make no text", "")
	}
	return value
}

// decodeSpark undoes the escapes of a Databricks string, quotes included. Spark 4 and its rules: a doubled quote is the
// quote; backslash 0, b, n, r, t, Z, u + 4 hex, U + 8 hex, three octal digits below 0200; % and _ keep their backslash; any
// other character stands for itself.
func decodeSpark(s string) string {
	q := s[0]
	s = s[1 : len(s)-1]
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == q {
			i++ // doubled
			b.WriteByte(q)
			continue
		}
		if c != '\\' || i+1 >= len(s) {
			b.WriteByte(c)
			continue
		}
		i++
		switch c = s[i]; {
		case c == 'u':
			if r, ok := hexRune(s, i+1, 4); ok {
				i += 4
				if low, ok := lowSurrogate(s, i+1); ok && loneSurrogates <= r && r < loneSurrogates+0x400 {
					r = (r-loneSurrogates)<<10 + low + 0x10000
					i += 6
				}
				b.WriteRune(r)
				continue
			}
			b.WriteByte(c)
		case c == 'U':
			if r, ok := hexRune(s, i+1, 8); ok {
				b.WriteRune(r)
				i += 8
				continue
			}
			b.WriteByte(c)
		case (c == '0' || c == '1') && i+2 < len(s) && isOctal(s[i+1]) && isOctal(s[i+2]):
			b.WriteByte((c-'0')<<6 | (s[i+1]-'0')<<3 | s[i+2] - '0')
			i += 2
		case c == '0':
			b.WriteByte(0)
		case c == 'b':
			b.WriteByte('\b')
		case c == 'n':
			b.WriteByte('\n')
		case c == 'r':
			b.WriteByte('\r')
		case c == 't':
			b.WriteByte('\t')
		case c == 'Z':
			b.WriteByte(0x1a)
		case c == '%' || c == '_':
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// decodeDuck undoes the doubled quotes, and the escapes if there are any, of a DuckDB string and its continuations.
func decodeDuck(s string, escapes bool) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; ; {
		i++ // the quote
		for i < len(s) {
			c := s[i]
			switch {
			case c == '\'':
				if i+1 < len(s) && s[i+1] == '\'' {
					b.WriteByte('\'')
					i += 2
					continue
				}
			case c == '\\' && escapes && i+1 < len(s):
				i = decodeEscape(&b, s, i+1)
				continue
			default:
				b.WriteByte(c)
				i++
				continue
			}
			break
		}
		i++ // the closing quote; a continuation follows behind blanks and line comments
		for i < len(s) && s[i] != '\'' {
			if s[i] == '-' {
				for i < len(s) && s[i] != '\n' && s[i] != '\r' {
					i++
				}
				continue
			}
			i++
		}
		if i >= len(s) {
			return b.String()
		}
	}
}

// decodeEscape writes what the escape at i, behind the backslash, stands for and returns the place behind it.
func decodeEscape(b *strings.Builder, s string, i int) int {
	c := s[i]
	switch c {
	case 'b':
		b.WriteByte('\b')
	case 'f':
		b.WriteByte('\f')
	case 'n':
		b.WriteByte('\n')
	case 'r':
		b.WriteByte('\r')
	case 't':
		b.WriteByte('\t')
	case 'x':
		v, n := 0, 0
		for n < 2 && i+1+n < len(s) && hexValue(s[i+1+n]) >= 0 {
			v = v<<4 | hexValue(s[i+1+n])
			n++
		}
		if n == 0 {
			b.WriteByte('x')
			return i + 1
		}
		b.WriteByte(byte(v))
		return i + 1 + n
	case 'u', 'U':
		n := 4
		if c == 'U' {
			n = 8
		}
		if r, ok := hexRune(s, i+1, n); ok {
			b.WriteRune(r)
			return i + 1 + n
		}
		b.WriteByte(c)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		v, n := 0, 0
		for n < 3 && i+n < len(s) && isOctal(s[i+n]) {
			v = v<<3 | int(s[i+n]-'0')
			n++
		}
		b.WriteByte(byte(v))
		return i + n
	default:
		b.WriteByte(c)
	}
	return i + 1
}

// lowSurrogate reads the escape of the second half of a surrogate pair at i and returns its ten bits.
func lowSurrogate(s string, i int) (rune, bool) {
	if i+6 > len(s) || s[i] != '\\' || s[i+1] != 'u' {
		return 0, false
	}
	r, ok := hexRune(s, i+2, 4)
	r -= loneSurrogates + 0x400
	return r, ok && 0 <= r && r < 0x400
}

func isOctal(c byte) bool { return '0' <= c && c <= '7' }

func hexValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// loneSurrogates is where halves of surrogate pairs, which Go strings can't hold, are kept: the end of the private planes.
const loneSurrogates = 0x10F800

// hexRune reads exactly n hex digits at i as a character. Halves of surrogate pairs have no character of their own; they
// are kept apart as private code points, so that different literals stay different.
func hexRune(s string, i, n int) (rune, bool) {
	if i+n > len(s) {
		return 0, false
	}
	v := int64(0)
	for _, c := range []byte(s[i : i+n]) {
		h := hexValue(c)
		if h < 0 {
			return 0, false
		}
		v = v<<4 | int64(h)
	}
	switch {
	case 0xD800 <= v && v < 0xE000:
		return rune(loneSurrogates + v - 0xD800), true
	case v > utf8.MaxRune:
		return 0, false
	}
	return rune(v), true
}

// stringLiteral parses a string and, in Databricks, the strings that follow it and are joined to it. The cursor is at a
// string.
func (p *parser) stringLiteral() *String {
	t := p.peek()
	if t.kind != kString || t.flags&flagDollar != 0 && p.d.In(Databricks) {
		p.fail("a string")
	}
	x := p.strings.new()
	x.Span = Span{t.start, t.end}
	x.Value = p.decode(t)
	p.i++
	if p.d.In(Databricks) {
		if p.at(kString) {
			p.joinStrings(x)
		}
		return x
	}
	if t.flags&flagPlain == 0 {
		switch p.src[t.start] | 0x20 {
		case 'x':
			x.Kind = StringHex
		case 'b':
			x.Kind = StringBit
		case 'n':
			x.Kind = StringNational
		}
	}
	return x
}

func (p *parser) joinStrings(x *String) {
	var b strings.Builder
	b.WriteString(x.Value)
	for p.at(kString) && p.peek().flags&flagDollar == 0 {
		b.WriteString(p.decode(p.peek()))
		x.End = p.peek().end
		p.i++
	}
	x.Value = b.String()
}

// number parses a numeric literal at the cursor.
func (p *parser) number() *Number {
	t := p.peek()
	x := p.numbers.new()
	x.Span = Span{t.start, t.end}
	x.Text = p.src[t.start:t.end]
	p.next()
	if p.d.In(Databricks) {
		p.splitSuffix(x)
	} else if p.at(kWord) && p.glued(0) && p.src[p.start()]|0x20 == 'e' {
		p.refuse(x.Start, "an exponent needs digits", "DuckDB's versions read such a number differently")
	}
	for i := 0; i < len(x.Text); i++ {
		switch x.Text[i] {
		case '.':
			x.Kind = NumberDecimal
		case 'e', 'E':
			x.Kind = NumberExponent
		}
	}
	return x
}

var suffixes = [...]string{"BD", "L", "S", "Y", "F", "D"}

func (p *parser) splitSuffix(x *Number) {
	if isDigit(x.Text[len(x.Text)-1]) || x.Text[len(x.Text)-1] == '.' {
		return
	}
	for _, s := range suffixes {
		if n := len(x.Text) - len(s); n > 0 && equalFold(x.Text[n:], s) {
			x.Text, x.Suffix = x.Text[:n], s
			return
		}
	}
}
