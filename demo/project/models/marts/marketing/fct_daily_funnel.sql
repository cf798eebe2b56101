{{ config(materialized='incremental', unique_key=['session_date', 'channel'], incremental_strategy='delete+insert') }}

select
    session_date,
    channel,
    count(*) as sessions,
    count(*) filter (where saw_product) as product_sessions,
    count(*) filter (where saw_cart) as cart_sessions,
    count(*) filter (where saw_checkout) as checkout_sessions,
    count(*) filter (where bought) as buying_sessions
from {{ ref('int_session_steps') }}
{% if is_incremental() %}
where session_date >= (select max(session_date) - interval 3 day from {{ this }})
{% endif %}
group by session_date, channel
