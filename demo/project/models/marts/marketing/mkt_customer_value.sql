select
    c.customer_id,
    c.segment,
    c.country_code,
    count(o.order_id) as orders,
    coalesce(sum(o.net_amount), 0) as revenue,
    coalesce(sum(o.margin), 0) as margin,
    ntile(10) over (order by coalesce(sum(o.margin), 0) desc, c.customer_id) as margin_decile
from {{ ref('dim_customers') }} as c
left join {{ ref('fct_orders') }} as o
    on o.customer_id = c.customer_id and o.order_status <> 'cancelled'
group by c.customer_id, c.segment, c.country_code
