-- Every order that was not cancelled, with its place in the customer's history.
select
    order_id,
    customer_id,
    order_date,
    channel,
    row_number() over (partition by customer_id order by ordered_at, order_id) as order_number,
    min(order_date) over (partition by customer_id) as first_order_date
from {{ ref('stg_orders') }}
where order_status <> 'cancelled'
