package project

import (
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
		return appendString(b, v.str())
	case v.isArray():
		b = append(b, '[')
		v.items(func(x value) { b = appendCanon(b, x, ordered) })
		return append(b, ']')
	case v.isObject():
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
	v.fields(func(key []byte, val value) {
		k := string(key)
		if strings.IndexByte(k, '\\') >= 0 {
			k = string(appendUnescaped(nil, key))
		}
		fields = append(fields, field{k, val})
	})
	return fields
}

func sortFields(fields []field) {
	slices.SortStableFunc(fields, func(a, b field) int { return strings.Compare(a.key, b.key) })
}
