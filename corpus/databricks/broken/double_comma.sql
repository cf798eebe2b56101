select
    order_id,,
    amount
from `main`.`marts`.`fct_orders`
