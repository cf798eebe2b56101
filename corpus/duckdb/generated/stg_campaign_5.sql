-- one row per device, as the source delivers it
with source as (

    select * from "warehouse"."raw"."devices"

),

renamed as (

    select
        -- ids
        id as device_id,
        product_id,
        warehouse_id,

        -- attributes
        (score ->> '$.payload.region')::varchar as is_active_0,
        date_trunc('quarter', channel) as is_active_1,
        (shipped_at ->> '$.payload.source_system')::varchar as tax_rate_2,
        round(round(country, 2), 2) as valid_to_3,
        round(coalesce(unit_price, false), 2) as email_4,
        cast(first_name as timestamp) as created_at_5,
        nullif(lower(trim(segment)), '') as amount_6,
        date_trunc('day', status) as country_7,
        cast(region as date) as created_at_8,

        -- loaded
        cast(_loaded_at as timestamp) as loaded_at

    from source
    where (quantity = 90222 or not coalesce(first_name, false))

)

select * from renamed
