-- Parts whose stock does not cover what was ordered in the last half of a year.
select ps.ps_partkey, ps.ps_suppkey, ps.ps_availqty, coalesce(demand.ordered, 0) as ordered
from partsupp ps
left join (
    select l_partkey, l_suppkey, sum(l_quantity) as ordered
    from lineitem
    where l_shipdate >= date '1998-01-01' and l_shipdate < date '1998-01-01' + interval '6' month
    group by l_partkey, l_suppkey
) demand on demand.l_partkey = ps.ps_partkey and demand.l_suppkey = ps.ps_suppkey
where ps.ps_availqty < coalesce(demand.ordered, 0)
    and ps.ps_partkey in (select p_partkey from part where p_container like 'JUMBO%' or p_container like 'LG%')
