package project

// Relation is a name in the warehouse as parts: catalog, schema, identifier (as few as are known). Parts are data, never quoted, in the case
// that the manifest gives them; Key folds.
type Relation struct {
	Parts []string
}

// IsZero tells whether there is no relation.
func (r Relation) IsZero() bool { return len(r.Parts) == 0 }

// Key is the canonical name of the relation: each part with ASCII letters in lower case, joined by dots; a part that holds anything but a-z,
// 0-9, _, $ and bytes beyond ASCII is put in double quotes, quotes inside doubled. Equal keys are the same relation on both dialects.
func (r Relation) Key() string { return Key(r.Parts) }

// Key is the canonical name of a relation given by its parts; see Relation.Key.
func Key(parts []string) string {
	n := 0
	for _, p := range parts {
		n += len(p) + 1
	}
	b := make([]byte, 0, n+2)
	for i, p := range parts {
		if i > 0 {
			b = append(b, '.')
		}
		b = appendPart(b, p)
	}
	return string(b)
}

// Fold lowers the ASCII letters of s and leaves every other byte: how both dialects compare names.
func Fold(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; 'A' <= c && c <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if c := b[i]; 'A' <= c && c <= 'Z' {
					b[i] = c + 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

func appendPart(b []byte, p string) []byte {
	plain := p != ""
	for i := 0; i < len(p) && plain; i++ {
		c := p[i]
		plain = c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	if plain {
		return append(b, Fold(p)...)
	}
	b = append(b, '"')
	for i := 0; i < len(p); i++ {
		c := p[i]
		if c == '"' {
			b = append(b, '"')
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return append(b, '"')
}

// ParseName splits a relation as dbt prints it into its parts: quotes of either kind (`"` or backquote) are taken off and doubled ones undone.
// It reports false for anything that is no plain dotted name.
func ParseName(s string) ([]string, bool) {
	var parts []string
	for {
		if s == "" {
			return nil, false
		}
		var part []byte
		if q := s[0]; q == '"' || q == '`' {
			i, closed := 1, false
			for i < len(s) {
				if s[i] == q {
					if i+1 < len(s) && s[i+1] == q {
						part = append(part, q)
						i += 2
						continue
					}
					closed = true
					i++
					break
				}
				part = append(part, s[i])
				i++
			}
			if !closed {
				return nil, false
			}
			s = s[i:]
		} else {
			i := 0
			for i < len(s) && s[i] != '.' {
				if c := s[i]; c == '"' || c == '`' || c == '\'' || c == '(' || c == ')' || c <= ' ' {
					return nil, false
				}
				i++
			}
			part = append(part, s[:i]...)
			s = s[i:]
		}
		if len(part) == 0 {
			return nil, false
		}
		parts = append(parts, string(part))
		if s == "" {
			return parts, true
		}
		if s[0] != '.' {
			return nil, false
		}
		s = s[1:]
	}
}
