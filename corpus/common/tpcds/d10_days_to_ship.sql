-- How long warehouses take, by week, and how that compares with the year before.
with shipped as (
    select w.w_warehouse_name, sold.d_week_seq, sold.d_year, shipped.d_date_sk - sold.d_date_sk as days
    from catalog_sales cs
    join warehouse w on w.w_warehouse_sk = cs.cs_warehouse_sk
    join date_dim sold on sold.d_date_sk = cs.cs_sold_date_sk
    join date_dim shipped on shipped.d_date_sk = cs.cs_ship_date_sk
)
select this.w_warehouse_name, this.d_week_seq, avg(this.days) as days_now, avg(before.days) as days_before
from shipped this
left outer join shipped before on before.w_warehouse_name = this.w_warehouse_name and before.d_week_seq = this.d_week_seq - 52
group by this.w_warehouse_name, this.d_week_seq
having avg(this.days) > 1.2 * coalesce(avg(before.days), 0)
