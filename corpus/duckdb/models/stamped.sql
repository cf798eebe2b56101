select order_id, amount, current_timestamp as loaded_at, '{"by": "dbt"}'::json as meta
from "shop"."staging"."stg_orders"
