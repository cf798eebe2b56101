with employees_0 as (

    select * from "warehouse"."staging"."stg_employees_0"

),

locations_1 as (

    select * from "warehouse"."staging"."stg_locations_1"

),

employees_0_summary as (

    select
        customer_id,
        date_trunc('month', created_at) as month,
        sum(valid_from) filter (where (country >= cast('2024-10-01' as date) and not coalesce(currency, false))) as metric_0,
        avg(md5(concat_ws('|', amount, email, currency))) as metric_1,
        max(nullif(currency, '')) as metric_2,
        avg(lower(trim(channel))) as metric_3,
        count(*) as rows_total
    from employees_0
    where (valid_to between 6 and 259 or currency = null)
    group by 1, 2
    having count(*) > 6

),

locations_1_summary as (

    select
        customer_id,
        date_trunc('month', created_at) as month,
        sum(shipped_at) filter (where (source_system between 1 and 155 and not coalesce(currency, false))) as metric_0,
        avg(discount) as metric_1,
        avg(discount * (1 - tax_rate) / 100.0) as metric_2,
        sum(case when (not coalesce(updated_at, false) or lower(first_name) not like '%order%') then last_name else 0 end) as metric_3,
        max(cast(last_name as timestamp)) as metric_4,
        sum(case when not coalesce(valid_to, false) then discount else 0 end) as metric_5,
        sum(case when (not coalesce(region, false) or category between 6 and 609) then country else 0 end) as metric_6,
        sum(valid_to) filter (where (shipped_at between 3 and 235 or is_deleted is not null)) as metric_7,
        avg(channel) as metric_8,
        count(distinct first_name) as metric_9,
        count(*) as rows_total
    from locations_1
    where (not coalesce(region, false) and email is not null)
    group by 1, 2
    having count(*) > 0

),

final as (

    select
        employees_0_summary.customer_id,
        employees_0_summary.month,
        coalesce(employees_0_summary.metric_0, 0) as value_0,
        coalesce(locations_1_summary.metric_2, 0) as value_1,
        coalesce(employees_0_summary.metric_2, 0) as value_2,
        coalesce(locations_1_summary.metric_3, 0) as value_3,
        coalesce(employees_0_summary.metric_2, 0) as value_4,
        coalesce(locations_1_summary.metric_0, 0) as value_5,
        coalesce(employees_0_summary.metric_3, 0) as value_6,
        coalesce(employees_0_summary.metric_0, 0) as value_7,
        coalesce(locations_1_summary.metric_3, 0) as value_8,
        coalesce(employees_0_summary.metric_2, 0) as value_9,
        coalesce(locations_1_summary.metric_3, 0) as value_10,
        coalesce(locations_1_summary.metric_0, 0) as value_11,
        coalesce(locations_1_summary.metric_1, 0) as value_12,
        coalesce(employees_0_summary.metric_1, 0) as value_13,
        coalesce(employees_0_summary.metric_3, 0) as value_14,
        coalesce(locations_1_summary.metric_0, 0) as value_15,
        coalesce(employees_0_summary.metric_0, 0) as value_16,
        coalesce(employees_0_summary.metric_3, 0) as value_17,
        coalesce(employees_0_summary.metric_1, 0) as value_18,
        coalesce(locations_1_summary.metric_0, 0) as value_19,
        coalesce(employees_0_summary.metric_3, 0) as value_20,
        coalesce(locations_1_summary.metric_3, 0) as value_21,
        coalesce(locations_1_summary.metric_1, 0) as value_22,
        coalesce(employees_0_summary.metric_3, 0) as value_23,
        coalesce(employees_0_summary.metric_1, 0) as value_24,
        sum(employees_0_summary.metric_0) over (
            partition by employees_0_summary.customer_id
            order by employees_0_summary.month
            rows between unbounded preceding and current row
        ) as running_total
    from employees_0_summary
    left join locations_1_summary
        on employees_0_summary.customer_id = locations_1_summary.customer_id
        and employees_0_summary.month = locations_1_summary.month

)

select * from final
union all
select * from "warehouse"."marts"."history"
where month < cast('2023-01-01' as date)
order by 1, 2 desc nulls last
