select
    cast(day as date) as date_day,
    year(day) as year_number,
    month(day) as month_number,
    strftime(day, '%Y-%m') as year_month,
    isodow(day) >= 6 as is_weekend
from generate_series(timestamp '2024-01-01', timestamp '2025-12-31', interval 1 day) as calendar (day)
