select
    rate_date,
    currency,
    cast(rate_to_eur as decimal(12, 6)) as rate_to_eur
from {{ ref('exchange_rates') }}
