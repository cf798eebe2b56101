{{ config(materialized='metric_view') }}
select 1 as id
