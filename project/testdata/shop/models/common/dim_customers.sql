{{ config(materialized='table', full_refresh=true) }}
select id, upper(name) as name from {{ ref('stg_customers') }}
