select
    d.year_month,
    sum(r.orders) as orders,
    sum(r.revenue) as revenue,
    sum(r.margin) as margin,
    sum(case when d.is_weekend then r.revenue else 0 end) as weekend_revenue
from {{ ref('fct_daily_revenue') }} as r
inner join {{ ref('dim_dates') }} as d
    on d.date_day = r.order_date
group by d.year_month
