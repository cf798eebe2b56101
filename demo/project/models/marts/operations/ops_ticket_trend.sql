select
    d.year_month,
    t.topic,
    sum(t.tickets) as tickets,
    cast(sum(t.rating_points) / cast(sum(t.tickets) as decimal(12, 2)) as decimal(6, 3)) as average_rating
from {{ ref('ops_ticket_load') }} as t
inner join {{ ref('dim_dates') }} as d
    on d.date_day = t.opened_on
group by d.year_month, t.topic
