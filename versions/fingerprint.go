package versions

import (
	"regexp"
	"strings"
)

// The row hashes. Two rows that differ must not look equal in both sums, but DuckDB's hash() gives one value to many pairs that are not equal
// (measured on 1.5.6 and 2.0.1): 0.0 and -0.0; [] and [NULL] and NULL; [0] and [0, 0]; [[1], [2]] and [[1, 2]]; one month, thirty days and one day;
// a STRUCT of NULLs and NULL; HUGEINT 0 and -1 (its halves are combined by XOR), so DECIMAL beyond 18 digits, UUID and the result of sum()
// over integers as well; from 2.0 on also strings that a collation makes equal. So beside the value, the value's text enters as bytes, for every
// type but those that fit 64 bits, where hash() is one to one. For a string the bytes are enough. The text never stands alone: the one of a UNION
// loses its tag. In a VARIANT neither shows the type of what is inside: its table has no version.
//
// The second sum takes the columns in the other order, with another start, says of each column whether it is NULL (which is one value of
// hash() like any other), and has a byte in front of each text, so that two texts of one 64-bit hash don't meet twice.

// narrow are the types whose hash() is one to one: at most 64 bits, no two encodings of one value.
var narrow = map[string]bool{
	"BOOLEAN": true, "TINYINT": true, "SMALLINT": true, "INTEGER": true, "BIGINT": true,
	"UTINYINT": true, "USMALLINT": true, "UINTEGER": true, "UBIGINT": true,
	"DATE": true, "TIME": true, "TIMESTAMP": true, "TIMESTAMP_S": true, "TIMESTAMP_MS": true, "TIMESTAMP_NS": true,
	"TIMESTAMP WITH TIME ZONE": true,
}

var (
	narrowDecimal = regexp.MustCompile(`^DECIMAL\((?:[1-9]|1[0-8]),\d+\)$`)
	quotedInType  = regexp.MustCompile(`'(?:[^']|'')*'|"(?:[^"]|"")*"`)
	// A type named VARIANT ends at a comma, a bracket or the end; a field of that name is followed by its type.
	variantInType = regexp.MustCompile(`\bVARIANT(?:[,)\[]|$)`)
)

func hasVariant(typ string) bool {
	return strings.Contains(typ, "VARIANT") && variantInType.MatchString(quotedInType.ReplaceAllString(typ, ""))
}

// fingerprintSQL returns the statement that reads a table's row count and its two sums, each as text. A sum is NULL for an empty table. Columns of
// the answer have names, since DuckDB would give them their whole text as one.
func fingerprintSQL(t table) (string, error) {
	const hash = "system.main.hash"
	first := make([]string, 0, 2*len(t.list))
	second := []string{"'hodor 1'"}
	for i := range t.list {
		parts, err := columnParts(t.list[i], false)
		if err != nil {
			return "", err
		}
		first = append(first, parts...)
		if parts, err = columnParts(t.list[len(t.list)-1-i], true); err != nil {
			return "", err
		}
		second = append(second, parts...)
	}
	return "select system.main.count_star()::varchar as n, system.main.sum(" + hash + "(" + strings.Join(first, ", ") +
		"))::varchar as a, system.main.sum(" + hash + "(" + strings.Join(second, ", ") + "))::varchar as b from " +
		identifier(t.database) + "." + identifier(t.schema) + "." + identifier(t.name) + " as hodor_t", nil
}

// columnParts returns what of a column enters a row's hash, for the first sum or the second.
func columnParts(c column, second bool) ([]string, error) {
	if hasVariant(c.typ) {
		return nil, errVariant
	}
	ref := "hodor_t." + identifier(c.name)
	text := "system.main.encode(" + ref + "::varchar)"
	if second {
		// concat() takes NULL for an empty text, so NULL is said by itself.
		text = "system.main.encode(system.main.concat('~', " + ref + "::varchar)), " + ref + " is null"
	}
	switch {
	case narrow[c.typ] || narrowDecimal.MatchString(c.typ):
		if second {
			return []string{ref, ref + " is null"}, nil
		}
		return []string{ref}, nil
	case c.typ == "VARCHAR":
		return []string{text}, nil
	case c.typ == "BLOB" && !second:
		return []string{ref}, nil // the very bytes
	}
	return []string{ref, text}, nil
}
