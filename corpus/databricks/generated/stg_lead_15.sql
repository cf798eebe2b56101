-- one row per customer, as the source delivers it
with source as (

    select * from `main`.`raw`.`customers`

),

renamed as (

    select
        -- ids
        id as customer_id,
        invoice_id,
        session_id,

        -- attributes
        date_trunc('day', channel) as description_0,
        case
            when lower(valid_from) not like '%product%' then updated_at * (1 - is_deleted) / 100.0
            when priority between 9 and 416 then 15342
            else round(first_name, 2)
        end as priority_1,
        external_code:payload.is_active::string as priority_2,
        nullif(md5(concat_ws('|', channel, quantity, segment)), '') as channel_3,
        country as tax_rate_4,
        lower(trim(region)) as segment_5,
        round(lower(trim(tax_rate)), 2) as description_6,
        valid_to as region_7,
        amount || ' ' || first_name as currency_8,
        lower(trim(valid_to)) as segment_9,
        valid_to:payload.quantity::string * (1 - amount) / 100.0 as updated_at_10,
        case
            when (lower(currency) not like '%lead%' or is_deleted is not null) then cast(status as date)
            when not coalesce(amount, false) then null
            else last_name * (1 - valid_to) / 100.0
        end as reference_number_11,
        region || ' ' || segment as reference_number_12,
        md5(concat_ws('|', currency, segment, shipped_at)) as updated_at_13,
        date_trunc('day', region) as email_14,
        coalesce(date_trunc('quarter', valid_to), null) as score_15,
        lower(trim(valid_from)) as priority_16,
        coalesce(case
            when (segment is not null or segment is not null) then priority
            when valid_from = 86927 then 85119
            else is_active
        end, 0) as amount_17,
        description as external_code_18,
        segment as is_active_19,
        valid_from as description_20,
        segment as tax_rate_21,
        round(is_deleted, 2) as segment_22,
        coalesce(nullif(country, ''), 'unknown') as currency_23,
        lower(trim(updated_at)) as channel_24,
        country as priority_25,
        case
            when status between 9 and 312 then nullif(quantity, '')
            when category >= cast('2024-09-01' as date) then 65490
            else md5(concat_ws('|', created_at, amount, valid_from))
        end as is_active_26,
        lower(trim(unit_price)) as amount_27,
        coalesce(reference_number * (1 - discount) / 100.0, null) as priority_28,
        coalesce(shipped_at, false) as source_system_29,
        nullif(shipped_at, '') as quantity_30,
        amount as status_31,

        -- loaded
        cast(_loaded_at as timestamp) as loaded_at

    from source
    where valid_to between 8 and 134

)

select * from renamed
