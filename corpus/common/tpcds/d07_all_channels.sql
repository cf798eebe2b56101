-- Customers of all three channels, and those of the web alone.
with every as (
    select ss_customer_sk as customer_sk from store_sales where ss_customer_sk is not null
    intersect
    select cs_bill_customer_sk from catalog_sales
    intersect
    select ws_bill_customer_sk from web_sales
),
web_only as (
    select ws_bill_customer_sk as customer_sk from web_sales
    except
    (select ss_customer_sk from store_sales union select cs_bill_customer_sk from catalog_sales)
)
select c.c_customer_id, c.c_last_name, c.c_first_name, 'everywhere' as where_from
from customer c where c.c_customer_sk in (select customer_sk from every)
union all
select c.c_customer_id, c.c_last_name, c.c_first_name, 'web' as where_from
from customer c where c.c_customer_sk in (select customer_sk from web_only)
order by 4, 2, 3, 1
