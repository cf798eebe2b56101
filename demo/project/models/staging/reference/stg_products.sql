select
    p.product_id,
    p.sku,
    p.product_name,
    p.category,
    c.department,
    cast(p.list_price as decimal(12, 2)) as list_price,
    cast(p.unit_cost as decimal(12, 2)) as unit_cost,
    p.launched_on
from {{ ref('products') }} as p
inner join {{ ref('categories') }} as c
    on c.category = p.category
