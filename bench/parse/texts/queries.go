package texts

import (
	"strconv"
	"strings"

	"hodor/grammar"
)

// Query is a query with n of something, each under a name of its own: what makes an analysis of names grow faster than its text.
type Query struct {
	Name    string
	Dialect grammar.Dialect // those that read it
	Text    func(n int) string
}

// numbered is a query of a first and a last part around n parts; {i} is the number of the part, {p} that of the one before.
func numbered(name string, d grammar.Dialect, first, part, last string) Query {
	return Query{name, d, func(n int) string {
		var b strings.Builder
		b.WriteString(first)
		for i := 1; i <= n; i++ {
			b.WriteString(put(part, i))
		}
		b.WriteString(put(last, n))
		return b.String()
	}}
}

// nested is a query in which part i opens, and closes behind those further in.
func nested(name string, d grammar.Dialect, first, open, inner, closing, last string) Query {
	return Query{name, d, func(n int) string {
		var b strings.Builder
		b.WriteString(first)
		for i := 1; i <= n; i++ {
			b.WriteString(put(open, i))
		}
		b.WriteString(put(inner, n))
		for i := n; i >= 1; i-- {
			b.WriteString(put(closing, i))
		}
		b.WriteString(last)
		return b.String()
	}}
}

// put writes the numbers into a part.
func put(part string, i int) string {
	return strings.NewReplacer("{i}", strconv.Itoa(i), "{p}", strconv.Itoa(i-1)).Replace(part)
}

