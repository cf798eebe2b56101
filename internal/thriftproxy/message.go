package thriftproxy

import (
	"encoding/binary"
	"errors"
)

// Types of values in Thrift's binary protocol.
const (
	typeBool   = 2
	typeByte   = 3
	typeDouble = 4
	typeI16    = 6
	typeI32    = 8
	typeI64    = 10
	typeString = 11
	typeStruct = 12
	typeMap    = 13
	typeSet    = 14
	typeList   = 15
)

var errMessage = errors.New("no message of Thrift's strict binary protocol")

// message is a call or its answer: the method's name and one struct. Only the fields that are asked for are looked into.
type message struct {
	method string
	head   []byte // everything before the struct
	body   structure
}

// field is one field of a struct, its value as it stands on the wire.
type field struct {
	id    int16
	kind  byte
	value []byte
}

type structure []field

// read parses a message.
func read(b []byte) (message, error) {
	if len(b) < 12 || b[0] != 0x80 || b[1] != 0x01 {
		return message{}, errMessage
	}
	n := int(binary.BigEndian.Uint32(b[4:]))
	if n > 64 || len(b) < 12+n {
		return message{}, errMessage
	}
	body, rest, err := readStructure(b[12+n:])
	if err != nil || len(rest) != 0 {
		return message{}, errMessage
	}
	return message{string(b[8 : 8+n]), b[:12+n], body}, nil
}

// bytes writes the message.
func (m message) bytes() []byte { return append(append([]byte{}, m.head...), m.body.bytes()...) }

func readStructure(b []byte) (structure, []byte, error) {
	var s structure
	for {
		if len(b) == 0 {
			return nil, nil, errMessage
		}
		if b[0] == 0 {
			return s, b[1:], nil
		}
		if len(b) < 3 {
			return nil, nil, errMessage
		}
		f := field{id: int16(binary.BigEndian.Uint16(b[1:])), kind: b[0]}
		n, err := size(f.kind, b[3:])
		if err != nil {
			return nil, nil, err
		}
		f.value = b[3 : 3+n]
		s = append(s, f)
		b = b[3+n:]
	}
}

// size is the number of bytes of the value of a type at the start of b.
func size(kind byte, b []byte) (int, error) {
	fixed := map[byte]int{typeBool: 1, typeByte: 1, typeI16: 2, typeI32: 4, typeI64: 8, typeDouble: 8}
	n, ok := fixed[kind]
	switch {
	case ok:
	case kind == typeString && len(b) >= 4:
		n = 4 + int(binary.BigEndian.Uint32(b))
	case kind == typeStruct:
		_, rest, err := readStructure(b)
		if err != nil {
			return 0, err
		}
		n = len(b) - len(rest)
	case kind == typeMap && len(b) >= 6:
		return sizes(b, 6, int(binary.BigEndian.Uint32(b[2:])), b[0], b[1])
	case (kind == typeSet || kind == typeList) && len(b) >= 5:
		return sizes(b, 5, int(binary.BigEndian.Uint32(b[1:])), b[0])
	default:
		return 0, errMessage
	}
	if n > len(b) {
		return 0, errMessage
	}
	return n, nil
}

// sizes is the number of bytes up to at, and of count times a value of each kind.
func sizes(b []byte, at, count int, kinds ...byte) (int, error) {
	for range count {
		for _, kind := range kinds {
			n, err := size(kind, b[at:])
			if err != nil {
				return 0, err
			}
			at += n
		}
	}
	return at, nil
}

func (s structure) bytes() []byte {
	var b []byte
	for _, f := range s {
		b = append(b, f.kind, byte(f.id>>8), byte(f.id))
		b = append(b, f.value...)
	}
	return append(b, 0)
}

// get returns the field of that id.
func (s structure) get(id int16, kind byte) ([]byte, bool) {
	for _, f := range s {
		if f.id == id && f.kind == kind {
			return f.value, true
		}
	}
	return nil, false
}

// set gives the field a value, or adds it.
func (s *structure) set(id int16, kind byte, value []byte) {
	for i := range *s {
		if (*s)[i].id == id {
			(*s)[i] = field{id, kind, value}
			return
		}
	}
	*s = append(*s, field{id, kind, value})
}

// add gives the field a value if it has none.
func (s *structure) add(id int16, kind byte, value []byte) {
	if _, ok := s.get(id, kind); !ok {
		s.set(id, kind, value)
	}
}

// within returns the struct in a field, and a function that puts it back.
func (s *structure) within(id int16) (*structure, func()) {
	raw, ok := s.get(id, typeStruct)
	if !ok {
		return nil, nil
	}
	inner, _, err := readStructure(raw)
	if err != nil {
		return nil, nil
	}
	return &inner, func() { s.set(id, typeStruct, inner.bytes()) }
}

func i32(v uint32) []byte { return binary.BigEndian.AppendUint32(nil, v) }

func str(v string) []byte { return append(i32(uint32(len(v))), v...) }

func text(value []byte) string { return string(value[4:]) }
