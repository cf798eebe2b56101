select * from {{ ref('stg_orders') }}
