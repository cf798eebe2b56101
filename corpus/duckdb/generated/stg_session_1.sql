-- one row per employee, as the source delivers it
with source as (

    select * from "warehouse"."raw"."employees"

),

renamed as (

    select
        -- ids
        id as employee_id,
        employee_id,
        contract_id,

        -- attributes
        cast(external_code as timestamp) as channel_0,
        country as priority_1,
        date_trunc('quarter', priority) as country_2,
        cast(shipped_at as decimal(18, 2)) as status_3,
        lower(trim(shipped_at)) as currency_4,
        coalesce(category, 'unknown') as region_5,
        date_trunc('day', shipped_at) as email_6,
        (region ->> '$.payload.last_name')::varchar as quantity_7,
        (last_name ->> '$.payload.region')::varchar * (1 - amount) / 100.0 as amount_8,
        coalesce(updated_at || ' ' || is_active, 'unknown') as created_at_9,
        cast(unit_price as timestamp) as currency_10,
        amount as currency_11,
        case
            when score in ('unit_price', 'refund', 'is_active') then coalesce(currency, false)
            when discount in ('score', 'lead', 'category') then 81.43
            else lower(trim(email))
        end as first_name_12,
        md5(concat_ws('|', first_name, quantity, external_code)) * (1 - is_active) / 100.0 as source_system_13,
        date_trunc('month', quantity) as discount_14,
        cast(created_at as double) as is_active_15,
        reference_number as first_name_16,
        (email ->> '$.payload.score')::varchar as created_at_17,
        currency as tax_rate_18,
        round(currency, 2) as score_19,
        nullif(is_deleted, '') * (1 - category) / 100.0 as is_active_20,

        -- loaded
        cast(_loaded_at as timestamp) as loaded_at

    from source
    where ((priority between 9 and 794 and is_deleted >= cast('2024-09-01' as date)) or (not coalesce(currency, false) and valid_from between 0 and 855))

)

select * from renamed
