select /*+ broadcast(c) */
    o.order_id,
    c.customer_key,
    o.ordered_at,
    sum(o.amount) over (partition by c.customer_key order by o.ordered_at range between interval 30 days preceding and current row) as spent_30_days,
    first_value(o.channel) ignore nulls over (partition by c.customer_key order by o.ordered_at) as first_channel
from `main`.`staging`.`stg_orders` o
left join `main`.`marts`.`dim_customers` c on c.customer_id <=> o.customer_id and o.ordered_at between c.valid_from and coalesce(c.valid_to, timestamp '9999-12-31')
where o.ordered_at > (select max(ordered_at) from `main`.`marts`.`fct_orders`)
qualify row_number() over (partition by o.order_id order by o.updated_at desc) = 1
