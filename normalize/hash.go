package normalize

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/zeebo/xxh3"
)

// TextHash is the identity of a text whose per-run values are replaced (Replacer.Replace): XXH3-128 of its UTF-8 bytes, seed 0, as 32 hex
// digits, high half first, which is what Python's xxhash.xxh3_128_hexdigest prints.
func TextHash(replaced string) string {
	sum := xxh3.HashString128(replaced).Bytes()
	return hex.EncodeToString(sum[:])
}

// CodeHash is the identity of what a query means: SHA-256 over hash version, dialect, level and canonical text, 64 hex digits. Each part is
// preceded by its length, so that no two lists of parts give the same bytes.
func CodeHash(dialect, level, canonical string) string {
	h := sha256.New()
	buf := make([]byte, 0, 128)
	for _, part := range []string{Version, dialect, level} {
		buf = strconv.AppendInt(buf, int64(len(part)), 10)
		buf = append(buf, ':')
		buf = append(buf, part...)
	}
	buf = strconv.AppendInt(buf, int64(len(canonical)), 10)
	buf = append(buf, ':')
	h.Write(buf)
	var chunk [2048]byte
	for len(canonical) > 0 {
		n := copy(chunk[:], canonical)
		h.Write(chunk[:n])
		canonical = canonical[n:]
	}
	return hex.EncodeToString(h.Sum(nil))
}
