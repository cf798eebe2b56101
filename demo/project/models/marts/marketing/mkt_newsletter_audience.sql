select
    v.customer_id,
    c.email,
    v.segment,
    v.margin_decile
from {{ ref('mkt_customer_value') }} as v
inner join {{ ref('dim_customers') }} as c
    on c.customer_id = v.customer_id
where c.gets_newsletter and v.margin_decile <= 3
