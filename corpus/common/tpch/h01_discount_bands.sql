-- What each band of discount brings in, and how it grows over the quarters.
with lines as (
    select
        case
            when l_discount = 0 then 'none'
            when l_discount < 0.03 then 'small'
            when l_discount < 0.07 then 'middle'
            else 'large'
        end as band,
        date_trunc('quarter', l_shipdate) as quarter,
        l_extendedprice * (1 - l_discount) as net
    from lineitem
    where l_shipdate between date '1994-01-01' and date '1997-12-31'
)
select band, quarter, sum(net) as revenue, sum(net) - lag(sum(net)) over (partition by band order by quarter) as growth
from lines
group by band, quarter
order by band, quarter
