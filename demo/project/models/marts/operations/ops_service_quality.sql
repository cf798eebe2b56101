-- Does a late parcel make an unhappy customer?
select
    p.carrier_name,
    p.is_late,
    count(*) as tickets,
    cast(sum(t.rating) / cast(count(*) as decimal(12, 2)) as decimal(6, 3)) as average_rating
from {{ ref('stg_tickets') }} as t
inner join {{ ref('int_shipment_promises') }} as p
    on p.order_id = t.order_id
where t.topic = 'delivery'
group by p.carrier_name, p.is_late
