{{ config(materialized='table', alias='Priced Latest') }}
select 1 as id
