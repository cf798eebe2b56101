select *
from (select region, quarter, amount from `main`.`marts`.`fct_orders`)
pivot (sum(amount) as total, count(*) as n for quarter in ('Q1' as q1, 'Q2' as q2, 'Q3' as q3, 'Q4' as q4))
