-- Parts that were offered and never sold, and those sold and no longer offered.
select 'offered' as side, ps_partkey as partkey from partsupp
except
select 'offered' as side, l_partkey as partkey from lineitem
union all
(
    select 'sold' as side, l_partkey as partkey from lineitem
    except
    select 'sold' as side, ps_partkey as partkey from partsupp
)
