package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// The manifest of a large project has tens of megabytes, of which a few fields matter. stream walks it through a small buffer and hands out one
// entry at a time as raw bytes; value walks an entry in memory without decoding what nobody asks for. Neither validates more than it needs:
// Python's own encoder wrote the file. Whatever ends too early or does not nest is an error.

var errTruncated = errors.New("it ends in the middle of a value")

// stream reads one JSON document.
type stream struct {
	r    io.Reader
	buf  []byte
	i, n int // unread bytes are buf[i:n]
	err  error
}

func newStream(r io.Reader) *stream { return &stream{r: r, buf: make([]byte, 256<<10)} }

// fill reads more; it reports false at the end of the input or on an error, which err then holds.
func (s *stream) fill() bool {
	for s.err == nil {
		n, err := s.r.Read(s.buf)
		s.i, s.n, s.err = 0, n, err
		if n > 0 {
			return true
		}
	}
	return false
}

func (s *stream) fail() error {
	if s.err == nil || errors.Is(s.err, io.EOF) {
		return errTruncated
	}
	return s.err
}

// next returns the next byte that is no blank without taking it.
func (s *stream) next() (byte, error) {
	for {
		for s.i < s.n {
			if c := s.buf[s.i]; c > ' ' {
				return c, nil
			}
			s.i++
		}
		if !s.fill() {
			return 0, s.fail()
		}
	}
}

func (s *stream) expect(want byte) error {
	c, err := s.next()
	if err != nil {
		return err
	}
	if c != want {
		return fmt.Errorf("expected %q, found %q", want, c)
	}
	s.i++
	return nil
}

// object calls f for each field of the object that comes next; f must take the value with take, skip or object.
func (s *stream) object(f func(key string) error) error {
	if err := s.expect('{'); err != nil {
		return err
	}
	raw := make([]byte, 0, 64)
	for first := true; ; first = false {
		c, err := s.next()
		if err != nil {
			return err
		}
		if c == '}' {
			s.i++
			return nil
		}
		if !first {
			if err := s.expect(','); err != nil {
				return err
			}
			if c, err = s.next(); err != nil {
				return err
			}
		}
		if c != '"' {
			return fmt.Errorf("expected a key, found %q", c)
		}
		if raw, err = s.take(raw[:0]); err != nil {
			return err
		}
		if err := s.expect(':'); err != nil {
			return err
		}
		if err := f(value(raw).str()); err != nil {
			return err
		}
	}
}

// take appends the raw bytes of the next value to dst.
func (s *stream) take(dst []byte) ([]byte, error) { return s.value(dst, nil) }

// skip drops the next value.
func (s *stream) skip() error {
	_, err := s.value(nil, nil)
	return err
}

// entry is one object of the manifest with the places of its fields, found on the way through the stream: a node needs no second pass.
type entry struct {
	raw   []byte
	marks []mark
}

// mark is one field of an entry: where its key begins (the quote), where its value begins and ends.
type mark struct{ key, val, end int }

// takeEntry reads the next value into e, whose memory is reused. marks are set for objects only.
func (s *stream) takeEntry(e *entry) error {
	e.marks = e.marks[:0]
	var err error
	e.raw, err = s.value(e.raw[:0], &e.marks)
	return err
}

// fields calls f for each field, as value.fields does.
func (e *entry) fields(f func(key []byte, val value)) bool {
	if len(e.raw) == 0 || e.raw[0] != '{' {
		return false
	}
	for _, m := range e.marks {
		key := bytes.TrimRight(e.raw[m.key:m.val-1], " \t\r\n")
		val := bytes.TrimSpace(e.raw[m.val:m.end])
		if len(key) < 2 || key[0] != '"' || key[len(key)-1] != '"' || len(val) == 0 {
			return false
		}
		f(key[1:len(key)-1], val)
	}
	return true
}

// value appends the next value to dst; a nil dst passes it over. marks collects the fields of an object.
func (s *stream) value(dst []byte, marks *[]mark) ([]byte, error) {
	switch c, err := s.next(); {
	case err != nil:
		return dst, err
	case c == '}' || c == ']' || c == ',' || c == ':':
		return dst, fmt.Errorf("expected a value, found %q", c)
	}
	keep := dst != nil
	depth, inString, escaped := 0, false, false
	var m mark
	base := len(dst) // of the value in dst
	for {
		buf := s.buf[s.i:s.n]
		i, done := 0, false
		at := len(dst) - base // place of buf in the value
	scan:
		for i < len(buf) {
			if inString {
				if escaped {
					escaped = false
					i++
					continue
				}
				j := stringStop(buf[i:])
				if j < 0 {
					i = len(buf)
					break
				}
				i += j + 1
				if buf[i-1] == '\\' {
					escaped = true
					continue
				}
				inString = false
				if depth == 0 {
					done = true
					break
				}
				continue
			}
			switch c := buf[i]; c {
			case '"':
				inString = true
				if depth == 1 && m.val == 0 {
					m.key = at + i
				}
			case ':':
				if depth == 1 {
					m.val = at + i + 1
				}
			case '{', '[':
				depth++
			case '}', ']', ',':
				if depth == 0 { // the end of a number or word
					done = true
					break scan
				}
				if depth == 1 {
					if marks != nil && m.val > 0 {
						m.end = at + i
						*marks = append(*marks, m)
					}
					m = mark{}
				}
				if c != ',' {
					depth--
					if depth == 0 {
						i++
						done = true
						break scan
					}
				}
			}
			i++
		}
		if keep {
			dst = append(dst, buf[:i]...)
		}
		s.i += i
		if done {
			return bytes.TrimRight(dst, " \t\r\n"), nil
		}
		if !s.fill() {
			return dst, s.fail()
		}
	}
}

// stringStop returns the place of the first quote or backslash in b, or -1. Most strings are short: they are not worth a call.
func stringStop(b []byte) int {
	for i, c := range b {
		if c == '"' || c == '\\' {
			return i
		}
		if i == 31 {
			break
		}
	}
	if len(b) <= 32 {
		return -1
	}
	q := bytes.IndexByte(b[32:], '"')
	rest := b[32:]
	if q >= 0 {
		rest = rest[:q]
	}
	if e := bytes.IndexByte(rest, '\\'); e >= 0 {
		return 32 + e
	}
	if q < 0 {
		return -1
	}
	return 32 + q
}

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
