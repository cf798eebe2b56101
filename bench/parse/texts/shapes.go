package texts

import (
	"strconv"
	"strings"

	"hodor/grammar"
)

// Shape is a text that grows in one direction: Open, Inner, Close around n nested levels, or n repetitions where Close is
// empty.
type Shape struct {
	Name    string
	Dialect grammar.Dialect // those that read it
	// The text is Before, n times Open, Inner, n times Close, After.
	Before, Open, Inner, Close, After string
}

// Text returns the shape's text of size n. In Open, {n} stands for the number of the repetition.
func (s Shape) Text(n int) string {
	if strings.Contains(s.Open, "{n}") {
		var b strings.Builder
		b.WriteString(s.Before)
		for i := range n {
			b.WriteString(strings.ReplaceAll(s.Open, "{n}", strconv.Itoa(100_000+i)))
		}
		return b.String() + s.Inner + strings.Repeat(s.Close, n) + s.After
	}
	return s.Before + strings.Repeat(s.Open, n) + s.Inner + strings.Repeat(s.Close, n) + s.After
}

const (
	spark = grammar.Databricks
	duck  = grammar.DuckDB
	both  = spark | duck
)

// Shapes has what parsers are known to be worse than linear on: everything that opens with a parenthesis, long chains, lookahead
// that may run far, many definitions, long literals and comments.
var Shapes = []Shape{
	// nesting
	{"parentheses", both, "select ", "(", "1", ")", ""},
	{"scalar subqueries", both, "select ", "(select ", "1", ")", ""},
	{"derived tables", both, "select * from ", "(select * from ", "t", ")", ""},
	{"queries in parentheses", both, "", "(", "select 1", ")", ""},
	{"joins in parentheses", both, "select * from ", "(", "t join u using (a)", ")", ""},
	{"a derived table in parentheses", both, "select * from ", "(", "(select 1) x join u on true", ")", ""},
	{"unions in parentheses", both, "", "(select 1 union all ", "select 2", ")", ""},
	{"CTE in CTE", both, "", "with c as (", "select 1", ") select * from c", ""},
	{"calls", both, "select ", "f(", "1", ")", ""},
	{"calls over windows", both, "select ", "sum(", "1", ") over (partition by a)", ""},
	{"CASE", both, "select ", "case when a then ", "1", " else 2 end", ""},
	{"IN lists", both, "select ", "a in (", "1", ")", ""},
	{"EXISTS", both, "select 1 where ", "exists (select 1 where ", "true", ")", ""},
	{"NOT", both, "select ", "not ", "a", "", ""},
	{"minus", both, "select ", "- ", "a", "", ""},
	{"subscripts", both, "select a", "[1]", "", "", ""},
	{"casts", both, "select a", "::int", "", "", ""},
	{"array types", spark, "select cast(a as ", "array<", "int", ">", ")"},
	{"struct types", duck, "select a::", "struct(f ", "int", ")", ""},
	{"lambdas", spark, "select ", "f(a, x -> ", "x", ")", ""},
	{"rows before a lambda", spark, "select ", "f((a, ", "b", "))", ""},
	{"lists", duck, "select ", "[", "1", "]", ""},
	{"structs", duck, "select ", "{'a': ", "1", "}", ""},
	{"methods", duck, "select a", ".f(1)", "", "", ""},
	{"joins before their conditions", duck, "select * from t", " join t", "", " on true", ""},
	{"nested comments", both, "select 1 ", "/* a ", "", " */", ""},

	// chains
	{"AND", both, "select a", " and b", "", "", ""},
	{"AND and OR", both, "select a", " and b or c", "", "", ""},
	{"OR of comparisons", both, "select a", " or b = 1 and c <> 'x'", "", "", ""},
	{"concatenation", both, "select a", " || b", "", "", ""},
	{"arithmetic", both, "select 1", " + 2 * 3", "", "", ""},
	{"comparisons of DuckDB operators", duck, "select a", " == b || c", "", "", ""},
	{"arrows", duck, "select a", " -> 'b'", "", "", ""},
	{"text arrows", duck, "select a", " ->> 'b'", "", "", ""},
	{"UNION ALL", both, "select 1", " union all select 2", "", "", ""},
	{"UNION and INTERSECT", both, "select 1", " union select 2 intersect select 3", "", "", ""},
	{"joins", both, "select * from t", " left join u on t.a = u.a", "", "", ""},
	{"comma joins", both, "select * from t", ", u", "", "", ""},
	{"select items", both, "select 1", ", a.b as c", "", "", " from t"},
	{"items without AS", both, "select 1", ", a b", "", "", " from t"},
	{"arguments", both, "select f(1", ", a", "", "", ")"},
	{"IN", both, "select a in (1", ", 2", "", "", ")"},
	{"IN of strings", both, "select a in ('x'", ", 'y'", "", "", ")"},
	{"VALUES", both, "values (1, 'a')", ", (2, 'b')", "", "", ""},
	{"INSERT rows", both, "insert into t values (1, 'a')", ", (2, 'b')", "", "", ""},
	{"CASE branches", both, "select case when a then 1", " when b = 2 then 'x'", "", "", " end"},
	{"CTEs", both, "with c as (select 1)", ", d{n} as (select * from c)", "", "", " select 1"},
	{"GROUP BY", both, "select 1 group by a", ", b", "", "", ""},
	{"GROUPING SETS", both, "select 1 group by grouping sets ((a)", ", (b, c)", "", "", ")"},
	{"ORDER BY", both, "select 1 order by a", ", b desc nulls last", "", "", ""},
	{"PARTITION BY", both, "select sum(1) over (partition by a", ", b", "", "", ")"},
	{"windows", spark, "select 1 from t window w as (order by a)", ", w as (order by a)", "", "", ""},
	{"windows of one query", duck, "select 1 from t window w as (order by a)", ", w{n} as (order by a)", "", "", ""},
	{"references to a window", duck, "select 1", ", sum(a) over w", "", "", " from t window w as (order by b)"},
	{"references to a window far out", duck, "select ", "(select sum(a) over w + ", "1", " from t window v as ())", " from t window w as ()"},
	{"extended windows", duck, "select 1", ", sum(a) over (w rows 1 preceding)", "", "", " from t window w as (order by b)"},
	{"dotted names", both, "select a", ".b", "", "", ""},
	{"LATERAL VIEW", spark, "select * from t", " lateral view explode(a) x as y", "", "", ""},
	{"pipes", spark, "from t", " |> where a", "", "", ""},
	{"multi-insert", spark, "from t", " insert into u select a", "", "", ""},
	{"hints", spark, "select /*+ a(b)", ", c(d)", "", "", " */ 1"},
	{"intervals", spark, "select interval 1 day", " 2 hours", "", "", ""},
	{"strings side by side", spark, "select 'a'", " 'b'", "", "", ""},
	{"JSON paths", spark, "select a:b", ".c[0]", "", "", ""},
	{"strings on lines", duck, "select 'a'", "\n'b'", "", "", ""},
	{"prefix operators", duck, "select ", "~ ", "a", "", ""},
	{"postfix tests", duck, "select a", " is null", "", "", ""},
	{"COLLATE", both, "select a", " collate c", "", "", ""},

	// statements
	{"statements", both, "select 1", "; select 2", "", "", ""},
	{"table columns", both, "create table t (a int", ", b decimal(10, 2) not null", "", "", ")"},
	{"SET clauses", both, "update t set a = 1", ", b = c + 1", "", "", ""},
	{"MERGE clauses", both, "merge into t using u on t.a = u.a", " when matched and a = 1 then update set b = 2", "", "", ""},
	{"table properties", spark, "create table t (a int) tblproperties ('a' = 'b'", ", 'c' = 'd'", "", "", ")"},
	{"scripts", spark, "begin ", "select 1; ", "", "", "end"},
	{"IF in scripts", spark, "begin ", "if a then ", "select 1; ", "end if; ", "end"},
	{"struct fields", duck, "select {a: 1", ", b: 2", "", "", "}"},
	{"secrets and macros", duck, "create macro f(a) as a", ", (b) as b + 1", "", "", ""},

	// characters
	{"blanks", both, "select 1", "        ", "", "", ""},
	{"line comments", both, "select 1", " -- comment\n", "", "", ""},
	{"comments", both, "select 1", " /* comment */", "", "", ""},
	{"stars in a comment", both, "select 1 /*", "****", "", "", "*/"},
	{"a long string", both, "select '", "it''s ", "", "", "'"},
	{"a long name", both, "select ", "abcdefgh", "", "", ""},
	{"a long number", both, "select ", "1234567890", "", "", ""},
	{"a long word of operators", duck, "select a ", "<|>|", "", "", "| b"},
	{"minus signs apart", both, "select 1", " - -1", "", "", ""},
	{"dollar quotes", duck, "select $a$", "$ $b$ ", "", "", "$a$"},
	{"escapes", duck, "select e'", `\n\'`, "", "", "'"},
	{"wide letters", duck, "select ", "é日本", "", "", ""},
	{"carets", duck, "select a ", "^ b ", "", "", ""},
}
