{{ config(materialized='table', pre_hook="{{ log('building') }}",
          post_hook=["comment on table {{ this }} is 'orders'", {"sql": "insert into audit select count(*) from {{ ref('stg_orders') }}", "transaction": false}]) }}
{% call set_sql_header(config) %}set x = 1;{% endcall %}
select o.id, o.customer_id, o.amount * r.rate as amount from {{ ref('stg_orders') }} as o cross join {{ ref('rates') }} as r where r.code = 'x'
