-- Clerks whose urgent orders are worth more than those of nine in ten.
with clerks as (
    select o_clerk, sum(o_totalprice) as worth, count(*) filter (where o_orderpriority = '1-URGENT') as urgent
    from orders
    group by o_clerk
),
ranked as (select clerks.*, ntile(10) over (order by worth) as tenth from clerks)
select o_clerk, worth, urgent from ranked where tenth = 10 and urgent > 0 order by worth desc
