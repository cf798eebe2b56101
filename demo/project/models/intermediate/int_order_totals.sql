select
    order_id,
    count(*) as item_lines,
    sum(quantity) as units,
    sum(gross_amount) as gross_amount,
    sum(net_amount) as net_amount,
    sum(cost_amount) as cost_amount
from {{ ref('int_order_items_priced') }}
group by order_id
