select
    id as ticket_id,
    order_id,
    topic,
    opened_at,
    closed_at,
    rating,
    closed_at is null as is_open
from {{ source('shop', 'tickets') }}
