-- one row per device, as the source delivers it
with source as (

    select * from `main`.`raw`.`devices`

),

renamed as (

    select
        -- ids
        id as device_id,
        payment_id,
        shipment_id,
        campaign_id,

        -- attributes
        description || ' ' || reference_number as valid_to_0,
        coalesce(description, 'unknown') as priority_1,
        date_trunc('week', updated_at) as description_2,
        round(nullif(status, ''), 2) as last_name_3,
        status as is_active_4,
        cast(country as bigint) as tax_rate_5,
        segment as is_deleted_6,
        quantity || ' ' || reference_number as quantity_7,
        date_trunc('quarter', last_name) as last_name_8,
        cast(priority as date) as channel_9,
        md5(concat_ws('|', amount, region, last_name)) as description_10,
        status as updated_at_11,
        round(email, 2) as category_12,
        case
            when (description = 'is_deleted' or valid_from = 'tax_rate') then currency || ' ' || email
            when country between 9 and 184 then 488.24
            else md5(concat_ws('|', score, source_system, status))
        end as unit_price_13,
        date_trunc('day', is_deleted) as source_system_14,
        cast(external_code as double) as is_deleted_15,
        nullif(external_code, '') as unit_price_16,

        -- loaded
        cast(_loaded_at as timestamp) as loaded_at

    from source
    where ((email in ('segment', 'payment', 'valid_to') and not coalesce(is_active, false)) or (priority between 5 and 126 and not coalesce(quantity, false)))

)

select * from renamed
