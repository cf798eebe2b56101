{{ config(materialized='streaming_table') }}
select 1 as id
