{{ config(materialized='materialized_view') }}
select 1 as id
