select order_id, amount, current_timestamp() as loaded_at, current_user() as loaded_by
from `main`.`staging`.`stg_orders`
