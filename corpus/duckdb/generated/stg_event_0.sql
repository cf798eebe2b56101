-- one row per event, as the source delivers it
with source as (

    select * from "warehouse"."raw"."events"

),

renamed as (

    select
        -- ids
        id as event_id,
        product_id,

        -- attributes
        md5(concat_ws('|', shipped_at, is_deleted, tax_rate)) as valid_from_0,
        lower(trim(updated_at)) as amount_1,
        round(md5(concat_ws('|', priority, tax_rate, external_code)), 2) as unit_price_2,
        valid_to as updated_at_3,
        nullif((currency ->> '$.payload.status')::varchar, '') as description_4,
        round(shipped_at, 2) * (1 - channel) / 100.0 as valid_to_5,
        nullif(external_code, '') as valid_to_6,
        md5(concat_ws('|', segment, valid_from, shipped_at)) * (1 - is_active) / 100.0 as channel_7,
        case
            when (reference_number = 13300 or email = null) then valid_to
            when external_code >= cast('2024-08-01' as date) then 93927
            else nullif(segment, '')
        end as is_active_8,
        (currency ->> '$.payload.tax_rate')::varchar as score_9,
        md5(concat_ws('|', score, source_system, last_name)) * (1 - updated_at) / 100.0 as reference_number_10,
        valid_to as email_11,
        unit_price || ' ' || external_code as status_12,
        round(coalesce(segment, false), 2) as tax_rate_13,
        amount as amount_14,
        (valid_to ->> '$.payload.category')::varchar as valid_from_15,
        round(nullif(created_at, ''), 2) as priority_16,
        case
            when (source_system = null or not coalesce(currency, false)) then round(country, 2)
            when channel >= cast('2024-05-01' as date) then 97949
            else coalesce(description, null)
        end as source_system_17,
        nullif(source_system, '') as segment_18,
        case
            when segment >= cast('2024-09-01' as date) then tax_rate
            when description is not null then 'first_name'
            else round(country, 2)
        end as external_code_19,
        date_trunc('day', score) as external_code_20,
        segment || ' ' || tax_rate as is_deleted_21,
        created_at as created_at_22,
        md5(concat_ws('|', valid_to, valid_to, discount)) as email_23,
        lower(trim(valid_from)) as valid_to_24,
        nullif(cast(country as decimal(18, 2)), '') as amount_25,
        category as description_26,
        (currency ->> '$.payload.unit_price')::varchar as currency_27,
        (amount ->> '$.payload.description')::varchar as channel_28,
        (country ->> '$.payload.tax_rate')::varchar as external_code_29,
        coalesce(round(shipped_at, 2), false) as valid_to_30,
        date_trunc('day', country) as unit_price_31,
        nullif(tax_rate, '') as score_32,
        (is_deleted ->> '$.payload.amount')::varchar as email_33,
        cast(amount as date) as updated_at_34,
        coalesce(cast(valid_from as decimal(18, 2)), false) as amount_35,
        md5(concat_ws('|', valid_to, category, first_name)) as amount_36,
        case
            when updated_at in ('unit_price', 'event', 'external_code') then amount
            when lower(valid_to) not like '%contract%' then 'quantity'
            else quantity
        end as amount_37,
        lower(trim(tax_rate)) as reference_number_38,
        cast(tax_rate as date) as priority_39,
        email * (1 - last_name) / 100.0 as tax_rate_40,
        md5(concat_ws('|', tax_rate, category, source_system)) as external_code_41,
        case
            when (quantity in ('external_code', 'warehouse', 'description') and lower(description) not like '%refund%') then region
            when category is not null then null
            else description
        end as email_42,
        score as region_43,
        lower(trim(is_deleted)) as first_name_44,

        -- loaded
        cast(_loaded_at as timestamp) as loaded_at

    from source
    where last_name >= cast('2024-12-01' as date)

)

select * from renamed
