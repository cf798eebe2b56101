-- Items whose stock swings a lot in one warehouse from month to month.
with monthly as (
    select inv.inv_warehouse_sk, inv.inv_item_sk, d.d_month_seq, avg(inv.inv_quantity_on_hand) as stock
    from inventory inv
    join date_dim d on d.d_date_sk = inv.inv_date_sk
    where d.d_year = 2001
    group by inv.inv_warehouse_sk, inv.inv_item_sk, d.d_month_seq
),
swings as (
    select m.*, stock - lag(stock, 1) over (partition by inv_warehouse_sk, inv_item_sk order by d_month_seq) as swing
    from monthly m
)
select w.w_warehouse_name, i.i_product_name, max(abs(s.swing)) as largest, stddev_samp(s.stock) as spread
from swings s
join warehouse w on w.w_warehouse_sk = s.inv_warehouse_sk
join item i on i.i_item_sk = s.inv_item_sk
where s.swing is not null
group by w.w_warehouse_name, i.i_product_name
having max(abs(s.swing)) > 2 * avg(s.stock)
order by largest desc
limit 200
