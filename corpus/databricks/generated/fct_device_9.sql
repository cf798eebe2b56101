with events_0 as (

    select * from `main`.`staging`.`stg_events_0`

),

invoices_1 as (

    select * from `main`.`staging`.`stg_invoices_1`

),

devices_2 as (

    select * from `main`.`staging`.`stg_devices_2`

),

contracts_3 as (

    select * from `main`.`staging`.`stg_contracts_3`

),

events_0_summary as (

    select
        customer_id,
        date_trunc('month', created_at) as month,
        max(round(score, 2)) as metric_0,
        sum(channel) filter (where (external_code = 95183 or is_deleted is not null)) as metric_1,
        sum(case when (category between 9 and 794 or lower(updated_at) not like '%contract%') then valid_from else 0 end) as metric_2,
        avg(date_trunc('week', status)) as metric_3,
        avg(coalesce(reference_number, 'unknown')) as metric_4,
        max(nullif(first_name, '')) as metric_5,
        sum(category) filter (where lower(valid_from) not like '%customer%') as metric_6,
        sum(case when (not coalesce(channel, false) or currency >= cast('2024-08-01' as date)) then source_system else 0 end) as metric_7,
        avg(nullif(score, '')) as metric_8,
        count(distinct discount) as metric_9,
        avg(lower(trim(shipped_at))) as metric_10,
        max(md5(concat_ws('|', category, last_name, quantity))) as metric_11,
        sum(channel) filter (where segment is not null) as metric_12,
        count(distinct external_code) as metric_13,
        max(date_trunc('month', last_name)) as metric_14,
        count(*) as rows_total
    from events_0
    where created_at is not null
    group by 1, 2
    having count(*) > 1

),

invoices_1_summary as (

    select
        customer_id,
        date_trunc('month', created_at) as month,
        max(cast(unit_price as decimal(18, 2))) as metric_0,
        avg(nullif(tax_rate, '')) as metric_1,
        sum(segment) filter (where valid_from = 'discount') as metric_2,
        sum(currency) filter (where (score between 0 and 342 and shipped_at = 'shipped_at')) as metric_3,
        sum(case when quantity >= cast('2024-06-01' as date) then created_at else 0 end) as metric_4,
        sum(case when (updated_at >= cast('2024-11-01' as date) or country in ('source_system', 'contract', 'segment')) then shipped_at else 0 end) as metric_5,
        max(quantity) as metric_6,
        max(source_system) as metric_7,
        max(cast(currency as timestamp)) as metric_8,
        avg(date_trunc('week', shipped_at)) as metric_9,
        sum(case when (not coalesce(email, false) or lower(email) not like '%device%') then valid_from else 0 end) as metric_10,
        max(score || ' ' || is_active) as metric_11,
        max(lower(trim(external_code))) as metric_12,
        count(distinct external_code) as metric_13,
        max(discount) as metric_14,
        count(*) as rows_total
    from invoices_1
    where (((status in ('quantity', 'shipment', 'score') or not coalesce(valid_to, false)) and (not coalesce(description, false) or email >= cast('2024-05-01' as date))) or (not coalesce(unit_price, false) or (segment = 552.18 or external_code in ('last_name', 'location', 'unit_price'))))
    group by 1, 2
    having count(*) > 5

),

devices_2_summary as (

    select
        customer_id,
        date_trunc('month', created_at) as month,
        count(distinct unit_price) as metric_0,
        sum(reference_number) filter (where valid_from = 28545) as metric_1,
        max(description) as metric_2,
        count(distinct currency) as metric_3,
        sum(case when (shipped_at in ('priority', 'location', 'updated_at') and lower(created_at) not like '%contract%') then description else 0 end) as metric_4,
        sum(case when lower(score) not like '%employee%' then quantity else 0 end) as metric_5,
        count(distinct source_system) as metric_6,
        sum(valid_from) filter (where lower(category) not like '%ticket%') as metric_7,
        max(reference_number) as metric_8,
        count(*) as rows_total
    from devices_2
    where (score between 4 and 642 or not coalesce(is_deleted, false))
    group by 1, 2
    having count(*) > 1

),

contracts_3_summary as (

    select
        customer_id,
        date_trunc('month', created_at) as month,
        count(distinct country) as metric_0,
        max(date_trunc('week', priority)) as metric_1,
        avg(cast(discount as bigint)) as metric_2,
        avg(nullif(score, '')) as metric_3,
        sum(tax_rate) filter (where reference_number in ('channel', 'ticket', 'currency')) as metric_4,
        count(*) as rows_total
    from contracts_3
    where segment in ('updated_at', 'subscription', 'first_name')
    group by 1, 2
    having count(*) > 1

),

final as (

    select
        events_0_summary.customer_id,
        events_0_summary.month,
        coalesce(devices_2_summary.metric_3, 0) as value_0,
        coalesce(contracts_3_summary.metric_0, 0) as value_1,
        coalesce(contracts_3_summary.metric_0, 0) as value_2,
        coalesce(invoices_1_summary.metric_2, 0) as value_3,
        coalesce(devices_2_summary.metric_2, 0) as value_4,
        coalesce(events_0_summary.metric_3, 0) as value_5,
        coalesce(contracts_3_summary.metric_2, 0) as value_6,
        coalesce(events_0_summary.metric_0, 0) as value_7,
        coalesce(contracts_3_summary.metric_3, 0) as value_8,
        coalesce(contracts_3_summary.metric_0, 0) as value_9,
        coalesce(devices_2_summary.metric_2, 0) as value_10,
        coalesce(invoices_1_summary.metric_2, 0) as value_11,
        coalesce(invoices_1_summary.metric_0, 0) as value_12,
        coalesce(events_0_summary.metric_1, 0) as value_13,
        coalesce(contracts_3_summary.metric_1, 0) as value_14,
        coalesce(invoices_1_summary.metric_0, 0) as value_15,
        coalesce(contracts_3_summary.metric_0, 0) as value_16,
        coalesce(contracts_3_summary.metric_3, 0) as value_17,
        coalesce(contracts_3_summary.metric_2, 0) as value_18,
        coalesce(events_0_summary.metric_3, 0) as value_19,
        coalesce(invoices_1_summary.metric_2, 0) as value_20,
        coalesce(invoices_1_summary.metric_1, 0) as value_21,
        coalesce(contracts_3_summary.metric_0, 0) as value_22,
        coalesce(contracts_3_summary.metric_2, 0) as value_23,
        sum(events_0_summary.metric_0) over (
            partition by events_0_summary.customer_id
            order by events_0_summary.month
            rows between unbounded preceding and current row
        ) as running_total
    from events_0_summary
    left join invoices_1_summary
        on events_0_summary.customer_id = invoices_1_summary.customer_id
        and events_0_summary.month = invoices_1_summary.month
    left join devices_2_summary
        on events_0_summary.customer_id = devices_2_summary.customer_id
        and events_0_summary.month = devices_2_summary.month
    left join contracts_3_summary
        on events_0_summary.customer_id = contracts_3_summary.customer_id
        and events_0_summary.month = contracts_3_summary.month

)

select * from final
union all
select * from `main`.`marts`.`history`
where month < cast('2023-01-01' as date)
order by 1, 2 desc nulls last
