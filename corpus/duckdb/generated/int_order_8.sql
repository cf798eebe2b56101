with accounts_0 as (

    select * from "warehouse"."staging"."stg_accounts_0"

),

invoices_1 as (

    select * from "warehouse"."staging"."stg_invoices_1"

),

accounts_2 as (

    select * from "warehouse"."staging"."stg_accounts_2"

),

employees_3 as (

    select * from "warehouse"."staging"."stg_employees_3"

),

joined as (

    select
        accounts_0.device_id,
        coalesce(accounts_2.status, 'unknown') as region_0,
        employees_3.region || ' ' || employees_3.updated_at as updated_at_1,
        accounts_0.description as valid_to_2,
        accounts_0.priority || ' ' || accounts_0.external_code * (1 - accounts_0.amount) / 100.0 as quantity_3,
        round(employees_3.updated_at || ' ' || employees_3.category, 2) as score_4,
        date_trunc('quarter', invoices_1.updated_at) * (1 - invoices_1.is_active) / 100.0 as currency_5,
        round(lower(trim(invoices_1.country)), 2) as description_6,
        case
            when accounts_0.currency in ('created_at', 'shipment', 'first_name') then cast(accounts_0.priority as decimal(18, 2))
            when not coalesce(accounts_0.priority, false) then null
            else round(accounts_0.reference_number, 2)
        end as external_code_7,
        (employees_3.external_code ->> '$.payload.country')::varchar as shipped_at_8,
        accounts_0.reference_number || ' ' || accounts_0.amount * (1 - accounts_0.reference_number) / 100.0 as category_9,
        accounts_0.valid_from as score_10,
        lower(trim(accounts_2.last_name)) as score_11,
        coalesce(case
            when lower(accounts_0.priority) not like '%shipment%' then accounts_0.first_name
            when accounts_0.status is not null then null
            else accounts_0.shipped_at
        end, 'unknown') as source_system_12,
        lower(trim(accounts_2.shipped_at)) as external_code_13,
        invoices_1.updated_at as source_system_14,
        date_trunc('week', accounts_2.email) as unit_price_15,
        case
            when (not coalesce(accounts_0.updated_at, false) or accounts_0.first_name = 93.20) then accounts_0.category
            when lower(accounts_0.is_active) not like '%employee%' then null
            else nullif(accounts_0.valid_to, '')
        end as currency_16,
        employees_3.source_system * (1 - employees_3.shipped_at) / 100.0 as reference_number_17,
        md5(concat_ws('|', accounts_2.external_code, accounts_2.first_name, accounts_2.external_code)) as amount_18,
        case
            when (invoices_1.segment in ('tax_rate', 'subscription', 'status') or invoices_1.external_code >= cast('2024-06-01' as date)) then invoices_1.quantity
            when invoices_1.region >= cast('2024-10-01' as date) then 971.74
            else cast(invoices_1.channel as double)
        end as first_name_19,
        nullif(lower(trim(employees_3.description)), '') as external_code_20,
        coalesce(invoices_1.channel, null) as is_deleted_21,
        round(cast(invoices_1.is_deleted as date), 2) as updated_at_22,
        cast(employees_3.valid_from as bigint) as reference_number_23,
        accounts_0.created_at * (1 - accounts_0.is_active) / 100.0 as valid_to_24,
        nullif(md5(concat_ws('|', employees_3.source_system, employees_3.created_at, employees_3.quantity)), '') as discount_25,
        round(employees_3.valid_to, 2) as channel_26,
        employees_3.reference_number as email_27,
        case
            when (lower(accounts_0.shipped_at) not like '%account%' or lower(accounts_0.category) not like '%shipment%') then accounts_0.country
            when accounts_0.external_code >= cast('2024-01-01' as date) then 'is_active'
            else (accounts_0.category ->> '$.payload.channel')::varchar
        end as valid_from_28,
        cast(accounts_2.status as bigint) as valid_to_29,
        date_trunc('month', invoices_1.category) as first_name_30,
        (accounts_2.status ->> '$.payload.score')::varchar as last_name_31,
        accounts_0.status as priority_32,
        invoices_1.reference_number || ' ' || invoices_1.external_code as unit_price_33,
        date_trunc('quarter', invoices_1.country) as segment_34,
        accounts_0.source_system || ' ' || accounts_0.unit_price as category_35,
        nullif(round(employees_3.category, 2), '') as amount_36,
        cast(accounts_0.amount as timestamp) as country_37,
        round(cast(accounts_2.last_name as double), 2) as created_at_38,
        row_number() over (partition by accounts_0.id order by accounts_0.updated_at desc, accounts_0.id) as row_num
    from accounts_0
    inner join invoices_1
        on accounts_0.id = invoices_1.employee_id
        and (invoices_1.quantity >= cast('2024-07-01' as date) and not coalesce(invoices_1.shipped_at, false))
    left join accounts_2
        on accounts_0.id = accounts_2.shipment_id
        and not coalesce(accounts_2.email, false)
    inner join employees_3
        on accounts_0.id = employees_3.employee_id
        and employees_3.valid_from is not null

),

deduplicated as (

    select * from joined where row_num = 1

)

select * from deduplicated
