with source as (

    select * from "shop"."raw"."payments"

),

renamed as (

    select
        id as payment_id,
        order_id,
        lower(trim(method)) as payment_method,
        amount / 100.0 as amount, -- cents in the source
        try_cast(paid_at as timestamp) as paid_at,
        _file as loaded_from
    from source
    where not coalesce(is_test, false)

)

select * from renamed
