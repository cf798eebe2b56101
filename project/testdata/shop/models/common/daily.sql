{{ config(materialized='incremental', unique_key='day') }}
select customer_id as day, sum(amount) as amount from {{ ref('orders') }}
{% if is_incremental() %}where customer_id >= (select max(day) from {{ this }}){% endif %} group by 1
