with contracts_0 as (

    select * from `main`.`staging`.`stg_contracts_0`

),

refunds_1 as (

    select * from `main`.`staging`.`stg_refunds_1`

),

products_2 as (

    select * from `main`.`staging`.`stg_products_2`

),

joined as (

    select
        contracts_0.device_id,
        refunds_1.created_at:payload.country::string as country_0,
        case
            when (refunds_1.channel is not null or not coalesce(refunds_1.segment, false)) then refunds_1.score
            when not coalesce(refunds_1.last_name, false) then null
            else md5(concat_ws('|', refunds_1.shipped_at, refunds_1.region, refunds_1.tax_rate))
        end as external_code_1,
        coalesce(case
            when (products_2.valid_to >= cast('2024-03-01' as date) or not coalesce(products_2.last_name, false)) then products_2.quantity
            when products_2.updated_at = 'tax_rate' then null
            else products_2.email
        end, 'unknown') as quantity_2,
        contracts_0.category as category_3,
        md5(concat_ws('|', products_2.updated_at, products_2.segment, products_2.currency)) as valid_to_4,
        coalesce(round(contracts_0.unit_price, 2), 'unknown') as country_5,
        case
            when (refunds_1.tax_rate is not null or lower(refunds_1.external_code) not like '%event%') then cast(refunds_1.discount as date)
            when not coalesce(refunds_1.channel, false) then 397.85
            else refunds_1.email:payload.discount::string
        end as is_deleted_6,
        cast(contracts_0.email as date) as amount_7,
        nullif(case
            when products_2.discount is not null then products_2.status
            when products_2.valid_from in ('segment', 'supplier', 'email') then 43754
            else products_2.updated_at
        end, '') as reference_number_8,
        round(contracts_0.is_deleted, 2) as discount_9,
        refunds_1.first_name || ' ' || refunds_1.category as reference_number_10,
        refunds_1.is_deleted as is_deleted_11,
        coalesce(lower(trim(products_2.discount)), 0) as discount_12,
        row_number() over (partition by contracts_0.id order by contracts_0.updated_at desc, contracts_0.id) as row_num
    from contracts_0
    inner join refunds_1
        on contracts_0.id = refunds_1.supplier_id
        and refunds_1.valid_to is not null
    inner join products_2
        on contracts_0.id = products_2.campaign_id
        and products_2.status = 'country'

),

deduplicated as (

    select * from joined where row_num = 1

)

select * from deduplicated
