-- What the weekly mail shows. The last column says which run wrote it: a value of each run's own, which is no change.
select
    m.year_month,
    m.orders,
    m.revenue,
    m.margin,
    coalesce(r.refunded, 0) as refunded,
    coalesce(t.tickets, 0) as tickets,
    '{{ invocation_id }}' as written_by_run
from {{ ref('fin_monthly_revenue') }} as m
left join (
    select
        year_month,
        sum(refunded) as refunded
    from {{ ref('fin_refunds') }}
    group by year_month
) as r
    on r.year_month = m.year_month
left join (
    select
        year_month,
        sum(tickets) as tickets
    from {{ ref('ops_ticket_trend') }}
    group by year_month
) as t
    on t.year_month = m.year_month
