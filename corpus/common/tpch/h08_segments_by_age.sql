-- Open orders by segment and age at the end of 1997.
select
    c.c_mktsegment,
    sum(case when o.o_orderdate >= date '1997-12-31' - interval '30' day then o.o_totalprice else 0 end) as one_month,
    sum(case when o.o_orderdate < date '1997-12-31' - interval '30' day and o.o_orderdate >= date '1997-12-31' - interval '90' day then o.o_totalprice else 0 end) as one_quarter,
    sum(case when o.o_orderdate < date '1997-12-31' - interval '90' day then o.o_totalprice else 0 end) as older
from orders o, customer c
where o.o_custkey = c.c_custkey and o.o_orderstatus = 'O' and o.o_orderdate <= date '1997-12-31'
group by c.c_mktsegment
order by 1
