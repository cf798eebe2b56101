-- one row per lead, as the source delivers it
with source as (

    select * from `main`.`raw`.`leads`

),

renamed as (

    select
        -- ids
        id as lead_id,
        employee_id,

        -- attributes
        channel:payload.description::string as source_system_0,
        coalesce(lower(trim(valid_to)), false) as channel_1,
        coalesce(date_trunc('month', currency), null) as updated_at_2,
        lower(trim(updated_at)) * (1 - is_active) / 100.0 as score_3,
        first_name as quantity_4,
        reference_number as category_5,
        created_at as email_6,
        cast(description as decimal(18, 2)) as updated_at_7,
        case
            when (segment between 5 and 527 and score in ('is_active', 'session', 'score')) then tax_rate
            when lower(channel) not like '%account%' then 40677
            else is_deleted * (1 - discount) / 100.0
        end as unit_price_8,
        updated_at as status_9,
        nullif(md5(concat_ws('|', currency, source_system, discount)), '') as email_10,
        coalesce(shipped_at, 'unknown') * (1 - is_active) / 100.0 as updated_at_11,
        coalesce(md5(concat_ws('|', first_name, description, channel)), 'unknown') as valid_to_12,
        unit_price as is_deleted_13,
        round(created_at, 2) * (1 - source_system) / 100.0 as discount_14,
        score as valid_to_15,
        md5(concat_ws('|', description, valid_to, discount)) as quantity_16,
        lower(trim(valid_to)) as reference_number_17,
        quantity as email_18,
        segment as tax_rate_19,
        email:payload.valid_to::string as channel_20,
        round(round(discount, 2), 2) as valid_to_21,
        coalesce(coalesce(external_code, false), null) as valid_to_22,
        case
            when lower(status) not like '%ticket%' then md5(concat_ws('|', external_code, score, valid_to))
            when category in ('segment', 'contract', 'unit_price') then 'quantity'
            else date_trunc('week', segment)
        end as quantity_23,
        case
            when (reference_number is not null or region >= cast('2024-04-01' as date)) then nullif(score, '')
            when not coalesce(score, false) then 629.47
            else round(updated_at, 2)
        end as email_24,
        round(valid_from, 2) as valid_from_25,
        unit_price as is_active_26,

        -- loaded
        cast(_loaded_at as timestamp) as loaded_at

    from source
    where not coalesce(score, false)

)

select * from renamed
