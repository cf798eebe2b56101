select
    strftime(h.first_order_date, '%Y-%m') as cohort,
    date_diff('month', h.first_order_date, h.order_date) as months_later,
    count(distinct h.customer_id) as customers,
    sum(o.net_amount) as revenue
from {{ ref('int_customer_orders') }} as h
inner join {{ ref('fct_orders') }} as o
    on o.order_id = h.order_id
group by all
