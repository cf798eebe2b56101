select
    cast(t.opened_at as date) as opened_on,
    t.topic,
    count(*) as tickets,
    count(*) filter (where t.is_open) as open_tickets,
    sum(t.rating) as rating_points
from {{ ref('stg_tickets') }} as t
group by all
