select
    s.shipment_id,
    s.order_id,
    s.carrier_id,
    c.carrier_name,
    s.sent_at,
    s.transit_hours,
    s.transit_hours > c.promised_days * 24 as is_late
from {{ ref('stg_shipments') }} as s
inner join {{ ref('carriers') }} as c
    on c.carrier_id = s.carrier_id
