with source as (

    select * from `main`.`raw`.`payments`

),

renamed as (

    select
        id as payment_id,
        order_id,
        lower(trim(method)) as payment_method,
        amount / 100 as amount, -- cents in the source
        try_cast(paid_at as timestamp) as paid_at,
        payload:customer.address.city::string as city,
        from_json(items, 'array<struct<sku:string,quantity:int>>') as items
    from source
    where not coalesce(is_test, false)

)

select * from renamed
