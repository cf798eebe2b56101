select
    id as session_id,
    customer_id,
    started_at,
    cast(started_at as date) as session_date,
    channel,
    device
from {{ source('web', 'sessions') }}
