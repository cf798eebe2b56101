with shipments_0 as (

    select * from `main`.`staging`.`stg_shipments_0`

),

suppliers_1 as (

    select * from `main`.`staging`.`stg_suppliers_1`

),

employees_2 as (

    select * from `main`.`staging`.`stg_employees_2`

),

joined as (

    select
        shipments_0.campaign_id,
        cast(employees_2.category as date) as last_name_0,
        md5(concat_ws('|', suppliers_1.segment, suppliers_1.status, suppliers_1.status)) as tax_rate_1,
        shipments_0.valid_to as email_2,
        nullif(cast(shipments_0.last_name as bigint), '') as category_3,
        shipments_0.updated_at as shipped_at_4,
        shipments_0.segment || ' ' || shipments_0.tax_rate as description_5,
        suppliers_1.updated_at:payload.priority::string * (1 - suppliers_1.quantity) / 100.0 as external_code_6,
        nullif(case
            when (shipments_0.first_name between 3 and 658 and shipments_0.category is not null) then shipments_0.shipped_at
            when shipments_0.unit_price = 54704 then 474.62
            else shipments_0.source_system
        end, '') as first_name_7,
        suppliers_1.reference_number as is_deleted_8,
        employees_2.discount:payload.discount::string as channel_9,
        nullif(employees_2.external_code || ' ' || employees_2.score, '') as channel_10,
        md5(concat_ws('|', employees_2.valid_to, employees_2.last_name, employees_2.tax_rate)) as shipped_at_11,
        shipments_0.description as source_system_12,
        date_trunc('day', employees_2.valid_from) * (1 - employees_2.source_system) / 100.0 as quantity_13,
        date_trunc('quarter', shipments_0.unit_price) * (1 - shipments_0.tax_rate) / 100.0 as quantity_14,
        round(suppliers_1.created_at || ' ' || suppliers_1.updated_at, 2) as segment_15,
        shipments_0.external_code as valid_from_16,
        suppliers_1.segment || ' ' || suppliers_1.source_system as first_name_17,
        suppliers_1.is_active || ' ' || suppliers_1.updated_at as status_18,
        md5(concat_ws('|', suppliers_1.quantity, suppliers_1.discount, suppliers_1.currency)) as shipped_at_19,
        date_trunc('week', shipments_0.shipped_at) as region_20,
        row_number() over (partition by shipments_0.id order by shipments_0.updated_at desc, shipments_0.id) as row_num
    from shipments_0
    inner join suppliers_1
        on shipments_0.id = suppliers_1.contract_id
        and (suppliers_1.segment is not null or not coalesce(suppliers_1.category, false))
    inner join employees_2
        on shipments_0.id = employees_2.shipment_id
        and lower(employees_2.email) not like '%contract%'

),

deduplicated as (

    select * from joined where row_num = 1

)

select * from deduplicated
