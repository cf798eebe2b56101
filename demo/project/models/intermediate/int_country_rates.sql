{{ config(materialized='view') }}

select
    c.country_code,
    r.rate_date,
    c.currency,
    c.vat_percent,
    r.rate_to_eur
from {{ ref('countries') }} as c
inner join {{ ref('stg_exchange_rates') }} as r
    on r.currency = c.currency
