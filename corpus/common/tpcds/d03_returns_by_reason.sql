-- What comes back, why, and how much of a category's sales that is.
select
    coalesce(i.i_category, '(none)') as category,
    coalesce(r.r_reason_desc, '(no reason)') as reason,
    sum(sr.sr_return_amt) as returned,
    sum(sr.sr_return_amt) / nullif(max(sold.paid), 0) as of_sales,
    grouping(i.i_category) as all_categories
from store_returns sr
left join reason r on r.r_reason_sk = sr.sr_reason_sk
left join item i on i.i_item_sk = sr.sr_item_sk
left join (
    select i2.i_category, sum(ss.ss_net_paid) as paid
    from store_sales ss join item i2 on i2.i_item_sk = ss.ss_item_sk
    group by i2.i_category
) sold on sold.i_category = i.i_category
group by rollup (i.i_category, r.r_reason_desc)
order by all_categories, category, returned desc
