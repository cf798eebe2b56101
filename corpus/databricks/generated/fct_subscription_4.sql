with sessions_0 as (

    select * from `main`.`staging`.`stg_sessions_0`

),

leads_1 as (

    select * from `main`.`staging`.`stg_leads_1`

),

sessions_0_summary as (

    select
        customer_id,
        date_trunc('month', created_at) as month,
        max(cast(category as decimal(18, 2))) as metric_0,
        count(distinct discount) as metric_1,
        count(distinct last_name) as metric_2,
        count(distinct unit_price) as metric_3,
        max(cast(score as bigint)) as metric_4,
        sum(case when (is_active >= cast('2024-01-01' as date) and lower(external_code) not like '%employee%') then reference_number else 0 end) as metric_5,
        sum(channel) filter (where (external_code in ('tax_rate', 'invoice', 'quantity') or region between 7 and 739)) as metric_6,
        sum(case when quantity >= cast('2024-06-01' as date) then tax_rate else 0 end) as metric_7,
        sum(case when amount in ('valid_from', 'contract', 'tax_rate') then amount else 0 end) as metric_8,
        count(distinct segment) as metric_9,
        sum(quantity) filter (where (not coalesce(description, false) and is_active >= cast('2024-03-01' as date))) as metric_10,
        sum(reference_number) filter (where unit_price >= cast('2024-04-01' as date)) as metric_11,
        count(*) as rows_total
    from sessions_0
    where ((source_system between 8 and 610 or (shipped_at = 45849 and category >= cast('2024-02-01' as date))) and (priority is not null and (lower(updated_at) not like '%subscription%' or not coalesce(updated_at, false))))
    group by 1, 2
    having count(*) > 5

),

leads_1_summary as (

    select
        customer_id,
        date_trunc('month', created_at) as month,
        sum(case when not coalesce(is_active, false) then external_code else 0 end) as metric_0,
        max(case
            when (not coalesce(region, false) and currency between 3 and 168) then tax_rate
            when source_system between 6 and 439 then 71.35
            else external_code
        end) as metric_1,
        count(distinct tax_rate) as metric_2,
        count(distinct created_at) as metric_3,
        max(round(segment, 2)) as metric_4,
        sum(last_name) filter (where priority >= cast('2024-02-01' as date)) as metric_5,
        avg(source_system * (1 - updated_at) / 100.0) as metric_6,
        max(shipped_at) as metric_7,
        avg(is_deleted || ' ' || shipped_at) as metric_8,
        count(distinct amount) as metric_9,
        sum(case when quantity is not null then channel else 0 end) as metric_10,
        count(distinct amount) as metric_11,
        count(*) as rows_total
    from leads_1
    where priority between 0 and 621
    group by 1, 2
    having count(*) > 7

),

final as (

    select
        sessions_0_summary.customer_id,
        sessions_0_summary.month,
        coalesce(sessions_0_summary.metric_1, 0) as value_0,
        coalesce(leads_1_summary.metric_1, 0) as value_1,
        coalesce(sessions_0_summary.metric_3, 0) as value_2,
        coalesce(sessions_0_summary.metric_3, 0) as value_3,
        coalesce(leads_1_summary.metric_0, 0) as value_4,
        coalesce(sessions_0_summary.metric_3, 0) as value_5,
        coalesce(sessions_0_summary.metric_0, 0) as value_6,
        coalesce(leads_1_summary.metric_0, 0) as value_7,
        coalesce(leads_1_summary.metric_0, 0) as value_8,
        sum(sessions_0_summary.metric_0) over (
            partition by sessions_0_summary.customer_id
            order by sessions_0_summary.month
            rows between unbounded preceding and current row
        ) as running_total
    from sessions_0_summary
    left join leads_1_summary
        on sessions_0_summary.customer_id = leads_1_summary.customer_id
        and sessions_0_summary.month = leads_1_summary.month

)

select * from final
union all
select * from `main`.`marts`.`history`
where month < cast('2023-01-01' as date)
order by 1, 2 desc nulls last
