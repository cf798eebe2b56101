package grammar

import (
	"fmt"
	"strings"
	"testing"
)

// model is compiled SQL as dbt projects have it: CTEs, joins, CASE, windows, casts; about 4 KB.
func model(n int) string {
	var b strings.Builder
	b.WriteString("-- generated model\nwith\n")
	for i := range 3 {
		fmt.Fprintf(&b, `source_%d as (

    select
        id as order_%d_id,
        customer_id,
        cast(amount as decimal(18, 2)) / 100 as amount_usd, -- cents to dollars
        case
            when status in ('returned', 'return_pending') then 'returned'
            when status = 'completed' and shipped_at is not null then 'done'
            else coalesce(status, 'unknown')
        end as order_status,
        date_trunc('month', created_at) as order_month,
        row_number() over (partition by customer_id order by created_at desc, id) as rn,
        sum(amount) over (partition by customer_id order by created_at rows between unbounded preceding and current row) as running
    from analytics.staging.stg_orders_%d
    where created_at >= '2024-01-01' and (amount > 0 or is_test = false) and lower(country) not like 'x%%'

),

`, i, n, i)
	}
	b.WriteString(`joined as (
    select
        a.order_id,
        a.customer_id,
        b.first_name || ' ' || b.last_name as full_name,
        a.amount_usd * (1 - coalesce(c.discount, 0)) as net_amount,
        count(distinct a.order_id) filter (where a.order_status = 'done') as done_orders,
        max(case when a.rn = 1 then a.order_month end) as last_month
    from source_0 as a
    left join source_1 as b on a.customer_id = b.customer_id and b.rn = 1
    inner join source_2 as c using (customer_id)
    where a.amount_usd between 1 and 100000
    group by 1, 2, 3, 4
    having count(*) > 1
)

select * from joined
union all
select order_id, customer_id, full_name, net_amount, done_orders, last_month from archive
order by 1, net_amount desc nulls last
limit 1000
`)
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	for _, d := range []Dialect{Databricks, DuckDB} {
		b.Run(d.String(), func(b *testing.B) {
			sql := model(1)
			b.SetBytes(int64(len(sql)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(sql, d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLex(b *testing.B) {
	for _, d := range []Dialect{Databricks, DuckDB} {
		b.Run(d.String(), func(b *testing.B) {
			sql := model(1)
			b.SetBytes(int64(len(sql)))
			lx := new(scanner)
			for b.Loop() {
				lx.run(sql, d)
			}
		})
	}
}

func BenchmarkPrint(b *testing.B) {
	sql := model(1)
	f, err := Parse(sql, DuckDB)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(sql)))
	b.ReportAllocs()
	var buf []byte
	for b.Loop() {
		buf = AppendPrint(buf[:0], f, DuckDB)
	}
}
