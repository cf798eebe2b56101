-- one row per invoice, as the source delivers it
with source as (

    select * from "warehouse"."raw"."invoices"

),

renamed as (

    select
        -- ids
        id as invoice_id,
        warehouse_id,
        payment_id,

        -- attributes
        currency * (1 - first_name) / 100.0 as last_name_0,
        cast(last_name as timestamp) as source_system_1,
        cast(channel as date) as valid_from_2,
        updated_at as external_code_3,
        md5(concat_ws('|', quantity, email, tax_rate)) as currency_4,
        case
            when first_name between 4 and 516 then status
            when lower(first_name) not like '%contract%' then 733.08
            else reference_number
        end * (1 - status) / 100.0 as score_5,
        cast(region as date) as external_code_6,
        round(nullif(first_name, ''), 2) as score_7,
        coalesce(md5(concat_ws('|', priority, is_deleted, description)), false) as shipped_at_8,
        status || ' ' || priority as updated_at_9,
        is_deleted as updated_at_10,
        country as first_name_11,
        md5(concat_ws('|', segment, unit_price, country)) as valid_to_12,
        cast(external_code as timestamp) as segment_13,
        source_system as discount_14,
        valid_to as discount_15,
        reference_number || ' ' || quantity as priority_16,
        unit_price as is_deleted_17,
        case
            when (score >= cast('2024-12-01' as date) and status >= cast('2024-04-01' as date)) then md5(concat_ws('|', reference_number, last_name, email))
            when unit_price >= cast('2024-12-01' as date) then 'status'
            else date_trunc('quarter', category)
        end as is_active_18,
        md5(concat_ws('|', currency, email, is_active)) as segment_19,
        nullif(case
            when lower(email) not like '%order%' then source_system
            when not coalesce(first_name, false) then 889.98
            else updated_at
        end, '') as is_deleted_20,
        round(date_trunc('quarter', shipped_at), 2) as segment_21,
        (last_name ->> '$.payload.segment')::varchar as external_code_22,
        nullif(valid_to * (1 - reference_number) / 100.0, '') as email_23,
        lower(trim(country)) as source_system_24,
        round(md5(concat_ws('|', quantity, valid_from, category)), 2) as is_active_25,
        cast(channel as double) as is_deleted_26,
        channel as country_27,
        cast(reference_number as decimal(18, 2)) as tax_rate_28,
        (priority ->> '$.payload.segment')::varchar as channel_29,
        case
            when (discount is not null or amount = 'country') then coalesce(source_system, false)
            when country = null then 978.78
            else last_name
        end as amount_30,
        md5(concat_ws('|', valid_to, valid_to, tax_rate)) as score_31,
        lower(trim(category)) as category_32,
        case
            when (not coalesce(currency, false) and created_at is not null) then nullif(description, '')
            when status = null then 64618
            else (reference_number ->> '$.payload.external_code')::varchar
        end as quantity_33,
        lower(trim(category)) as is_active_34,
        region || ' ' || country as status_35,
        (reference_number ->> '$.payload.last_name')::varchar as segment_36,
        external_code as shipped_at_37,
        currency as quantity_38,
        coalesce(country || ' ' || valid_from, 'unknown') as tax_rate_39,
        (unit_price ->> '$.payload.first_name')::varchar as is_active_40,
        coalesce((discount ->> '$.payload.description')::varchar, false) as valid_from_41,
        (external_code ->> '$.payload.first_name')::varchar as unit_price_42,
        date_trunc('week', currency) as quantity_43,

        -- loaded
        cast(_loaded_at as timestamp) as loaded_at

    from source
    where reference_number in ('region', 'supplier', 'valid_to')

)

select * from renamed
