{{ config(materialized='external', location='x.parquet') }}
select 1 as id
