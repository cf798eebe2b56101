package project

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
)

// Canonical bytes of JSON values, for hashing: every string decoded and length-prefixed, so that neither blanks nor the way an encoder escapes
// matter and no two values share their bytes. Numbers stay as written. Keys are sorted unless order is asked for (S21: a macro may walk a
// mapping in its order).

func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(append(b, 's'), uint64(len(s)))
	return append(b, s...)
}

func appendCanon(b []byte, v value, ordered bool) []byte {
	switch {
	case v.absent():
		return append(b, '-')
	case v.isString():
		if s := v[1 : len(v)-1]; bytes.IndexByte(s, '\\') < 0 {
			b = binary.AppendUvarint(append(b, 's'), uint64(len(s)))
			return append(b, s...)
		}
		return appendString(b, v.str())
	case v.isArray():
		b = append(b, '[')
		v.items(func(x value) { b = appendCanon(b, x, ordered) })
		return append(b, ']')
	case v.isObject():
		if v.empty() {
			return append(b, '{', '}')
		}
		fields := fieldList(v)
		if !ordered {
			sortFields(fields)
		}
		b = append(b, '{')
		for _, f := range fields {
			b = appendCanon(appendString(b, f.key), f.val, ordered)
		}
		return append(b, '}')
	}
	b = binary.AppendUvarint(append(b, 'n'), uint64(len(v)))
	return append(b, v...)
}

type field struct {
	key string
	val value
}

func fieldList(v value) []field {
	var fields []field
	v.fields(func(key []byte, val value) { fields = append(fields, field{keyName(key, KeyRule{}), val}) })
	return fields
}

func sortFields(fields []field) {
	slices.SortFunc(fields, func(a, b field) int { return strings.Compare(a.key, b.key) })
}

func sortedFields(v value) []field {
	fields := fieldList(v)
	sortFields(fields)
	return fields
}