// Queries are what analyses of names are known to be worse than linear on: everything that is looked up in, handed on through, or compared with a
// scope that grows.
var Queries = []Query{
	// common table expressions
	numbered("CTE chain", both, "with c0 as (select a, b from t)", ", c{i} as (select a, b + 1 as b from c{p})", " select * from c{i}"),
	numbered("CTE chain of stars", both, "with c0 as (select a, b, f() as c from t)", ", c{i} as (select *, {i} as n{i} from c{p})", " select a from c{i}"),
	numbered("CTE chain of stars over stars", both, "with c0 as (select * from t)", ", c{i} as (select * from c{p})", " select * from c{i}"),
	numbered("CTEs that are all read", both, "with c0 as (select 1 as a)", ", c{i} as (select a from c0)", " select a from c{i}"),
	numbered("CTEs that nobody reads", both, "with c0 as (select 1 as a)", ", c{i} as (select current_date as d)", " select a from c0"),
	nested("WITH in WITH", both, "", "with c{i} as (", "select 1 as a", ") select a from c{i}", ""),
	nested("WITH in FROM", both, "", "with c{i} as (select {i} as a) select * from (", "select * from c1", ") q{i}", ""),
	nested("WITH of one name in FROM", both, "", "with c as (select {i} as a) select * from (", "select * from c", ") q{i}", ""),
	numbered("recursive CTEs", both, "with recursive c0 as (select 1 as a)", ", c{i} as (select 1 as a union all select a + 1 from c{i} where a < 3)", " select * from c{i}"),

	// FROM clauses
	numbered("joins with ON", both, "select q0.id from t q0", " left join t q{i} on q{i}.id = q{p}.id", ""),
	numbered("joins with USING", both, "select id from t q0", " left join t q{i} using (id)", ""),
	numbered("joins with USING of subqueries", both, "select id from (select 1 as id) q0", " left join (select 1 as id, current_date as d{i}) q{i} using (id)", ""),
	numbered("joins with USING of columns of their own", both, "select * from t q0", " left join t q{i} using (c{i})", ""),
	numbered("natural joins", both, "select * from t q0", " natural join t q{i}", ""),
	numbered("natural joins of subqueries", both, "select * from (select 1 as id) q0", " natural join (select 1 as id, current_date as d{i}) q{i}", ""),
	numbered("semi joins", both, "select q0.id from t q0", " semi join t q{i} on q{i}.id = q0.id", ""),
	numbered("joins of one alias", both, "select x.id from t x", " cross join t x", ""),
	numbered("comma joins of tables of one name", both, "select t.a from t", ", s{i}.t", " where t.a = 1 and t.b = 2"),
	numbered("joins, and a column of each", both, "select 1 as k from t q0", " join t q{i} on q{i}.id = q0.id and id{i} = q{p}.v", ""),
	numbered("subqueries side by side", both, "select 1 as k from (select 0 as a0) q0", ", (select {i} as a{i}) q{i}", " where a1 = 1"),
	numbered("LATERAL subqueries", both, "select 1 as k from t q0", ", lateral (select q{p}.a as a) q{i}", ""),
	numbered("LATERAL VIEW of the one before", spark, "select 1 as k from t", " lateral view explode(x{p}) v{i} as x{i}", ""),
	numbered("UNNEST of the one before", duck, "select 1 as k from t q0", ", unnest(q{p}.l) q{i}(l)", ""),
	numbered("positional joins", duck, "select * from t q0", " positional join t q{i}", ""),
	numbered("PIVOT values", both, "select * from t pivot (sum(v) for k in (0", ", {i}", "))"),
	numbered("UNPIVOT columns", both, "select * from t unpivot (v for n in (c0", ", c{i}", "))"),
	nested("PIVOT in PIVOT", both, "", "select * from (", "select * from t", ") pivot (sum(v) for k in ({i}))", ""),

	// select lists
	numbered("a wide list", both, "select a", ", b{i} as c{i}", " from t"),
	numbered("a wide list of one column each", both, "select a", ", q.b{i}", " from t q"),
	numbered("lateral aliases", both, "select a as a0", ", a{p} + 1 as a{i}", " from t"),
	numbered("aliases all of one name", both, "select a as a", ", a + 1 as a", " from t"),
	numbered("aliases that all read the first", both, "select now() as a0", ", a0 as a{i}", " from t"),
	numbered("EXCLUDE", duck, "select * exclude (a", ", c{i}", ") from t"),
	numbered("EXCEPT", spark, "select * except (a", ", c{i}", ") from t"),
	numbered("EXCLUDE chain", duck, "with c0 as (select * from t)", ", c{i} as (select * exclude (a{i}) from c{p})", " select * from c{i}"),
	numbered("EXCEPT chain", spark, "with c0 as (select * from t)", ", c{i} as (select * except (a{i}) from c{p})", " select * from c{i}"),
	numbered("REPLACE", duck, "select * replace (a + 1 as a", ", c{i} + 1 as c{i}", ") from t"),
	numbered("RENAME", duck, "select * rename (a as b", ", c{i} as d{i}", ") from t"),
	numbered("COLUMNS", duck, "select columns('a')", ", columns('a{i}')", " from t"),
	numbered("stars", both, "select *", ", *", " from t, u"),
	numbered("stars of subqueries", both, "select q.*", ", q.*", " from (select 1 as a) q"),
	numbered("items without alias", both, "select a", ", f(a) + {i}", " from t"),
	numbered("volatile items", both, "select now() as a", ", now() as a{i}", " from t"),
	numbered("volatile items that a star reads", both, "select * from (select now() as a", ", now() as a{i}", " from t) q order by 1 limit 3"),
	numbered("windows of their own", both, "select 1 as a", ", sum(v) over (partition by k{i} order by d{i}) as s{i}", " from t"),
	numbered("windows by name", both, "select 1 as a", ", sum(v) over w as s{i}", " from t window w as (partition by k)"),

	// subqueries
	nested("correlated subqueries", both, "select 1 as k from t q0 where ", "exists (select 1 from t q{i} where q{i}.a = q{p}.a and ", "true", ")", ""),
	nested("correlated subqueries of the outermost", both, "select 1 as k from t q0 where ", "exists (select 1 from t q{i} where q{i}.a = q0.a and ", "true", ")", ""),
	nested("subqueries with bare names", both, "select 1 as k from t q0 where ", "exists (select 1 from t q{i} where a = b and ", "true", ")", ""),
	nested("subqueries with bare names from outside", both, "select 1 as k from (select 1 as a) q0 where ", "exists (select 1 from (select 1 as b) q{i} where a = b and ", "true", ")", ""),
	nested("IN subqueries", both, "select 1 as k from t where a in (", "select a from t q{i} where a in (", "1", ")", ")"),
	nested("scalar subqueries with tables", both, "select ", "(select max(q{i}.a) + ", "1", " from t q{i})", " as k"),
	nested("scalar subqueries without alias", both, "select ", "(select max(q{i}.a) + ", "1", " from t q{i})", ""),
	nested("derived tables with aliases", both, "select * from ", "(select q{i}.a from ", "t q{i}", ") q{p}", ""),
	nested("derived tables of stars", both, "select * from ", "(select *, {i} as n{i} from ", "t", ") q{i}", ""),
	numbered("subqueries in a list", both, "select 1 as k from t q where true", " and exists (select 1 from u q{i} where q{i}.a = q.a)", ""),
	numbered("subqueries in a list of one alias", both, "select 1 as k from t q where true", " and exists (select 1 from u q where q.a = q.b)", ""),

	// lambdas
	nested("nested lambdas", spark, "select ", "transform(l{i}, x{i} -> ", "x1 + x{i}", ")", " as k from t"),
	nested("nested lambdas of one name", spark, "select ", "transform(x, x -> ", "x", ")", " as k from t"),
	nested("nested lambdas that read the outermost", spark, "select ", "transform(x1, x{i} -> x1 + ", "x1", ")", " as k from t"),
	nested("nested lambdas that read a column", spark, "select ", "transform(a, x{i} -> a + ", "b", ")", " as k from t"),
	nested("nested lambdas with fields", spark, "select ", "transform(q.a, x{i} -> q.b + ", "q.c", ")", " as k from t q"),
	nested("nested lambdas of DuckDB", duck, "select ", "list_transform(l{i}, lambda x{i}: ", "x1 + x{i}", ")", " as k from t"),
	nested("nested lambdas of one name of DuckDB", duck, "select ", "list_transform(x, lambda x: ", "x", ")", " as k from t"),
	nested("nested lambdas that read a column of DuckDB", duck, "select ", "list_transform(a, lambda x{i}: a + ", "b", ")", " as k from t"),
	nested("nested arrows of DuckDB", duck, "select ", "list_transform(q.a, x{i} -> q.b + ", "q.c", ")", " as k from t q"),
	nested("nested comprehensions", duck, "select ", "[a + x{i} for x{i} in ", "l", "]", " as k from t"),
	numbered("parameters of one lambda", spark, "select f(a, (x0", ", x{i}", ") -> x0) as k from t"),
	numbered("lambdas side by side", spark, "select 0 as k", ", transform(a, x -> x + {i}) as k{i}", " from t"),

	// set operations and the rest
	numbered("a union of columns", both, "select a0, b0 from t", " union all select a{i}, b{i} from t", ""),
	numbered("a union of stars", both, "select * from t", " union all select * from t{i}", ""),
	numbered("a union of CTEs", both, "with c as (select 1 as a) select a from c", " union all select a from c", ""),
	numbered("a union of volatile calls", both, "select current_date as a", " union all select current_date", ""),
	numbered("a union that compares", both, "select current_date as a", " union select current_date", ""),
	numbered("a union by name", duck, "select 1 as a", " union all by name select {i} as a{i}", ""),
	numbered("a chain of INTERSECT", both, "select a from t", " intersect select a from t{i}", ""),
	numbered("GROUP BY of positions", both, "select a", ", b{i}", " from t group by 1"),
	numbered("ORDER BY of aliases", both, "select a as a0 from t order by a0", ", a{i}", ""),
	numbered("QUALIFY", both, "select a from t qualify row_number() over (order by a) = 1", " and a{i} = {i}", ""),
	numbered("pipes of columns", spark, "from t", " |> extend {i} as c{i}", ""),
	numbered("pipes of SET", spark, "from t", " |> set c = c + {i}", ""),
	numbered("pipes of joins", spark, "from t q0", " |> join t q{i} on q{i}.a = q0.a", ""),
	numbered("pipes of aggregates", spark, "from t", " |> aggregate sum(c{p}) as c{i} group by a", ""),
	numbered("pipes of AS", spark, "from t", " |> as q{i} |> select q{i}.a", ""),
	numbered("pipes of DROP", spark, "from (select 1 as a) q", " |> drop c{i}", ""),
	numbered("SELECTs over one source", spark, "from t q", " select q.a, {i} as b where q.a = {i}", ""),
	numbered("hints that name items", spark, "select /*+ broadcast(q", ", q{i}", ") */ q.a from t q"),
	numbered("functions of the user", both, "select 1 as k", ", f{i}(a) as k{i}", " from t"),
	numbered("tables", both, "select 1 as k from t0", " union all select 1 from s.t{i}", ""),
	numbered("methods of a column", duck, "select q.a", ", q.a.f{i}()", " from t q"),
	numbered("names like canonical ones", both, "select 1 as k", ", q.t{i} as c{i}", " from t q"),
	numbered("names of canonical form", both, "select 1 as k", ", q.a as _{i}, q.b as t1", " from t q"),
	nested("CASE in THEN", both, "select ", "case when a{i} = {i} then ", "now()", " else b{i} end", " as k from t"),
	nested("JSON paths in calls", spark, "select ", "f(v:a{i}, ", "1", ")", " as k from t"),
	nested("structs", spark, "select ", "struct(a{i}, ", "b", ")", " as k from t"),
	nested("structs without alias", spark, "select ", "struct(a{i}, ", "b", ")", " from t"),
	nested("structs of DuckDB without alias", duck, "select ", "{'a': q.a{i}, 'b': ", "q.b", "}", " from t q"),
	nested("calls without alias", both, "select ", "f(q.a{i}, ", "q.b", ")", " from t q"),
}

// Growing returns the shapes and the queries as one list.
func Growing() []Query {
	all := make([]Query, 0, len(Shapes)+len(Queries))
	for _, s := range Shapes {
		all = append(all, Query{s.Name, s.Dialect, s.Text})
	}
	return append(all, Queries...)
}
