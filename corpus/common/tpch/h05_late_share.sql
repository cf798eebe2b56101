-- The share of lines that come late, by mode and month, with the mean over three months.
with monthly as (
    select
        l_shipmode,
        date_trunc('month', l_receiptdate) as month,
        avg(case when l_receiptdate > l_commitdate then 1.0 else 0.0 end) as late_share
    from lineitem
    group by 1, 2
)
select
    l_shipmode, month, late_share,
    avg(late_share) over (partition by l_shipmode order by month rows between 2 preceding and current row) as smoothed
from monthly
qualify row_number() over (partition by l_shipmode order by month desc) <= 24
order by l_shipmode, month
