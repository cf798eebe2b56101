select
    strftime(returned_on, '%Y-%m') as year_month,
    return_reason,
    count(*) as items,
    sum(net_amount) as refunded
from {{ ref('fct_order_items') }}
where is_returned
group by all
