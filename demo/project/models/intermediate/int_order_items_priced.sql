-- One row an item, with what it sold for and what it cost.
select
    i.order_item_id,
    i.order_id,
    i.product_id,
    i.quantity,
    i.discount_percent,
    cast(i.quantity * i.unit_price as decimal(14, 2)) as gross_amount,
    cast(i.quantity * i.unit_price * (100 - i.discount_percent) / 100 as decimal(14, 2)) as net_amount,
    cast(i.quantity * p.unit_cost as decimal(14, 2)) as cost_amount
from {{ ref('stg_order_items') }} as i
inner join {{ ref('stg_products') }} as p
    on p.product_id = i.product_id
