{{ config(materialized='table_function') }}
select 1 as id
