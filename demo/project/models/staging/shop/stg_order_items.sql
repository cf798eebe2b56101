select
    id as order_item_id,
    order_id,
    product_id,
    quantity,
    {{ cents_to_euro('unit_price_cents') }} as unit_price,
    discount_percent
from {{ source('shop', 'order_items') }}
