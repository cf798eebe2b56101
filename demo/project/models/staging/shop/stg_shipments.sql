select
    id as shipment_id,
    order_id,
    carrier as carrier_id,
    sent_at,
    delivered_at,
    date_diff('hour', sent_at, delivered_at) as transit_hours
from {{ source('shop', 'shipments') }}
