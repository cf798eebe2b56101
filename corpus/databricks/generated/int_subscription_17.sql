with suppliers_0 as (

    select * from `main`.`staging`.`stg_suppliers_0`

),

employees_1 as (

    select * from `main`.`staging`.`stg_employees_1`

),

sessions_2 as (

    select * from `main`.`staging`.`stg_sessions_2`

),

leads_3 as (

    select * from `main`.`staging`.`stg_leads_3`

),

joined as (

    select
        suppliers_0.customer_id,
        case
            when sessions_2.priority = 'tax_rate' then case
            when (sessions_2.source_system = 'priority' or sessions_2.tax_rate in ('quantity', 'location', 'external_code')) then sessions_2.updated_at
            when sessions_2.segment between 9 and 692 then null
            else sessions_2.is_active
        end
            when not coalesce(sessions_2.status, false) then 472.65
            else sessions_2.external_code
        end as quantity_0,
        case
            when leads_3.created_at = 204.85 then leads_3.unit_price * (1 - leads_3.country) / 100.0
            when leads_3.amount in ('region', 'product', 'external_code') then 9569
            else leads_3.status
        end as valid_to_1,
        sessions_2.shipped_at || ' ' || sessions_2.segment as source_system_2,
        lower(trim(suppliers_0.is_active)) as status_3,
        lower(trim(sessions_2.quantity)) as valid_to_4,
        date_trunc('week', suppliers_0.valid_to) as country_5,
        leads_3.created_at as external_code_6,
        nullif(coalesce(leads_3.discount, null), '') as description_7,
        suppliers_0.reference_number as segment_8,
        sessions_2.unit_price as valid_to_9,
        suppliers_0.quantity as source_system_10,
        md5(concat_ws('|', employees_1.external_code, employees_1.score, employees_1.is_deleted)) as shipped_at_11,
        suppliers_0.quantity || ' ' || suppliers_0.tax_rate as external_code_12,
        sessions_2.quantity as amount_13,
        round(leads_3.tax_rate * (1 - leads_3.currency) / 100.0, 2) as country_14,
        leads_3.country as unit_price_15,
        leads_3.is_active || ' ' || leads_3.last_name as reference_number_16,
        nullif(sessions_2.country, '') as email_17,
        nullif(employees_1.first_name, '') as currency_18,
        suppliers_0.is_deleted || ' ' || suppliers_0.currency * (1 - suppliers_0.shipped_at) / 100.0 as quantity_19,
        leads_3.description as reference_number_20,
        case
            when sessions_2.channel is not null then lower(trim(sessions_2.region))
            when sessions_2.channel between 0 and 661 then 600.83
            else round(sessions_2.description, 2)
        end as valid_to_21,
        row_number() over (partition by suppliers_0.id order by suppliers_0.updated_at desc, suppliers_0.id) as row_num
    from suppliers_0
    left join employees_1
        on suppliers_0.id = employees_1.ticket_id
        and (employees_1.quantity = 380.36 and employees_1.first_name in ('tax_rate', 'supplier', 'status'))
    left join sessions_2
        on suppliers_0.id = sessions_2.product_id
        and (sessions_2.email = 'region' or sessions_2.source_system is not null)
    left join leads_3
        on suppliers_0.id = leads_3.warehouse_id
        and not coalesce(leads_3.is_deleted, false)

),

deduplicated as (

    select * from joined where row_num = 1

)

select * from deduplicated
