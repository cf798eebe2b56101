-- Events to sessions: a gap of half an hour begins a new one.
with events as (
    select user_id, event_name, happened_at, properties
    from "shop"."staging"."stg_events"
),
gaps as (
    select
        *,
        coalesce(happened_at - lag(happened_at) over w > interval '30 minutes', true) as begins
    from events
    window w as (partition by user_id order by happened_at)
)
select
    user_id,
    sum(begins::int) over (partition by user_id order by happened_at) as session_number,
    happened_at,
    event_name,
    properties ->> '$.page.path' as path,
    (properties -> '$.items')[0] as first_item
from gaps
qualify row_number() over (partition by user_id, happened_at, event_name order by properties) = 1
