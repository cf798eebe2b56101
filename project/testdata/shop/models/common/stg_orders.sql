select id, customer_id, amount, day from {{ source('raw', 'orders') }}
