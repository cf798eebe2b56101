select
    o.order_id,
    o.customer_id,
    o.order_date,
    o.order_status,
    o.channel,
    o.ship_country,
    t.item_lines,
    t.units,
    t.gross_amount,
    t.net_amount,
    cast(t.net_amount * 100 / (100 + r.vat_percent) as decimal(14, 2)) as net_without_vat,
    t.net_amount - t.cost_amount as margin,
    cast(t.net_amount / r.rate_to_eur as decimal(14, 2)) as net_in_local_currency,
    coalesce(p.paid_amount, 0) as paid_amount,
    coalesce(p.used_gift_card, false) as used_gift_card
from {{ ref('stg_orders') }} as o
inner join {{ ref('int_order_totals') }} as t
    on t.order_id = o.order_id
inner join {{ ref('int_country_rates') }} as r
    on r.country_code = o.ship_country and r.rate_date = o.order_date
left join {{ ref('int_order_payments') }} as p
    on p.order_id = o.order_id
