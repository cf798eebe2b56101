-- Who sells to whom: one row for each pair of regions.
select
    sold_from.r_name as supplier_region,
    sold_to.r_name as customer_region,
    count(distinct o.o_orderkey) as orders_placed,
    sum(l.l_extendedprice * (1 - l.l_discount)) as revenue
from lineitem l
join orders o on o.o_orderkey = l.l_orderkey
join customer c on c.c_custkey = o.o_custkey
join nation customer_nation on customer_nation.n_nationkey = c.c_nationkey
join region sold_to on sold_to.r_regionkey = customer_nation.n_regionkey
join supplier s on s.s_suppkey = l.l_suppkey
join nation supplier_nation on supplier_nation.n_nationkey = s.s_nationkey
join region sold_from on sold_from.r_regionkey = supplier_nation.n_regionkey
group by cube (sold_from.r_name, sold_to.r_name)
order by supplier_region nulls last, customer_region nulls last
