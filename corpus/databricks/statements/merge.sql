merge with schema evolution into `main`.`marts`.`fct_orders` as t
using (select * from `main`.`staging`.`stg_orders` where updated_at >= timestamp '2024-01-01') as s
on t.order_id = s.order_id
when matched and s.is_deleted then delete
when matched then update set t.amount = s.amount, t.updated_at = s.updated_at
when not matched then insert *
when not matched by source and t.updated_at < timestamp '2020-01-01' then delete
