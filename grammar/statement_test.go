package grammar

import (
	"errors"
	"flag"
	"os"
	"regexp"
	"slices"
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
		{Databricks, "update t set a", "1:15: expected \"=\", found end of text"},
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

// TestKnownGaps compares what is read wrongly with testdata/known_gaps.txt, which says why: a line that is needed no more
// has to go, and a new gap is a failure.
func TestKnownGaps(t *testing.T) {
	reasons := map[string]string{}
	raw, err := os.ReadFile("testdata/known_gaps.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(raw), "\n") {
		if id, reason, ok := strings.Cut(line, " "); ok && id != "#" {
			reasons[id] = reason
		}
	}
	check := func(c *sharedCase, want bool) {
		_, err := Parse(c.SQL, c.dialect())
		reason, known := reasons[c.ID]
		delete(reasons, c.ID)
		switch wrong := (err == nil) != want; {
		case wrong && !known:
			t.Errorf("%s: should parse: %v; %v\n\t%.200s", c.ID, want, err, strings.ReplaceAll(c.SQL, "\n", "\\n"))
		case !wrong && known:
			t.Errorf("%s is read right now; its line has to go: %s", c.ID, reason)
		}
	}
	for _, c := range readShared(t, "cases/accept.jsonl") {
		if !c.Optional {
			check(&c, true)
		}
	}
	for _, c := range readShared(t, "cases/reject.jsonl") {
		if !c.ByPEG {
			check(&c, false)
		}
	}
	for _, d := range []Dialect{Databricks, DuckDB} {
		for _, c := range readShared(t, "oracle/"+d.String()+".jsonl") {
			c.Dialect = d.String()
			verdict := c.Parses
			if d == Databricks {
				verdict = c.SparkParses
			}
			want := verdict != nil && *verdict || c.Documented
			if !want && (c.Newer || c.PEG || !strings.HasPrefix(c.Error, "Parser Error") && !strings.HasPrefix(c.Error, "PARSE_SYNTAX")) {
				continue
			}
			check(&c, want)
		}
	}
	for id := range reasons {
		t.Errorf("%s is no known text", id)
	}
}

// TestDatabricksStatements is TestDuckStatements for Databricks.
func TestDatabricksStatements(t *testing.T) { runStatements(t, Databricks) }

// TestGrammarGolden keeps the grammar of all statements as participle renders it, so that a change of a tag is seen. It is
// written anew by -rewrite.
func TestGrammarGolden(t *testing.T) {
	var b strings.Builder
	for _, k := range []struct {
		name  string
		kinds kinds
	}{{"Databricks", sparkKinds}, {"DuckDB", duckKinds}} {
		names := map[string][]string{}
		for first, kind := range k.kinds {
			text := kind.ebnf()
			names[text] = append(names[text], first)
		}
		var texts []string
		for text, list := range names {
			slices.Sort(list)
			texts = append(texts, "(* "+k.name+": "+strings.Join(list, ", ")+" *)\n"+strings.TrimSpace(text)+"\n\n")
		}
		slices.Sort(texts)
		b.WriteString(strings.Join(texts, ""))
	}
	got := strings.TrimRight(b.String(), "\n") + "\n"
	if f := flag.Lookup("rewrite"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile("grammar.ebnf", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("grammar.ebnf")
	if err != nil || string(want) != got {
		t.Errorf("grammar.ebnf is another grammar (%v); look at the difference after go test -run TestGrammarGolden -args -rewrite", err)
	}
}

// statementNests are statements around something that nests.
var statementNests = []struct {
	d                                   Dialect
	before, open, inner, closing, after string
}{
	{Databricks, "", "begin ", "select 1", "; end", ""},
	{Databricks, "begin ", "if a then ", "select 1; ", "end if; ", "end"},
	{Databricks, "begin ", "case when a then ", "select 1; ", "end case; ", "end"},
	{Databricks, "begin ", "while a do ", "select 1; ", "end while; ", "end"},
	{Databricks, "begin ", "repeat ", "select 1; ", "until a end repeat; ", "end"},
	{Databricks, "begin ", "loop ", "leave x; ", "end loop; ", "end"},
	{Databricks, "begin ", "for select 1 do ", "select 1; ", "end for; ", "end"},
	{Databricks, "", "explain ", "select 1", "", ""},
	{Databricks, "create table t (a ", "array<", "int", ">", ")"},
	{Databricks, "create table t (a ", "struct<f: ", "int", ">", ")"},
	{Databricks, "create table t (a int default ", "(", "1", ")", ")"},
	{Databricks, "create view v as ", "(", "select 1", ")", ""},
	{Databricks, "create view v as select ", "(select ", "1", ")", ""},
	{Databricks, "create function f() returns int return ", "f(", "1", ")", ""},
	{Databricks, "insert into t ", "(", "select 1", ")", ""},
	{Databricks, "insert into t values (", "(", "1", ")", ")"},
	{Databricks, "update t set a = ", "case when b then ", "1", " end", ""},
	{Databricks, "delete from t where ", "not ", "a", "", ""},
	{Databricks, "merge into t using ", "(select * from ", "u", ")", " x on a = b when matched then delete"},
	{Databricks, "set var x = ", "(", "1", ")", ""},
	{Databricks, "call p(", "(", "1", ")", ")"},
	{Databricks, "declare x int default ", "f(", "1", ")", ""},
	{Databricks, "execute immediate ", "(", "'x'", ")", ""},
	{Databricks, "alter table t add column a ", "map<int, ", "int", ">", ""},
	{Databricks, "optimize t where ", "(", "a", ")", ""},
	{DuckDB, "create table t as ", "(", "select 1", ")", ""},
	{DuckDB, "create table t (a ", "struct(f ", "int", ")", ")"},
	{DuckDB, "create table t (a int", "[]", "", "", ")"},
	{DuckDB, "create table t (a int check (", "(", "a", ")", "))"},
	{DuckDB, "create macro m(a) as ", "[", "a", "]", ""},
	{DuckDB, "insert into t select ", "{'a': ", "1", "}", ""},
	{DuckDB, "update t set a = ", "- ", "1", "", ""},
	{DuckDB, "delete from t where ", "a in (", "1", ")", ""},
	{DuckDB, "merge into t using ", "(select * from ", "u", ")", " x on a = b when matched then delete"},
	{DuckDB, "copy (select ", "(", "1", ")", ") to 'x'"},
	{DuckDB, "set x = ", "(", "1", ")", ""},
	{DuckDB, "call f(", "(", "1", ")", ")"},
	{DuckDB, "pragma f(", "(", "1", ")", ")"},
	{DuckDB, "prepare p as select ", "(", "1", ")", ""},
	{DuckDB, "execute p(", "(", "1", ")", ")"},
	{DuckDB, "create index i on t (", "(", "a", ")", ")"},
	{DuckDB, "create type t as ", "struct(f ", "int", ")", ""},
}

// TestStatementDepth: the bound on nesting holds through statements, which participle parses.
func TestStatementDepth(t *testing.T) {
	for i, c := range statementNests {
		build := func(n int) string {
			return c.before + strings.Repeat(c.open, n) + c.inner + strings.Repeat(c.closing, n) + c.after
		}
		name := c.before + c.open
		if _, err := Parse(build(1000), c.d); err != nil {
			t.Errorf("%s, 1,000 levels: %v", name, err)
		}
		if err := checkLaws(build(50), c.d); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		deep := []int{MaxDepth + 1}
		if i%5 == 0 { // one text of each kind of recursion; the others would only take longer
			deep = append(deep, 1_000_000)
		}
		for _, n := range deep {
			_, err := Parse(build(n), c.d)
			var e *ParseError
			if !errors.As(err, &e) || !strings.Contains(e.Expected, "nests deeper") || e.Line != 1 || e.Column < MaxDepth/2 {
				t.Errorf("%s, %d levels: %.200v", name, n, err)
			}
		}
	}
}

// TestSeveralStatements: every statement of a text is read, and an error names the one that is wrong.
func TestSeveralStatements(t *testing.T) {
	f, err := Parse("create table t as select 1; grant select on t to `x`;; begin select 1; select 2; end; begin select 3; end; select 4", Databricks)
	if err != nil || len(f.Statements) != 5 {
		t.Fatal(err, f)
	}
	_, err = Parse("optimize t; optimize u; optimize", Databricks)
	var e *ParseError
	if !errors.As(err, &e) || e.Statement != 3 {
		t.Error(err)
	}
}
