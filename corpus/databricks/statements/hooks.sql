optimize `main`.`marts`.`fct_orders` zorder by (customer_id);
alter table `main`.`marts`.`fct_orders` set tags ('domain' = 'sales');
comment on table `main`.`marts`.`fct_orders` is 'one row an order';
grant select on table `main`.`marts`.`fct_orders` to `analysts`;
