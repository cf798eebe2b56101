-- The three channels side by side, with each one's share of its year.
with sales as (
    select 'store' as channel, ss_sold_date_sk as day_sk, ss_item_sk as item_sk, ss_customer_sk as customer_sk, ss_net_paid as paid, ss_net_profit as profit from store_sales
    union all
    select 'catalog', cs_sold_date_sk, cs_item_sk, cs_bill_customer_sk, cs_net_paid, cs_net_profit from catalog_sales
    union all
    select 'web', ws_sold_date_sk, ws_item_sk, ws_bill_customer_sk, ws_net_paid, ws_net_profit from web_sales
),
by_year as (
    select s.channel, d.d_year, sum(s.paid) as paid, sum(s.profit) as profit, count(distinct s.customer_sk) as buyers
    from sales s
    join date_dim d on d.d_date_sk = s.day_sk
    group by s.channel, d.d_year
)
select channel, d_year, paid, profit, buyers, paid / sum(paid) over (partition by d_year) as share_of_year
from by_year
order by d_year, share_of_year desc
