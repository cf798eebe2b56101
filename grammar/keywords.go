package grammar

//go:generate go run hodor/tools/gen-keywords

// keyword is the number of a word that either dialect treats specially somewhere; noKeyword is any other word.
type keyword uint16

// class is the set of classes of a keyword. A word is no token kind of its own: the class only says where the word may
// stand as a name.
type class uint16

const (
	classDatabricks class = 1 << iota // in the keyword list of Databricks; nothing there is reserved
	classStrict                       // Databricks: no table alias
	classANSI                         // Databricks: reserved in ANSI reserved mode, which is not the default
	classReserved                     // DuckDB: a label only
	classColumnName                   // DuckDB: a column or table name, no function or type
	classFuncName                     // DuckDB: a function name
	classTypeName                     // DuckDB: a type name
	classUnreserved                   // DuckDB: a name of any kind
)

// duckWord has the classes that make a word a keyword in DuckDB.
const duckWord = classReserved | classColumnName | classFuncName | classTypeName | classUnreserved

func (k keyword) String() string { return keywordText[k] }

// in reports whether the keyword is in one of the classes.
func (k keyword) in(c class) bool { return keywordClass[k]&c != 0 }

// lookup returns the keyword that word spells in any case, given the case-blind hash of its bytes.
func lookup(word string, h uint32) keyword {
	h ^= h >> 11
	for {
		k := keywordSlots[h%uint32(len(keywordSlots))]
		if k == noKeyword || equalFold(word, keywordText[k]) {
			return k
		}
		h++
	}
}
