-- The first and the last order of each customer, side by side.
with numbered as (
    select
        o.*,
        row_number() over (partition by o_custkey order by o_orderdate, o_orderkey) as from_start,
        row_number() over (partition by o_custkey order by o_orderdate desc, o_orderkey desc) as from_end
    from orders o
)
select f.o_custkey, f.o_orderdate as first_on, f.o_totalprice as first_price, l.o_orderdate as last_on, l.o_totalprice as last_price
from numbered f
left join numbered l on l.o_custkey = f.o_custkey and l.from_end = 1
where f.from_start = 1
