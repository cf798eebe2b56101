{{ config(materialized='incremental', unique_key='order_date', incremental_strategy='delete+insert') }}

select
    order_date,
    count(*) as orders,
    sum(net_amount) as revenue,
    sum(margin) as margin
from {{ ref('fct_orders') }}
where order_status <> 'cancelled'
{% if is_incremental() %}
    -- Late orders arrive up to a week after their day.
    and order_date >= (select max(order_date) - interval 7 day from {{ this }})
{% endif %}
group by order_date
