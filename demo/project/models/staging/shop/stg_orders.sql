select
    id as order_id,
    customer_id,
    ordered_at,
    cast(ordered_at as date) as order_date,
    status as order_status,
    country as ship_country,
    channel
from {{ source('shop', 'orders') }}
