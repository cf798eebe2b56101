package grammar

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestSharedStatements counts the texts of the shared cases that are no queries.
func TestSharedStatements(t *testing.T) {
	for _, d := range []Dialect{Databricks, DuckDB} {
		var accept, reject, laws tally
		one := func(c sharedCase, want bool) {
			if isQueryText(c.SQL) {
				return
			}
			if f := os.Getenv("HODOR_ONLY"); f != "" && !regexp.MustCompile(f).MatchString(c.SQL) {
				return
			}
			_, err := Parse(c.SQL, d)
			if want {
				c.Why = "ACCEPT"
				accept.count(t, err == nil, &c, err)
				if err == nil {
					err = checkLaws(c.SQL, d)
					c.Why = "LAWS"
					laws.count(t, err == nil, &c, err)
				}
			} else {
				c.Why = "REJECT " + c.Error
				reject.count(t, err != nil, &c, err)
			}
		}
		for _, c := range readShared(t, "cases/accept.jsonl") {
			if c.dialect() == d && !c.Optional {
				one(c, true)
			}
		}
		for _, c := range readShared(t, "cases/reject.jsonl") {
			if c.dialect() == d && !c.ByPEG {
				one(c, false)
			}
		}
		name := map[Dialect]string{Databricks: "oracle/databricks.jsonl", DuckDB: "oracle/duckdb.jsonl"}[d]
		for _, c := range readShared(t, name) {
			verdict := c.Parses
			if d == Databricks {
				verdict = c.SparkParses
			}
			want := verdict != nil && *verdict || c.Documented
			if !want && (c.Newer || c.PEG || !strings.HasPrefix(c.Error, "Parser Error") && !strings.HasPrefix(c.Error, "PARSE_SYNTAX")) {
				continue
			}
			one(c, want)
		}
		t.Logf("%s: accept %d of %d, reject %d of %d, laws %d of %d", d, accept.ok, accept.n, reject.ok, reject.n, laws.ok, laws.n)
	}
}
