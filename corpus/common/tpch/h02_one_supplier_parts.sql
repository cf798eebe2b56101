-- Parts that a single supplier delivers, by size of the risk.
select p.p_partkey, p.p_name, max(s.s_name) as only_supplier, max(ps.ps_availqty) as in_stock
from part as p
inner join partsupp as ps on ps.ps_partkey = p.p_partkey
inner join supplier as s on s.s_suppkey = ps.ps_suppkey
group by p.p_partkey, p.p_name
having count(distinct ps.ps_suppkey) = 1 and max(ps.ps_availqty) > 100
order by in_stock desc, p.p_partkey
limit 50
