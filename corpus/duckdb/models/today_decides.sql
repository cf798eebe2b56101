select customer_id, count(*) as orders_of_30_days
from "shop"."main"."fct_orders"
where ordered_at >= current_date - interval 30 day
group by 1
