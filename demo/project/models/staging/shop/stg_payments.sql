select
    id as payment_id,
    order_id,
    method as payment_method,
    {{ cents_to_euro('amount_cents') }} as amount,
    paid_at
from {{ source('shop', 'payments') }}
