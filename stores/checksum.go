package stores

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Sum returns the checksum of r: "1:" and the SHA-256, in hex, over all columns but the checksum in the order of the DDL. Each column enters as
//
//   - NULL
//     5:abcde        text as it is stored (EscapeText): its length in bytes, then the bytes
//     i42;           an integer
//
// so no two records share one input. The number in front names the list of columns: one that a later hodor adds joins version 2.
func (r *Record) Sum() string {
	buf := make([]byte, 0, 4096)
	for i := range Columns {
		c := &Columns[i]
		if c.Name == "checksum" {
			continue
		}
		switch v := c.Value(r).(type) {
		case nil:
			buf = append(buf, '-')
		case string:
			buf = strconv.AppendInt(buf, int64(len(v)), 10)
			buf = append(buf, ':')
			buf = append(buf, v...)
		case int64:
			buf = append(buf, 'i')
			buf = strconv.AppendInt(buf, v, 10)
			buf = append(buf, ';')
		}
	}
	sum := sha256.Sum256(buf)
	return "1:" + hex.EncodeToString(sum[:])
}

// ErrDamaged is wrapped by the errors of Check.
var ErrDamaged = errors.New("record is damaged")

// Check tells whether r can be trusted: its checksum is right and its JSON columns hold JSON. The error names a column, never a value.
func (r *Record) Check() error {
	if r.Checksum != r.Sum() {
		return fmt.Errorf("%w: wrong checksum", ErrDamaged)
	}
	for i := range Columns {
		c := &Columns[i]
		if !c.JSON {
			continue
		}
		if s := *c.field(r).(**string); s != nil && !json.Valid([]byte(*s)) {
			return fmt.Errorf("%w: column %s is no JSON", ErrDamaged, c.Name)
		}
	}
	return nil
}
