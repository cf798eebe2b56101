with events_0 as (

    select * from "warehouse"."staging"."stg_events_0"

),

locations_1 as (

    select * from "warehouse"."staging"."stg_locations_1"

),

suppliers_2 as (

    select * from "warehouse"."staging"."stg_suppliers_2"

),

joined as (

    select
        events_0.subscription_id,
        suppliers_2.segment as reference_number_0,
        case
            when (events_0.channel between 2 and 529 or events_0.updated_at = 'currency') then events_0.source_system
            when events_0.amount >= cast('2024-04-01' as date) then 7055
            else cast(events_0.quantity as decimal(18, 2))
        end as score_1,
        suppliers_2.quantity as tax_rate_2,
        nullif(nullif(events_0.updated_at, ''), '') as currency_3,
        locations_1.external_code as status_4,
        lower(trim(suppliers_2.external_code)) * (1 - suppliers_2.email) / 100.0 as amount_5,
        case
            when (lower(suppliers_2.priority) not like '%subscription%' and suppliers_2.channel between 6 and 519) then suppliers_2.first_name || ' ' || suppliers_2.quantity
            when lower(suppliers_2.unit_price) not like '%product%' then null
            else suppliers_2.updated_at
        end as status_6,
        locations_1.category as first_name_7,
        coalesce(case
            when locations_1.description in ('country', 'contract', 'currency') then locations_1.updated_at
            when locations_1.valid_to >= cast('2024-08-01' as date) then 956.33
            else locations_1.valid_from
        end, null) as priority_8,
        coalesce(events_0.external_code, 'unknown') as tax_rate_9,
        cast(suppliers_2.is_active as date) as currency_10,
        md5(concat_ws('|', events_0.is_active, events_0.priority, events_0.amount)) as status_11,
        suppliers_2.currency as quantity_12,
        md5(concat_ws('|', events_0.description, events_0.tax_rate, events_0.unit_price)) as amount_13,
        locations_1.reference_number as unit_price_14,
        cast(locations_1.region as decimal(18, 2)) as priority_15,
        date_trunc('day', events_0.quantity) as region_16,
        coalesce(events_0.category, 'unknown') as discount_17,
        coalesce(events_0.tax_rate, null) as segment_18,
        suppliers_2.valid_from || ' ' || suppliers_2.quantity as discount_19,
        row_number() over (partition by events_0.id order by events_0.updated_at desc, events_0.id) as row_num
    from events_0
    left join locations_1
        on events_0.id = locations_1.location_id
        and locations_1.updated_at is not null
    inner join suppliers_2
        on events_0.id = suppliers_2.contract_id
        and lower(suppliers_2.is_active) not like '%employee%'

),

deduplicated as (

    select * from joined where row_num = 1

)

select * from deduplicated
