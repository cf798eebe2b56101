with history as (
    select
        customer_id,
        max(order_number) as orders,
        min(first_order_date) as first_order_date,
        max(order_date) as last_order_date
    from {{ ref('int_customer_orders') }}
    group by customer_id
)

select
    c.customer_id,
    c.customer_name,
    c.email,
    c.country_code,
    k.country_name,
    c.joined_on,
    c.gets_newsletter,
    coalesce(h.orders, 0) as orders,
    h.first_order_date,
    h.last_order_date,
    case
        when h.orders >= 5 then 'regular'
        when h.orders >= 2 then 'returning'
        when h.orders = 1 then 'new'
        else 'prospect'
    end as segment
from {{ ref('stg_customers') }} as c
inner join {{ ref('countries') }} as k
    on k.country_code = c.country_code
left join history as h
    on h.customer_id = c.customer_id
