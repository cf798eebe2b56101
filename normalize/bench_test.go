package normalize

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkNormalize runs a model as dbt users write them.
func BenchmarkNormalize(b *testing.B) {
	sql := modelText(20)
	b.SetBytes(int64(len(sql)))
	b.ReportAllocs()
	for b.Loop() {
		Normalize(sql, Options{Dialect: DialectDatabricks, Replacer: NewReplacer("", "")})
	}
}

// BenchmarkTextHash runs the path of a settled node.
func BenchmarkTextHash(b *testing.B) {
	sql := modelText(20)
	r := NewReplacer(testInvocation, testStart)
	b.SetBytes(int64(len(sql)))
	for b.Loop() {
		TextHash(r.Replace(sql))
	}
}

// modelText is a model of n common table expressions.
func modelText(n int) string {
	var s strings.Builder
	s.WriteString("with source as (select * from `main`.`raw`.`orders`)")
	for i := range n {
		fmt.Fprintf(&s, ",\nstep_%d as (\n    select\n        s.id as id_%d,\n        cast(s.amount as decimal(10, 2)) as amount,\n        coalesce(s.status, 'unknown') as status,\n"+
			"        row_number() over (partition by s.customer_id order by s.updated_at desc) as rn,\n        case when s.amount > 100 then 'big' else 'small' end as size\n"+
			"    from source as s\n    left join `main`.`raw`.`customers` as c on c.id = s.customer_id\n    where s.amount is not null and s.status in ('a', 'b') -- only these\n)", i, i)
	}
	s.WriteString("\nselect * from step_0")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&s, "\nunion all select * from step_%d", i)
	}
	return s.String()
}
