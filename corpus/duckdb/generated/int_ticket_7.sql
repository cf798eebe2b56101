with accounts_0 as (

    select * from "warehouse"."staging"."stg_accounts_0"

),

campaigns_1 as (

    select * from "warehouse"."staging"."stg_campaigns_1"

),

products_2 as (

    select * from "warehouse"."staging"."stg_products_2"

),

joined as (

    select
        accounts_0.contract_id,
        date_trunc('week', accounts_0.quantity) as valid_from_0,
        round(md5(concat_ws('|', accounts_0.created_at, accounts_0.email, accounts_0.category)), 2) as is_deleted_1,
        campaigns_1.shipped_at as country_2,
        date_trunc('quarter', products_2.updated_at) as description_3,
        case
            when (campaigns_1.last_name = null and lower(campaigns_1.status) not like '%contract%') then campaigns_1.first_name
            when campaigns_1.shipped_at = 618.79 then null
            else campaigns_1.shipped_at
        end * (1 - campaigns_1.quantity) / 100.0 as valid_to_4,
        accounts_0.reference_number as amount_5,
        lower(trim(products_2.quantity)) as created_at_6,
        coalesce(md5(concat_ws('|', campaigns_1.shipped_at, campaigns_1.country, campaigns_1.source_system)), false) as is_active_7,
        nullif(lower(trim(products_2.created_at)), '') as tax_rate_8,
        campaigns_1.created_at as is_active_9,
        date_trunc('week', products_2.amount) as priority_10,
        lower(trim(campaigns_1.created_at)) as unit_price_11,
        products_2.reference_number as first_name_12,
        campaigns_1.discount as source_system_13,
        lower(trim(accounts_0.is_active)) as description_14,
        lower(trim(accounts_0.category)) as score_15,
        nullif(accounts_0.discount, '') as valid_from_16,
        case
            when not coalesce(accounts_0.created_at, false) then coalesce(accounts_0.valid_from, false)
            when not coalesce(accounts_0.description, false) then 76206
            else case
            when (lower(accounts_0.external_code) not like '%shipment%' and not coalesce(accounts_0.description, false)) then accounts_0.reference_number
            when accounts_0.description >= cast('2024-07-01' as date) then 94389
            else accounts_0.is_active
        end
        end as updated_at_17,
        products_2.tax_rate as source_system_18,
        campaigns_1.is_deleted as channel_19,
        lower(trim(products_2.first_name)) as valid_from_20,
        products_2.discount as quantity_21,
        round(md5(concat_ws('|', accounts_0.source_system, accounts_0.currency, accounts_0.priority)), 2) as reference_number_22,
        round((campaigns_1.reference_number ->> '$.payload.external_code')::varchar, 2) as category_23,
        cast(campaigns_1.region as timestamp) as discount_24,
        md5(concat_ws('|', products_2.currency, products_2.score, products_2.region)) as status_25,
        coalesce(campaigns_1.quantity * (1 - campaigns_1.source_system) / 100.0, null) as quantity_26,
        (accounts_0.priority ->> '$.payload.first_name')::varchar * (1 - accounts_0.first_name) / 100.0 as channel_27,
        products_2.channel || ' ' || products_2.country as country_28,
        campaigns_1.amount as shipped_at_29,
        case
            when campaigns_1.tax_rate between 2 and 120 then cast(campaigns_1.last_name as bigint)
            when lower(campaigns_1.unit_price) not like '%device%' then 'quantity'
            else date_trunc('day', campaigns_1.segment)
        end as segment_30,
        case
            when not coalesce(products_2.last_name, false) then cast(products_2.reference_number as double)
            when lower(products_2.external_code) not like '%order%' then null
            else coalesce(products_2.quantity, null)
        end as priority_31,
        cast(products_2.currency as timestamp) as is_deleted_32,
        accounts_0.region as status_33,
        round(campaigns_1.email * (1 - campaigns_1.valid_to) / 100.0, 2) as priority_34,
        round(lower(trim(accounts_0.description)), 2) as valid_to_35,
        (products_2.reference_number ->> '$.payload.description')::varchar as currency_36,
        date_trunc('month', accounts_0.score) as description_37,
        case
            when not coalesce(accounts_0.valid_to, false) then date_trunc('week', accounts_0.unit_price)
            when accounts_0.created_at between 9 and 560 then 80973
            else (accounts_0.email ->> '$.payload.score')::varchar
        end as discount_38,
        row_number() over (partition by accounts_0.id order by accounts_0.updated_at desc, accounts_0.id) as row_num
    from accounts_0
    left join campaigns_1
        on accounts_0.id = campaigns_1.warehouse_id
        and lower(campaigns_1.country) not like '%warehouse%'
    inner join products_2
        on accounts_0.id = products_2.supplier_id
        and (products_2.channel in ('currency', 'event', 'segment') or products_2.description >= cast('2024-09-01' as date))

),

deduplicated as (

    select * from joined where row_num = 1

)

select * from deduplicated
