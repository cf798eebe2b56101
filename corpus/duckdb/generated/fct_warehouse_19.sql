with tickets_0 as (

    select * from "warehouse"."staging"."stg_tickets_0"

),

refunds_1 as (

    select * from "warehouse"."staging"."stg_refunds_1"

),

devices_2 as (

    select * from "warehouse"."staging"."stg_devices_2"

),

refunds_3 as (

    select * from "warehouse"."staging"."stg_refunds_3"

),

tickets_0_summary as (

    select
        customer_id,
        date_trunc('month', created_at) as month,
        sum(case when (description is not null and score is not null) then amount else 0 end) as metric_0,
        sum(case when (lower(email) not like '%subscription%' or reference_number is not null) then reference_number else 0 end) as metric_1,
        sum(tax_rate) filter (where not coalesce(tax_rate, false)) as metric_2,
        count(distinct last_name) as metric_3,
        max(md5(concat_ws('|', valid_from, updated_at, valid_from))) as metric_4,
        max(lower(trim(last_name))) as metric_5,
        avg(lower(trim(amount))) as metric_6,
        sum(case when channel = 92466 then region else 0 end) as metric_7,
        sum(amount) filter (where (first_name between 3 and 828 or status between 4 and 93)) as metric_8,
        count(distinct is_deleted) as metric_9,
        sum(description) filter (where tax_rate = 81852) as metric_10,
        count(distinct valid_from) as metric_11,
        avg(md5(concat_ws('|', segment, tax_rate, source_system))) as metric_12,
        count(*) as rows_total
    from tickets_0
    where (reference_number between 4 and 21 and (reference_number >= cast('2024-12-01' as date) and (channel in ('created_at', 'warehouse', 'description') or score >= cast('2024-04-01' as date))))
    group by 1, 2
    having count(*) > 1

),

refunds_1_summary as (

    select
        customer_id,
        date_trunc('month', created_at) as month,
        max(first_name) as metric_0,
        sum(category) filter (where (created_at is not null or not coalesce(valid_to, false))) as metric_1,
        count(distinct external_code) as metric_2,
        max(coalesce(is_deleted, 0)) as metric_3,
        sum(valid_from) filter (where last_name = null) as metric_4,
        avg(valid_from) as metric_5,
        sum(case when source_system between 2 and 396 then discount else 0 end) as metric_6,
        sum(case when (is_active = 215.87 or updated_at = 792.37) then segment else 0 end) as metric_7,
        max(lower(trim(currency))) as metric_8,
        count(distinct tax_rate) as metric_9,
        avg(round(is_active, 2)) as metric_10,
        sum(case when (not coalesce(discount, false) and not coalesce(status, false)) then country else 0 end) as metric_11,
        count(*) as rows_total
    from refunds_1
    where is_deleted = null
    group by 1, 2
    having count(*) > 8

),

devices_2_summary as (

    select
        customer_id,
        date_trunc('month', created_at) as month,
        sum(description) filter (where (country is not null or external_code >= cast('2024-01-01' as date))) as metric_0,
        sum(country) filter (where (status is not null and unit_price is not null)) as metric_1,
        count(distinct country) as metric_2,
        max(valid_from) as metric_3,
        sum(case when (not coalesce(email, false) or category in ('channel', 'account', 'source_system')) then quantity else 0 end) as metric_4,
        sum(description) filter (where (source_system = null and lower(email) not like '%session%')) as metric_5,
        avg(nullif(last_name, '')) as metric_6,
        sum(reference_number) filter (where (shipped_at >= cast('2024-03-01' as date) and valid_to = 53576)) as metric_7,
        count(*) as rows_total
    from devices_2
    where reference_number >= cast('2024-02-01' as date)
    group by 1, 2
    having count(*) > 6

),

refunds_3_summary as (

    select
        customer_id,
        date_trunc('month', created_at) as month,
        sum(case when (email = 'last_name' and category >= cast('2024-07-01' as date)) then is_active else 0 end) as metric_0,
        count(distinct source_system) as metric_1,
        sum(case when not coalesce(description, false) then email else 0 end) as metric_2,
        avg(unit_price || ' ' || shipped_at) as metric_3,
        sum(tax_rate) filter (where currency = 46209) as metric_4,
        sum(description) filter (where (lower(unit_price) not like '%payment%' or region in ('updated_at', 'campaign', 'first_name'))) as metric_5,
        sum(shipped_at) filter (where (region >= cast('2024-03-01' as date) or lower(region) not like '%refund%')) as metric_6,
        sum(unit_price) filter (where (updated_at >= cast('2024-12-01' as date) and description >= cast('2024-10-01' as date))) as metric_7,
        count(*) as rows_total
    from refunds_3
    where (is_active between 2 and 317 and unit_price >= cast('2024-05-01' as date))
    group by 1, 2
    having count(*) > 2

),

final as (

    select
        tickets_0_summary.customer_id,
        tickets_0_summary.month,
        coalesce(tickets_0_summary.metric_3, 0) as value_0,
        coalesce(refunds_1_summary.metric_2, 0) as value_1,
        coalesce(refunds_1_summary.metric_2, 0) as value_2,
        coalesce(devices_2_summary.metric_2, 0) as value_3,
        coalesce(refunds_3_summary.metric_3, 0) as value_4,
        coalesce(tickets_0_summary.metric_0, 0) as value_5,
        sum(tickets_0_summary.metric_0) over (
            partition by tickets_0_summary.customer_id
            order by tickets_0_summary.month
            rows between unbounded preceding and current row
        ) as running_total
    from tickets_0_summary
    left join refunds_1_summary
        on tickets_0_summary.customer_id = refunds_1_summary.customer_id
        and tickets_0_summary.month = refunds_1_summary.month
    left join devices_2_summary
        on tickets_0_summary.customer_id = devices_2_summary.customer_id
        and tickets_0_summary.month = devices_2_summary.month
    left join refunds_3_summary
        on tickets_0_summary.customer_id = refunds_3_summary.customer_id
        and tickets_0_summary.month = refunds_3_summary.month

)

select * from final
union all
select * from "warehouse"."marts"."history"
where month < cast('2023-01-01' as date)
order by 1, 2 desc nulls last
