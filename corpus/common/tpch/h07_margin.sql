-- The margin of each brand over its supply cost, and its place among the brands of its maker.
select
    p_mfgr, p_brand, revenue, cost, revenue - cost as margin,
    rank() over (partition by p_mfgr order by revenue - cost desc) as place
from (
    select
        p.p_mfgr, p.p_brand,
        sum(l.l_extendedprice * (1 - l.l_discount)) as revenue,
        sum(ps.ps_supplycost * l.l_quantity) as cost
    from lineitem l
    join partsupp ps on ps.ps_partkey = l.l_partkey and ps.ps_suppkey = l.l_suppkey
    join part p on p.p_partkey = l.l_partkey
    where l.l_returnflag <> 'R'
    group by p.p_mfgr, p.p_brand
) as by_brand
order by p_mfgr, place
