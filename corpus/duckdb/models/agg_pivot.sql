with by_month as (
    select region, strftime(ordered_at, '%Y-%m') as month, amount
    from "shop"."main"."fct_orders"
)
pivot by_month on month using sum(amount) as total group by region
