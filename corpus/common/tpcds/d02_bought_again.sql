-- Of those who bought a class for the first time, who came back within a quarter.
with firsts as (
    select ss.ss_customer_sk, i.i_class, min(d.d_date) as first_day
    from store_sales ss
    inner join item i on i.i_item_sk = ss.ss_item_sk
    inner join date_dim d on d.d_date_sk = ss.ss_sold_date_sk
    where ss.ss_customer_sk is not null
    group by ss.ss_customer_sk, i.i_class
)
select f.i_class, count(*) as newcomers,
    sum(case when exists (
        select 1
        from store_sales again
        join item same on same.i_item_sk = again.ss_item_sk and same.i_class = f.i_class
        join date_dim then_on on then_on.d_date_sk = again.ss_sold_date_sk
        where again.ss_customer_sk = f.ss_customer_sk and then_on.d_date > f.first_day and then_on.d_date <= f.first_day + interval '90' day
    ) then 1 else 0 end) as returned
from firsts f
group by f.i_class
order by newcomers desc
