-- The hours of the day, weekdays beside weekends, in stores with more than 200 people.
select
    t.t_hour,
    sum(case when d.d_weekend = 'N' then ss.ss_net_paid end) as on_weekdays,
    sum(case when d.d_weekend = 'Y' then ss.ss_net_paid end) as on_weekends,
    count(distinct ss.ss_ticket_number) as tickets
from store_sales ss, time_dim t, date_dim d, store s
where ss.ss_sold_time_sk = t.t_time_sk and ss.ss_sold_date_sk = d.d_date_sk and ss.ss_store_sk = s.s_store_sk
    and s.s_number_employees > 200 and d.d_holiday = 'N' and t.t_meal_time is null
group by t.t_hour
order by t.t_hour
