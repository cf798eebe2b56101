package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// The manifest of a large project has tens of megabytes, of which a few fields matter. stream walks it through a small buffer and hands out one
// entry at a time as raw bytes, with the places of its fields. It validates no more than it needs: Python's own encoder wrote the file. Whatever
// ends too early or does not nest is an error.

var errTruncated = errors.New("it ends in the middle of a value")

// stream reads one JSON document.
type stream struct {
	r    io.Reader
	buf  []byte
	i, n int // unread bytes are buf[i:n]
	err  error
}

func newStream(r io.Reader) *stream {
	size := int64(256 << 10)
	if f, ok := r.(*os.File); ok { // no more than a small manifest needs
		if info, err := f.Stat(); err == nil {
			size = min(size, max(info.Size(), 4<<10))
		}
	}
	return &stream{r: r, buf: make([]byte, size)}
}

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
		key, val := trim(e.raw[m.key:m.val-1]), trim(e.raw[m.val:m.end])
		if len(key) < 2 || key[0] != '"' || key[len(key)-1] != '"' || len(val) == 0 {
			return false
		}
		f(key[1:len(key)-1], val)
	}
	return true
}

func trim(b []byte) []byte {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] <= ' ' {
		b = b[:len(b)-1]
	}
	return b
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
			c := buf[i]
			if !structural[c] {
				i++
				continue
			}
			switch c {
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

// structural are the bytes outside strings that say where a value ends.
var structural = [256]bool{'"': true, ':': true, '{': true, '[': true, '}': true, ']': true, ',': true}
