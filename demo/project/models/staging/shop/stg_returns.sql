select
    id as return_id,
    order_item_id,
    returned_on,
    reason as return_reason
from {{ source('shop', 'returns') }}
