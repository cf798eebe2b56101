with visits as (
    select
        strftime(session_date, '%Y-%m') as year_month,
        channel,
        sum(sessions) as sessions,
        sum(buying_sessions) as buying_sessions
    from {{ ref('fct_daily_funnel') }}
    group by all
),

spend as (
    select
        strftime(spend_date, '%Y-%m') as year_month,
        channel,
        sum(spend) as spend,
        sum(clicks) as clicks
    from {{ ref('stg_marketing_spend') }}
    group by all
),

sales as (
    select
        strftime(order_date, '%Y-%m') as year_month,
        channel,
        sum(net_amount) as revenue
    from {{ ref('fct_orders') }}
    where order_status <> 'cancelled'
    group by all
)

select
    v.year_month,
    v.channel,
    v.sessions,
    v.buying_sessions,
    coalesce(s.spend, 0) as spend,
    coalesce(s.clicks, 0) as clicks,
    coalesce(r.revenue, 0) as revenue,
    cast(r.revenue / nullif(s.spend, 0) as decimal(12, 2)) as return_on_spend
from visits as v
left join spend as s
    on s.year_month = v.year_month and s.channel = v.channel
left join sales as r
    on r.year_month = v.year_month and r.channel = v.channel
