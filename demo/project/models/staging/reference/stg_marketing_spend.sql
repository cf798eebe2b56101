select
    spend_date,
    channel,
    cast(amount_eur as decimal(12, 2)) as spend,
    clicks
from {{ ref('marketing_spend') }}
