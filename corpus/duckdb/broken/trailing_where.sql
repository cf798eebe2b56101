select
    order_id,
    amount
from "shop"."main"."fct_orders"
where
