create index if not exists by_customer on "shop"."main"."fct_orders" (customer_id);
comment on column "shop"."main"."fct_orders"."amount" is 'net, in EUR';
insert into "shop"."audit"."loads" (relation, loaded_at) select 'fct_orders', now();
delete from "shop"."main"."fct_orders" where order_id in (select order_id from "shop"."raw"."deletions");
