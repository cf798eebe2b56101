select
    carrier_id,
    carrier_name,
    strftime(sent_at, '%Y-%m') as year_month,
    count(*) as shipments,
    count(*) filter (where is_late) as late_shipments,
    cast(100.0 * count(*) filter (where is_late) / count(*) as decimal(6, 2)) as late_percent,
    median(transit_hours) as median_hours
from {{ ref('int_shipment_promises') }}
group by all
