-- Brands that are bought together in one order.
with brands as (
    select distinct l.l_orderkey, p.p_brand
    from lineitem l join part p on l.l_partkey = p.p_partkey
)
select a.p_brand as brand, b.p_brand as other, count(*) as together
from brands a
join brands b on a.l_orderkey = b.l_orderkey and a.p_brand < b.p_brand
group by a.p_brand, b.p_brand
having count(*) >= 25
order by together desc, brand, other
