package project

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// value is one JSON value as the bytes of the file; the empty value is an absent one.
type value []byte

func (v value) absent() bool { return len(v) == 0 }
func (v value) null() bool   { return len(v) == 0 || v[0] == 'n' }
func (v value) isObject() bool {
	return len(v) > 0 && v[0] == '{'
}
func (v value) isArray() bool  { return len(v) > 0 && v[0] == '[' }
func (v value) isString() bool { return len(v) > 0 && v[0] == '"' }

// empty tells whether the value says nothing: absent, null, "", [] or {}.
func (v value) empty() bool {
	if v.null() {
		return true
	}
	switch v[0] {
	case '"':
		return len(v) == 2
	case '[', '{':
		i := skipBlanks(v, 1)
		return i < len(v) && (v[i] == ']' || v[i] == '}')
	}
	return false
}

// boolean returns the value of true or false; ok is false for anything else.
func (v value) boolean() (val, ok bool) {
	switch string(v) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

// str decodes a string; "" for anything else. A lone surrogate, which Python can write, keeps its own three bytes, so that no two strings
// become one.
func (v value) str() string {
	if !v.isString() || len(v) < 2 {
		return ""
	}
	s := v[1 : len(v)-1]
	i := bytes.IndexByte(s, '\\')
	if i < 0 {
		return string(s)
	}
	return string(appendUnescaped(make([]byte, 0, len(s)), s))
}

func appendUnescaped(out, s []byte) []byte {
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 || i+1 >= len(s) {
			return append(out, s...)
		}
		out = append(out, s[:i]...)
		c := s[i+1]
		s = s[i+2:]
		switch c {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			r, ok := hex4(s)
			if !ok {
				out = append(out, '\\', 'u')
				continue
			}
			s = s[4:]
			if utf16.IsSurrogate(r) {
				if len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
					if low, ok := hex4(s[2:]); ok {
						if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
							out = utf8.AppendRune(out, full)
							s = s[6:]
							continue
						}
					}
				}
				out = append(out, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
				continue
			}
			out = utf8.AppendRune(out, r)
		default: // quote, backslash, slash
			out = append(out, c)
		}
	}
}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range s[:4] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

func skipBlanks(v []byte, i int) int {
	for i < len(v) && v[i] <= ' ' {
		i++
	}
	return i
}

// end returns the index after the value that starts at i (no blank), or -1 if it does not end.
func end(v []byte, i int) int {
	depth := 0
	for i < len(v) {
		switch c := v[i]; c {
		case '"':
			i++
			for {
				j := stringStop(v[i:])
				if j < 0 {
					return -1
				}
				i += j + 1
				if v[i-1] == '"' {
					break
				}
				i++
				if i > len(v) {
					return -1
				}
			}
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			if depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	if depth > 0 {
		return -1
	}
	return i
}

// after returns the index after the value that starts at i, as end does, with short ways for what a manifest is full of.
func after(v []byte, i int) int {
	if i >= len(v) {
		return -1
	}
	switch v[i] {
	case 'n', 't':
		if i+4 < len(v) && (v[i+4] == ',' || v[i+4] == '}') {
			return i + 4
		}
	case '[', '{':
		if i+1 < len(v) && v[i+1] == v[i]+2 {
			return i + 2
		}
	case '"':
		j := stringStop(v[i+1:])
		if j >= 0 && v[i+1+j] == '"' {
			return i + j + 2
		}
	}
	return end(v, i)
}

// fields calls f for each field of an object, in the order of the file; key is raw (between its quotes). It does nothing for other values, and
// reports false if the object does not nest.
func (v value) fields(f func(key []byte, val value)) bool {
	if !v.isObject() {
		return v.null()
	}
	i := skipBlanks(v, 1)
	for i < len(v) && v[i] != '}' {
		if v[i] == ',' {
			i = skipBlanks(v, i+1)
		}
		if i >= len(v) || v[i] != '"' {
			return false
		}
		e := after(v, i)
		if e < 0 {
			return false
		}
		key := v[i+1 : e-1]
		i = skipBlanks(v, e)
		if i >= len(v) || v[i] != ':' {
			return false
		}
		i = skipBlanks(v, i+1)
		if e = after(v, i); e <= i {
			return false
		}
		f(key, v[i:e])
		i = skipBlanks(v, e)
	}
	return true
}

// items calls f for each element of an array.
func (v value) items(f func(val value)) bool {
	if !v.isArray() {
		return v.null()
	}
	i := skipBlanks(v, 1)
	for i < len(v) && v[i] != ']' {
		if v[i] == ',' {
			i = skipBlanks(v, i+1)
		}
		e := end(v, i)
		if e <= i {
			return false
		}
		f(v[i:e])
		i = skipBlanks(v, e)
	}
	return true
}

// get returns the field of an object, absent if there is none.
func (v value) get(key string) value {
	var out value
	v.fields(func(k []byte, val value) {
		if string(k) == key {
			out = val
		}
	})
	return out
}

// strings decodes an array of strings; elements of another type are left out.
func (v value) strings() []string {
	var out []string
	v.items(func(val value) {
		if val.isString() {
			out = append(out, val.str())
		}
	})
	return out
}

// stringStop returns the place of the first quote or backslash in b, or -1. Most strings are short: eight bytes at a time finds their end sooner
// than a call does.
func stringStop(b []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(b) && i < 64; i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		q, e := w^(ones*'"'), w^(ones*'\\')
		if hit := ((q-ones)&^q | (e-ones)&^e) & highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	if i < 64 {
		for ; i < len(b); i++ {
			if b[i] == '"' || b[i] == '\\' {
				return i
			}
		}
		return -1
	}
	rest := b[i:]
	q := bytes.IndexByte(rest, '"')
	if q >= 0 {
		rest = rest[:q]
	}
	if e := bytes.IndexByte(rest, '\\'); e >= 0 {
		return i + e
	}
	if q < 0 {
		return -1
	}
	return i + q
}
