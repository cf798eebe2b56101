package normalize

// Version is the hash version: the number of this package's algorithm, and part of every code hash. It is raised with every change that gives any text
// another canonical text, level, text hash or set of facts (TestHashes holds the hashes to that). Records of another version count as changed code: each node
// builds once.
const Version = "2"

// Levels of normalization (spec section 6).
const (
	LevelQualified = "qualified" // every pass ran, each name is bound or proven not resolvable without a schema
	LevelParsed    = "parsed"    // a pass gave up; Error says which
	LevelText      = "text"      // the SQL does not parse; nothing is known about it
)

// Result is what one text came to.
type Result struct {
	Level      string
	TextHash   string // 32 hex digits, XXH3-128 of the text after the per-run values are replaced
	CodeHash   string // 64 hex digits, SHA-256 over hash version, dialect, level and canonical text
	Normalized string
	Facts      Facts
	Error      *Error
	// Literals holds the literals of the text in order, for the salted hashes that name a literal which changes on each run.
	Literals []Literal
}

// Literal is one literal of a text: its bytes and its place (line and column, 1-based, in characters).
type Literal struct {
	Text         string
	Line, Column int

	stable string // Text after the per-run values are replaced; empty: Text has none
}

// Facts is what a query reads and how it behaves (docs/normalize.md). The zero value claims nothing is read; Unknown is the safe
// start.
type Facts struct {
	SelectStar bool       `json:"select_star"`
	Tables     [][]string `json:"tables"`
	Paths      []string   `json:"paths"`
	Opaque     []string   `json:"opaque"`
	Volatile   []Volatile `json:"volatile"`
	// Calls names the built-in functions that a DuckDB text calls, sorted: a user's macro may hide one (S8, MacroHides).
	Calls []string `json:"calls,omitempty"`
}

// Volatile is one call whose value is not determined by the data.
type Volatile struct {
	Function string `json:"function"`
	Kind     string `json:"kind"` // date, session, always
	Use      string `json:"use"`  // deciding, stamp
}

// Unknown returns the facts of a text that does not parse.
func Unknown() Facts {
	return Facts{
		SelectStar: true, Tables: [][]string{}, Paths: []string{}, Opaque: []string{"unparsed"},
		Volatile: []Volatile{{Function: "unparsed", Kind: "always", Use: "deciding"}},
	}
}

// Error says why a level was not reached.
type Error struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// Options describe the run that a text belongs to.
type Options struct {
	Dialect string // databricks, duckdb
	// Catalog and Schema are the defaults by which unqualified names resolve; empty: not known, names stay as written.
	Catalog, Schema string
	// InvocationID and RunStartedAt (UTC, RFC 3339 with microseconds) are this run's values, replaced by placeholders.
	InvocationID, RunStartedAt string
	// Replacer, if not nil, stands in for InvocationID and RunStartedAt: made once, it serves every text of a run.
	Replacer *Replacer
}
