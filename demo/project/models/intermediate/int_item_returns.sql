{{ config(materialized='ephemeral') }}

select
    order_item_id,
    min(returned_on) as returned_on,
    min(return_reason) as return_reason
from {{ ref('stg_returns') }}
group by order_item_id
