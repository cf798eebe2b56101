-- The ten items a category earns most with, and the price that the dearest tenth begins at.
with earned as (
    select i.i_category, i.i_item_id, i.i_current_price, i.i_wholesale_cost, sum(ss.ss_net_profit) as profit
    from item as i
    inner join store_sales as ss on ss.ss_item_sk = i.i_item_sk
    group by 1, 2, 3, 4
),
ranked as (
    select
        earned.*,
        row_number() over by_profit as place,
        percent_rank() over (partition by i_category order by i_current_price) as price_rank
    from earned
    window by_profit as (partition by i_category order by profit desc, i_item_id)
)
select i_category, place, i_item_id, i_current_price, cast(i_current_price - i_wholesale_cost as decimal(9, 2)) as markup, profit, price_rank >= 0.9 as among_dearest
from ranked
where place <= 10
