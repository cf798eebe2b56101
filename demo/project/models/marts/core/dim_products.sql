select
    p.product_id,
    p.sku,
    p.product_name,
    p.category,
    p.department,
    p.list_price,
    p.unit_cost,
    p.list_price - p.unit_cost as unit_margin,
    coalesce(s.units, 0) as units_sold
from {{ ref('stg_products') }} as p
left join (
    select
        product_id,
        sum(quantity) as units
    from {{ ref('int_order_items_priced') }}
    group by product_id
) as s
    on s.product_id = p.product_id
