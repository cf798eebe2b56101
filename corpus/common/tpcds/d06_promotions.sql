-- Whether a promotion paid for itself.
select p.p_promo_name, p.p_cost, sums.profit, sums.profit - p.p_cost as left_over, sums.tickets
from promotion p
join lateral (
    select sum(ss.ss_net_profit) as profit, count(distinct ss.ss_ticket_number) as tickets
    from store_sales ss
    where ss.ss_promo_sk = p.p_promo_sk
) sums on true
where p.p_channel_email = 'Y' or p.p_channel_tv = 'Y'
order by left_over desc nulls last, p.p_promo_name
