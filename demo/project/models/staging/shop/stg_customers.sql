select
    id as customer_id,
    first_name || ' ' || last_name as customer_name,
    lower(email) as email,
    country as country_code,
    joined_on,
    newsletter as gets_newsletter
from {{ source('shop', 'customers') }}
