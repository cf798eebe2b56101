{{ config(severity='warn') }}

select
    category,
    margin_percent
from {{ ref('fin_margin_by_category') }}
where margin_percent not between 20 and 70
