select
    order_id,
    sum(amount) as paid_amount,
    min(paid_at) as first_paid_at,
    count(*) filter (where payment_method = 'gift-card') > 0 as used_gift_card
from {{ ref('stg_payments') }}
group by order_id
