-- Each store's running total against that of the best store of its market.
select *
from (
    select
        s.s_market_id, s.s_store_name, d.d_moy,
        sum(sum(ss.ss_net_paid)) over (partition by s.s_store_name order by d.d_moy rows unbounded preceding) as so_far,
        max(sum(ss.ss_net_paid)) over (partition by s.s_market_id, d.d_moy) as best_of_month
    from store_sales ss
    join store s on s.s_store_sk = ss.ss_store_sk
    join date_dim d on d.d_date_sk = ss.ss_sold_date_sk and d.d_year = 2002
    where s.s_closed_date_sk is null
    group by s.s_market_id, s.s_store_name, d.d_moy
) as months
where so_far < 0.5 * best_of_month * d_moy
