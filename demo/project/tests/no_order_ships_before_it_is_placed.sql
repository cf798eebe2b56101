select
    s.shipment_id,
    s.sent_at,
    o.ordered_at
from {{ ref('stg_shipments') }} as s
inner join {{ ref('stg_orders') }} as o
    on o.order_id = s.order_id
where s.sent_at < o.ordered_at
