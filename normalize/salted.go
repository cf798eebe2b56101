package normalize

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
)

// SaltedLiterals are short salted hashes of a text's literals in order: enough to name one that changes on every run, without keeping it.
type SaltedLiterals struct {
	Salt   string   `json:"salt"`
	Hashes []string `json:"hashes"` // 8 hex digits each
}

// SaltLiterals hashes literals under a new salt; nil where there are none.
func SaltLiterals(list []Literal) *SaltedLiterals {
	if len(list) == 0 {
		return nil
	}
	var salt [8]byte
	if _, err := rand.Read(salt[:]); err != nil {
		return nil
	}
	s := &SaltedLiterals{Salt: hex.EncodeToString(salt[:]), Hashes: make([]string, len(list))}
	for i, lit := range list {
		s.Hashes[i] = s.hash(lit)
	}
	return s
}

// Changed returns the literals of a present text that are other ones than those hashed, in order; none if the texts do not have as many, since
// it is not known then which stands for which. A nil s has hashed none.
func (s *SaltedLiterals) Changed(now []Literal) []Literal {
	if s == nil || len(s.Hashes) != len(now) {
		return nil
	}
	var changed []Literal
	for i, lit := range now {
		if s.hash(lit) != s.Hashes[i] {
			changed = append(changed, lit)
		}
	}
	return changed
}

// hash is 32 bits: enough to see that a literal is another one, too few to find out which it was.
// What differs from run to run by itself is no other literal.
func (s *SaltedLiterals) hash(l Literal) string {
	text := l.stable
	if text == "" {
		text = l.Text
	}
	sum := sha256.Sum256([]byte(s.Salt + "\x00" + text))
	return hex.EncodeToString(sum[:4])
}
