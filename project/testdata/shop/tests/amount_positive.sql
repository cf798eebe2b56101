{{ config(severity='warn', store_failures=true) }}
select id from {{ ref('orders') }} where amount <= 0
