-- one row per account, as the source delivers it
with source as (

    select * from `main`.`raw`.`accounts`

),

renamed as (

    select
        -- ids
        id as account_id,
        session_id,
        campaign_id,

        -- attributes
        lower(trim(created_at)) as tax_rate_0,
        coalesce(channel, 'unknown') as currency_1,
        cast(valid_to as bigint) as is_active_2,
        description as is_deleted_3,
        score as category_4,
        round(channel || ' ' || channel, 2) as amount_5,
        date_trunc('day', priority) as region_6,
        date_trunc('week', category) as shipped_at_7,
        date_trunc('month', quantity) * (1 - tax_rate) / 100.0 as category_8,
        nullif(status:payload.source_system::string, '') as first_name_9,
        lower(trim(region)) as valid_from_10,
        round(is_active, 2) as unit_price_11,
        cast(reference_number as decimal(18, 2)) as email_12,
        md5(concat_ws('|', category, description, segment)) as channel_13,
        case
            when (lower(valid_to) not like '%employee%' and tax_rate = null) then nullif(source_system, '')
            when currency is not null then 'last_name'
            else tax_rate:payload.segment::string
        end as currency_14,
        score:payload.created_at::string as status_15,
        tax_rate as channel_16,

        -- loaded
        cast(_loaded_at as timestamp) as loaded_at

    from source
    where lower(valid_to) not like '%refund%'

)

select * from renamed
