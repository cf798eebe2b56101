-- The incremental table must hold what the orders say, late orders included.
select
    r.order_date,
    r.revenue,
    o.revenue as revenue_of_orders
from {{ ref('fct_daily_revenue') }} as r
inner join (
    select
        order_date,
        sum(net_amount) as revenue
    from {{ ref('fct_orders') }}
    where order_status <> 'cancelled'
    group by order_date
) as o
    on o.order_date = r.order_date
where r.revenue <> o.revenue
