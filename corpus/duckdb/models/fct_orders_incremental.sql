select
    o.order_id,
    o.customer_id,
    o.ordered_at,
    sum(p.amount) filter (where p.status = 'settled') as settled,
    list(distinct p.payment_method order by p.payment_method) as methods,
    max(p.paid_at) as last_paid_at
from "shop"."staging"."stg_orders" as o
left join "shop"."staging"."stg_payments" as p using (order_id)
where o.ordered_at > (select coalesce(max(ordered_at), timestamp '1900-01-01') from "shop"."main"."fct_orders")
group by all
