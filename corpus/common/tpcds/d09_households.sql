-- Baskets by household: size of the family, number of cars, income band.
select
    hd.hd_income_band_sk,
    hd.hd_dep_count,
    case when hd.hd_vehicle_count > 2 then 'many' when hd.hd_vehicle_count > 0 then 'some' else 'none' end as cars,
    avg(b.worth) as mean_basket,
    max(b.worth) as largest_basket,
    count(*) as baskets
from (
    select ss_ticket_number, ss_hdemo_sk, sum(ss_net_paid) as worth
    from store_sales
    group by ss_ticket_number, ss_hdemo_sk
    having count(*) > 3
) b
join household_demographics hd on hd.hd_demo_sk = b.ss_hdemo_sk
group by grouping sets ((hd.hd_income_band_sk), (hd.hd_dep_count, case when hd.hd_vehicle_count > 2 then 'many' when hd.hd_vehicle_count > 0 then 'some' else 'none' end), ())
