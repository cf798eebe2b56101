-- Customers with money on their account who have ordered before, but not in the last year.
select c.c_custkey, c.c_name, c.c_acctbal, last_order.ordered_on
from customer c
join (select o_custkey, max(o_orderdate) as ordered_on from orders group by o_custkey) last_order on last_order.o_custkey = c.c_custkey
where c.c_acctbal > (select avg(rich.c_acctbal) from customer rich where rich.c_nationkey = c.c_nationkey and rich.c_acctbal > 0)
    and not exists (
        select 1 from orders o
        where o.o_custkey = c.c_custkey and o.o_orderdate >= date '1997-08-01'
    )
order by c.c_acctbal desc
