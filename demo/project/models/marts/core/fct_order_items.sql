select
    i.order_item_id,
    i.order_id,
    i.product_id,
    o.order_date,
    i.quantity,
    i.net_amount,
    i.cost_amount,
    r.returned_on,
    r.return_reason,
    r.order_item_id is not null as is_returned
from {{ ref('int_order_items_priced') }} as i
inner join {{ ref('stg_orders') }} as o
    on o.order_id = i.order_id
left join {{ ref('int_item_returns') }} as r
    on r.order_item_id = i.order_item_id
where o.order_status <> 'cancelled'
