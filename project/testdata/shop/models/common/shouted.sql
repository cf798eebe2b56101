{{ config(materialized='shout') }}
select 1 as id
