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

// TestStatementErrors: the message names the place and what could stand there.
func TestStatementErrors(t *testing.T) {
	for _, c := range []struct {
		d    Dialect
		sql  string
		want string
	}{
		{Databricks, "optimize t zorder (a)", "1:19: expected BY, found ("},
		{Databricks, "create table t (a int,", "1:23: expected "},
		{Databricks, "merge into t using u when matched then delete", "1:22: expected ON, found when"},
		{Databricks, "insert into t", "1:14: expected "},
		{Databricks, "update t set a", "1:15: expected =, found end of text"},
		{Databricks, "update t set a = 1 + where b", "1:22: expected an expression, found where"},
		{Databricks, "comment on table t is 5", "1:23: expected NULL or a string, found 5"},
		{Databricks, "create widget w", "1:8: expected "},
		{Databricks, "select 1; grant select on t", "1:28: expected "},
		{Databricks, "merge into t using u on a = b when not matched then delete", "1:31: WHEN NOT MATCHED can only INSERT"},
		{DuckDB, "create table t (a)", "1:18: a column needs a type"},
		{DuckDB, "insert overwrite t select 1", "1:8: expected INTO, found overwrite"},
		{DuckDB, "copy t 'x.csv'", "1:8: expected "},
		{DuckDB, "attach", "1:7: expected "},
		{DuckDB, "create table t as select a,, from b", "1:28: expected an expression, found ,"},
	} {
		_, err := Parse(c.sql, c.d)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\n\tgot  %v\n\twant %s", c.sql, err, c.want)
		}
	}
}
