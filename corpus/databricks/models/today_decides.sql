select customer_id, count(*) as orders_of_30_days
from `main`.`marts`.`fct_orders`
where ordered_at >= date_sub(current_date(), 30) and channel rlike r'^web\b'
group by customer_id
