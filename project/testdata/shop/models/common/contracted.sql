select 1 as id, cast('2026-01-01' as date) as day
