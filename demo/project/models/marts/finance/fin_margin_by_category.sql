select
    p.department,
    p.category,
    sum(i.quantity) as units,
    sum(i.net_amount) as revenue,
    sum(i.net_amount - i.cost_amount) as margin,
    cast(100 * sum(i.net_amount - i.cost_amount) / sum(i.net_amount) as decimal(6, 2)) as margin_percent
from {{ ref('fct_order_items') }} as i
inner join {{ ref('dim_products') }} as p
    on p.product_id = i.product_id
where not i.is_returned
group by p.department, p.category
