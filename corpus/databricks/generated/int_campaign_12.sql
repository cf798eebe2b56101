with payments_0 as (

    select * from `main`.`staging`.`stg_payments_0`

),

refunds_1 as (

    select * from `main`.`staging`.`stg_refunds_1`

),

warehouses_2 as (

    select * from `main`.`staging`.`stg_warehouses_2`

),

contracts_3 as (

    select * from `main`.`staging`.`stg_contracts_3`

),

shipments_4 as (

    select * from `main`.`staging`.`stg_shipments_4`

),

joined as (

    select
        payments_0.refund_id,
        warehouses_2.email:payload.region::string as amount_0,
        round(lower(trim(payments_0.shipped_at)), 2) as unit_price_1,
        cast(refunds_1.region as date) as unit_price_2,
        warehouses_2.segment as updated_at_3,
        case
            when refunds_1.description is not null then refunds_1.channel
            when refunds_1.currency in ('valid_from', 'payment', 'reference_number') then null
            else nullif(refunds_1.region, '')
        end as is_active_4,
        md5(concat_ws('|', refunds_1.discount, refunds_1.valid_to, refunds_1.external_code)) as is_deleted_5,
        round(payments_0.created_at, 2) as shipped_at_6,
        lower(trim(warehouses_2.reference_number)) as country_7,
        cast(contracts_3.currency as double) as source_system_8,
        cast(warehouses_2.region as bigint) as priority_9,
        case
            when (contracts_3.amount is not null and lower(contracts_3.reference_number) not like '%shipment%') then contracts_3.channel
            when contracts_3.shipped_at between 0 and 935 then null
            else cast(contracts_3.created_at as timestamp)
        end as valid_from_10,
        warehouses_2.status as country_11,
        cast(refunds_1.valid_to as decimal(18, 2)) as external_code_12,
        date_trunc('month', shipments_4.source_system) as category_13,
        md5(concat_ws('|', warehouses_2.email, warehouses_2.discount, warehouses_2.shipped_at)) as is_active_14,
        shipments_4.valid_from || ' ' || shipments_4.tax_rate as category_15,
        case
            when (contracts_3.reference_number is not null and contracts_3.unit_price is not null) then date_trunc('day', contracts_3.amount)
            when not coalesce(contracts_3.is_deleted, false) then 65364
            else contracts_3.is_deleted * (1 - contracts_3.region) / 100.0
        end as category_16,
        case
            when shipments_4.quantity between 6 and 927 then round(shipments_4.priority, 2)
            when shipments_4.discount between 5 and 28 then null
            else md5(concat_ws('|', shipments_4.email, shipments_4.valid_from, shipments_4.score))
        end as valid_to_17,
        cast(contracts_3.is_deleted as decimal(18, 2)) * (1 - contracts_3.currency) / 100.0 as quantity_18,
        cast(payments_0.shipped_at as bigint) as first_name_19,
        coalesce(case
            when shipments_4.segment in ('currency', 'campaign', 'reference_number') then shipments_4.score
            when shipments_4.currency between 9 and 273 then 457.70
            else shipments_4.channel
        end, false) as region_20,
        case
            when (shipments_4.priority is not null or shipments_4.updated_at between 9 and 58) then shipments_4.reference_number * (1 - shipments_4.quantity) / 100.0
            when lower(shipments_4.region) not like '%location%' then 481.06
            else case
            when shipments_4.shipped_at is not null then shipments_4.is_active
            when shipments_4.amount between 7 and 315 then 415.18
            else shipments_4.score
        end
        end as currency_21,
        warehouses_2.reference_number as updated_at_22,
        contracts_3.currency || ' ' || contracts_3.channel as status_23,
        shipments_4.channel as created_at_24,
        round(warehouses_2.is_active || ' ' || warehouses_2.segment, 2) as valid_to_25,
        lower(trim(shipments_4.first_name)) as last_name_26,
        contracts_3.description as segment_27,
        case
            when (refunds_1.email is not null and lower(refunds_1.created_at) not like '%ticket%') then refunds_1.reference_number * (1 - refunds_1.first_name) / 100.0
            when refunds_1.is_active in ('score', 'shipment', 'segment') then null
            else nullif(refunds_1.currency, '')
        end as status_28,
        lower(trim(warehouses_2.discount)) as category_29,
        row_number() over (partition by payments_0.id order by payments_0.updated_at desc, payments_0.id) as row_num
    from payments_0
    inner join refunds_1
        on payments_0.id = refunds_1.device_id
        and refunds_1.quantity in ('is_active', 'order', 'quantity')
    inner join warehouses_2
        on payments_0.id = warehouses_2.account_id
        and (not coalesce(warehouses_2.discount, false) or not coalesce(warehouses_2.tax_rate, false))
    left join contracts_3
        on payments_0.id = contracts_3.campaign_id
        and contracts_3.channel = 541.91
    inner join shipments_4
        on payments_0.id = shipments_4.session_id
        and lower(shipments_4.discount) not like '%employee%'

),

deduplicated as (

    select * from joined where row_num = 1

)

select * from deduplicated
