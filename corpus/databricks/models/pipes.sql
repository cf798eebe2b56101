from `main`.`staging`.`stg_orders`
|> where amount > 0
|> aggregate sum(amount) as total, count(*) as n group by customer_id
|> where n > 3
|> order by total desc
|> limit 100
