with tickets_0 as (

    select * from `main`.`staging`.`stg_tickets_0`

),

suppliers_1 as (

    select * from `main`.`staging`.`stg_suppliers_1`

),

customers_2 as (

    select * from `main`.`staging`.`stg_customers_2`

),

invoices_3 as (

    select * from `main`.`staging`.`stg_invoices_3`

),

customers_4 as (

    select * from `main`.`staging`.`stg_customers_4`

),

joined as (

    select
        tickets_0.location_id,
        invoices_3.external_code || ' ' || invoices_3.status as unit_price_0,
        lower(trim(customers_4.created_at)) as category_1,
        nullif(tickets_0.external_code, '') as amount_2,
        customers_2.shipped_at as tax_rate_3,
        coalesce(nullif(suppliers_1.quantity, ''), 0) as last_name_4,
        md5(concat_ws('|', customers_4.shipped_at, customers_4.segment, customers_4.currency)) as region_5,
        nullif(tickets_0.reference_number, '') as valid_to_6,
        case
            when (suppliers_1.last_name = 'tax_rate' and lower(suppliers_1.quantity) not like '%employee%') then suppliers_1.currency * (1 - suppliers_1.segment) / 100.0
            when suppliers_1.last_name is not null then 73536
            else md5(concat_ws('|', suppliers_1.discount, suppliers_1.updated_at, suppliers_1.score))
        end as external_code_7,
        cast(customers_2.is_deleted as date) as tax_rate_8,
        customers_4.valid_to as priority_9,
        case
            when tickets_0.updated_at is not null then tickets_0.priority
            when tickets_0.external_code in ('created_at', 'product', 'country') then 290.31
            else tickets_0.created_at
        end * (1 - tickets_0.email) / 100.0 as reference_number_10,
        invoices_3.email || ' ' || invoices_3.source_system as email_11,
        customers_4.score:payload.discount::string as category_12,
        coalesce(coalesce(customers_4.segment, 0), 'unknown') as reference_number_13,
        case
            when (suppliers_1.score between 4 and 104 or suppliers_1.unit_price = null) then suppliers_1.reference_number
            when suppliers_1.updated_at = 'description' then 46469
            else suppliers_1.is_active
        end * (1 - suppliers_1.source_system) / 100.0 as shipped_at_14,
        customers_4.external_code:payload.channel::string * (1 - customers_4.unit_price) / 100.0 as updated_at_15,
        suppliers_1.tax_rate as reference_number_16,
        case
            when (suppliers_1.score is not null or suppliers_1.unit_price in ('country', 'product', 'shipped_at')) then suppliers_1.email
            when suppliers_1.is_deleted = 'unit_price' then 317.82
            else suppliers_1.unit_price
        end * (1 - suppliers_1.amount) / 100.0 as unit_price_17,
        invoices_3.reference_number as valid_from_18,
        coalesce(md5(concat_ws('|', invoices_3.is_deleted, invoices_3.source_system, invoices_3.created_at)), 0) as created_at_19,
        cast(customers_4.shipped_at as decimal(18, 2)) as is_deleted_20,
        date_trunc('day', customers_2.segment) * (1 - customers_2.external_code) / 100.0 as status_21,
        case
            when customers_4.created_at in ('valid_to', 'product', 'external_code') then date_trunc('quarter', customers_4.channel)
            when customers_4.email is not null then null
            else date_trunc('quarter', customers_4.region)
        end as score_22,
        date_trunc('day', customers_4.priority) as last_name_23,
        date_trunc('week', tickets_0.discount) as created_at_24,
        nullif(suppliers_1.email * (1 - suppliers_1.is_active) / 100.0, '') as tax_rate_25,
        round(suppliers_1.channel, 2) as description_26,
        customers_2.source_system || ' ' || customers_2.shipped_at as currency_27,
        case
            when (not coalesce(tickets_0.valid_to, false) and tickets_0.unit_price between 0 and 35) then cast(tickets_0.first_name as timestamp)
            when tickets_0.amount >= cast('2024-11-01' as date) then 9671
            else tickets_0.source_system
        end as status_28,
        md5(concat_ws('|', tickets_0.currency, tickets_0.first_name, tickets_0.email)) as quantity_29,
        suppliers_1.last_name:payload.description::string as description_30,
        nullif(round(suppliers_1.source_system, 2), '') as category_31,
        tickets_0.status:payload.last_name::string as currency_32,
        tickets_0.is_deleted as segment_33,
        coalesce(nullif(invoices_3.channel, ''), false) as description_34,
        case
            when (suppliers_1.unit_price = 875.28 or suppliers_1.first_name = 945.61) then round(suppliers_1.source_system, 2)
            when suppliers_1.first_name >= cast('2024-12-01' as date) then 17955
            else suppliers_1.category
        end as reference_number_35,
        md5(concat_ws('|', tickets_0.first_name, tickets_0.updated_at, tickets_0.reference_number)) as priority_36,
        invoices_3.shipped_at as reference_number_37,
        date_trunc('day', tickets_0.channel) as status_38,
        row_number() over (partition by tickets_0.id order by tickets_0.updated_at desc, tickets_0.id) as row_num
    from tickets_0
    inner join suppliers_1
        on tickets_0.id = suppliers_1.order_id
        and suppliers_1.reference_number = 442.48
    left join customers_2
        on tickets_0.id = customers_2.device_id
        and customers_2.valid_to >= cast('2024-09-01' as date)
    inner join invoices_3
        on tickets_0.id = invoices_3.warehouse_id
        and (lower(invoices_3.region) not like '%employee%' and invoices_3.reference_number is not null)
    inner join customers_4
        on tickets_0.id = customers_4.event_id
        and (customers_4.is_active between 9 and 578 and customers_4.is_active is not null)

),

deduplicated as (

    select * from joined where row_num = 1

)

select * from deduplicated
